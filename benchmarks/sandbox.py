"""Commands of the package as processes: with caches of their own, and their children counted."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

REMOVED = ("PYTHONDONTWRITEBYTECODE", "HYDRANOC_LOOPS", "HYDRANOC_PROGRESS")
IMPORTED = [
    "numba",
    "numba.core.codegen",
    "scipy.special",
    "scipy.sparse.csgraph",
    "amaranth.back.rtlil",
    "cocotb_tools.runner",
]
COMMAND = (str(Path(sys.executable).with_name("hydranoc")),)
"""The command as a user calls it, of this installation."""
LESSONS = 3
"""Commands that train a daemon before it is measured."""


class BenchmarkError(Exception):
    """A command failed; one clear line."""


class Sandbox:
    """A folder in which commands run, with caches of its own.

    Parameters:
        folder: An empty folder.
    """

    def __init__(self, folder: Path):
        self.folder, self._caches = folder, 0
        self.empty_caches()

    def empty_caches(self) -> None:
        """Remove all caches."""
        self._caches += 1

    @property
    def caches(self) -> Path:
        """Folder of all caches."""
        return self.folder / f"caches-{self._caches}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a command."""
        kept = {name: value for name, value in os.environ.items() if name not in REMOVED}
        places = {"HYDRANOC_CACHE": "hydranoc", "XDG_CACHE_HOME": ".", "NUMBA_CACHE_DIR": "numba"}
        own = {name: str(self.caches / place) for name, place in places.items()}
        return {**kept, **own, "PYTHONPYCACHEPREFIX": str(self.folder / "modules")}

    def import_modules(self) -> None:
        """Compile the Python modules that compilers and simulators load, as pip does at installation."""
        names = [*IMPORTED, "hydranoc.lockstep.compare", "sim_model.engines.simulation"]
        self._run([sys.executable, "-c", "\n".join(f"import {name}" for name in names)])

    def seconds(self, arguments: Sequence[str]) -> float:
        """Return the CPU seconds of a command and of all processes that it starts.

        Raises:
            BenchmarkError: If it fails.
        """
        output = () if arguments[0].startswith("--") or arguments[0] == "check" else ("-o", "results")
        before = children_seconds()
        self._run([*COMMAND, *arguments, *output])
        return children_seconds() - before

    def daemon_seconds(self, arguments: Sequence[str], times: int = 20) -> float:
        """Return the CPU seconds of a command that a daemon runs, client and daemon together: the mean of ``times``.

        The daemon has loaded the command's modules before.

        Raises:
            BenchmarkError: If the command fails.
        """
        name = f"benchmark-{os.getpid()}"
        (*_, said) = self._run([*COMMAND, "daemon", "start"], daemon=name).partition("process ")
        process = Path("/proc") / said.split()[0]
        try:
            for _ in range(LESSONS):
                self._run_by_daemon(arguments, name, process)
            before = _process_seconds(process) + children_seconds()
            for _ in range(times):
                self._run_by_daemon(arguments, name, process)
            return (_process_seconds(process) + children_seconds() - before) / times
        finally:
            self._run([*COMMAND, "daemon", "stop"], daemon=name)

    def _run_by_daemon(self, arguments: Sequence[str], name: str, process: Path) -> None:
        self._run([*COMMAND, *arguments, "-o", "results"], daemon=name)
        while (process / "task" / process.name / "children").read_text():
            time.sleep(0.001)

    def _run(self, command: Sequence[str], daemon: str = "off") -> str:
        environment = {**self.environment, "HYDRANOC_DAEMON": daemon}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()[-1]
            words = " ".join((Path(command[0]).name, *command[1:]))
            raise BenchmarkError(f"{words} ended with {done.returncode}: {last}")
        return done.stdout

    def compilations(self) -> int:
        """Return the number of compiled loops that are kept in the caches."""
        return sum(1 for suffix in ("o", "nbc") for _ in self.caches.rglob(f"*.{suffix}"))


def _process_seconds(process: Path) -> float:
    """Return the CPU seconds of a process and of its children that have ended, to the 0.01 s of the system's clock."""
    user, system, of_children, system_of_children = (process / "stat").read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, (user, system, of_children, system_of_children))) / os.sysconf("SC_CLK_TCK")


def children_seconds() -> float:
    """Return the CPU seconds of all processes that this one has started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
