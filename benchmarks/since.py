"""Speed of an engine here and in another checkout: ``python -m benchmarks.since CHECKOUT [--only NAME]``.

The checkout, such as one of an earlier commit, has its own environment in ``.venv``. Both run the same messages in
turn, and must agree in every arrival; results are medians of the ratios of CPU seconds, without setup.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any, cast

import numpy as np

from benchmarks.end_to_end import FLITS, MESH
from benchmarks.workload import LOADS, NETWORKS, changed, random_traffic
from hydranoc import load
from hydranoc.design import Design
from sim_model.messages.messages import Messages

REPEATS = 7
MESH_LOADS = (0.1, 0.2, 0.3)
"""Flits per node and cycle."""
LARGE = Path(__file__).parent / "large"
"""Networks of some 500 nodes under a light load."""
HERE = Path(__file__).parents[1]
WORKER = Path(__file__).with_name("since_worker.py")
TARGET_HOPS = 4_000_000
ROW = "{:>28} {:>8} {:>8} {:>6}"


@dataclass(frozen=True)
class Case:
    """A network under a load; messages start in ``cycles`` cycles, and the run ends with them."""

    name: str
    config: Path
    cycles: int
    values: dict[str, Any]

    def design(self) -> Design:
        """Return the design with its messages."""
        return changed(load(self.config), **self.values, cycles=self.cycles)


def cases() -> Iterator[Case]:
    """Yield all cases."""
    for flits in FLITS:
        for load_flits in MESH_LOADS:
            rate = load_flits / flits
            values = {"messages_per_node_per_cycle": rate, "flits": flits}
            yield Case(f"mesh {flits} flits {load_flits}", MESH, 50_000, values)
    for path in NETWORKS:
        own = random_traffic(load(path)).messages_per_node_per_cycle
        for load_name, share in LOADS.items():
            cycles = 200_000 if path.stem == "harts" else 100_000
            yield Case(f"{path.stem} {load_name}", path, cycles, {"messages_per_node_per_cycle": share * own})
    for path in sorted(LARGE.glob("*.yaml")):
        yield Case(f"{path.stem} light", path, 100_000, {})


class Checkout:
    """A process of a checkout that runs cases on request."""

    def __init__(self, folder: Path, worker: Path = WORKER):
        python = folder / ".venv/bin/python"
        if not python.exists():
            raise SystemExit(f"{folder} must have an environment in .venv, with {python}")
        command = [str(python), str(worker)]
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, **asked: Any) -> dict[str, Any]:
        """Return the answer of ``since_worker``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("The other checkout failed; its output is above")
        return cast(dict[str, Any], json.loads(line))


def write_messages(messages: Messages, path: Path) -> None:
    """Write the messages in columns, without those of parents."""
    names = [
        field.name for field in fields(messages) if field.name not in ("parents", "parent_offsets", "delay_cycles")
    ]
    np.savez(path, **{name: getattr(messages, name) for name in names})


def compare(
    case: Case, checkouts: tuple[Checkout, Checkout], folder: Path, engine: str, repeats: int
) -> tuple[float, float, float]:
    """Return million flit-hops per CPU second there and here, and the median of the ratios."""
    messages = folder / "messages.npz"
    write_messages(case.design().messages, messages)
    config = folder / f"{case.name}.yaml"
    config.write_text(case.config.read_text())
    renamed = messages.rename(folder / f"{case.name}.npz")
    asked = {"config": str(config), "messages": str(renamed), "engine": engine, "until_cycle": case.cycles}
    there, here = ([] for _ in range(2))
    for _ in range(repeats):
        pair = [checkout.run(**asked) for checkout in checkouts]
        if pair[0]["digest"] != pair[1]["digest"]:
            raise SystemExit(f"{case.name}: the checkouts disagree")
        there.append(pair[0]["flit_hops"] / pair[0]["seconds"] / 1e6)
        here.append(pair[1]["flit_hops"] / pair[1]["seconds"] / 1e6)
    return median(there), median(here), median(new / old for old, new in zip(there, here, strict=True))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.since", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="", help="cases whose names begin with this")
    parser.add_argument("--engine", default="cycle", help="of networks that have it, such as planes of a mesh")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    given = parser.parse_args()
    checkouts = (Checkout(given.checkout.absolute()), Checkout(HERE))
    print(ROW.format("million flit-hops per CPU s", "there", "here", "times"))
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            if case.name.startswith(given.only):
                there, here, times = compare(case, checkouts, Path(folder), given.engine, given.repeats)
                print(ROW.format(case.name, f"{there:.1f}", f"{here:.1f}", f"{times:.2f}"), flush=True)


if __name__ == "__main__":
    main()
