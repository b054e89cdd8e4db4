"""Base of all golden twins."""

from collections.abc import Mapping
from typing import Protocol

Inputs = Mapping[str, int]
"""Value of every input port in one cycle, by dotted name."""

Outputs = dict[str, int | None]
"""Value of every output port in one cycle, by dotted name; None where the part's contract leaves it open."""


class GoldenTwin(Protocol):
    """A part, one cycle at a time."""

    def step(self, inputs: Inputs) -> Outputs:
        """Return the outputs of this cycle, then go on to the next.

        Parameters
        ----------
        inputs : mapping of str to int
            Every input port.

        Raises
        ------
        ValueError
            If the inputs break a rule of the part: the part's behaviour is not defined then.
        """
        ...


def bit(mask: int, position: int) -> int:
    """Return one bit of a mask."""
    return mask >> position & 1
