"""Credits of all output lanes of a switch at once: a mask for each bit of their numbers."""

from sim_model.common.engine.compiled import compiled


@compiled
def with_all_credits(router, depth):
    """Mask of the output lanes that have ``depth`` credits."""
    wrong = router.credits_1 ^ -(depth & 1)
    wrong |= router.credits_2 ^ -(depth >> 1 & 1)
    wrong |= router.credits_4 ^ -(depth >> 2 & 1)
    wrong |= router.credits_8 ^ -(depth >> 3 & 1)
    wrong |= router.credits_16 ^ -(depth >> 4 & 1)
    return ~wrong


@compiled
def with_all_credits_soon(router, depth, returned):
    """Mask of the output lanes that have ``depth`` credits with those that are on their wires."""
    return with_all_credits(router, depth) | with_all_credits(router, depth - 1) & returned


@compiled
def count_credits(router, returned, sent, depth):
    """One credit more for the lanes in one mask, and one less for those in another: additions with ripple carry.

    A lane never has more than ``depth`` of them.
    """
    more, less = returned & ~sent, sent & ~returned
    router.credits_1, more, less = _add_bit(router.credits_1, more, less)
    router.credits_2, more, less = _add_bit(router.credits_2, more, less)
    router.credits_4, more, less = _add_bit(router.credits_4, more, less)
    credited = router.credits_1 | router.credits_2 | router.credits_4
    if depth > 7:
        router.credits_8, more, less = _add_bit(router.credits_8, more, less)
        router.credits_16 ^= more | less
        credited |= router.credits_8 | router.credits_16
    router.credited = credited


@compiled
def _add_bit(bits, more, less):
    """The bits of one weight, and what is carried to the next one."""
    return bits ^ (more | less), bits & more, ~bits & less
