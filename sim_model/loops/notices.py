"""Notices that a loop is being compiled, which takes seconds, for programs to show to their users."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Notice = Callable[[str], AbstractContextManager[object]]

_notice: Notice = nullcontext


def set_notice(notice: Notice) -> None:
    """Set the context that is entered while a loop is being compiled.

    Parameters:
        notice (callable): Gets the name of the loop and returns a context manager, which may be entered in any thread.
    """
    global _notice
    _notice = notice


def compiling(name: str) -> AbstractContextManager[object]:
    """Return the context manager of the notice for a loop."""
    return _notice(name)
