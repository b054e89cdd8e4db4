"""Format of a message of a self-test, for hardware and in Python.

::

    header │ seed in 1 or 2 words, the header's flits XORed into the first one │ 1 to 32 words of the pattern

A receiver that checks every word against the seed has checked every bit of the header too.
"""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Value

from fpga.boards.common.parameters import LENGTH_FIELD, SEED_BITS
from topology.common.flits import HeaderFormat
from topology.common.pattern import payload_word


def seed_words(flit_bits: int) -> int:
    """Return the body words of a seed, lowest bits first; the rest of the last one is 0."""
    return -(-SEED_BITS // flit_bits)


def spread(seed: Value) -> Value:
    """Return the seed of the pattern. Its first word depends on every bit of ``seed``, at any word width."""
    half = SEED_BITS // 2
    return Value.cast(Cat(seed[:SEED_BITS], seed[half:SEED_BITS], seed[:half]))


def pattern_seed(seed: int) -> int:
    """Return ``spread`` of a number."""
    half = SEED_BITS // 2
    return seed | seed >> half << SEED_BITS | (seed & (1 << half) - 1) << SEED_BITS + half


def pattern_words(seed: int) -> int:
    """Return the number of body words after the seed."""
    return 1 + (seed >> LENGTH_FIELD.start & (1 << LENGTH_FIELD.stop - LENGTH_FIELD.start) - 1)


def message_words(header: HeaderFormat, value: int, header_flits: int, seed: int) -> list[int]:
    """Return the data fields of a whole message.

    Parameters
    ----------
    header : HeaderFormat
    value : int
        The header.
    header_flits : int
        Its length.
    seed : int
    """
    flit_bits = header.flit_bits
    first = header.to_flits(value, header_flits)
    seeds = [seed >> flit_bits * k & (1 << flit_bits) - 1 for k in range(seed_words(flit_bits))]
    seeds[0] ^= reduce(xor, first)
    start = pattern_seed(seed)
    return [*first, *seeds, *(payload_word(start, k, flit_bits) for k in range(pattern_words(seed)))]
