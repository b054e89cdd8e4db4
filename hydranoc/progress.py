"""Progress bars: on stderr, only for work of more than two seconds, and never when stderr is no terminal."""

import contextlib
import sys
from collections.abc import Iterator

from tqdm import tqdm

from hydranoc.family import Progress

SHOWN_AFTER_SECONDS = 2.0


class _Bars:
    """One bar at a time; a new kind of work closes the bar of the one before."""

    def __init__(self):
        self._work = ""
        self._bar: tqdm | None = None

    def __call__(self, work: str, done: int, total: int) -> None:
        if self._bar is None or work != self._work:
            self.close()
            self._work = work
            self._bar = tqdm(
                desc=work, total=total or None, delay=SHOWN_AFTER_SECONDS, disable=not sys.stderr.isatty(), leave=False
            )
        self._bar.total = total or None
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextlib.contextmanager
def progress_bars() -> Iterator[Progress]:
    """A progress callback that shows bars as long as the block runs."""
    bars = _Bars()
    try:
        yield bars
    finally:
        bars.close()
