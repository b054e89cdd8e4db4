"""Known faults, judged by the tests that ``make test`` runs and by nothing else."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from verification.mutation.mutants import Mutant
from verification.mutation.separate import limit_cpu, separately
from verification.mutation.survivors import CLOSED
from verification.mutation.verdicts import KILLED, SURVIVED, Verdict
from verification.mutation.workshop import changed

KEPT_COSTS = Path(".pytest_cache", "v", "selection", "verdicts")
ROOMS = "tests/proofs/", "tests/rtl/", "tests/tb/"
PROOFS = "tests/proofs/test_proofs.py"
PROOF = f"{PROOFS}::test_properties_hold_by_induction[{{}}]"
RESETS = "tests/tb/test_resets.py::test_resets_under_load[{}]"
CPU_SECONDS, WALL_SECONDS = 900, 3_600.0


def faults(verdicts: Iterable[Verdict], judged: Mapping[str, tuple[str, str]]) -> Iterator[Verdict]:
    """Yield the verdicts on mutants that are faults: the killed ones, and survivors that have a test by now."""
    for verdict in verdicts:
        closed = verdict.verdict == SURVIVED and judged.get(verdict.place, ("",))[0] == CLOSED
        if verdict.verdict == KILLED or closed:
            yield verdict


def kept_costs(root: Path) -> dict[str, dict[str, Any]]:
    """Return what the last whole run of the tests has kept of each test file: its CPU seconds and all that it uses."""
    return json.loads((root / KEPT_COSTS).read_text())["files"]


def judge(mutant: Mutant, verdict: Verdict, root: Path, folder: Path, costs: Mapping[str, Any]) -> dict[str, Any]:
    """Return place, the test that has failed (empty if none), and CPU seconds.

    Parameters:
        verdict: Its earlier verdict, which tells the tests that come first.
        root: The copy of the tree for mutants.
        folder: Working folder; what it contains is removed.
        costs: See ``kept_costs``.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    groups = in_order(mutant, verdict, costs)
    with changed(root / mutant.file, mutant.apply((root / mutant.file).read_bytes())):
        answer = separately(lambda: _first_failure(groups, folder), folder / "trial", WALL_SECONDS)
    return {"place": verdict.place, "said": answer.error or answer.value, "seconds": answer.cpu_seconds}


def in_order(mutant: Mutant, verdict: Verdict, costs: Mapping[str, Any]) -> list[list[str]]:
    """Return groups of tests: those that are like the earlier detector, then all files that use the mutant's file."""
    kind, _, name = verdict.killer.partition(": ")
    family = name.split()[0].replace("mesh", "torus") if kind == "lock-step" else ""
    first = {
        "proof": [PROOF.format(name)],
        "test": [name],
        "lock-step": [
            RESETS.format(family),
            f"tests/tb/test_{family}_lockstep.py",
            "tests/tb/test_headers_lockstep.py",
        ],
    }.get(kind, [PROOFS])  # proofs of what has not changed are kept
    named = re.findall(r"tests/\w+/test_\w+\.py", verdict.said)
    users = [file for file, kept in costs.items() if mutant.file in kept["uses"]]
    room = mutant.file.split("/")[1].removesuffix("s")
    users.sort(key=lambda file: (room not in file, not file.startswith(ROOMS), costs[file]["seconds"]))
    return [[test] for test in dict.fromkeys([*first, *named])] + [[file] for file in users if file not in first]


def _first_failure(groups: Iterable[list[str]], folder: Path) -> str:
    limit_cpu(CPU_SECONDS)
    from verification.mutation.killers import failed_test  # imports the hardware

    for group in groups:
        found = failed_test(group, folder)
        if found and not found.endswith("USAGE_ERROR"):  # a test of this name is no longer there
            return found
    return ""
