"""Operators on words, and masks, in compiled code and plain Python: no intermediate value leaves 64 bits."""

from sim_model.loops.compiled import compiled
from topology.collectives.operators import AND, MIN, OR, SIGNED_MIN, SUM

HALF_BITS = 32
HALF = (1 << HALF_BITS) - 1
INDEX = HALF


@compiled
def wide(mask):
    """Return a mask of a narrow field as an integer of 64 bits, as functions of bits need it."""
    return mask | 0


@compiled
def natural(number):
    """Return a number below 2^32: compiled code does not test such an index for being counted from the end."""
    return number & INDEX


@compiled
def fold(operator, first, second, state):
    """Return the result of an operator on two words."""
    if operator == SUM:
        low = (first & HALF) + (second & HALF)
        high = (first >> HALF_BITS) + (second >> HALF_BITS) + (low >> HALF_BITS)
        return (high << HALF_BITS | low & HALF) & state.word_mask
    if operator >= AND:
        if operator == AND:
            return first & second
        return first | second if operator == OR else first ^ second
    flip = state.signed_flip if operator >= SIGNED_MIN else state.unsigned_flip
    first_is_less = (first ^ flip) < (second ^ flip)
    takes_less = operator & 1 == MIN & 1
    return first if first_is_less == takes_less else second
