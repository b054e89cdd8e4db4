"""Multicasts as trees of unicasts without contention between those of a step: U-torus, U-mesh and SPU.

All three order source and destinations in a chain, by the dimension that is routed first and then by the other, and
halve it again and again: a node with the message sends it to a node of the other half, which then serves that half. So
d destinations take ceil(log2(d + 1)) steps.

* U-torus (Robinson, McKinley, Cheng): the chain is rotated to begin with the source. Within a step no two messages
  share a channel of the same class, if class 0 is for those that have yet to close the ring (``Hop.wrap_ahead``).
* U-mesh (McKinley and others): the source is where it is in the chain; no ring is closed.
* SPU, source-partitioned U-mesh (Kesavan and Panda): the chain of a mesh rotated to begin with the source, so that
  sources differ in their trees. On a torus that is U-torus.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from topology.torus.grid import Grid, Turns

POSITIVE = Turns(False, False)
NEGATIVE = Turns(True, True)


class Send(NamedTuple):
    """One unicast of a multicast.

    Members:
        step: From 0; in a step every node that has the message sends it once at most.
        sender, receiver (int)
        turns
    """

    step: int
    sender: int
    receiver: int
    turns: Turns


class _Section(NamedTuple):
    """A part of a chain whose member at ``owner`` has the message."""

    low: int
    high: int
    owner: int


def u_torus(grid: Grid, source: int, destinations: Sequence[int], direction: Turns | None = None) -> list[Send]:
    """Return the sends of a multicast in a torus, in order of steps.

    Parameters:
        grid: A torus.
        destinations: The source and repeats are dropped.
        direction: ``POSITIVE`` or ``NEGATIVE`` if the torus has no other channels; default: the shorter way.

    Raises:
        ValueError: If the grid is a mesh, a node is not there, or the direction is mixed.
    """
    if not grid.wraps:
        raise ValueError("U-torus must have a torus, not a mesh")
    if direction not in (None, POSITIVE, NEGATIVE):
        raise ValueError(f"Direction is {direction!r}; it must be positive or negative in both dimensions")
    chain = _chain(grid, source, destinations, descending=direction == NEGATIVE)
    chain = rotated(chain, source)
    return halved_chain(chain, 0, lambda sender, receiver: direction or grid.shortest(sender, receiver))


def u_mesh(grid: Grid, source: int, destinations: Sequence[int]) -> list[Send]:
    """Return the sends of a multicast in a mesh, or in a torus without closing its rings, in order of steps.

    Parameters:
        destinations: The source and repeats are dropped.

    Raises:
        ValueError: If a node is not there.
    """
    chain = _chain(grid, source, destinations)
    return halved_chain(chain, chain.index(source), replace(grid, wraps=False).shortest)


def spu(grid: Grid, source: int, destinations: Sequence[int]) -> list[Send]:
    """Return the sends of a multicast by the chain that begins with the source, in order of steps; see ``u_mesh``."""
    chain = rotated(_chain(grid, source, destinations), source)
    return halved_chain(chain, 0, grid.shortest)


CHAINS: dict[str, Callable[[Grid, int, Sequence[int]], list[Send]]] = {"u-torus": u_torus, "u-mesh": u_mesh, "spu": spu}
"""Chain algorithms by the name of the software."""


def check_nodes(grid: Grid, nodes: Iterable[int]) -> None:
    """Refuse nodes that do not exist.

    Raises:
        ValueError: "Node is 256; it must be 0 to 255".
    """
    for node in nodes:
        if not 0 <= node < grid.nodes:
            raise ValueError(f"Node is {node!r}; it must be 0 to {grid.nodes - 1}")


def _chain(grid: Grid, source: int, destinations: Sequence[int], *, descending: bool = False) -> list[int]:
    check_nodes(grid, (source, *destinations))
    # the way along the row comes first, so the column is the major key
    return sorted({source, *destinations}, key=lambda node: grid.position(node)[::-1], reverse=descending)


def rotated(chain: list[int], source: int) -> list[int]:
    """Return a chain from the source on, and round its end."""
    first = chain.index(source)
    return chain[first:] + chain[:first]


def halved_chain(chain: Sequence[int], owner: int, turns: Callable[[int, int], Turns]) -> list[Send]:
    """Return the sends within a chain, in order of steps: ceil(log2 m) for m members.

    Parameters:
        owner: Position of the member that has the message.
        turns: (sender, receiver) -> directions.
    """
    sends: list[Send] = []
    sections, step = [_Section(0, len(chain) - 1, owner)], 0
    while any(section.low < section.high for section in sections):
        following: list[_Section] = []
        for section in sections:
            halves = tuple(_halves(section))
            following += halves
            if len(halves) == 2:
                sender, receiver = chain[halves[0].owner], chain[halves[1].owner]
                sends.append(Send(step, sender, receiver, turns(sender, receiver)))
        sections, step = following, step + 1
    return sends


def _halves(section: _Section) -> Iterator[_Section]:
    """Yield the half that the owner keeps, and the half of the node that it sends to, unless empty."""
    low, high, owner = section
    if low == high:
        yield section
        return
    centre = low + (high - low) // 2
    if 2 * owner <= low + high:
        # the middle one, or the upper of two; at the very centre the owner keeps itself
        first = max(low + -(-(high - low) // 2), owner + 1)
        yield _Section(low, first - 1, owner)
        yield _Section(first, high, first)
    else:
        yield _Section(centre + 1, high, owner)
        yield _Section(low, centre, centre)
