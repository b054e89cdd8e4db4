"""Work shared by the workers of a Dask cluster."""

from collections.abc import Iterator, Sequence
from typing import Any

from hydranoc.errors import ConfigError
from hydranoc.sweeps.workers import WAITING_BATCHES, Batches, Measure, Row, Task, run_batch
from topology.common.trouble import MachineTrouble

CONNECT_SECONDS = 10


def on_cluster(measure: Measure, tasks: Sequence[Task], address: str) -> Iterator[tuple[int, Row]]:
    """Yield position and row of every task, as they are finished.

    Dask reassigns the work of a lost worker.

    Parameters
    ----------
    measure : callable
    tasks : sequence
    address : str
        Address of Dask's scheduler, such as ``tcp://10.0.0.1:8786``.

    Raises
    ------
    ConfigError
        If the address is invalid.
    MachineTrouble
        If Dask is missing, does not answer, or loses too many workers.
    """
    try:
        import distributed
    except ImportError:
        raise MachineTrouble("a cluster needs Dask: python -m pip install 'hydranoc[dask]'") from None
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)
    except ValueError as error:
        raise ConfigError(f"--dask must be an address such as tcp://10.0.0.1:8786, not {address!r}: {error}") from None
    except OSError:
        raise MachineTrouble(f"no Dask scheduler answers at {address}") from None
    try:
        with client:
            yield from _drain(client, distributed, measure, tasks)
    except distributed.KilledWorker as error:
        raise MachineTrouble(f"workers of the cluster were killed: {error}") from None


def _drain(client: Any, distributed: Any, measure: Measure, tasks: Sequence[Task]) -> Iterator[tuple[int, Row]]:
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
