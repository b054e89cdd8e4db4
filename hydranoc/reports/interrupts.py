"""Reliable interrupts: interrupted work never ends as if it had been completed."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

AGAIN_SECONDS = 0.05
"""Seconds after which a lost interrupt is sent again."""


@contextlib.contextmanager
def raise_on_signals() -> Iterator[None]:
    """End the block with a KeyboardInterrupt on the signals INT and TERM, and not the process at once.

    Python prints and drops an exception in a destructor, and in a function that compiled code calls, as a compiler
    does for each function that it saves: an interrupt that comes right then is sent again. Libraries may also drop
    one, or turn it into another error; then the end of the block raises a KeyboardInterrupt. Threads other than the
    main one are unaffected, and so are signals that are ignored, as INT is in the background of a shell, or that have
    no Python handler.

    Raises:
        KeyboardInterrupt: At the end of the block, if a signal came.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts = _Interrupts()
    try:
        yield
    except Exception:
        if interrupts.seen is None:
            raise
    finally:
        interrupts.restore()
    if interrupts.seen is not None:
        raise KeyboardInterrupt


class _Interrupts:
    """The handlers of a block, until they are restored."""

    def __init__(self) -> None:
        self.seen: int | None = None
        self._hook = sys.unraisablehook
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self._before = {number: old for number, old in handlers.items() if old not in (signal.SIG_IGN, None)}
        sys.unraisablehook = self._on_dropped
        for number in self._before:
            signal.signal(number, self._on_signal)

    def restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        sys.unraisablehook = self._hook

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.seen = number
        before = self._before[signal.Signals(number)]
        if callable(before):
            before(number, frame)
        raise KeyboardInterrupt

    def _on_dropped(self, dropped: Any) -> None:
        if self.seen is not None and issubclass(dropped.exc_type, KeyboardInterrupt):
            again = threading.Timer(AGAIN_SECONDS, self._send, [self.seen])
            again.daemon = True
            again.start()
        else:
            self._hook(dropped)

    def _send(self, number: int) -> None:
        if signal.getsignal(number) == self._on_signal:  # else the block has ended
            os.kill(os.getpid(), number)
