"""Ages of messages: the arbitration that serves the message first that has waited longest in switches.

A header has a field ``age``, in its first flit and 0 when it is sent. It counts switches in which the header had to
wait, and the time for which it waited. An age is few bits, so from ``LONG_AGE`` on the steps are longer. A short time
is then resolved finely, and a long one is still in range. The last age stays.

The first step divides the second one, and all headers in all switches count in the same cycles. So no header gets older
than another one that was as old or older, and an order by ages remains one.
"""

from topology.common.errors import TopologyError

ROUND_ROBIN, AGE = "round-robin", "age"
ARBITRATIONS = (ROUND_ROBIN, AGE)
"""Ways to choose among messages that wait for one output. ``AGE`` is also the name of the header's field."""

AGE_BITS = 4
LAST_AGE = (1 << AGE_BITS) - 1
LONG_AGE = LAST_AGE & LAST_AGE << AGE_BITS - 2
"""First age of the long steps."""
STEPS_CYCLES = (4, 8, 16, 32, 64, 128, 256)
"""Possible cycles of a step below ``LONG_AGE``."""
STEP_CYCLES = 8
LONG_STEP_FACTOR = 32
"""Cycles of a long step, in short ones."""

MIN_DEPTH_FLITS = 4
"""Least flits of an input buffer. Heads then follow tails so closely that no turn is lost to a younger message."""


def step_shifts(step_cycles: int) -> tuple[int, int]:
    """Return the logarithms of the cycles per step of the age: below ``LONG_AGE``, and from it on.

    Raises:
        ValueError: If it is no step.
    """
    if step_cycles not in STEPS_CYCLES:
        right = f"one of {', '.join(map(str, STEPS_CYCLES))}"
        raise ValueError(f"Step of ages is {step_cycles!r} cycles; it must be {right}")
    return step_cycles.bit_length() - 1, (step_cycles * LONG_STEP_FACTOR).bit_length() - 1


def hold_cycles(routing_cycles: int) -> int:
    """Return the cycles for which others that waited for a message keep waiting after its tail.

    Then the header of the next message of the same input has been read, if it follows directly. Otherwise it would come
    too late for every decision, and inputs would take turns however old their messages are.
    """
    return max(2, routing_cycles)


def check_age_fits(key_bits: int, flit_bits: int) -> None:
    """Raise TopologyError unless routing key and age fit into the first flit, in which the age is updated."""
    least = key_bits + AGE_BITS
    if least > flit_bits:
        text = f"Flit must have at least {least} bits for the routing key and the age (arbitration: {AGE})"
        raise TopologyError(f"{text}, not {flit_bits!r} bits", item=str(flit_bits))
