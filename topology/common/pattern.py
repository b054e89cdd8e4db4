"""The test payload: a word sequence that hardware generates with one adder, different for each message.

Word ``k`` of a message is built from ``state = seed + k * STEP`` (32 bits, wrapping), folded so that high
bits show in narrow flits, and repeated in lanes of 32 bits that differ by a constant each.
"""

from typing import TypeVar

import numpy as np

Numbers = TypeVar("Numbers", int, np.ndarray)
MASK = 0xFFFF_FFFF
STEP = 0x9E37_79B1
SEED_STEP = 0x85EB_CA6B
LANE_STEP = 0xC2B2_AE35
SEED_BITS = 32


def payload_seed(message: Numbers) -> Numbers:
    """Return the 32-bit seed of message number ``message``, or of several, int64."""
    return (message * SEED_STEP + STEP) & MASK


def lane_constant(lane: int) -> int:
    """Return the constant that lane ``lane`` (32 bits each) is XORed with."""
    return lane * LANE_STEP & MASK


def payload_word(seed: int, index: int, flit_bits: int) -> int:
    """Return the data of the ``index``-th body flit (counted from 0 after the header)."""
    state = (seed + index * STEP) & MASK
    folded = state ^ state >> 16
    word = 0
    for lane in range(-(-flit_bits // 32)):
        word |= (folded ^ lane_constant(lane)) << 32 * lane
    return word & (1 << flit_bits) - 1
