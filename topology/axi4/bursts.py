"""Addresses and byte lanes of the beats of bursts (AMBA AXI4, A3.4.1)."""

import numpy as np

from topology.axi4.words import FIXED, WRAP

WRAP_BEATS = (2, 4, 8, 16)
"""Lengths of WRAP bursts."""


def beat_addresses(
    address: np.ndarray, burst: np.ndarray, size: np.ndarray, beats: np.ndarray, beat: np.ndarray
) -> np.ndarray:
    """Return the addresses of beats, uint64 of the same shape.

    Parameters:
        address (uint64): Of the burst; a multiple of the bytes of a beat in WRAP bursts.
        burst (int64): Type.
        size (int64): Bytes of a beat as a power of two.
        beats (int64): Of the whole burst.
        beat (int64): Number in the burst.
    """
    size, number = size.astype(np.uint64), beat.astype(np.uint64)
    bytes_before, whole = number << size, beats.astype(np.uint64) << size
    following = (address >> size << size) + bytes_before
    inside = whole - np.uint64(1)
    wrapped = address & ~inside | following & inside
    found = np.where(burst == WRAP, wrapped, following)
    return np.where((burst == FIXED) | (beat == 0), address, found)


def lanes_of_beats(address: np.ndarray, size: np.ndarray, word_bytes: int) -> np.ndarray:
    """Return masks of the bytes of a word that beats may write, uint64 of the same shape.

    Parameters:
        address (uint64): Of the beats.
        size (int64): Bytes of a beat as a power of two.
        word_bytes: Bytes of a word.
    """
    size = size.astype(np.uint64)
    first = address % np.uint64(word_bytes)
    start = first >> size << size
    every = np.uint64((1 << 64) - 1) >> (np.uint64(64) - (np.uint64(1) << size))  # of 64 bytes at most
    return every << start & ~((np.uint64(1) << first) - np.uint64(1))
