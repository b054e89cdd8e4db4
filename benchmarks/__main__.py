"""Prints the project's figures: ``python -m benchmarks [--quick]``.

Speeds of models are in flit-hops per CPU second of one core: end to end, and of the run alone. A flit-hop is one flit
over one channel, injection and delivery included; copies count like other flits.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from benchmarks import axi4, end_to_end, plane
from benchmarks.router_rows import FAR, spam_row
from benchmarks.router_table import HEAD, line, measured
from benchmarks.workload import LOADS, loaded, networks
from hydranoc.lockstep.compare import Comparison, compare_network
from sim_model.engines.simulation import Simulation

LOCKSTEP_REPEATS = 3


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Figures of HydraNoC.")
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    quick = parser.parse_args().quick
    mesh = "mesh of 8 x 8 nodes, uniform unicasts"
    print(f"Golden model, end to end with the run alone beside it: {mesh}", flush=True)
    end_to_end.main(quick=quick)
    print("Golden model, all families", flush=True)
    print_model_speed(50_000 if quick else 400_000)
    print("Golden model of the collective plane: mesh of 8 x 8 switches, one group of 64 processors", flush=True)
    plane.main()
    print("Golden model of AXI4 ends: mesh of 8 x 8 switches, 16 managers, 16 memories", flush=True)
    axi4.main()
    print("Lock-step under Verilator, overload", flush=True)
    print_lockstep_speed(10_000 if quick else 50_000)
    print("Router on ECP5: 5 ports, 32-bit flits, 64 nodes, buffers of 2", flush=True)
    print_router_cost(["", FAR][: 1 if quick else 2], seeds=1 if quick else 3)


def print_model_speed(cycles: int) -> None:
    """Print the speed of the golden models of all families."""
    for title, network in networks():
        short = loaded(network, "overload", 10_000)
        begin = time.process_time()
        Simulation(short.model, short.messages).run(10)
        print(f"  {title}; compilation, or loading of the cache: {time.process_time() - begin:.1f} CPU s")
        for name in LOADS:
            cost = end_to_end.measure(lambda network=network, name=name: loaded(network, name, cycles), cycles)
            hops, alone = cost.flit_hops, cost.run_seconds
            print(
                f"  {name:>16}: {hops / cycles:5.1f} flit-hops per cycle, {hops / cost.seconds / 1e6:5.1f} million "
                f"per CPU s; the run alone {hops / alone / 1e6:5.1f}, {cycles / alone / 1e3:5.0f} thousand cycles",
                flush=True,
            )


def print_lockstep_speed(cycles: int) -> None:
    """Print seconds to generate and build, and cycles per CPU second; the simulators are always rebuilt."""
    for title, network in networks():
        design = loaded(network, "overload", cycles)
        begin = time.monotonic()
        harness = design.harness()
        generated = time.monotonic() - begin
        print(f"  {title}; Verilog of the harness: {generated:.1f} s, {len(harness.verilog) / 1000:.0f} KB", flush=True)
        job = Comparison(design.model, design.messages, 0, cycles, harness)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HYDRANOC_CACHE"] = folder
            outcomes = [compare_network(job, "verilator", Path(folder)) for _ in range(LOCKSTEP_REPEATS)]
        speeds = sorted(outcome.cycles_per_second for outcome in outcomes)
        print(f"    build: {outcomes[0].build_seconds:.1f} s on {os.cpu_count()} cores ({outcomes[0].simulator})")
        print(f"    compared: {cycles} cycles, {sum(outcome.result.mismatches for outcome in outcomes)} mismatches")
        middle = speeds[LOCKSTEP_REPEATS // 2]
        print(f"    speed: {speeds[0]:.0f} to {speeds[-1]:.0f}, median {middle:.0f} cycles per CPU s", flush=True)


def print_router_cost(ends: list[str], seeds: int) -> None:
    """Print the cost of the reference router, and of an inner switch far from the root."""
    print(f"  {HEAD}")
    for row in (spam_row(end=end) for end in ends):
        print(f"  {line(row, measured(row, seeds=seeds))}")
    print("  cycles per hop, head and body: 2 (routing_cycles 1)")


if __name__ == "__main__":
    main()
