"""Counts per channel of flits, stalled cycles and bubbles (``engines/cycle/tallies.py``): planes of bits."""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

import numpy as np

from sim_model.engines.plane.state import BUBBLES, COUNT_BITS, FLITS, STALLED_CYCLES
from sim_model.loops.compiled import compiled


@compiled
def add(numbers, routers, amount):
    """Add an amount to the numbers of some routers; additions with ripple carry.

    Parameters
    ----------
    numbers : int64[bits]
    routers : int
    amount : int
        At least 0.
    """
    place = 0
    while amount != 0:
        carry, bit = routers if amount & 1 else 0, place
        while carry != 0:
            number = numbers[bit]
            numbers[bit] = number ^ carry
            carry &= number
            bit += 1
        amount >>= 1
        place += 1


def count_registers(row, left, counts, depth):
    """Count the contents of the output registers of all channels in a cycle that is about to run."""
    for slot in range(SLOTS):
        valid, tail = left[OUT_VALID + slot], left[OUT_TAIL + slot]
        if slot == HOST:
            valid, tail = row[REGISTER], row[REGISTER_TAIL]
        elif slot % WIDTH >= HOST:
            continue
        add(counts[FLITS, slot], valid, 1)
        add(counts[BUBBLES, slot], row[IN_MESSAGE + slot] & ~valid, 1)
        row[IN_MESSAGE + slot] = row[IN_MESSAGE + slot] & ~valid | valid & ~tail
    full = row[HELD + (depth - 1) * SLOTS + HOST]
    add(counts[FLITS, SLOTS], row[INJECTOR_VALID] & ~full, 1)
    add(counts[STALLED_CYCLES, SLOTS], row[INJECTOR_VALID] & full, 1)


def count_blocked(word, cycles, planes):
    """Count cycles in which nothing moves."""
    row, counts = planes.rows[word], planes.counts[word]
    for slot in range(SLOTS):
        add(counts[BUBBLES, slot], row[IN_MESSAGE + slot], cycles)
    add(counts[STALLED_CYCLES, SLOTS], row[INJECTOR_VALID], cycles)


def read_counts(counts: np.ndarray, slots: np.ndarray, switches: np.ndarray) -> np.ndarray:
    """Return the counts of some channels.

    Parameters
    ----------
    counts : int64[words, kinds, output lanes and one, bits]
    slots, switches : int64[channels]
        Position among the output VCs, and switch, of each channel.

    Returns
    -------
    int64[kinds, channels]
    """
    bits = np.ascontiguousarray(np.moveaxis(counts, 0, -1)).view(np.uint8)
    planes = np.unpackbits(bits, axis=-1, bitorder="little")  # [kinds, slots, bits, routers]
    numbers = (planes.astype(np.int64) << np.arange(COUNT_BITS)[:, None]).sum(axis=2)
    return numbers[:, slots, switches]
