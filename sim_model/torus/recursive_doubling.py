"""Recursive doubling in tori and meshes of any sides: one dimension after the other.

With base 0 the source first sends along its row: to a relay in every column with destinations, by halving the chain of
these columns; then every relay sends along its column, by halving the chain of its destinations there. With base 1 it
is columns first, and then rows. The relay of a column is the source, or the destination nearest to the source's row; in
a broadcast that is the node in the source's row, and so every message stays in its row or column.

That takes ceil(log2 c) + ceil(log2 r) steps, if c columns have the source or destinations, and the longest of their
chains has r members: in a broadcast over S x T nodes ceil(log2 T) + ceil(log2 S). That is the least, ceil(log2 S T), if
S or T is a power of two, and otherwise one more at most. A relay sends to other columns before it sends in its own.

In tori a chain begins with its owner, and ends before it behind the end of the ring; so in a broadcast all messages of
a step go in the positive direction, and share no channel. In meshes the owner stays where it is in the chain.
"""

from collections.abc import Sequence

from sim_model.torus.chains import Send, check_nodes, halved_chain, rotated
from topology.torus.grid import Grid

BASES = 2
ROW, COLUMN = range(2)


def recursive_doubling(grid: Grid, source: int, destinations: Sequence[int], base: int) -> list[Send]:
    """Return the sends of a multicast, by dimension and then in order of steps.

    Parameters:
        destinations: The source and repeats are dropped.
        base: 0 for rows first, 1 for columns first.

    Raises:
        ValueError: If a node is not there, or the base is none.
    """
    if base not in range(BASES):
        raise ValueError(f"Base is {base!r}; it must be 0 or 1")
    check_nodes(grid, (source, *destinations))
    across, along = (COLUMN, ROW) if base == 0 else (ROW, COLUMN)
    lines: dict[int, list[int]] = {}
    for node in sorted({source, *destinations}):
        lines.setdefault(grid.position(node)[across], []).append(node)
    relays = {line: _relay(grid, source, members, along) for line, members in lines.items()}
    sends = _halved(grid, [relays[line] for line in sorted(lines)], source, first_step=0)
    second_step = (len(lines) - 1).bit_length()
    for line in sorted(lines):
        sends += _halved(grid, lines[line], relays[line], first_step=second_step)
    return sends


def _relay(grid: Grid, source: int, members: Sequence[int], along: int) -> int:
    """Return the node of a line that receives the message first."""
    if source in members:
        return source
    start, side = grid.position(source)[along], (grid.rows, grid.columns)[along]

    def channels(node: int) -> int:
        gap = abs(grid.position(node)[along] - start)
        return min(gap, side - gap) if grid.wraps else gap

    return min(members, key=channels)


def _halved(grid: Grid, chain: list[int], owner: int, *, first_step: int) -> list[Send]:
    if grid.wraps:
        chain = rotated(chain, owner)
    sends = halved_chain(chain, chain.index(owner), grid.shortest)
    return [send._replace(step=first_step + send.step) for send in sends]
