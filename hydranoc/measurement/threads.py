"""Replications of a point on threads of one process: the compiled loops let go of the interpreter while they run.

Nothing is handed over and nothing loaded twice. What is not compiled (messages, statistics) the threads do in turn, so
where there are as many points as cores, processes that take a point each are as good or better
(``hydranoc/measurement/kept_points.py``); threads are for what is left: few points on many cores.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation

SLICE_CYCLES = 250_000
"""A run on a thread asks so often whether it is still wanted: nothing else can end it."""
Run = TypeVar("Run")

_threads: ContextVar[int] = ContextVar("threads", default=1)
_own = threading.local()


class NotWantedError(Exception):
    """Another run has failed, or the user has interrupted."""


@contextmanager
def replication_threads(count: int) -> Iterator[None]:
    """Within the block replications share so many threads.

    Parameters
    ----------
    count : int
        At least 1, which is what it is everywhere else.
    """
    token = _threads.set(max(count, 1))
    try:
        yield
    finally:
        _threads.reset(token)


def replications(run: Callable[[int], Run], numbers: Sequence[int]) -> list[Run]:
    """Return ``run`` of every number, in the order of the numbers whichever is finished first.

    Parameters
    ----------
    run : callable
        Gives the run of that number; independent of all others, so that the result is the same on any number of
        threads.
    numbers : sequence of int

    Returns
    -------
    list
        Of what ``run`` gave.
    """
    threads = min(_threads.get(), len(numbers))
    if threads <= 1:
        return [run(number) for number in numbers]
    from concurrent.futures import ThreadPoolExecutor  # not for a single run

    called_off = threading.Event()
    with ThreadPoolExecutor(threads, initializer=_begin, initargs=(called_off,)) as pool:
        try:
            return list(pool.map(run, numbers))
        except BaseException:
            called_off.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_wanted(simulation: Simulation, until_cycle: int) -> Results:
    """Return ``simulation.run``; on a thread of ``replications`` it ends as soon as nobody wants it any more.

    Raises
    ------
    NotWantedError
        Then.
    """
    called_off = getattr(_own, "called_off", None)
    if called_off is not None:
        while simulation.cycle + SLICE_CYCLES < until_cycle and not (simulation.finished or simulation.deadlocked):
            simulation.run(simulation.cycle + SLICE_CYCLES)
            if called_off.is_set():
                raise NotWantedError
    return simulation.run(until_cycle)


def _begin(called_off: threading.Event) -> None:
    _own.called_off = called_off
