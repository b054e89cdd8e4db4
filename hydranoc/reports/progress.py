"""Progress on stderr of work that takes longer: bars on a terminal, and a line every few seconds without one."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

from tqdm import tqdm

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much (0: unknown)."""

SHOWN_AFTER_SECONDS = 2.0
REFRESH_SECONDS = 0.5
LINE_SECONDS = 5.0
SWITCH = "HYDRANOC_PROGRESS"
"""Variable that turns progress off, with the value ``off``."""
UNKNOWN_TOTAL = "{desc} {elapsed}"
"""Work whose end nobody can tell shows how long it has been going on."""


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
                self._open(work, total)
            if self._bar is not None:
                self._bar.total = total or None
                self._bar.update(done - self._bar.n)

    def _open(self, work: str, total: int) -> None:
        self._close()
        self._work, self._started = work, time.monotonic()
        self._bar = tqdm(
            desc=work,
            total=total or None,
            bar_format=None if total else UNKNOWN_TOTAL,
            delay=SHOWN_AFTER_SECONDS,
            leave=False,
        )

    def refresh(self) -> None:
        """Draw the bar of work that does not report of itself, such as a build."""
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
    """A line every few seconds, for logs and pipes: what is being done, how far it is, and for how long."""

    def __init__(self) -> None:
        self._now = ("", 0, 0)
        self._began = self._last_line = time.monotonic()

    def __call__(self, work: str, done: int, total: int) -> None:
        if work != self._now[0]:
            self._began = time.monotonic()
        self._now = (work, done, total)

    def refresh(self) -> None:
        """Write a line if it is time for one."""
        now = time.monotonic()
        work, done, total = self._now
        if not work or now - self._last_line < LINE_SECONDS:
            return
        self._last_line = now
        share = f" {done / total:.0%}," if total else ""
        sys.stderr.write(f"{work}:{share} {now - self._began:.0f} s\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Nothing is left to wipe."""


@contextlib.contextmanager
def progress_bars(work: str | None = None) -> Iterator[Progress]:
    """A progress callback that shows how far the work is as long as the block runs.

    Parameters
    ----------
    work : str or None
        What the block begins with, for work that takes long before it reports for the first time.
    """
    if os.environ.get(SWITCH) == "off":
        yield lambda *_: None
        return
    display = _Bars() if sys.stderr.isatty() else _Lines()
    if work:
        display(work, 0, 0)
    stop = threading.Event()

    def refresh() -> None:
        with contextlib.suppress(OSError, ValueError):  # nobody reads stderr any more
            while not stop.wait(REFRESH_SECONDS):
                display.refresh()

    thread = threading.Thread(target=refresh, daemon=True)
    thread.start()
    try:
        yield display
    finally:
        stop.set()
        thread.join()
        display.close()
