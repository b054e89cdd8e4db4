"""Layouts of vectors in rows of words: objects whose attributes are constants of compiled functions."""

from collections.abc import Callable
from typing import Any

from sim_model.loops.vector_operations import Operations

Operation = Callable[..., Any]


class VectorLayout:
    """Offsets of the vectors in a row, sizes, and operations on vectors (``vector_operations.py``).

    A compiled function that is passed a layout is compiled for it: with its numbers as constants, so that the compiler
    unrolls loops and sees which vectors overlap, and with its operations. Attributes are not changed afterwards.

    Parameters:
        shape: The parameters that all others follow from, for names of loops.
        width: Words of a vector.
        operations (mapping of str to callable): The operations that it has.
    """

    vector_at: Operation
    put: Operation
    splat: Operation
    alone: Operation
    gathered: Operation
    any_of: Operation
    places_of: Operation
    count_all: Operation
    crossed: Operation
    before: Operation
    behind: Operation
    rotated: Operation
    exchanged: Operation

    def __init__(self, shape: str, width: int, operations: Operations):
        self.shape, self.WIDTH, self.SIZE = shape, width, 0
        vars(self).update(operations)

    def take(self, vectors: int) -> int:
        """Return the offset of the next vectors in a row."""
        offset = self.SIZE
        self.SIZE += vectors * self.WIDTH
        return offset

    @property
    def _numba_type_(self) -> Any:
        """Type of the layout for Numba, which reads this attribute."""
        from sim_model.loops.extensions import LayoutType

        return LayoutType(self)
