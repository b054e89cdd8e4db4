"""Times of transactions without contention: from the first cycle on AW or AR to that of B, or of R's last beat.

Both networks' times are those of whole messages between an interface of a manager and one of a subordinate, from the
acceptance of the head to the arrival of the tail (docs/look_up/timing.md), as functions of the cycle of acceptance: it
matters in hexagonal meshes alone, which have frames. The manager gives data from the first cycle on and takes responses
at once; the subordinate takes everything at once.
"""

from collections.abc import Callable

FIRST_BEAT_CYCLES = 3
"""From the offer of a request to its grant, and from that of a beat to the front of the store."""
MessageCycles = Callable[[int], int]


def read_cycles(
    request_cycles: MessageCycles, response_cycles: MessageCycles, memory_cycles: int = 1, *, offered_cycle: int = 0
) -> int:
    """Return the time of a read.

    Parameters:
        request_cycles: Of the request's message: the fields.
        response_cycles: Of the response's message: a word of fields, unless the header has it, and the beats.
        memory_cycles: From AR to the first beat on R, one beat following the other.
        offered_cycle: First cycle on AR.
    """
    asked = _arrival(offered_cycle + FIRST_BEAT_CYCLES + 2, request_cycles)
    return _arrival(asked + memory_cycles + 4, response_cycles) + 1 - offered_cycle


def write_cycles(
    beats: int,
    request_cycles: MessageCycles,
    response_cycles: MessageCycles,
    memory_cycles: int = 1,
    *,
    whole: bool = True,
    offered_cycle: int = 0,
) -> int:
    """Return the time of a write to one subordinate.

    Parameters:
        beats
        request_cycles: Of the request's message: the fields, and the beats.
        response_cycles: Of the response's message: a word, unless the header has it.
        memory_cycles: From the last beat on W to B.
        whole: The write is stored until it is complete.
        offered_cycle: First cycle on AW and W.
    """
    stored = max(FIRST_BEAT_CYCLES, beats) if whole else FIRST_BEAT_CYCLES
    asked = _arrival(offered_cycle + stored + 2, request_cycles)
    return _arrival(asked + memory_cycles + 3, response_cycles) + 3 - offered_cycle


def _arrival(accepted_cycle: int, cycles: MessageCycles) -> int:
    return accepted_cycle + cycles(accepted_cycle)
