"""Speed of the golden model, in flit-hops per CPU second of one core.

A flit-hop is one flit over one channel, injection and delivery included; a copy counts like any flit.
"""

import statistics
import time

from benchmarks.workload import LOADS, lattice_routing, traffic
from sim_model.common.simulation import Simulation
from sim_model.spam.model import SpamModel

REPEATS = 5


def measure(model: SpamModel, load: float, cycles: int) -> tuple[int, float]:
    """Flit-hops of a run, and the median CPU seconds of some repeats."""
    messages = traffic(model, load, cycles)
    seconds, hops = [], 0
    for _ in range(REPEATS):
        simulation = Simulation(model, messages)
        begin = time.process_time()
        hops = simulation.run(cycles).flit_hops
        seconds.append(time.process_time() - begin)
    return hops, statistics.median(seconds)


def main(*, quick: bool) -> None:
    """Measure and print."""
    cycles = 50_000 if quick else 400_000
    model = SpamModel(lattice_routing())
    begin = time.process_time()
    Simulation(model, traffic(model, LOADS["overload"], 10_000)).run(10)
    print(f"  compilation, or loading of the cache: {time.process_time() - begin:.1f} CPU s")
    for name, load in LOADS.items():
        hops, seconds = measure(model, load, cycles)
        print(
            f"  {name:>16}: {hops / cycles:5.1f} flit-hops per cycle, {cycles / seconds / 1e3:5.0f} thousand cycles "
            f"and {hops / seconds / 1e6:5.1f} million flit-hops per CPU s"
        )
