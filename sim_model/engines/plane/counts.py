"""Counts per channel of flits, stalled cycles and bubbles (``engines/counts.py``): planes of bits."""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from sim_model.engines.counts import BUBBLES, FLITS, STALLED_CYCLES, add_to_planes


def count_registers(row, left, counts, depth):
    """Count the contents of the output registers of all channels in a cycle that is about to run."""
    for slot in range(SLOTS):
        valid, tail = left[OUT_VALID + slot], left[OUT_TAIL + slot]
        if slot == HOST:
            valid, tail = row[REGISTER], row[REGISTER_TAIL]
        elif slot % WIDTH >= HOST:
            continue
        add_to_planes(counts[FLITS, slot], valid, 1)
        add_to_planes(counts[BUBBLES, slot], row[IN_MESSAGE + slot] & ~valid, 1)
        row[IN_MESSAGE + slot] = row[IN_MESSAGE + slot] & ~valid | valid & ~tail
    full = row[HELD + (depth - 1) * SLOTS + HOST]
    add_to_planes(counts[FLITS, SLOTS], row[INJECTOR_VALID] & ~full, 1)
    add_to_planes(counts[STALLED_CYCLES, SLOTS], row[INJECTOR_VALID] & full, 1)


def count_blocked(word, cycles, planes):
    """Count cycles in which nothing moves."""
    row, counts = planes.rows[word], planes.counts[word]
    for slot in range(SLOTS):
        add_to_planes(counts[BUBBLES, slot], row[IN_MESSAGE + slot], cycles)
    add_to_planes(counts[STALLED_CYCLES, SLOTS], row[INJECTOR_VALID], cycles)
