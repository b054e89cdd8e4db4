"""Header lengths of many messages at once."""

from collections.abc import Callable, Sequence

import numpy as np


def header_lengths(counts: np.ndarray, header_flits: Callable[[Sequence[int]], int]) -> np.ndarray:
    """Header length of each message in flits, int64[M].

    The length of a header depends on how many destinations there are, and not on which (``Model.header_flits``), so
    the family is asked once for each number.

    Parameters
    ----------
    counts : int64[M]
        Destinations of each message.
    header_flits : callable
        Header length in flits for a destination set.
    """
    if len(counts) == 0:
        return np.zeros(0, dtype=np.int64)
    lengths = np.zeros(int(counts.max()) + 1, dtype=np.int64)
    for count in np.flatnonzero(np.bincount(counts)).tolist():
        lengths[count] = header_flits(range(count))
    return lengths[counts]
