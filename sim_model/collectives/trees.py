"""Binomial trees over distances from the root: the parent of a member has its lowest one bit cleared."""

from collections.abc import Iterator

from sim_model.collectives.powers import ceil_log2


def downward(members: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds from the root to all: pairs of parent and child, the largest subtrees first."""
    for bit in reversed(range(ceil_log2(members))):
        step = 1 << bit
        yield [(parent, parent + step) for parent in range(0, members - step, 2 * step)]


def upward(members: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds from all to the root: pairs of child and parent."""
    for pairs in reversed(list(downward(members))):
        yield [(child, parent) for parent, child in pairs]


def subtree(child: int, members: int) -> range:
    """Return the distances in the subtree of a member that is not the root."""
    return range(child, min(child + (child & -child), members))
