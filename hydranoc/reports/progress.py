"""Progress on stderr of work that takes longer: bars on a terminal, and a line every few seconds without one."""

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm

from sim_model.loops.notices import set_notice

Progress = Callable[[str, int, int], None]
"""Callback with the work (``Work`` has details), the amount done, and the total amount (0: unknown)."""

SHOWN_AFTER_SECONDS = 2.0
REFRESH_SECONDS = 0.5
LINE_SECONDS = 5.0
SWITCH = "HYDRANOC_PROGRESS"
"""Variable that turns progress off, with the value ``off``."""
ENGINE_LOOP = re.compile(r"run_(worms|cycles|planes)_(?P<family>[a-z]+)")
ABBREVIATIONS = ("spam", "min", "harts")
UNKNOWN_TOTAL = "{desc} {elapsed}"
"""Format for work of unknown length, with the elapsed time."""


class Work(str):
    """Name of the work in progress, with unit and note.

    Parameters:
        name (str)
        unit: Unit of its amounts, such as cycles.
        note: Other measure of progress.
    """

    __slots__ = ("note", "unit")
    unit: str
    note: str

    def __new__(cls, name: str, unit: str = "", note: str = "") -> "Work":
        """Return a name, which equals any text of the same characters."""
        work = super().__new__(cls, name)
        work.unit, work.note = unit, note
        return work

    @classmethod
    def of(cls, work: str) -> "Work":
        """Return the work itself, or a text as work without unit and note."""
        return work if isinstance(work, Work) else cls(work)


def counted_in(unit: str, progress: Progress) -> Progress:
    """Return a callback for work that is counted in ``unit``."""
    return lambda work, done, total: progress(Work(work, unit), done, total)


class _Bars:
    """One bar at a time; a new kind of work closes the bar of the one before."""

    def __init__(self) -> None:
        self._work = ""
        self._bar: tqdm | None = None
        self._started = 0.0
        self._lock = threading.Lock()

    def __call__(self, work: str, done: int, total: int) -> None:
        with self._lock:
            if self._bar is None or work != self._work:
                self._open(Work.of(work), done, total)
            if self._bar is not None:
                self._bar.total = total or None
                self._bar.set_postfix_str(Work.of(work).note, refresh=False)
                self._bar.update(done - self._bar.n)

    def _open(self, work: Work, done: int, total: int) -> None:
        from tqdm import tqdm  # for terminals alone

        self._close()
        self._work, self._started = work, time.monotonic()
        self._bar = tqdm(
            desc=work,
            initial=done,
            total=total or None,
            unit=f" {work.unit}" if work.unit else "it",
            bar_format=None if total else UNKNOWN_TOTAL,
            delay=SHOWN_AFTER_SECONDS,
            leave=False,
        )

    def refresh(self) -> None:
        """Redraw the bar of work without reports of its own, such as a build."""
        with self._lock:
            if self._bar is not None and time.monotonic() - self._started >= SHOWN_AFTER_SECONDS:
                self._bar.refresh()

    def close(self) -> None:
        """Wipe the last bar."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Lines:
    """A line every few seconds, for logs and pipes: work, progress, elapsed and remaining time.

    The remaining time assumes the mean speed since the first report of the work.
    """

    def __init__(self) -> None:
        self._work, self._done, self._total = Work(""), 0, 0
        self._first = 0
        self._began = self._last_call = self._last_line = time.monotonic()

    def __call__(self, work: str, done: int, total: int) -> None:
        self._last_call = time.monotonic()
        if work != self._work:
            self._began, self._first = self._last_call, done
        self._work, self._done, self._total = Work.of(work), done, total

    def refresh(self) -> None:
        """Write a line if it is time for one."""
        now = time.monotonic()
        if not self._work or now - self._last_line < LINE_SECONDS:
            return
        self._last_line = now
        parts = [*self._how_far(), f"{now - self._began:.0f} s", *self._left(now)]
        sys.stderr.write(f"{self._work}: {', '.join(parts)}\n")
        sys.stderr.flush()

    def _how_far(self) -> list[str]:
        work, done, total = self._work, self._done, self._total
        counted = [f"{done / total:.0%}", f"{done:,} of {total:,} {work.unit}".rstrip()] if total else []
        return [*counted, work.note] if work.note else counted

    def _left(self, now: float) -> list[str]:
        made = self._done - self._first
        if made <= 0 or not self._done < self._total:
            return []
        seconds = (self._last_call - self._began) * (self._total - self._done) / made - (now - self._last_call)
        return [f"{max(0, seconds):.0f} s left"]

    def close(self) -> None:
        """Leave the lines: there is no bar to wipe."""


class _Reports:
    """Reports of work, which are suspended while a loop of the golden model is compiled.

    Parameters:
        display: Shows them.
    """

    def __init__(self, display: Progress):
        self._display = display
        self._last = ("", 0, 0)
        self._compiled: list[str] = []

    def __call__(self, work: str, done: int, total: int) -> None:
        self._last = work, done, total
        self._display(work, done, total)

    @contextlib.contextmanager
    def compiling(self, loop: str) -> Iterator[None]:
        """Show the compilation of a loop, and then the previous work, unless other work has been reported meanwhile.

        Several processes may compile at a time: work is shown again after the last of them.
        """
        before = self._last
        self._compiled.append(loop)
        self._display(compiling_text(loop), 0, 0)
        try:
            yield
        finally:
            self._compiled.remove(loop)
            if self._last is before and self._compiled:
                self._display(compiling_text(self._compiled[-1]), 0, 0)
            elif self._last is before and before[0]:
                self._display(*before)


def compiling_text(loop: str) -> str:
    """Return the name of the work while a loop is compiled.

    Parameters:
        loop: Its name, such as ``run_worms_spam``.
    """
    found = ENGINE_LOOP.match(loop)
    if found is None:
        return f"compiling {loop.replace('_', ' ')}, once per machine"
    family = found["family"]
    return f"compiling the {family.upper() if family in ABBREVIATIONS else family} engine, once per machine"


@contextlib.contextmanager
def progress_bars(work: str | None = None) -> Iterator[Progress]:
    """Yield a progress callback that displays the work during the block.

    Parameters:
        work: Initial work of the block, for work with a late first report.
    """
    if os.environ.get(SWITCH) == "off":
        yield lambda *_: None
        return
    display = _Bars() if sys.stderr.isatty() else _Lines()
    reports = _Reports(display)
    if work:
        reports(work, 0, 0)
    set_notice(reports.compiling)
    stop = threading.Event()

    def refresh() -> None:
        with contextlib.suppress(OSError, ValueError):  # stderr is closed
            while not stop.wait(REFRESH_SECONDS):
                display.refresh()

    thread = threading.Thread(target=refresh, daemon=True)
    thread.start()
    try:
        yield reports
    finally:
        set_notice(contextlib.nullcontext)
        stop.set()
        thread.join()
        display.close()
