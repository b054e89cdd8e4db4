"""Speed of the golden models, in flit-hops per CPU second of one core: end to end, and the run alone.

A flit-hop is one flit over one channel, injection and delivery included; copies count like other flits.
"""

import time

from benchmarks.end_to_end import measure
from benchmarks.workload import LOADS, loaded, networks
from sim_model.engines.simulation import Simulation


def main(*, quick: bool) -> None:
    """Measure and print."""
    cycles = 50_000 if quick else 400_000
    for title, path in networks():
        short = loaded(path, "overload", 10_000)
        begin = time.process_time()
        Simulation(short.model, short.messages).run(10)
        print(f"  {title}; compilation, or loading of the cache: {time.process_time() - begin:.1f} CPU s")
        for name in LOADS:
            cost = measure(lambda path=path, name=name: loaded(path, name, cycles), cycles)
            hops, alone = cost.flit_hops, cost.run_seconds
            print(
                f"  {name:>16}: {hops / cycles:5.1f} flit-hops per cycle, {hops / cost.seconds / 1e6:5.1f} million "
                f"per CPU s; the run alone {hops / alone / 1e6:5.1f}, {cycles / alone / 1e3:5.0f} thousand cycles",
                flush=True,
            )
