"""Distances between all switches of an undirected network, kept modulo 3, two bits a pair.

Routing needs the neighbour of a switch that is nearest to another one. Distances of neighbours differ by one at most,
so distances modulo 3 suffice: a neighbour is one hop nearer, as near, or one hop farther. For 4,096 switches that are 4
MB in place of 64, and a walk over all pairs needs whole rows of bits alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CACHE_BYTES = 1 << 20
"""Bits of all switches that are processed together, so that they stay in a processor's cache."""
MIN_BLOCK_BYTES = 8


class HopBits(NamedTuple):
    """Distances in hops modulo 3, and the distance of the farthest switch.

    Members:
        low, high (uint8[switches, ceil(switches / 8)]): Rows of bits, bit b of byte i for switch 8 i + b: what is left
            is 1 where the bit of ``low`` is set and 2 where that of ``high`` is.
        eccentricity (int64[switches]): Hops from each switch to the one that is farthest from it, of those that can be
            reached.
        reached (int64[switches]): Number of switches that can be reached from each, itself included.
    """

    low: np.ndarray
    high: np.ndarray
    eccentricity: np.ndarray
    reached: np.ndarray


def hop_bits(neighbours: Sequence[Sequence[int]]) -> HopBits:
    """Return the distances between all switches.

    Parameters:
        neighbours (sequence of sequence of int): By switch, the switches that are one hop away; every link leads both
            ways.
    """
    switches = len(neighbours)
    table = _table(neighbours)
    row_bytes = -(-switches // 8)
    low, high = np.zeros((switches, row_bytes), dtype=np.uint8), np.zeros((switches, row_bytes), dtype=np.uint8)
    eccentricity, reached = np.zeros(switches, dtype=np.int64), np.zeros(switches, dtype=np.int64)
    step = max(CACHE_BYTES // switches, MIN_BLOCK_BYTES)
    for begin in range(0, row_bytes, step):
        block = slice(begin, min(begin + step, row_bytes))
        found = _walk(table, _own_bits(switches, block), low[:, block], high[:, block])
        np.maximum(eccentricity, found.last_change, out=eccentricity)
        reached += np.bitwise_count(found.reached).sum(axis=1, dtype=np.int64)
    return HopBits(low, high, eccentricity, reached)


class _Walked(NamedTuple):
    """Vertices reached from each switch within a block of bits, and the hops to the last of them."""

    reached: np.ndarray
    last_change: np.ndarray


def _walk(table: np.ndarray, frontier: np.ndarray, low: np.ndarray, high: np.ndarray) -> _Walked:
    """Walk hop by hop, for the bits of a block; ``frontier`` has one row more, which stays empty.

    Only neighbours of the switches reached in the last hop are visited.
    """
    reached = frontier[:-1].copy()
    last_change = np.zeros(len(reached), dtype=np.int64)
    rows = np.flatnonzero(frontier.any(axis=1))
    hops = 0
    while len(rows):
        hops += 1
        marked = np.zeros(len(frontier), dtype=bool)
        marked[table[:, rows]] = True
        beside = np.flatnonzero(marked[:-1])
        new = np.bitwise_or.reduce(frontier[table[:, beside]], axis=0) & ~reached[beside]
        frontier[rows] = 0
        farther = new.any(axis=1)
        rows, new = beside[farther], new[farther]
        frontier[rows] = new
        reached[rows] |= new
        last_change[rows] = hops
        if hops % 3:
            (low if hops % 3 == 1 else high)[rows] |= new
    return _Walked(reached, last_change)


def _table(neighbours: Sequence[Sequence[int]]) -> np.ndarray:
    """Return a table of the neighbours of each switch, by position; the number of switches for none."""
    most = max(map(len, neighbours), default=0)
    table = np.full((most, len(neighbours)), len(neighbours), dtype=np.int64)
    for switch, found in enumerate(neighbours):
        table[: len(found), switch] = found
    return table


def _own_bits(switches: int, block: slice) -> np.ndarray:
    """Return bits with each switch's own bit set, if it is in the block, uint8[switches + 1, bytes of the block]."""
    rows = np.zeros((switches + 1, block.stop - block.start), dtype=np.uint8)
    own = np.arange(8 * block.start, min(8 * block.stop, switches))
    rows[own, own // 8 - block.start] = 1 << own % 8
    return rows


def unpacked(rows: np.ndarray, switches: int) -> np.ndarray:
    """Return rows of bits as bool[rows, switches]."""
    return np.unpackbits(rows, axis=-1, count=switches, bitorder="little").astype(bool)
