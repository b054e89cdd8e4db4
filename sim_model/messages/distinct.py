"""Distinct values of arrays."""

import numpy as np


def distinct(values: np.ndarray) -> np.ndarray:
    """Return the distinct values of an array, ascending. ``np.unique`` loads NumPy's masked arrays for that.

    Parameters
    ----------
    values : int[N]

    Returns
    -------
    int array
        Of the same type, of one dimension.
    """
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
