"""Reception of the copies of a broadcast in a host (Sec. 4): the first copy, or a vote."""

from topology.harts.broadcast import COPIES

FIRST, VOTE = "first", "vote"
MODES = (FIRST, VOTE)
"""Reception modes: the first complete copy, or the first body in more than half of an algorithm's copies."""
STEPS = 8
"""Cycles of a collector per flit."""
ENTRIES = 4
"""Broadcasts that a collector handles at a time, by default."""
MIN_ENTRIES, MAX_ENTRIES = 2, 16
MAX_COPIES = max(COPIES.values())


def threshold(copies: int, mode: str) -> int:
    """Return the number of equal copies for delivery, of ``copies`` that the algorithm makes."""
    return copies // 2 + 1 if mode == VOTE else 1


def lanes(mode: str) -> int:
    """Return the different bodies of a broadcast that are stored.

    The majority body arrives after at most as many other bodies as there are copies outside a majority.
    """
    return 1 + MAX_COPIES - threshold(MAX_COPIES, mode) if mode == VOTE else 1


def check_reception(mode: str, entries: int = ENTRIES, least_copies: int = 1) -> None:
    """Check the parameters of a collector.

    Parameters:
        mode: One of ``MODES``.
        entries: Broadcasts that it has copies of at a time.
        least_copies: Broadcasts by algorithms that make fewer copies are refused.

    Raises:
        ValueError: For the first that is out of range.
    """
    if mode not in MODES:
        raise ValueError(f"Reception is {mode!r}; it must be one of {', '.join(MODES)}")
    if not MIN_ENTRIES <= entries <= MAX_ENTRIES:
        raise ValueError(f"Reception entries are {entries!r}; they must be {MIN_ENTRIES} to {MAX_ENTRIES}")
    if not 1 <= least_copies <= MAX_COPIES:
        raise ValueError(f"Least copies are {least_copies!r}; they must be 1 to {MAX_COPIES}")
