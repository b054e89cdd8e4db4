"""Lock-step comparison of a loaded 64-switch network: seconds to generate and build, cycles per CPU second."""

import os
import tempfile
import time
from pathlib import Path

from benchmarks.workload import LOADS, lattice_routing, traffic
from hydranoc.compare import Comparison, compare_network, harness_source
from rtl.spam.network import spam_plan
from sim_model.spam.model import SpamModel

REPEATS = 3


def main(*, quick: bool) -> None:
    """Measure and print; the simulator is always built anew."""
    cycles = 10_000 if quick else 50_000
    routing = lattice_routing()
    model = SpamModel(routing)
    begin = time.monotonic()
    harness = harness_source(spam_plan(routing))
    print(f"  Verilog of the harness: {time.monotonic() - begin:.1f} s, {len(harness.verilog) / 1000:.0f} KB")
    job = Comparison(model, traffic(model, LOADS["overload"], cycles), 0, cycles, harness)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYDRANOC_CACHE"] = folder
        outcomes = [compare_network(job, "verilator", Path(folder)) for _ in range(REPEATS)]
    speeds = sorted(outcome.cycles_per_second for outcome in outcomes)
    print(f"  build: {outcomes[0].build_seconds:.1f} s on {os.cpu_count()} cores ({outcomes[0].simulator})")
    print(f"  compared: {cycles} cycles, {sum(outcome.result.mismatches for outcome in outcomes)} mismatches")
    print(f"  speed: {speeds[0]:.0f} to {speeds[-1]:.0f}, median {speeds[REPEATS // 2]:.0f} cycles per CPU s")
