"""The signature of a flit: eight bits that distinguish the flits on a channel in the lock-step comparison.

A packed flit (``FlitFormat``) is cut into lanes of 32 bits, lane 0 lowest. Lane k is rotated left by ``rotation(k)``,
and all lanes are XORed. That word times ``MULTIPLIER``, modulo 2^32, has the signature in its eight highest bits.

* One bit of the flit is one bit of the word, and changes the product by a power of two times the multiplier. That is
  never less than 2^24 away from 0 modulo 2^32, so every single bit of a flit changes its signature.
* The lanes of a test payload are one word XORed with constants (``topology.common.pattern``). Without rotations they
  would cancel each other; rotated by these amounts, at least 28 of the word's 32 bits are left of any number of lanes.
* A lane costs a simulator three operations, a flit one multiplication: a checksum by XOR alone would take many more.
"""

import numpy as np

LANE_BITS = 32
SIGNATURE_BITS = 8
MULTIPLIER = 0xD251_1F53
LANE_MASK = (1 << LANE_BITS) - 1
SIGNATURE_SHIFT = LANE_BITS - SIGNATURE_BITS


def lanes_of(bits: int) -> int:
    """Return the lanes of a flit or another word of ``bits`` bits."""
    return -(-bits // LANE_BITS)


def rotation(lane: int) -> int:
    """Return the number of bits by which a lane is rotated to the left."""
    return (5 * lane + lane // 7) % LANE_BITS


def flit_signature(flit: int, width: int) -> int:
    """Return the signature of one packed flit.

    Parameters:
        width: Bits of a packed flit, head and tail included.
    """
    word = 0
    for lane in range(lanes_of(width)):
        bits = flit >> lane * LANE_BITS & LANE_MASK
        word ^= (bits << rotation(lane) | bits >> LANE_BITS - rotation(lane)) & LANE_MASK
    return (word * MULTIPLIER & LANE_MASK) >> SIGNATURE_SHIFT


def flit_signatures(flits: np.ndarray) -> np.ndarray:
    """Return the signatures of many packed flits.

    Parameters:
        flits (uint32 array, shape (flits, lanes)): Lanes of each flit; bits behind the flit's last one are 0.

    Returns:
        uint8 array, shape (flits,)
    """
    words = np.zeros(len(flits), dtype=np.uint32)
    for lane in range(flits.shape[1]):
        bits, turn = flits[:, lane], rotation(lane)
        words ^= bits << np.uint32(turn) | bits >> np.uint32(LANE_BITS - turn) if turn else bits
    return (words * np.uint32(MULTIPLIER) >> np.uint32(SIGNATURE_SHIFT)).astype(np.uint8)
