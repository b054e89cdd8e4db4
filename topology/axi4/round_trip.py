"""Times of transactions without contention: from the first cycle on AW or AR to that of B, or of R's last beat.

Both networks' times are those of whole messages between an interface of a manager and one of a subordinate, from the
acceptance of the head to the arrival of the tail (docs/look_up/timing.md). The manager gives data from the first cycle
on and takes responses at once; the subordinate takes everything at once.
"""

FIRST_BEAT_CYCLES = 3
"""From the offer of a request to its grant, and from that of a beat to the front of the store."""


def read_cycles(request_cycles: int, response_cycles: int, memory_cycles: int = 1) -> int:
    """Return the time of a read.

    Parameters:
        request_cycles: Of the request's message: the fields.
        response_cycles: Of the response's message: a word of fields, and the beats.
        memory_cycles: From AR to the first beat on R, one beat following the other.
    """
    return FIRST_BEAT_CYCLES + 7 + request_cycles + memory_cycles + response_cycles


def write_cycles(
    beats: int, request_cycles: int, response_cycles: int, memory_cycles: int = 1, *, whole: bool = True
) -> int:
    """Return the time of a write to one subordinate.

    Parameters:
        beats
        request_cycles: Of the request's message: the fields, and the beats.
        response_cycles: Of the response's message: a word.
        memory_cycles: From the last beat on W to B.
        whole: The write is stored until it is complete.
    """
    stored = max(FIRST_BEAT_CYCLES, beats) if whole else FIRST_BEAT_CYCLES
    return stored + 8 + request_cycles + memory_cycles + response_cycles
