"""Distinct values of arrays, and header lengths of many messages at once."""

from collections.abc import Callable, Sequence

import numpy as np

from topology.common.routed_headers import HeaderLengths


def distinct(values: np.ndarray) -> np.ndarray:
    """Return the distinct values of an array, ascending. ``np.unique`` loads NumPy's masked arrays for that.

    Parameters:
        values (int[N])

    Returns:
        int array: Of the same type, of one dimension.
    """
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]


def header_lengths(
    offsets: np.ndarray, destinations: np.ndarray, header_flits: Callable[[Sequence[int]], int]
) -> np.ndarray:
    """Return the header length of each message in flits, int64[M].

    The length of most headers depends on the number of destinations alone, so a function is called once per number. A
    function of sets (``HeaderLengths``) is called once for all of them.

    Parameters:
        offsets (int64[M + 1]): Message m goes to ``destinations[offsets[m]:offsets[m + 1]]``.
        destinations (int array): Processors, those of each message in ascending order.
        header_flits: Header length in flits for a destination set.
    """
    if isinstance(header_flits, HeaderLengths):
        return header_flits.of_sets(offsets, destinations)
    counts = np.diff(offsets)
    if len(counts) == 0:
        return np.zeros(0, dtype=np.int64)
    lengths = np.zeros(int(counts.max()) + 1, dtype=np.int64)
    for count in np.flatnonzero(np.bincount(counts)).tolist():
        lengths[count] = header_flits(range(count))
    return lengths[counts]
