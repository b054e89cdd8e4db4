"""Random subsets of the nodes and rows of unequal length, many at a time."""

from typing import Any

import numpy as np

from sim_model.messages.distinct import distinct

CHUNK_KEYS = 1 << 20
"""Random numbers that are stored at a time."""


def random_subsets(generator: np.random.Generator, candidates: Any, counts: np.ndarray) -> np.ndarray:
    """Return ``counts`` of each row's candidates, all subsets of that size equally likely.

    Every candidate gets a random number, of which the smallest win. Its low bits are the candidate, so that no two are
    alike, and the winners do not depend on how the machine sorts.

    Parameters
    ----------
    generator : Generator
    candidates : bool[G, N]
        An array, or something else with a shape and slices of rows.
    counts : int[G]
        At least 1, and at most the row's candidates.

    Returns
    -------
    int64[counts.sum()]
        The subsets one after the other, each ascending.
    """
    rows, nodes = candidates.shape
    chunk = max(1, CHUNK_KEYS // max(1, nodes))
    parts = [
        _subsets(generator, candidates[first : first + chunk], counts[first : first + chunk])
        for first in range(0, rows, chunk)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _subsets(generator: np.random.Generator, candidates: np.ndarray, counts: np.ndarray) -> np.ndarray:
    rows, nodes = candidates.shape
    low = (1 << (nodes - 1).bit_length()) - 1
    keys = generator.integers(1 << 62, size=(rows, nodes)) & ~low | np.arange(nodes)
    keys[~candidates] = np.iinfo(np.int64).max
    bounds = np.empty(rows, dtype=np.int64)
    for count in distinct(counts).tolist():
        alike = counts == count
        bounds[alike] = np.partition(keys[alike], count - 1, axis=1)[:, count - 1]
    return np.nonzero(keys <= bounds[:, np.newaxis])[1]


def entries_of_rows(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the entries of some rows in a concatenated list of rows.

    Parameters
    ----------
    offsets : int64[R + 1]
        Row r has the entries ``offsets[r] .. offsets[r + 1] - 1``.
    rows : int[G]

    Returns
    -------
    positions : int64
    counts : int64[G]
        Number of entries of each of these rows.
    """
    counts = offsets[rows + 1] - offsets[rows]
    behind = np.cumsum(counts)
    return np.repeat(offsets[rows] - (behind - counts), counts) + np.arange(int(counts.sum())), counts
