"""Addresses and byte lanes of the beats of bursts (AMBA AXI4, A3.4.1)."""

from typing import NamedTuple

import numpy as np

from topology.axi4.words import INCR, WRAP

WRAP_BEATS = (2, 4, 8, 16)
"""Lengths of WRAP bursts."""


class Bursts(NamedTuple):
    """N bursts.

    Members:
        address (uint64[N]): First ones; multiples of the bytes of a beat in WRAP bursts.
        burst (int64[N]): Types.
        size (int64[N]): Bytes of a beat as a power of two.
        beats (int64[N])
    """

    address: np.ndarray
    burst: np.ndarray
    size: np.ndarray
    beats: np.ndarray

    def beat_addresses(self, owner: np.ndarray, beat: np.ndarray) -> np.ndarray:
        """Return the addresses of beats, uint64.

        Parameters:
            owner (int64[beats]): Their bursts.
            beat (int64[beats]): Their numbers in these.
        """
        size = self.size.astype(np.uint64)
        found = (self.address >> size << size)[owner] + (beat.astype(np.uint64) << size[owner])
        is_first = np.flatnonzero(beat == 0)
        found[is_first] = self.address[owner[is_first]]
        others = np.flatnonzero((self.burst != INCR)[owner])
        own = owner[others]
        inside = (self.beats.astype(np.uint64) << size)[own] - np.uint64(1)
        wrapped = self.address[own] & ~inside | found[others] & inside
        found[others] = np.where(self.burst[own] == WRAP, wrapped, self.address[own])
        return found


def lanes_of_beats(address: np.ndarray, size: np.ndarray, word_bytes: int) -> np.ndarray:
    """Return masks of the bytes of a word that beats may write, uint64 of the same shape.

    Parameters:
        address (uint64): Of the beats.
        size (int64): Bytes of a beat as a power of two.
        word_bytes: Bytes of a word, a power of two.
    """
    size = size.astype(np.uint64)
    first = address & np.uint64(word_bytes - 1)
    start = first >> size << size
    every = np.uint64((1 << 64) - 1) >> (np.uint64(64) - (np.uint64(1) << size))  # of 64 bytes at most
    return every << start & ~((np.uint64(1) << first) - np.uint64(1))
