"""How a host makes one packet of the copies of a broadcast (Sec. 4): it takes the first, or lets them vote."""

from topology.harts.broadcast import COPIES

FIRST, VOTE = "first", "vote"
MODES = (FIRST, VOTE)
"""The first copy that is complete, or the first body that more than half of an algorithm's copies agree on."""
STEPS = 8
"""Cycles that a collector takes for one flit."""
ENTRIES = 4
"""Broadcasts that a collector has copies of at a time, by default."""
LEAST_ENTRIES, MOST_ENTRIES = 2, 16
MOST_COPIES = max(COPIES.values())


def threshold(copies: int, mode: str) -> int:
    """Return copies that have to agree before a packet is handed over, of so many that the algorithm makes."""
    return copies // 2 + 1 if mode == VOTE else 1


def lanes(mode: str) -> int:
    """Return different bodies of a broadcast that are kept.

    A body that a majority agrees on comes after at most as many others as all copies leave beside a majority.
    """
    return 1 + MOST_COPIES - threshold(MOST_COPIES, mode) if mode == VOTE else 1


def check_reception(mode: str, entries: int = ENTRIES, least_copies: int = 1) -> None:
    """See whether a collector can be made so.

    Parameters
    ----------
    mode : str
        One of ``MODES``.
    entries : int
        Broadcasts that it has copies of at a time.
    least_copies : int
        Broadcasts by algorithms that make fewer copies are refused.

    Raises
    ------
    ValueError
        For the first that is out of range.
    """
    if mode not in MODES:
        raise ValueError(f"Reception must be one of {', '.join(MODES)}, not {mode!r}")
    if not LEAST_ENTRIES <= entries <= MOST_ENTRIES:
        raise ValueError(f"Reception entries must be {LEAST_ENTRIES} to {MOST_ENTRIES}, not {entries!r}")
    if not 1 <= least_copies <= MOST_COPIES:
        raise ValueError(f"Least copies must be 1 to {MOST_COPIES}, not {least_copies!r}")
