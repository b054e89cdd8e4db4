"""Broadcast along a spanning binomial tree, by recursive doubling (Sec. 2).

With a base b the dimensions are taken in the order d_k = (b + k) mod n. The source sends to its neighbours in all
dimensions, d_0 first; a node that receives over dimension d_k sends on over d_{k+1} to d_{n-1}. So each node receives
once, and after n steps at most. In a tree with one base the dimensions carry 1, 2, 4, ... messages; with a base that
goes round from one broadcast to the next they all carry the same, (2^n - 1) / n messages of a broadcast on average.
"""

from typing import NamedTuple

from topology.common.errors import TopologyError


class TreeEdge(NamedTuple):
    """One message of a broadcast, to a neighbour.

    Members:
        sender, receiver (int)
        dimension: In which they are neighbours.
        step: 1 for those of the source, and one more than that of the message that the sender received for others.
    """

    sender: int
    receiver: int
    dimension: int
    step: int


def dimension_order(dimensions: int, base: int) -> tuple[int, ...]:
    """Return the order in which a tree with a base takes the dimensions.

    Raises:
        TopologyError: If there is no such base.
    """
    if isinstance(base, bool) or not isinstance(base, int) or not 0 <= base < dimensions:
        raise TopologyError(f"Base is {base!r}; it must be 0 to {dimensions - 1}", item=str(base))
    return tuple((base + k) % dimensions for k in range(dimensions))


def sends_over(dimensions: int, base: int, arrival: int | None) -> tuple[int, ...]:
    """Return the dimensions over which a node of the tree sends, in this order.

    Parameters:
        dimensions, base (int)
        arrival: Dimension over which the node received; None for the source.

    Raises:
        TopologyError: If there is no such base or dimension.
    """
    order = dimension_order(dimensions, base)
    if arrival is None:
        return order
    if arrival not in order:
        raise TopologyError(f"Dimension is {arrival!r}; it must be 0 to {dimensions - 1}", item=str(arrival))
    return order[order.index(arrival) + 1 :]


def binomial_tree(dimensions: int, source: int, base: int) -> list[TreeEdge]:
    """Return all messages of a broadcast.

    Parameters:
        dimensions: n.
        source: Number of a node.
        base: b, 0 to n-1.

    Returns:
        2^n - 1, by step; messages of a sender stand together, in its order.

    Raises:
        TopologyError: If there is no such base or node.
    """
    order = dimension_order(dimensions, base)
    if isinstance(source, bool) or not isinstance(source, int) or not 0 <= source < 1 << dimensions:
        raise TopologyError(f"Source is {source!r}; it must be 0 to {(1 << dimensions) - 1}", item=str(source))
    edges = [TreeEdge(source, source ^ 1 << dimension, dimension, 1) for dimension in order]
    for received in edges:  # grows as it is read
        node, step = received.receiver, received.step + 1
        for dimension in sends_over(dimensions, base, received.dimension):
            edges.append(TreeEdge(node, node ^ 1 << dimension, dimension, step))
    return edges
