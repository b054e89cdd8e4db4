"""Lock-step of networks of 64, 256 and 1,024 routers: time and memory of every step, and cycles per CPU second.

Every network is measured in a separate process, so that its peak memory is separate.
"""

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import yaml

from hydranoc import load
from hydranoc.design import Design
from hydranoc.lockstep.compare import Comparison, compare_network
from rtl.generator.network import generate_network

SIZES = (64, 256, 1024)
CYCLES = 20_000
BYTES_PER_MB, KIB_PER_MB = 10**6, 1024
HEADINGS = ("network", "noc.v", "lock-step harness", "simulator's build", "peak", "compared")

Configuration = dict[str, object]


def _mesh(kind: str, nodes: int) -> tuple[Configuration, Configuration]:
    side = round(nodes**0.5)
    network = {"family": "torus", "topology": {"kind": kind, "rows": side, "columns": side}, "virtual_channels": 2}
    rate = {"torus": 0.48, "mesh": 0.24}[kind] / side
    return {**network, "buffer_flits": 4}, {"flits": 16, "messages_per_node_per_cycle": rate}


def _multicasts(nodes: int, rate: float) -> Configuration:
    fraction = {"multicast_fraction": 0.1, "destinations": 16}
    return {"flits": 128, **fraction, "messages_per_node_per_cycle": rate / nodes}


def _spam(nodes: int) -> tuple[Configuration, Configuration]:
    topology = {"kind": "lattice", "switches": nodes, "seed": 7}
    return {"family": "spam", "topology": topology, "buffer_flits": 2}, _multicasts(nodes, 0.064)


def _min(nodes: int) -> tuple[Configuration, Configuration]:
    stages = (nodes.bit_length() - 1) // 2
    topology = {"kind": "bi-butterfly", "radix": 4, "stages": stages, "consumption_channels": 1}
    return {"family": "min", "topology": topology, "buffer_flits": 2}, _multicasts(nodes, 0.128)


def _harts(nodes: int) -> tuple[Configuration, Configuration]:
    size = {64: 5, 256: 10, 1024: 18}.get(nodes) or round((nodes / 3) ** 0.5 + 0.5)
    network = {"family": "harts", "topology": {"kind": "hexmesh", "size": size}, "flit_bits": 64, "packet_flits": 65}
    broadcasts = {"multicast_fraction": 0.01, "algorithm": "6-bcast"}
    return network, {"flits": 33, **broadcasts, "messages_per_node_per_cycle": 0.122 / nodes}


def _hypercube(nodes: int) -> tuple[Configuration, Configuration]:
    topology = {"kind": "hypercube", "dimensions": nodes.bit_length() - 1}
    network = {
        "family": "hypercube",
        "topology": topology,
        "virtual_channels": 3,
        "buffer_flits": 4,
        "injection_channels": 1,
    }
    return network, {"flits": 16, "messages_per_node_per_cycle": 0.09}


NETWORKS = {
    "mesh": lambda nodes: _mesh("mesh", nodes),
    "torus": lambda nodes: _mesh("torus", nodes),
    "spam": _spam,
    "min": _min,
    "hypercube": _hypercube,
    "harts": _harts,
}
"""Network, traffic in overload, and number of nodes; hexagonal meshes have 61, 271 and 919."""


def configuration(kind: str, nodes: int, cycles: int) -> Configuration:
    """Return the configuration of a network of about ``nodes`` nodes, with traffic for ``cycles`` cycles."""
    network, traffic = NETWORKS[kind](nodes)
    traffic = {"kind": "random", "seed": 1, "cycles": cycles, "multicast_fraction": 0, **traffic}
    return {"network": {"flit_bits": 32, **network}, "traffic": traffic}


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
    cpu, wall = _cpu_seconds(), time.monotonic()
    yield taken
    taken.update(cpu=_cpu_seconds() - cpu, wall=time.monotonic() - wall)


def _cpu_seconds() -> float:
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


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
