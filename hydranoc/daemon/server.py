"""Daemon that forks a worker for each command, and loads the modules that its workers had to load.

Each worker loads the modules of the user itself.
"""

import fcntl
import gc
import os
import pickle
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from hydranoc.daemon.client import PACKAGES, address
from hydranoc.daemon.requests import RefusedError, read_request

REQUEST_SECONDS = 5.0
"""Seconds within which a client must have sent its request."""
LESSON_BYTES = 1 << 18
LOOPS, DIGEST = "sim_model.loops.loop", "sim_model.loops.digest"
FOLDERS = tuple(
    os.path.join(folder, "") for folder in (PACKAGES, *sys.path) if folder == PACKAGES or folder.endswith("-packages")
)
"""Folders of installed packages."""
COMPILER = "numba"
"""Package that a command loads to compile an engine, but not for an engine in the cache."""


class Daemon:
    """Server of commands, until it has been idle for long.

    Members:
        figures (dict): Process, commands that have ended, CPU seconds of the daemon and its workers that have ended,
            and workers that run; in a worker as of its fork.
    """

    def __init__(self, idle_seconds: float):
        self.figures = {"process": os.getpid(), "commands": 0, "cpu_seconds": 0.0, "running": 0}
        self._idle_seconds = idle_seconds
        self._lessons, self._teacher = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._workers: dict[int, int] = {}
        self._sources: dict[str, int] = {}
        self._known: set[str] = set()
        self._settle()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(address())
        self._listener.listen()

    def serve(self) -> socket.socket | None:
        """Return in each worker the connection of its client, and None in the daemon at its end."""
        while True:
            ready, _, _ = select.select([self._lessons, self._listener, *self._workers], [], [], self._idle_seconds)
            if not ready and not self._workers:
                return None
            for ended in self._workers.keys() & set(ready):
                self._reap(ended)
            if self._lessons in ready:
                self._learn(self._lessons.recv(LESSON_BYTES))
            elif self._listener in ready:
                connection, _ = self._listener.accept()
                if self._accept(connection):
                    return connection

    def _accept(self, connection: socket.socket) -> bool:
        """Return True in a new worker."""
        if any(_changed_at(file) != at for file, at in self._sources.items()):
            os.execv(sys.executable, sys.orig_argv)  # its client finds the connection closed, and runs by itself
        worker = os.fork()
        if worker == 0:
            self._listener.close()
            if digest := sys.modules.get(DIGEST):
                digest.note_current_sources()
            return True
        self._workers[os.pidfd_open(worker)] = worker
        self.figures["running"] = len(self._workers)
        connection.close()
        return False

    def _reap(self, ended: int) -> None:
        os.waitpid(self._workers.pop(ended), 0)
        os.close(ended)
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        self.figures["cpu_seconds"] = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        self.figures["running"] = len(self._workers)

    def teach(self) -> None:
        """Report to the daemon, from a worker, the loaded modules and the compiled loops found."""
        new = [name for name in sys.modules if name not in self._known and _is_installed(name)]
        loops = b""
        with suppress(Exception):  # a layout of a class that no other process can name
            found = getattr(sys.modules.get(LOOPS), "newly_found", [])
            loops = pickle.dumps([(name, layouts) for name, layouts in found if all(map(_is_nameable, layouts))])
        with suppress(OSError):
            self._teacher.send(pickle.dumps(([] if COMPILER in new else new, loops)))

    def _learn(self, lesson: bytes) -> None:
        self.figures["commands"] += 1
        modules, loops = pickle.loads(lesson)
        for name in modules:
            with suppress(Exception):  # of a folder that is not on this process's path, say
                import_module(name)
        with suppress(Exception):  # like the modules, which layouts load as well
            for name, layouts in pickle.loads(loops):
                import_module(LOOPS).load_found(name, layouts)
                modules.append(name)
        if modules:
            self._settle()

    def _settle(self) -> None:
        """Prepare to fork: exempt all objects in memory from garbage collection."""
        self._known = set(sys.modules)
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file and file not in self._sources and not _is_of_python(name):
                self._sources[file] = _changed_at(file)
        for file in getattr(sys.modules.get(DIGEST), "COMPILER_FILES", ()):  # workers alone load them
            self._sources.setdefault(file, _changed_at(file))
        gc.collect()
        gc.freeze()


running: Daemon | None = None
"""The daemon as of the fork, in a worker."""


def _is_of_python(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _is_installed(module: str) -> bool:
    """Return True for a module of Python, HydraNoC or an installed package.

    Any other is the user's: when it is imported it may read the environment or the working folder of its command.
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    return _is_of_python(module) or bool(file and file.startswith(FOLDERS))


def _is_nameable(layout: Any) -> bool:
    """Return True if the daemon can load a layout, and imports no module of the user for it."""
    return all(_is_installed(kind.__module__) for kind in layout.kinds)


def _changed_at(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return -1


def serve_commands(idle_seconds: float, run_command: Callable[[], int]) -> None:
    """Serve until the daemon has been idle for long, and return in the daemon only.

    Parameters:
        run_command: Runs the command line of ``sys.argv`` and returns its exit code.
    """
    global running
    os.chdir("/")
    sys.path[:] = filter(None, sys.path)  # "" would be the working folder of each client
    daemon = Daemon(idle_seconds)
    connection = daemon.serve()
    if connection is None:
        return
    running = daemon
    os.setsid()
    try:
        connection.settimeout(REQUEST_SECONDS)
        read_request(connection).take_over()
        connection.settimeout(None)
        connection.send(b"%d\n" % os.getpid())
        _end_with(connection)
    except (RefusedError, OSError, ValueError):
        os._exit(0)
    code = run_command()
    daemon.teach()
    with suppress(OSError):
        connection.send(b"%d\n" % code)
    os._exit(0)


def _end_with(connection: socket.socket) -> None:
    """Terminate this worker when its client is gone."""
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETSIG, signal.SIGTERM)
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
