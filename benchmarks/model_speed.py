"""Speed of the golden model, in flit-hops per CPU second of one core.

    python benchmarks/model_speed.py [--quick]

The network is a 64-switch lattice with one processor on each switch, 32-bit flits, buffers of 2 and the fast setting
of the routers; messages of 128 flits, of which 10 % go to 16 processors. A flit-hop is one flit over one channel,
injection and delivery included; a copy counts like any flit.
"""

import argparse
import time

from sim_model.common.messages import Messages
from sim_model.common.simulation import Simulation
from sim_model.common.traffic import random_traffic
from sim_model.spam.model import SpamModel
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

SWITCHES = 64
# Messages per node and cycle, from a quarter of what the network takes to beyond it.
LOADS = {"light": 0.00008, "near saturation": 0.00025, "overload": 0.001}


def make_simulation(model: SpamModel, rate: float, cycles: int) -> Simulation:
    """A fresh simulation of one load."""
    records = random_traffic(
        processors=SWITCHES,
        cycles=cycles,
        seed=1,
        messages_per_node_per_cycle=rate,
        multicast_fraction=0.1,
        destinations=16,
        flits=128,
    )
    return Simulation(model, Messages.build(records, processors=SWITCHES, header_flits=model.header_flits))


def measure(model: SpamModel, rate: float, cycles: int, repeats: int) -> tuple[int, float]:
    """Flit-hops of a run and the CPU seconds of the fastest of some repeats."""
    seconds = float("inf")
    hops = 0
    for _ in range(repeats):
        simulation = make_simulation(model, rate, cycles)
        begin = time.process_time()
        hops = simulation.run(cycles).flit_hops
        seconds = min(seconds, time.process_time() - begin)
    return hops, seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Speed of the golden model.")
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    cycles = 50_000 if parser.parse_args().quick else 400_000
    model = SpamModel(SpamRouting(SpamLabels(lattice_network(SWITCHES, seed=7)), 32))
    begin = time.process_time()
    make_simulation(model, LOADS["overload"], 10).run()
    print(f"compilation or loading of the cache: {time.process_time() - begin:.1f} CPU s")
    for name, rate in LOADS.items():
        hops, seconds = measure(model, rate, cycles, repeats=3)
        print(
            f"{name:>16}: {hops / cycles:5.1f} flit-hops per cycle, {cycles / seconds / 1e3:5.0f} thousand cycles "
            f"and {hops / seconds / 1e6:5.1f} million flit-hops per CPU s"
        )


if __name__ == "__main__":
    main()
