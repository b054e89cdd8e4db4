"""Progress bars: on stderr, only for work of more than two seconds, and never when stderr is no terminal."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

from tqdm import tqdm

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much (0: unknown)."""

SHOWN_AFTER_SECONDS = 2.0
REFRESH_SECONDS = 0.5
UNKNOWN_TOTAL = "{desc} {elapsed}"
"""Work whose end nobody can tell shows how long it has been going on."""


class _Bars:
    """One bar at a time; a new kind of work closes the bar of the one before."""

    def __init__(self, shown: bool):
        self._shown = shown
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
            disable=not self._shown,
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


@contextlib.contextmanager
def progress_bars(work: str | None = None) -> Iterator[Progress]:
    """A progress callback that shows bars as long as the block runs.

    Parameters
    ----------
    work : str or None
        What the block begins with, for work that takes long before it reports for the first time.
    """
    bars = _Bars(sys.stderr.isatty())
    if work:
        bars(work, 0, 0)
    stop = threading.Event()

    def refresh() -> None:
        while not stop.wait(REFRESH_SECONDS):
            bars.refresh()

    thread = threading.Thread(target=refresh, daemon=True)
    if sys.stderr.isatty():
        thread.start()
    try:
        yield bars
    finally:
        stop.set()
        bars.close()
