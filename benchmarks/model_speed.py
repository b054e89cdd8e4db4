"""Speed of the golden models, in flit-hops per CPU second of one core.

A flit-hop is one flit over one channel, injection and delivery included; a copy counts like any flit.
"""

import statistics
import time

from benchmarks.workload import LOADS, loaded, networks
from hydranoc.design import Design
from sim_model.common.simulation import Simulation

REPEATS = 5


def measure(design: Design, cycles: int) -> tuple[int, float]:
    """Flit-hops of a run, and the median CPU seconds of some repeats."""
    seconds, hops = [], 0
    for _ in range(REPEATS):
        simulation = Simulation(design.model, design.messages)
        begin = time.process_time()
        hops = simulation.run(cycles).flit_hops
        seconds.append(time.process_time() - begin)
    return hops, statistics.median(seconds)


def main(*, quick: bool) -> None:
    """Measure and print."""
    cycles = 50_000 if quick else 400_000
    for title, path in networks():
        short = loaded(path, "overload", 10_000)
        begin = time.process_time()
        Simulation(short.model, short.messages).run(10)
        print(f"  {title}; compilation, or loading of the cache: {time.process_time() - begin:.1f} CPU s")
        for name in LOADS:
            hops, seconds = measure(loaded(path, name, cycles), cycles)
            cycles_per_second, hops_per_second = cycles / seconds / 1e3, hops / seconds / 1e6
            print(
                f"  {name:>16}: {hops / cycles:5.1f} flit-hops per cycle, {cycles_per_second:5.0f} thousand cycles "
                f"and {hops_per_second:5.1f} million flit-hops per CPU s",
                flush=True,
            )
