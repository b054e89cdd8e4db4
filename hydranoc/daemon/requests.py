"""Requests of clients, and the state that a worker takes over from its client."""

import os
import resource
import signal
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydranoc.daemon.client import FIELD, FILES, FORWARDED, LENGTH_BYTES, identity, peer
from hydranoc.environment import DEFAULTS

SAME = (b"PYTHON", b"NUMBA_", b"LC_", b"LANG", b"LD_", b"OPENBLAS_", b"OMP_")
"""Prefixes of the environment variables that are read before a worker forks, so they must equal the daemon's."""
LIMITS = [number for name, number in vars(resource).items() if name.startswith("RLIMIT_")]


class RefusedError(Exception):
    """A command that its client must run itself."""


@dataclass(frozen=True)
class Request:
    """A command with its environment.

    Members:
        client: Process.
        files: Working folder and standard streams of the client, open in this process.
        umask
        ignored: Signals that the client ignores.
        arguments
        environment
    """

    client: int
    files: list[int]
    umask: int
    ignored: list[int]
    arguments: list[bytes]
    environment: dict[bytes, bytes]

    def take_over(self) -> None:
        """Apply the client's environment to this process, a worker.

        Raises:
            OSError, ValueError: If that is not permitted.
        """
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, self.client))
        os.sched_setaffinity(0, os.sched_getaffinity(self.client))
        for number in LIMITS:
            resource.setrlimit(number, resource.prlimit(self.client, number))
        for number in FORWARDED:
            default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, signal.SIG_IGN if number in self.ignored else default)
        os.umask(self.umask)
        here, *streams = self.files
        os.fchdir(here)
        os.close(here)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environb.update(self.environment)
        time.tzset()
        sys.argv[1:] = [os.fsdecode(word) for word in self.arguments]
        sys.stdin, sys.stdout, sys.stderr = map(_opened_again, (sys.stdin, sys.stdout, sys.stderr), "rww")


def _opened_again(stream: Any, mode: str) -> Any:
    """Reopen a standard stream as Python opens it at its start."""
    number = stream.fileno()
    lines = -1 if mode == "r" or (stream is sys.stdout and not os.isatty(number)) else 1
    return open(number, mode, lines, encoding=stream.encoding, errors=stream.errors, closefd=False)


def read_request(connection: socket.socket) -> Request:
    """Return the request of a client.

    Raises:
        RefusedError: If another user or installation has sent it, or its environment differs from the one of this
            process's start, or has relative paths in PYTHONPATH.
        OSError: If the client has ended, or its request is late.
    """
    client, user = peer(connection)
    if user != os.getuid():
        raise RefusedError
    start, files, _, _ = socket.recv_fds(connection, LENGTH_BYTES, FILES)
    length = int.from_bytes(start, "big")
    text = bytearray()
    while len(text) < length:
        more = connection.recv(length - len(text))
        if not more:
            raise ConnectionError
        text += more
    theirs, numbers, *words = bytes(text).split(FIELD)
    mask, count, *ignored = map(int, numbers.split())
    environment = _variables(words[count:])
    if theirs != identity() or _read_early(environment) != _read_early(_first_environment()):
        raise RefusedError
    if not all(map(os.path.isabs, (environment.get(b"PYTHONPATH") or b"/").split(b":"))):
        raise RefusedError  # the daemon has left the working folder that such a path is of
    return Request(client, files, mask, ignored, words[:count], environment)


def _variables(words: list[bytes]) -> dict[bytes, bytes]:
    return {name: value for name, _, value in (word.partition(b"=") for word in words if word)}


def _read_early(environment: dict[bytes, bytes]) -> dict[bytes, bytes]:
    defaults = {name.encode(): value.encode() for name, value in DEFAULTS.items()}
    return {name: value for name, value in (defaults | environment).items() if name.startswith(SAME)}


def _first_environment() -> dict[bytes, bytes]:
    """Return the environment that this process, or the daemon that it was forked from, was started with."""
    return _variables(Path("/proc/self/environ").read_bytes().split(FIELD))
