"""Processes that run cases; one that dies is replaced, and its case is tried once more."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from hydranoc.environment import set_defaults
from verification.campaign.cases import Campaign, family_of
from verification.campaign.run import TROUBLE, Found, Runner
from verification.campaign.shares import Shares

ATTEMPTS = 2
EXPECTED_ROUTER_CYCLES = 10_000_000
"""Router-cycles of a case until they are known, so that not all workers run the same family."""


def work(connection: Connection, scale: float) -> None:
    """Run cases in a worker: receive their numbers, and reply with each result."""
    runner = Runner(Campaign(scale))
    with suppress(EOFError, OSError):  # the process that started it has ended
        while True:
            connection.send(runner.run(connection.recv()))


@dataclass
class Worker:
    """A process, and the remaining cases over its network."""

    process: Any
    connection: Connection
    cases: list[int] = field(default_factory=list)
    attempts: int = 0


class Workers:
    """Several processes that run the cases allocated by ``Shares``.

    Parameters:
        scale: See ``Campaign``.
    """

    def __init__(self, count: int, scale: float, shares: Shares):
        set_defaults()  # threads of OpenBLAS would spin on the cores of the other workers
        self._context = get_context("spawn")
        self._scale, self._shares = scale, shares
        self._workers = [self._start() for _ in range(count)]

    def _start(self) -> Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, self._scale), daemon=True)
        process.start()
        theirs.close()
        return Worker(process, ours)

    def run(self, take: Callable[[Found], bool]) -> None:
        """Run cases until ``take``, which receives each result, returns False; cases underway are abandoned.

        Parameters:
            take: Returns whether to go on.
        """
        try:
            for worker in self._workers:
                self._give(worker)
            while True:
                for ready in wait([worker.connection for worker in self._workers]):
                    worker = next(worker for worker in self._workers if worker.connection is ready)
                    found = self._answer(worker)
                    if found is not None and not take(found):
                        return
                    self._give(worker)
        finally:
            for worker in self._workers:
                worker.process.kill()

    def _give(self, worker: Worker) -> None:
        if not worker.cases:
            worker.cases = self._shares.next_network()
            self._shares.add(family_of(worker.cases[0]), len(worker.cases) * EXPECTED_ROUTER_CYCLES)
        worker.connection.send(worker.cases[0])

    def _answer(self, worker: Worker) -> Found | None:
        """Return the result of the case; None if the process died and the case is to be retried."""
        case = worker.cases[0]
        try:
            found: Found = worker.connection.recv()
        except EOFError:
            fresh = self._start()
            worker.process.join()
            code = worker.process.exitcode
            worker.process, worker.connection = fresh.process, fresh.connection
            worker.attempts += 1
            if worker.attempts < ATTEMPTS:
                return None
            found = Found(case, family_of(case), "", 0, 0, 0, TROUBLE, 0.0, {}, f"its process ended with code {code}")
        self._shares.add(found.family, found.cycles * found.routers - EXPECTED_ROUTER_CYCLES)
        worker.cases, worker.attempts = worker.cases[1:], 0
        return found
