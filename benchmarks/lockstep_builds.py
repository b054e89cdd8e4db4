"""Build time and speed of lock-step simulators: under cocotb, as a program of their own, and in blocks.

    python -m benchmarks.lockstep_builds                          # all networks, an hour on two cores
    python -m benchmarks.lockstep_builds --only torus --nodes 16 64 --ways without "without, in blocks"

Speeds are medians of three runs; the simulators of one network run in turn.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from benchmarks.lockstep_scale import configuration, timed
from hydranoc import load
from hydranoc.lockstep import block_choice
from hydranoc.lockstep.bench_source import BuiltSimulator
from hydranoc.lockstep.cocotb_run import run_under_cocotb
from hydranoc.lockstep.compare import Comparison
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.compare import run_directly
from hydranoc.lockstep.simulator import build_simulator

SIZES = {
    "mesh": (9, 16, 25, 36, 64),
    "torus": (9, 16, 25, 36, 64),
    "spam": (9, 16, 25, 36, 64),
    "min": (16, 64),
    "hypercube": (8, 16, 32, 64),
    "harts": (7, 19, 37, 61),
}
"""Nodes of the networks of each kind."""
WAYS = ("under cocotb", "without", "without, in blocks")
CYCLES = 10_000
REPEATS = 3
NEVER_BLOCKS = 10**9


@dataclass
class Variant:
    """A way to build and run a simulator.

    Members
    -------
    name : str
    blocks : bool
    cocotb : bool
    build_seconds : float
        CPU seconds of the build.
    speeds : list of float
        Cycles per CPU second of each run.
    """

    name: str
    blocks: bool
    cocotb: bool
    build_seconds: float = 0.0
    speeds: list[float] = field(default_factory=list)
    built: BuiltSimulator | None = None


def measure(kind: str, nodes: int, cycles: int, ways: Sequence[str]) -> str:
    """Return a row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["HYDRANOC_CACHE"] = name
        (folder / "network.yaml").write_text(yaml.safe_dump(configuration(kind, nodes, cycles)))
        design = load(folder / "network.yaml")
        harness = design.harness()
        comparison = Comparison(design.model, design.messages, 0, cycles, harness)
        variants = [Variant(way, blocks="blocks" in way, cocotb="under cocotb" in way) for way in ways]
        for variant in variants:
            block_choice.BLOCKS_FROM_ROUTERS = 1 if variant.blocks else NEVER_BLOCKS
            block_choice.BLOCKS_FROM_BYTES = NEVER_BLOCKS
            with timed() as taken:
                if variant.cocotb:
                    variant.built = build_simulator(harness, "verilator", waves=False)
                else:
                    variant.built = build_directly(harness)
            variant.build_seconds = taken["cpu"]
        for _ in range(REPEATS):
            for variant in variants:
                variant.speeds.append(_speed(variant, comparison, folder))
        cells = [f"{kind}, {design.network.switches} routers"]
        cells += [f"{variant.build_seconds:.1f} s, {statistics.median(variant.speeds):,.0f}" for variant in variants]
        return f"| {' | '.join(cells)} |"


def _speed(variant: Variant, comparison: Comparison, folder: Path) -> float:
    run: Callable[..., tuple] = run_under_cocotb if variant.cocotb else run_directly
    result, _ = run(comparison, variant.built, folder, None, None)
    if result.mismatches:
        raise RuntimeError(f"{variant.name}: {result.report}")
    return result.compared_cycles / result.cpu_seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SIZES, default=list(SIZES), help="kinds of networks")
    parser.add_argument("--nodes", nargs="+", type=int, help="networks of these sizes alone")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="ways to build a simulator")
    parser.add_argument("--cycles", type=int, default=CYCLES, help=f"compared cycles (default {CYCLES})")
    chosen = parser.parse_args()
    print(f"| network | {' | '.join(chosen.ways)} |\n|{'---|' * (1 + len(chosen.ways))}", flush=True)
    for kind in chosen.only:
        for nodes in SIZES[kind]:
            if not chosen.nodes or nodes in chosen.nodes:
                print(measure(kind, nodes, chosen.cycles, chosen.ways), flush=True)


if __name__ == "__main__":
    main()
