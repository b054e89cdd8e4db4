"""Lock-step of networks of 64, 256 and 1,024 routers: time and memory of every step, and cycles per CPU second.

Every network is measured in a separate process, so that its peak memory is separate.
"""

import argparse
import copy
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import isqrt
from pathlib import Path
from typing import Any

import yaml

from benchmarks import workload
from benchmarks.sandbox import children_seconds
from hydranoc import load
from hydranoc.design import Design
from hydranoc.lockstep.compare import Comparison, compare_network
from rtl.generator.network import generate_network

SIZES = (64, 256, 1024)
CYCLES = 20_000
BYTES_PER_MB, KIB_PER_MB = 10**6, 1024
HEADINGS = ("network", "noc.v", "lock-step harness", "simulator's build", "peak", "compared")


def _square(nodes: int) -> dict[str, Any]:
    return {"rows": isqrt(nodes), "columns": isqrt(nodes)}


NETWORKS: dict[str, tuple[str, Callable[[int], dict[str, Any]], Callable[[int], float]]] = {
    "mesh": ("torus", lambda nodes: {"kind": "mesh", **_square(nodes)}, lambda nodes: 4 / isqrt(nodes)),
    "torus": ("torus", _square, lambda nodes: 8 / isqrt(nodes)),
    "spam": ("spam", lambda nodes: {"switches": nodes}, lambda nodes: 64 / nodes),
    "min": ("min", lambda nodes: {"stages": (nodes.bit_length() - 1) // 2}, lambda nodes: 64 / nodes),
    "hypercube": ("hypercube", lambda nodes: {"dimensions": nodes.bit_length() - 1}, lambda _nodes: 1.0),
    "harts": ("harts", lambda nodes: {"size": {64: 5, 256: 10, 1024: 18}[nodes]}, lambda nodes: 61 / nodes),
}
"""A family of ``networks.yaml``, the topology for a number of nodes, and its saturation relative to that of 64 nodes;
hexagonal meshes have 61, 271 and 919."""


def configuration(kind: str, nodes: int, cycles: int) -> dict[str, Any]:
    """Return a network of about ``nodes`` nodes in overload, with traffic for ``cycles`` cycles."""
    family, topology, saturation = NETWORKS[kind]
    config = copy.deepcopy(workload.NETWORKS[family])
    config["network"]["topology"] |= topology(nodes)
    config["traffic"]["cycles"] = cycles
    config["traffic"]["messages_per_node_per_cycle"] *= workload.LOADS["overload"] * saturation(nodes)
    return config


def measure(kind: str, nodes: int, cycles: int) -> str:
    """Return a row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYDRANOC_CACHE"] = folder
        file = Path(folder) / f"{kind}.yaml"
        file.write_text(yaml.safe_dump(configuration(kind, nodes, cycles)))
        design = load(file)
        cells = [f"{kind}, {design.network.switches:,} routers", _exported(design)]
        with timed() as harness_time:
            harness = design.harness()
        cells.append(f"{harness_time['cpu']:.0f} s, {len(harness.verilog) / BYTES_PER_MB:.1f} MB")
        comparison = Comparison(design.model, design.messages, 0, cycles, harness)
        with timed() as whole:
            outcome = compare_network(comparison, "verilator", Path(folder))
        result = outcome.result
        building = whole["cpu"] - result.cpu_seconds  # and start-up, some seconds
        cells.append(f"{outcome.build_seconds:.0f} s, {building:.0f} s of CPU")
        peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        cells.append(f"{peak / KIB_PER_MB:,.0f} MB")
        speed = f"{outcome.cycles_per_second:,.0f} per CPU s"
        cells.append(f"{result.compared_cycles:,} cycles, {result.mismatches} mismatches, {speed}")
    return f"| {' | '.join(cells)} |"


def _exported(design: Design) -> str:
    with timed() as taken:
        files = generate_network(design.plan).files
    return f"{taken['cpu']:.0f} s, {len(files['noc.v']) / BYTES_PER_MB:.1f} MB"


@contextmanager
def timed() -> Iterator[Mapping[str, float]]:
    """Measure the block's CPU seconds, children included, and wall time; available when it has ended."""
    taken: dict[str, float] = {}
    own, children, wall = time.process_time(), children_seconds(), time.monotonic()
    yield taken
    cpu = time.process_time() - own + children_seconds() - children
    taken.update(cpu=cpu, wall=time.monotonic() - wall)


def main() -> None:
    """Print the table, each row as soon as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lockstep_scale", description=__doc__)
    parser.add_argument("--only", choices=NETWORKS, help="this kind of network")
    parser.add_argument("--nodes", type=int, choices=SIZES, help="this size")
    parser.add_argument("--cycles", type=int, default=CYCLES, help="cycles to compare")
    options = parser.parse_args()
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    for kind in [options.only] if options.only else NETWORKS:
        for nodes in [options.nodes] if options.nodes else SIZES:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.apply(measure, (kind, nodes, options.cycles)), flush=True)


if __name__ == "__main__":
    main()
