"""Runs work under limits of time and memory, and captures its output."""

import contextlib
import faulthandler
import io
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_CPU_SECONDS = 5.0
MAX_SECONDS = 120.0
"""Wall-clock limit, for work that sleeps; the machine may be busy."""
STUCK_SECONDS = 600.0
"""Limit after which the process is ended with a traceback: no signal interrupts a compiled loop."""
FURTHER_BYTES = 4 << 30
"""Memory that work may take in addition to that of the process."""


class Hang(BaseException):
    """Work takes too long; no handler of errors may take it for one."""


class Reached(BaseException):
    """A command has taken its input, and would begin with long work."""


@dataclass(frozen=True)
class Ended:
    """Outcome of some work."""

    code: int | None
    said: str
    trouble: str = ""
    stack: str = ""


def watched(work: Callable[[], int], cpu_seconds: float = MAX_CPU_SECONDS) -> Ended:
    """Run work that returns an exit code."""
    printed, said = io.StringIO(), io.StringIO()
    code, trouble, stack = None, "", ""
    with warnings.catch_warnings(record=True) as warned, _redirected(printed, said):
        warnings.simplefilter("always")
        try:
            with _alarm(cpu_seconds):
                code = work()
        except Reached:
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else None
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            trouble, stack = _place(error), "".join(traceback.format_exception(error))
    lines = [f"{warning.category.__name__}: {warning.message}\n" for warning in warned if _counts(warning.category)]
    return Ended(code, said.getvalue() + "".join(lines), trouble, stack)


def _counts(category: type[Warning]) -> bool:
    """Warnings that a user would see; the others are for programmers."""
    return not issubclass(category, DeprecationWarning | PendingDeprecationWarning | ResourceWarning | ImportWarning)


def _place(error: BaseException) -> str:
    """Type of an error and where it was raised; of frames in this project, the last."""
    frames = traceback.extract_tb(error.__traceback__)
    root = Path(__file__).parents[2]
    own = [f for f in frames if Path(f.filename).is_relative_to(root) and ".venv" not in f.filename]
    own = [f for f in own if not Path(f.filename).is_relative_to(root / "tests" / "fuzz")] or own or list(frames)
    where = f"{Path(own[-1].filename).name}:{own[-1].lineno} {own[-1].name}" if own else "outside"
    kind = "hang" if isinstance(error, Hang) else type(error).__name__
    return f"{kind} at {where}: {str(error)[:200]}"


@contextlib.contextmanager
def _redirected(printed: io.StringIO, said: io.StringIO) -> Iterator[None]:
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        yield


class _Guard:
    """Ends the process with a traceback when work is stuck; a thread renews the timer."""

    def __init__(self) -> None:
        self._on, self._since = False, 0.0

    def begin(self) -> None:
        """Work begins."""
        now = time.monotonic()
        if self._on and now - self._since > STUCK_SECONDS / 10:
            self._since = now
            faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True, file=sys.__stderr__)

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        self._on, self._since = True, -STUCK_SECONDS
        try:
            yield
        finally:
            self._on = False
            faulthandler.cancel_dump_traceback_later()


_guard = unstuck = _Guard()
"""``with unstuck():`` guards the work that is watched in the block."""


@contextlib.contextmanager
def _alarm(cpu_seconds: float) -> Iterator[None]:
    """Raise Hang in the block after a time, and again if the block swallows it."""

    def ring(*_: object) -> None:
        raise Hang(f"more than {cpu_seconds:g} CPU seconds")

    kinds = ((signal.SIGPROF, signal.ITIMER_PROF, cpu_seconds), (signal.SIGALRM, signal.ITIMER_REAL, MAX_SECONDS))
    before = [signal.signal(number, ring) for number, _, _ in kinds]
    _guard.begin()
    try:
        for _, timer, seconds in kinds:
            signal.setitimer(timer, seconds, 1.0)
        yield
    finally:
        for _, timer, _ in kinds:
            signal.setitimer(timer, 0)
        for (number, _, _), handler in zip(kinds, before, strict=True):
            signal.signal(number, handler)


@contextlib.contextmanager
def bounded_memory(further_bytes: int = FURTHER_BYTES) -> Iterator[None]:
    """Limit the additional memory of this process in the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + further_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
