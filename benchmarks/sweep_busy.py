"""How busy a sweep of many short points keeps the cores: ``python -m benchmarks.sweep_busy [--points N]``.

CPU time of all processes over wall-clock time times processes; meaningful on a machine that does nothing else.
"""

import argparse
import resource
import time

import numpy as np

from hydranoc.sweeps.axes import Axis
from hydranoc.sweeps.measure import Effort
from hydranoc.sweeps.run import Sweep, sharing

CONFIGURATION = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [4, 4]}, "flit_bits": 32},
    "traffic": {
        "kind": "random",
        "seed": 1,
        "cycles": 12_000,
        "messages_per_node_per_cycle": 0.002,
        "flits": 8,
    },
}
LOADS = (0.002, 0.01)
"""Messages per node and cycle; between them a point takes some 50 ms."""


def main() -> None:
    """Print points, seconds, and the share of the cores' time that was used."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sweep_busy", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    loads = tuple(np.linspace(*LOADS, arguments.points).tolist())
    planned = Sweep(CONFIGURATION, [Axis("traffic.messages_per_node_per_cycle", loads)], Effort(doublings=0))
    planned.kept.drop()
    began, before = time.monotonic(), _cpu_seconds()
    table = planned.run(sharing(arguments.jobs, None), lambda *_: None)
    seconds, used = time.monotonic() - began, _cpu_seconds() - before
    planned.kept.drop()
    per_point = 1000 * used / len(table)
    print(f"{len(table):,} points in {seconds:.0f} s, {per_point:.0f} ms of CPU each")
    print(f"{arguments.jobs} processes: {100 * used / (seconds * arguments.jobs):.1f} % of their time used")


def _cpu_seconds() -> float:
    """Of this process and of all that have ended."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


if __name__ == "__main__":
    main()
