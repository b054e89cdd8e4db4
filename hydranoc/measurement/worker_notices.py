"""Notices of loops that worker processes compile, which their parent forwards to its user.

Apart from ``threads.py``, because a single run loads no multiprocessing.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.connection import Connection

from sim_model.loops import notices


@contextmanager
def worker_notices() -> Iterator[Callable[[], None]]:
    """Forward the notices of worker processes until the block ends, which the workers do not outlive.

    Messages are short enough for a pipe to take each at once. There is no lock that a killed worker could keep.

    Yields:
        callable: Function that each worker calls first.
    """
    receiver, sender = multiprocessing.Pipe(duplex=False)
    thread = threading.Thread(target=_pass_on, args=(receiver,), daemon=True)
    thread.start()
    try:
        yield partial(_forward_notices, sender)
    finally:
        sender.send(None)
        thread.join()
        sender.close()
        receiver.close()


def _forward_notices(sender: Connection) -> None:
    notices.set_notice(partial(_send, sender))


@contextmanager
def _send(sender: Connection, loop: str) -> Iterator[None]:
    sender.send((os.getpid(), loop))
    try:
        yield
    finally:
        sender.send((os.getpid(), None))


def _pass_on(receiver: Connection) -> None:
    """Issue the notice of this process for each loop. Those of killed workers end with the block."""
    entered: dict[int, ExitStack] = {}
    while (message := receiver.recv()) is not None:
        worker, loop = message
        if loop is None:
            entered.pop(worker).close()
        else:
            entered[worker] = ExitStack()
            entered[worker].enter_context(notices.compiling(loop))
    for notice in entered.values():
        notice.close()
