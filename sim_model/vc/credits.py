"""Credits, and the output VCs that they make available, of eight switches at once."""

from sim_model.loops.compiled import compiled
from sim_model.vc.registers import (
    CREDIT_BITS,
    CREDITED,
    CREDITS,
    FINISHED,
    FREE,
    MAY_START,
    OPERATIONS,
    SENT,
    STARTABLE,
    WIDTH,
)

vector_at, put, splat = OPERATIONS["vector_at"], OPERATIONS["put"], OPERATIONS["splat"]


@compiled
def step_credits(at, returned, depth, family):
    """Update credits and output VCs.

    Parameters:
        at (int): Place of the first switch.
        returned (vector): Output VCs that have a credit on their wire.
        depth (int): Credits that a VC has when the buffer behind it is empty.

    Returns:
        may_send, may_start : vector: Output VCs that have credits, and those that a head can have; with a credit that
            is on a wire in this cycle.
    """
    words = family.words
    sent, free = vector_at(words, at + SENT), vector_at(words, at + FREE)
    may_send = vector_at(words, at + CREDITED) | returned
    may_start = free & may_send
    if family.empty_reuse:
        may_start = free & (vector_at(words, at + STARTABLE) | returned & _have(depth - 1, at, family))
    put(words, at + MAY_START, may_start)
    put(words, at + FREE, free & ~sent | vector_at(words, at + FINISHED))
    count_credits(at, returned, sent, family)
    put(words, at + STARTABLE, _have(depth, at, family) if family.empty_reuse else vector_at(words, at + CREDITED))
    return may_send, may_start


@compiled
def count_credits(at, returned, sent, family):
    """Count credits by additions with ripple carry."""
    more, less = returned & ~sent, sent & ~returned
    credited = splat(0)
    for bit in range(CREDIT_BITS):
        place = at + CREDITS + bit * WIDTH
        number = vector_at(family.words, place)
        changed = number ^ (more | less)
        more, less = number & more, ~number & less
        put(family.words, place, changed)
        credited = credited | changed
    put(family.words, at + CREDITED, credited)


@compiled
def _have(count, at, family):
    """Return the output VCs with exactly ``count`` credits."""
    found = splat(-1)
    for bit in range(CREDIT_BITS):
        number = vector_at(family.words, at + CREDITS + bit * WIDTH)
        found = found & (number ^ splat((count >> bit & 1) - 1))
    return found
