"""Work shared by processes of this machine, or by those of a cluster: batches in, batches out, in any order."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any

from hydranoc.errors import ConfigError
from hydranoc.measurement.threads import replication_threads
from hydranoc.measurement.worker_notices import worker_notices
from topology.common.errors import MachineTrouble

BATCH_SECONDS = 1.0
"""Target duration of a batch, for a small overhead of its transfer."""
MAX_BATCH = 256
WAITING_BATCHES = 2
"""Batches in the queue per process, so that none has to wait."""
MAX_CRASHES = 3
"""Maximum crashes without a row in between; then it is an environment failure."""
Task = Any
Row = dict[str, Any]
Measure = Callable[[Task], Row]


def run_batch(measure: Measure, tasks: Sequence[Task]) -> tuple[list[Row], float]:
    """Return the rows of a batch, and its duration in seconds."""
    began = time.monotonic()
    return [measure(task) for task in tasks], time.monotonic() - began


def _with_threads(measure: Measure, threads: int, task: Task) -> Row:
    """Return the row of a task, on the spare threads if there are more cores than tasks."""
    with replication_threads(threads):
        return measure(task)


class Batches:
    """Batches of the remaining tasks, of about ``BATCH_SECONDS`` each, with a record of those in progress.

    Parameters:
        tasks: Number of tasks.
        workers: Processes that share them.
    """

    def __init__(self, tasks: int, workers: int):
        self._left = [range(tasks)] if tasks else []
        self._tasks_left = tasks
        self._workers = workers
        self._seconds_per_task = BATCH_SECONDS
        self.open: dict[Any, range] = {}

    @property
    def finished(self) -> bool:
        """True if no task is left or in progress."""
        return not self._left and not self.open

    def take(self) -> range | None:
        """Return the positions of the next tasks, None at the end. The last batches are smaller, for an even finish."""
        if not self._left:
            return None
        first = self._left.pop()
        fair = -(-self._tasks_left // (2 * self._workers))
        size = min(max(int(BATCH_SECONDS / max(self._seconds_per_task, 1e-6)), 1), fair, MAX_BATCH, len(first))
        if size < len(first):
            self._left.append(first[size:])
        self._tasks_left -= size
        return first[:size]

    def done(self, key: Any, seconds: float) -> range:
        """Close a batch, and estimate the duration of a task from it."""
        batch = self.open.pop(key)
        self._seconds_per_task = 0.5 * (self._seconds_per_task + seconds / len(batch))
        return batch

    def give_back(self) -> None:
        """Give the tasks in progress back to the queue."""
        for batch in self.open.values():
            self.put_back(batch)
        self.open.clear()

    def put_back(self, batch: range) -> None:
        """Give tasks that were taken back to the queue."""
        self._left.append(batch)
        self._tasks_left += len(batch)


def on_processes(measure: Measure, tasks: Sequence[Task], processes: int) -> Iterator[tuple[int, Row]]:
    """Yield position and row of every task, as they are finished, by processes of this machine.

    A killed process is replaced, and its tasks are measured again.

    Raises:
        MachineTrouble: If processes crash again and again, and nothing is finished in between.
    """
    if processes == 1 or len(tasks) == 1:
        with replication_threads(processes):
            rows = [measure(task) for task in tasks] if len(tasks) == 1 else []
        yield from enumerate(rows or map(measure, tasks))
        return
    threads, processes = processes // max(len(tasks), 1), min(processes, len(tasks))
    measure = partial(_with_threads, measure, threads)
    batches, crashes = Batches(len(tasks), processes), 0
    while not batches.finished:
        try:
            with _pool(processes) as pool:
                for found in _drain(lambda some: pool.submit(run_batch, measure, some), tasks, batches, processes):
                    crashes = 0
                    yield found
        except BrokenProcessPool:
            crashes += 1
            if crashes == MAX_CRASHES:
                raise MachineTrouble(f"processes that measure points were killed or crashed {crashes} times") from None
            batches.give_back()


def _drain(
    submit: Callable[[Sequence[Task]], Future], tasks: Sequence[Task], batches: Batches, processes: int
) -> Iterator[tuple[int, Row]]:
    _fill(submit, tasks, batches, processes)
    while batches.open:
        for future in wait(batches.open, return_when=FIRST_COMPLETED).done:
            rows, seconds = future.result()
            yield from zip(batches.done(future, seconds), rows, strict=True)
            _fill(submit, tasks, batches, processes)


def _fill(submit: Callable[[Sequence[Task]], Future], tasks: Sequence[Task], batches: Batches, processes: int) -> None:
    """Keep batches waiting for every process."""
    while len(batches.open) < WAITING_BATCHES * processes:
        batch = batches.take()
        if batch is None:
            break
        try:
            batches.open[submit([tasks[position] for position in batch])] = batch
        except BrokenProcessPool:
            batches.put_back(batch)
            raise


@contextlib.contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes, which all end if the block fails or this process is killed."""
    with worker_notices() as send_notices:
        pool = ProcessPoolExecutor(processes, initializer=_begin_worker, initargs=(send_notices,))
        try:
            yield pool
        except BaseException:
            for child in multiprocessing.active_children():
                child.kill()
            pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()


def _begin_worker(send_notices: Callable[[], None]) -> None:
    """Leave interrupts to the parent, end when it is killed, and send it notices."""
    send_notices()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


CONNECT_SECONDS = 10


def on_cluster(measure: Measure, tasks: Sequence[Task], address: str) -> Iterator[tuple[int, Row]]:
    """Yield position and row of every task, as they are finished.

    Dask reassigns the work of a lost worker.

    Parameters:
        measure (callable)
        address: Address of Dask's scheduler, such as ``tcp://10.0.0.1:8786``.

    Raises:
        ConfigError: If the address is invalid.
        MachineTrouble: If Dask is missing, does not answer, or loses too many workers.
    """
    try:
        import distributed
    except ImportError:
        raise MachineTrouble("a cluster needs Dask: python -m pip install 'hydranoc[dask]'") from None
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)
    except ValueError as error:
        raise ConfigError(
            f"--dask is {address!r}; it must be an address such as tcp://10.0.0.1:8786: {error}"
        ) from None
    except OSError:
        raise MachineTrouble(f"no Dask scheduler answers at {address}") from None
    try:
        with client:
            yield from _completed(client, distributed, measure, tasks)
    except distributed.KilledWorker as error:
        raise MachineTrouble(f"workers of the cluster were killed: {error}") from None


def _completed(client: Any, distributed: Any, measure: Measure, tasks: Sequence[Task]) -> Iterator[tuple[int, Row]]:
    workers = max(sum(client.nthreads().values()), 1)
    batches = Batches(len(tasks), workers)
    running = distributed.as_completed()

    def fill() -> None:
        while len(batches.open) < WAITING_BATCHES * workers:
            batch = batches.take()
            if batch is None:
                return
            future = client.submit(run_batch, measure, [tasks[position] for position in batch], pure=False)
            batches.open[future.key] = batch
            running.add(future)

    fill()
    for future in running:
        rows, seconds = future.result()
        batch = batches.done(future.key, seconds)
        fill()
        yield from zip(batch, rows, strict=True)
