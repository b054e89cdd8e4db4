"""The signature of a flit: its definition, its NumPy version, and the flits that it must distinguish."""

import numpy as np
import pytest

from tests.topology.flits import random_flits
from topology.common.flit_signature import (
    LANE_BITS,
    LANE_MASK,
    MULTIPLIER,
    SIGNATURE_BITS,
    flit_signature,
    flit_signatures,
    lanes_of,
    rotation,
)
from topology.common.flits import MAX_FLIT_BITS, FlitFormat
from topology.common.pattern import payload_seed, payload_word

FLIT_BITS = (8, 16, 30, 31, 32, 63, 64, 200, 512)


def lanes_of_flits(flits: list[int], width: int) -> np.ndarray:
    lanes = range(lanes_of(width))
    return np.array([[flit >> LANE_BITS * lane & LANE_MASK for lane in lanes] for flit in flits], dtype=np.uint32)


def test_worked_example():
    """34 bits: tail, head, and data 0x80000001; the second lane is rotated by 5 bits."""
    flit = FlitFormat(32).pack(data=0x8000_0001, head=True, tail=True)
    assert flit == 0x3_8000_0001
    word = 0x8000_0001 ^ 0x3 << 5
    assert flit_signature(flit, 34) == (word * MULTIPLIER >> 24) % 256 == 0x30


@pytest.mark.parametrize("flit_bits", FLIT_BITS)
def test_many_at_once_are_as_one_by_one(flit_bits):
    width = FlitFormat(flit_bits).width
    flits = [0, (1 << width) - 1, *random_flits(width, 200, seed=flit_bits)]
    signatures = flit_signatures(lanes_of_flits(flits, width))
    assert signatures.dtype == np.uint8
    assert signatures.tolist() == [flit_signature(flit, width) for flit in flits]


@pytest.mark.parametrize("flit_bits", FLIT_BITS)
def test_every_single_bit_changes_the_signature(flit_bits):
    width = FlitFormat(flit_bits).width
    for flit in random_flits(width, 20, seed=flit_bits):
        right = flit_signature(flit, width)
        assert all(flit_signature(flit ^ 1 << bit, width) != right for bit in range(width))


def test_the_multiplier_keeps_single_bits_apart():
    """For any flit, a changed bit moves the product enough to change the highest eight bits."""
    for bit in range(LANE_BITS):
        step = MULTIPLIER << bit & LANE_MASK
        assert 1 << LANE_BITS - SIGNATURE_BITS <= step <= (1 << LANE_BITS) - (1 << LANE_BITS - SIGNATURE_BITS)


@pytest.mark.parametrize("flit_bits", FLIT_BITS)
def test_payloads_of_the_test_pattern_are_told_apart(flit_bits):
    """Lanes are one word XORed with constants; signatures of different words agree no more often than by chance."""
    width, count = FlitFormat(flit_bits).width, 4096
    flits = [payload_word(payload_seed(index % 7), index // 7, flit_bits) for index in range(count)]
    distinct = sorted(set(flits))
    used = np.bincount(flit_signatures(lanes_of_flits(distinct, width)), minlength=1 << SIGNATURE_BITS)
    mean = len(distinct) / (1 << SIGNATURE_BITS)
    assert used.max() <= mean + 6 * mean**0.5 + 1


@pytest.mark.parametrize("lanes", range(1, lanes_of(MAX_FLIT_BITS) + 1))
def test_rotated_copies_of_a_word_do_not_cancel(lanes):
    """The rank of the map from a pattern's word to the XOR of its rotated copies."""
    basis: list[int] = []
    for bit in range(LANE_BITS):
        image = 0
        for lane in range(lanes):
            image ^= 1 << (bit + rotation(lane)) % LANE_BITS
        for member in basis:
            image = min(image, image ^ member)
        if image:
            basis.append(image)
    assert len(basis) >= 28
