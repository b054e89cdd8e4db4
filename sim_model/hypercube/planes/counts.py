"""Counts per channel of flits, stalled cycles and bubbles (compare ``sim_model/engines/plane/counts.py``).

A VC to another switch never stalls, nor does a delivery channel; an injector makes no bubbles.
"""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from sim_model.engines.counts import BUBBLES, FLITS, STALLED_CYCLES, add_to_planes


def count_registers(row, left, counts, depth):
    """Count the contents of the output registers of all channels in a cycle that is about to run."""
    for lane in range(LANES):
        for output in range(OUTPUTS):
            place, slot = lane * WIDTH + output, lane * OUTPUTS + output
            valid, tail = left[OUT_VALID + place], left[OUT_TAIL + place]
            if output == DIMENSIONS:
                valid, tail = (row[REGISTER], row[REGISTER_TAIL]) if lane == 0 else (0, 0)
            add_to_planes(counts[FLITS, slot], valid, 1)
            add_to_planes(counts[BUBBLES, slot], row[IN_MESSAGE + place] & ~valid, 1)
            row[IN_MESSAGE + place] = row[IN_MESSAGE + place] & ~valid | valid & ~tail
    for channel in range(CHANNELS):
        place, slot = FIRST_HOST + channel, LANES * OUTPUTS + channel
        valid, full = row[INJECTOR_VALID + place], row[HELD + (depth - 1) * WIDTH + place]
        add_to_planes(counts[FLITS, slot], valid & ~full, 1)
        add_to_planes(counts[STALLED_CYCLES, slot], valid & full, 1)


def count_blocked(word, cycles, planes):
    """Count cycles in which nothing moves."""
    row, counts = planes.rows[word], planes.counts[word]
    for lane in range(LANES):
        for output in range(OUTPUTS):
            add_to_planes(counts[BUBBLES, lane * OUTPUTS + output], row[IN_MESSAGE + lane * WIDTH + output], cycles)
    for channel in range(CHANNELS):
        add_to_planes(
            counts[STALLED_CYCLES, LANES * OUTPUTS + channel], row[INJECTOR_VALID + FIRST_HOST + channel], cycles
        )
