"""Calls of a loop that differ in its last argument alone, a number: a tenth of the cost of a call."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sim_model.loops.loop import Loop


def bound(loop: Callable[..., Any], *arguments: Any) -> Callable[[int], Any]:
    """Return a function of a loop's last argument, an int.

    Parameters:
        loop: Result of ``compiled_loop``.
        arguments: All others; they must stay in memory, and may change in place.
    """
    return loop.bind(*arguments) if isinstance(loop, Loop) else partial(loop, *arguments)
