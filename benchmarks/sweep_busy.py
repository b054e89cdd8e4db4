"""How busy a sweep of many short points keeps the cores: ``python -m benchmarks.sweep_busy [--points N]``.

CPU time of all processes over wall-clock time times processes; and with it the time for which they waited for a core
that somebody else had, so that the share means something on a machine that does other things as well (Linux).
"""

import argparse
import multiprocessing
import os
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hydranoc.sweeps.axes import Axis
from hydranoc.sweeps.measure import Effort
from hydranoc.sweeps.run import Sweep, sharing

CONFIGURATION = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [4, 4]}, "flit_bits": 32},
    "traffic": {
        "kind": "random",
        "seed": 1,
        "cycles": 60_000,
        "messages_per_node_per_cycle": 0.002,
        "flits": 8,
    },
}
LOADS = (0.002, 0.01)
"""Messages per node and cycle; between them a point takes some 45 ms."""
SAMPLE_SECONDS = 0.1
SECONDS_PER_NS = 1e-9
PROC = Path("/proc")


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
    with core_waits() as waits:
        table = planned.run(sharing(arguments.jobs, None), lambda *_: None)
    seconds, used = time.monotonic() - began, _cpu_seconds() - before
    planned.kept.drop()
    per_point = 1000 * used / len(table)
    print(f"{len(table):,} points in {seconds:.0f} s, {per_point:.0f} ms of CPU each")
    all_seconds, waited = seconds * arguments.jobs, sum(waits.values())
    print(f"{arguments.jobs} processes: {100 * used / all_seconds:.1f} % of their time used")
    if waits:
        print(
            f"{100 * (used + waited) / all_seconds:.1f} % with the time in which others had the cores they waited for"
        )


@contextmanager
def core_waits() -> Iterator[dict[int, float]]:
    """Seconds for which the threads of this process and of its children had work but no core, by process.

    Filled when the block ends; read now and then, for nobody can be asked who has ended. Empty where the system does
    not tell.
    """
    found: dict[int, float] = {}
    stop = threading.Event()

    def sample() -> None:
        while not stop.wait(SAMPLE_SECONDS):
            for process in (os.getpid(), *(child.pid for child in multiprocessing.active_children())):
                if process is not None and (seconds := waited_seconds(process)) is not None:
                    found[process] = seconds

    begun = waited_seconds(os.getpid())
    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        stop.set()
        thread.join()
        if begun is not None and os.getpid() in found:
            found[os.getpid()] -= begun


def waited_seconds(process: int) -> float | None:
    """Return for which the threads of a process have waited for a core so far; None if the system does not tell."""
    try:
        threads = [path.read_text() for path in (PROC / str(process) / "task").glob("*/schedstat")]
    except OSError:  # it has ended meanwhile
        return None
    return SECONDS_PER_NS * sum(int(text.split()[1]) for text in threads) if threads else None


def _cpu_seconds() -> float:
    """Return of this process and of all that have ended."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


if __name__ == "__main__":
    main()
