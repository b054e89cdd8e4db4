"""Replications of a point on threads of one process: compiled loops release the interpreter lock.

Threads need no data transfer and no second load of modules. Uncompiled work (messages, statistics) is serial, so
where there are as many points as cores, processes that take a point each are as good or better
(``hydranoc/measurement/kept_points.py``); threads are for the remaining case: few points on many cores.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation

SLICE_CYCLES = 250_000
"""Cycles after which a run on a thread checks for cancellation: nothing else can end it."""
Run = TypeVar("Run")

_threads: ContextVar[int] = ContextVar("threads", default=1)
_own = threading.local()


class NotWantedError(Exception):
    """Cancellation of a run: another run has failed, or the user has interrupted."""


@contextmanager
def replication_threads(count: int) -> Iterator[None]:
    """Set the number of threads that replications share within the block.

    Parameters:
        count: At least 1, the value outside of the block.
    """
    token = _threads.set(max(count, 1))
    try:
        yield
    finally:
        _threads.reset(token)


def replications(run: Callable[[int], Run], numbers: Sequence[int]) -> list[Run]:
    """Return ``run`` of every number, in the order of the numbers.

    Parameters:
        run: Number -> run, independent of all others, so that the result is the same on any number of threads.

    Returns:
        Results of ``run``.
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
    """Return ``simulation.run``; on a thread of ``replications`` it ends when it is cancelled.

    Raises:
        NotWantedError: When it is cancelled.
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
