"""A simulator that is built in the background, while the golden model is compiled and run."""

import threading
from collections.abc import Callable
from types import TracebackType

from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator
from hydranoc.lockstep.commands import Commands
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.simulator_cache import WAITING
from hydranoc.reports.progress import Progress

BUILDING = "building the simulator"
REPORT_SECONDS = 0.5
STOP_SECONDS = 60.0
"""Longest wait for a stopped build to remove its files."""


class PendingBuild:
    """A program for ``DirectBench`` that is being built; use it as a context, whose end stops the build.

    Parameters:
        source: A lock-step harness.
        waves: Build it with waveforms.
        build: Builds it, with the parameters of ``build_directly``.
    """

    def __init__(self, source: BenchSource, *, waves: bool, build: Callable[..., BuiltSimulator] = build_directly):
        self._source, self._waves, self._build = source, waves, build
        self._commands = Commands()
        self._built: BuiltSimulator | None = None
        self._error: BaseException | None = None
        self._work = BUILDING
        self._ended = threading.Event()  # an interrupted join marks the thread as ended
        self._thread = threading.Thread(target=self._run, name="build", daemon=True)

    def __enter__(self) -> "PendingBuild":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._commands.stop()
        if self._work != WAITING:  # a wait for a lock cannot be cancelled; nothing is written yet
            self._ended.wait(STOP_SECONDS)

    def result(self, progress: Progress | None) -> BuiltSimulator:
        """Return the simulator, after waiting for it.

        Parameters:
            progress: Called if the simulator is still being built.

        Raises:
            MachineTrouble, SimulatorFailed, ToolMissing: As ``build_directly``.
        """
        while not self._ended.is_set():
            if progress:
                progress(self._work, 0, 0)
            self._ended.wait(REPORT_SECONDS)
        if self._error is not None:
            raise self._error
        assert self._built is not None
        return self._built

    def _run(self) -> None:
        try:
            self._built = self._build(
                self._source, waves=self._waves, progress=self._on_progress, commands=self._commands
            )
        except BaseException as error:  # belongs to the thread that waits for the result
            self._error = error
        finally:
            self._ended.set()

    def _on_progress(self, work: str, *_: int) -> None:
        if work == WAITING:
            self._work = work
