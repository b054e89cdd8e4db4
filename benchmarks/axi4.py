"""Speed of the golden model of AXI4 ends: cycles per CPU second of one core, both networks and all ends."""

import time
from itertools import pairwise
from statistics import median

from hydranoc import load
from sim_model.axi4.random_transactions import RandomTransactions
from sim_model.axi4.simulation import Axi4Hosts, Axi4Simulation
from sim_model.axi4.system import Axi4System
from topology.common.host_pattern import HostBehaviour

SIDE, MANAGERS, TRANSACTIONS = 8, 16, 400
REPEATS = 5
MIN_CYCLES_PER_SECOND = 20_000
"""Lowest accepted speed of the run alone for managers without pauses."""
EAGER, PAUSING = Axi4Hosts(), Axi4Hosts(patterns=HostBehaviour(64, 64))
LOADS = (
    ("writes of 256 beats", RandomTransactions(TRANSACTIONS // 10, read_fraction=0, beats=(256, 256)), EAGER),
    ("reads and writes", RandomTransactions(TRANSACTIONS, multicast_fraction=0.1), EAGER),
    ("the same with pauses and stalls", RandomTransactions(TRANSACTIONS, multicast_fraction=0.1), PAUSING),
    ("one in 100 cycles", RandomTransactions(TRANSACTIONS, multicast_fraction=0.1, interval_cycles=100), EAGER),
)


def mesh_system() -> Axi4System:
    """Return a mesh with a manager and a memory at each fourth processor, and a window of twelve memories."""
    processors = range(2, SIDE * SIDE, SIDE * SIDE // MANAGERS)
    regions = [{"processor": p, "base": i << 16, "size": 1 << 16} for i, p in enumerate(processors)]
    design = load(
        {
            "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [SIDE, SIDE]}},
            "axi4": {
                "managers": list(range(0, SIDE * SIDE, SIDE * SIDE // MANAGERS)),
                "regions": regions,
                "multicast": [{"processors": list(processors[:12]), "base": 1 << 31, "size": 1 << 16}],
            },
            "traffic": {"kind": "axi4", "transactions": 1},
        }
    )
    return design.axi4_simulation().system


def measured(system: Axi4System, drawn: RandomTransactions, hosts: Axi4Hosts) -> tuple[float, float, int]:
    """Return cycles per CPU second end to end and of the run alone, and the cycles of a run.

    Raises:
        RuntimeError: If a transaction has not ended.
    """
    speeds: list[tuple[float, float]] = []
    cycles = 0
    for _ in range(REPEATS):
        clock = [time.process_time()]
        given = drawn.draw(system.areas, system.managers, system.format)
        simulation = Axi4Simulation(system, given, hosts)
        clock.append(time.process_time())
        results = simulation.run()
        clock.append(time.process_time())
        if results.unfinished:
            raise RuntimeError("A transaction has not ended; please report it")
        cycles = results.cycles
        _, run = (after - before for before, after in pairwise(clock))
        speeds.append((cycles / (clock[-1] - clock[0]), cycles / run))
    whole, alone = zip(*speeds, strict=True)
    return median(whole), median(alone), cycles


def main() -> None:
    """Measure and print."""
    system = mesh_system()
    begin = time.process_time()
    measured(system, RandomTransactions(1), EAGER)
    print(f"  compilation, or loading of the cache: {time.process_time() - begin:.1f} CPU s")
    print("  {:>32} {:>10} {:>10} {:>9}".format("thousand cycles per CPU s", "end to end", "run alone", "cycles"))
    for title, drawn, hosts in LOADS:
        whole, alone, cycles = measured(system, drawn, hosts)
        print(f"  {title:>32} {whole / 1e3:>10.1f} {alone / 1e3:>10.1f} {cycles:>9,}", flush=True)
        if hosts is EAGER and alone < MIN_CYCLES_PER_SECOND:
            print(f"    less than {MIN_CYCLES_PER_SECOND:,} for the run alone")


if __name__ == "__main__":
    main()
