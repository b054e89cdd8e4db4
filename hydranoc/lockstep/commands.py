"""Programs of one build, run from several threads, which can all be stopped."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence


class Stopped(Exception):
    """A build that was stopped before its end."""


class Commands:
    """Programs of one build, each in a process group of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def run(self, command: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
        """Run a program to its end.

        Parameters:
            environment (mapping of str to str)

        Returns:
            code (int): Exit code of ``subprocess``.
            output (str): Standard output and standard error.

        Raises:
            Stopped: If the build is stopped.
            OSError: If the program cannot be started.
        """
        with self._lock:
            if self._stopped:
                raise Stopped
            process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                process_group=0,
            )
            self._running.add(process)
        try:
            output = process.communicate()[0]
        except BaseException:
            _kill(process)
            process.wait()
            raise
        finally:
            with self._lock:
                self._running.discard(process)
        if self._stopped:
            raise Stopped
        return process.returncode, output

    def stop(self) -> None:
        """Kill all running programs with their children, and start no more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
