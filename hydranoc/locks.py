"""Locks between processes, which end with their process however it ends."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF)
"""A file system without locks: two processes may do the same work twice there, and nothing is known to be free."""


@contextlib.contextmanager
def locked(path: Path, *, shared: bool = False, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold a lock, after waiting for it.

    Parameters:
        path: The lock's file, made if it is missing; or a folder that is there.
        shared: Other processes may hold it too, if they share it.
        waiting: Called once if another process has it.

    Raises:
        OSError: If the file cannot be made.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with _opened(path) as file:
        with _without_locks():
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if waiting is not None:
                    waiting()
                fcntl.flock(file, kind)
        yield


@contextlib.contextmanager
def locked_if_free(path: Path, *, make: bool = True) -> Iterator[bool]:
    """Hold a lock if it is free, and yield whether it is held.

    Parameters:
        path: The lock's file, or a folder that is there.
        make: Make a missing file.

    Raises:
        OSError: If the file cannot be made, or is missing and not to be made.
    """
    with _opened(path, make=make) as file:
        free = False
        with _without_locks(), contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = True
        yield free


@contextlib.contextmanager
def _opened(path: Path, *, make: bool = True) -> Iterator[int]:
    if path.is_dir() or not make:
        file = os.open(path, os.O_RDONLY)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield file
    finally:
        os.close(file)


@contextlib.contextmanager
def _without_locks() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
