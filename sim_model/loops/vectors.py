"""Operations on vectors of words: several of 64 bits that the processor handles at a time.

The compiler unrolls loops over a few planes before it vectorises, and then does not vectorise them. So a vector is a
type of the compiler, which is held in registers. Without Numba it is an array of as many words.
"""

from collections.abc import Callable
from typing import Any

Plain = Callable[..., Any]


OPERATIONS: list[Plain] = []
"""All operations in the order of their definition."""


def define(plain: Any, code: str, *parameters: int) -> Plain:
    """Define the instructions of a Python function in compiled functions.

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
