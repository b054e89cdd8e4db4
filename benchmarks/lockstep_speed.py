"""Lock-step comparison of loaded networks: seconds to generate and build, cycles per CPU second."""

import os
import tempfile
import time
from pathlib import Path

from benchmarks.workload import loaded, networks
from hydranoc.lockstep.compare import Comparison, compare_network

REPEATS = 3


def main(*, quick: bool) -> None:
    """Measure and print; the simulators are always rebuilt."""
    cycles = 10_000 if quick else 50_000
    for title, path in networks():
        design = loaded(path, "overload", cycles)
        begin = time.monotonic()
        harness = design.harness()
        generated = time.monotonic() - begin
        print(f"  {title}; Verilog of the harness: {generated:.1f} s, {len(harness.verilog) / 1000:.0f} KB", flush=True)
        job = Comparison(design.model, design.messages, 0, cycles, harness)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HYDRANOC_CACHE"] = folder
            outcomes = [compare_network(job, "verilator", Path(folder)) for _ in range(REPEATS)]
        speeds = sorted(outcome.cycles_per_second for outcome in outcomes)
        print(f"    build: {outcomes[0].build_seconds:.1f} s on {os.cpu_count()} cores ({outcomes[0].simulator})")
        print(f"    compared: {cycles} cycles, {sum(outcome.result.mismatches for outcome in outcomes)} mismatches")
        print(
            f"    speed: {speeds[0]:.0f} to {speeds[-1]:.0f}, median {speeds[REPEATS // 2]:.0f} cycles per CPU s",
            flush=True,
        )
