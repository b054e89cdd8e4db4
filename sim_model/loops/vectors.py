"""Operations on vectors of words: several of 64 bits that the processor works on at a time.

Loops over a few planes are unrolled before the compiler looks for such instructions, and then it looks no more. So a
vector is a type of the compiler, which is held in registers. Without Numba it is an array of as many words.
"""

from collections.abc import Callable
from typing import Any

Plain = Callable[..., Any]


OPERATIONS: list[Plain] = []
"""All operations in the order of their definition."""


def define(plain: Any, code: str, *parameters: int) -> Plain:
    """Return define what a Python function is in compiled functions.

    Parameters
    ----------
    plain : function
        The function, which has the same results without Numba.
    code : str
        Name of the function in ``loops/vector_code.py`` that generates the instructions.
    parameters : int
        Arguments of that function: words of a vector, and others.

    Returns
    -------
    callable
        ``plain``; its attribute ``vector_code`` has code and parameters.
    """
    plain.vector_code = (code, *parameters)
    OPERATIONS.append(plain)
    return plain
