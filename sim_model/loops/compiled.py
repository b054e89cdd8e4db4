"""Functions of the engines that are compiled (``sim_model/loops/``): importing them loads no compiler.

A family's outermost loop is one unit of machine code. The functions that it calls are compiled into it.
"""

import os
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from sim_model.loops.loop import Loop

PLAIN_PYTHON = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
"""Run all functions as Python does, uncompiled."""


class Part:
    """A function that is compiled into loops. Python code that calls it runs it uncompiled.

    Parameters:
        inlined: Inline every call of it.
    """

    def __init__(self, function: Callable[..., Any], *, inlined: bool):
        update_wrapper(self, function)
        self.py_func, self.inlined = function, inlined

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Type of the function for Numba, which reads this attribute when it compiles a call."""
        from sim_model.loops.compilation import type_of_part

        return type_of_part(self)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that is inlined into compiled loops; its indices are not checked.

    A call passes the state as a hundred and more words, one by one. Left to itself, the compiler inlines a function or
    not by its size, so that a line more in one place could cost or gain a third of the speed in another.
    """
    return function if PLAIN_PYTHON else Part(function, inlined=True)


def compiled_apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that runs only with an option: out of line, it costs nothing without that option."""
    return function if PLAIN_PYTHON else Part(function, inlined=False)


def compiled_loop(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a family's outermost loop, whose machine code is kept between runs."""
    return function if PLAIN_PYTHON else Loop(function)
