"""Known faults, judged by the tests that ``make test`` runs and by nothing else."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topology.common.errors import MachineTrouble
from verification.mutation.environment import is_environment_failure
from verification.mutation.mutants import Mutant
from verification.mutation.separate import Answer, limit_cpu, separately
from verification.mutation.survivors import CLOSED
from verification.mutation.verdicts import KILLED, SURVIVED, Verdict
from verification.mutation.workshop import changed

KEPT_COSTS = Path(".pytest_cache", "v", "selection", "verdicts")
ROOMS = "tests/proofs/", "tests/rtl/", "tests/tb/"
PROOFS = "tests/proofs/test_proofs.py"
PROOF = f"{PROOFS}::test_properties_hold_by_induction[{{}}]"
RESETS = "tests/tb/test_resets.py::test_resets_under_load[{}]"
USERS = {"vc": "torus", "routed": "spam", "parts": "spam", "generator": "spam", "registers": "spam"}
"""A family that elaborates the files of a shared room."""
OF_PLANES = ["tests/rtl/test_plane_verilog.py", "tests/tb/test_plane_lockstep.py"]
"""Tests that elaborate collective planes."""
OF_AXI4 = ["tests/rtl/test_axi4.py", "tests/rtl/test_axi4_manager.py", PROOFS, "tests/tb/test_axi4.py"]
"""Tests that elaborate AXI4 ends."""
FAILED = re.compile(r"FAILED (\S+::.+?)(?: - |$)")
"""Which test of a file has failed, in the line that pytest prints of it."""
CPU_SECONDS, WALL_SECONDS = 900, 3_600.0


def faults(verdicts: Iterable[Verdict], judged: Mapping[str, tuple[str, str]]) -> Iterator[Verdict]:
    """Yield the verdicts on mutants that are faults: the killed ones, and survivors that have a test by now.

    ``said`` of the latter is the reason in the list of survivors, which names that test.
    """
    for verdict in verdicts:
        looked_at, why = judged.get(verdict.place, ("", ""))
        if verdict.verdict == KILLED:
            yield verdict
        elif verdict.verdict == SURVIVED and looked_at == CLOSED:
            yield replace(verdict, said=why)


def kept_costs(root: Path) -> dict[str, dict[str, Any]]:
    """Return what the last whole run of the tests has kept of each test file: its CPU seconds and all that it uses."""
    if not (root / KEPT_COSTS).exists():
        raise SystemExit("error: no test has a known cost here; run `make test` first")
    return json.loads((root / KEPT_COSTS).read_text())["files"]


class Jury:
    """Tests that judge mutants.

    Parameters:
        root: The copy of the tree for mutants.
        folder: Working folder; what it contains is removed.
        costs: See ``kept_costs``.
    """

    def __init__(self, root: Path, folder: Path, costs: Mapping[str, Any]):
        self.root, self.folder, self.costs = root, folder, costs
        self._sound: dict[str, bool] = {}

    def judge(self, mutant: Mutant, verdict: Verdict) -> dict[str, Any]:
        """Return place, start, the test that has found the mutant (``said``, empty if none), an error and CPU seconds.

        A test that fails on the unmodified hardware too finds nothing, and neither does a trial that breaks off.

        Raises:
            MachineTrouble: If the environment has failed.
        """
        row = {"place": verdict.place, "start": verdict.start, "said": "", "error": ""}
        tests, file, seconds = in_order(mutant, verdict, self.costs), self.root / mutant.file, 0.0
        while tests:
            with changed(file, mutant.apply(file.read_bytes())):
                answer = self._try(tests)
            seconds += answer.cpu_seconds
            row["error"] = answer.error or ""
            if answer.error or not answer.value:
                break
            number, said = answer.value
            if self._passes_on_sound_hardware(failed.group(1) if (failed := FAILED.match(said)) else tests[number]):
                row["said"] = said
                break
            tests = tests[number + 1 :]
        return {**row, "seconds": round(seconds, 2)}

    def _passes_on_sound_hardware(self, test: str) -> bool:
        if test not in self._sound:
            answer = self._try([test])
            self._sound[test] = not answer.error and not answer.value
        return self._sound[test]

    def _try(self, tests: Sequence[str]) -> Answer:
        shutil.rmtree(self.folder, ignore_errors=True)
        answer = separately(lambda: _first_failure(tests, self.folder), self.folder / "trial", WALL_SECONDS)
        if answer.environment:
            raise MachineTrouble(f"{tests[0]}: {answer.error}")
        return answer


def in_order(mutant: Mutant, verdict: Verdict, costs: Mapping[str, Any]) -> list[str]:
    """Return tests: those that are like the earlier detector, then all files that use the mutant's file."""
    kind, _, name = verdict.killer.partition(": ")
    folder = mutant.file.split("/")[1]
    family = name.split()[0].replace("mesh", "torus") if kind == "lock-step" else ""
    others = {"collectives": OF_PLANES, "axi4": OF_AXI4}.get(folder)
    others = others or [RESETS.format(USERS.get(folder, folder)), PROOFS]
    first = {
        "proof": [PROOF.format(name), PROOFS],
        "test": [name, name.partition("::")[0]],
        "lock-step": [
            RESETS.format(family),
            f"tests/tb/test_{family}_lockstep.py",
            "tests/tb/test_headers_lockstep.py",
        ],
    }.get(kind, others)  # proofs of what has not changed are kept
    named = [*FAILED.findall(verdict.said), *re.findall(r"tests/\w+/test_\w+\.py", verdict.said)]
    users = [file for file, kept in costs.items() if mutant.file in kept["uses"]]
    room = folder.removesuffix("s")
    users.sort(key=lambda file: (room not in file, not file.startswith(ROOMS), costs[file]["seconds"]))
    return list(dict.fromkeys([*named, *first, *users]))


def _first_failure(tests: Sequence[str], folder: Path) -> tuple[int, str] | None:
    """Return the position of the first test that fails, and the failure."""
    limit_cpu(CPU_SECONDS)
    try:
        from verification.mutation.killers import failed_test  # imports the hardware
    except Exception as error:  # so does the first test
        if is_environment_failure(error):
            raise
        return 0, f"FAILED {tests[0]} - {type(error).__name__}: {error}"
    for number, test in enumerate(tests):
        if found := failed_test([test], folder):
            return number, found
    return None
