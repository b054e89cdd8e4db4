"""Standard permutation patterns: the destination of each node, as an array.

Bit permutations use node numbers, which have b bits in a network of 2^b nodes. Digit permutations use coordinates: in
each of a grid's dimensions a switch has a place, 0 to k - 1, and processor j of a switch sends to processor j of
another one. They equal those of BookSim 2, so that results can be compared.
"""

from collections.abc import Callable
from math import isqrt

import numpy as np

from topology.common.channels import ChannelNetwork

DestinationOf = np.ndarray
"""int64[nodes], by source."""


def transpose(network: ChannelNetwork) -> DestinationOf:
    """Return the transpose: r s + c sends to c s + r for s x s nodes; for 2^b nodes the halves of b bits are swapped.

    Parameters:
        network

    Returns:
        int64[nodes]: Destination of each source.

    Raises:
        ValueError: If the number of nodes is no square.
    """
    nodes = len(network.processors)
    side = isqrt(nodes)
    if side * side != nodes:
        raise ValueError(f"needs a square number of nodes, not {nodes}")
    return np.arange(nodes).reshape(side, side).T.reshape(-1)


def bit_complement(network: ChannelNetwork) -> DestinationOf:
    """Return the destinations with all bits inverted.

    Parameters:
        network

    Returns:
        int64[nodes]: Destination of each source.

    Raises:
        ValueError: If the number of nodes is no power of two, or 1.
    """
    return (1 << _bits(network)) - 1 - np.arange(len(network.processors))


def bit_reverse(network: ChannelNetwork) -> DestinationOf:
    """Return the destinations with reversed bits: bit i becomes bit b - 1 - i.

    Parameters:
        network

    Returns:
        int64[nodes]: Destination of each source.

    Raises:
        ValueError: If the number of nodes is no power of two, or 1.
    """
    bits, node = _bits(network), np.arange(len(network.processors))
    return sum(((node >> bit & 1) << bits - 1 - bit for bit in range(bits)), np.zeros_like(node))


def shuffle(network: ChannelNetwork) -> DestinationOf:
    """Return the destinations with bits rotated left by one: bit i becomes bit i + 1, the highest one the lowest.

    Parameters:
        network

    Returns:
        int64[nodes]: Destination of each source.

    Raises:
        ValueError: If the number of nodes is no power of two, or 1.
    """
    bits, node = _bits(network), np.arange(len(network.processors))
    return (node << 1 | node >> bits - 1) & (1 << bits) - 1


def tornado(network: ChannelNetwork) -> DestinationOf:
    """Return the destinations ceil(k / 2) - 1 places on in each dimension, cyclically: almost half way round a ring.

    Parameters:
        network

    Returns:
        int64[nodes]: Destination of each source.

    Raises:
        ValueError: If the network is no grid, or no dimension has 3 switches or more.
    """
    sides = _sides(network)
    if max(sides) < 3:
        text = f"needs a dimension of at least 3 switches, not {' x '.join(map(str, sides))}"
        raise ValueError(f"{text}: no node would send")
    return _moved(network, lambda side: (side + 1) // 2 - 1)


def neighbour(network: ChannelNetwork) -> DestinationOf:
    """Return the destinations one place on in each dimension, cyclically.

    Parameters:
        network

    Returns:
        int64[nodes]: Destination of each source.

    Raises:
        ValueError: If the network is no grid.
    """
    return _moved(network, lambda _side: 1)


PERMUTATIONS: dict[str, Callable[[ChannelNetwork], DestinationOf]] = {
    "transpose": transpose,
    "bit-complement": bit_complement,
    "bit-reverse": bit_reverse,
    "shuffle": shuffle,
    "tornado": tornado,
    "neighbour": neighbour,
}
"""Patterns by name in configurations. They raise ValueError ("needs X, not Y") in unsuitable networks."""


def coordinates(network: ChannelNetwork) -> tuple[np.ndarray, ...]:
    """Return the place of each node's switch in each dimension.

    Parameters:
        network

    Returns:
        tuple of int64[nodes]

    Raises:
        ValueError: If the network is no grid.
    """
    sides = _sides(network)
    return np.unravel_index(np.array(network.processors), sides, order="F")


def _sides(network: ChannelNetwork) -> tuple[int, ...]:
    if not network.shape:
        raise ValueError("needs a network with coordinates: a mesh, torus, ring or hypercube")
    return network.shape


def _bits(network: ChannelNetwork) -> int:
    nodes = len(network.processors)
    if nodes < 2 or nodes & nodes - 1:
        raise ValueError(f"needs a power of two of nodes, not {nodes}")
    return nodes.bit_length() - 1


def _moved(network: ChannelNetwork, places: Callable[[int], int]) -> DestinationOf:
    sides = _sides(network)
    moved = [(at + places(side)) % side for at, side in zip(coordinates(network), sides, strict=True)]
    switch = np.ravel_multi_index(moved, sides, order="F")
    per_switch = len(network.processors) // network.switches
    return switch * per_switch + np.arange(len(network.processors)) % per_switch
