"""Directions of messages as operations, a number in every message.

Software multicasts in directed subnetworks, and those that must not close a ring, fix the direction in each dimension;
all other messages take the shorter way.
"""

from topology.torus.grid import Turns

SHORTEST = 0
"""Operation of a message that takes the shorter way in each dimension."""
_ALL_TURNS = tuple(Turns(bool(bits & 1), bool(bits & 2)) for bits in range(4))


def operation(turns: Turns | None) -> int:
    """Return the operation of a message with given turns, 1 + y_negative + 2 x_negative; ``SHORTEST`` without."""
    return SHORTEST if turns is None else 1 + _ALL_TURNS.index(turns)


def turns_of(operation: int) -> Turns | None:
    """Return the turns that an operation fixes; None for the shorter way.

    Raises:
        ValueError: If there is no such operation.
    """
    if not 0 <= operation <= len(_ALL_TURNS):
        raise ValueError(f"Operation is {operation!r}; it must be 0 to {len(_ALL_TURNS)}")
    return None if operation == SHORTEST else _ALL_TURNS[operation - 1]
