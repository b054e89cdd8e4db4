"""Everything of a plane that decides its next cycles, as one block of words: state without data and progress.

Two states with equal blocks behave alike, as long as no contribution ends, no host starts one, and no event comes.
Words of operations never decide anything: operators are in headers alone, which set fields of the block.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim_model.engines.cycle.records import CACHE_LINE_BYTES, aligned_words

_WORD_BYTES = 8


def join_control(arrays: Mapping[str, np.ndarray], free: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Return arrays as views of one block of words, with their contents.

    Parameters:
        arrays: By name.
        free: Masks of the bits that count, by array and field; fields without one count in full.

    Returns:
        dict: The views, and beside them int64 arrays: ``control``, the block; ``control_mask``, its bits that count;
            ``control_then``, room for a copy.
    """
    sizes = [-(-array.nbytes // CACHE_LINE_BYTES) * CACHE_LINE_BYTES // _WORD_BYTES for array in arrays.values()]
    ends = np.cumsum(sizes).tolist()
    control, mask = aligned_words(ends[-1]), aligned_words(ends[-1])
    found: dict[str, Any] = {}
    for (name, array), size, end in zip(arrays.items(), sizes, ends, strict=True):
        found[name] = _view(control[end - size : end], array)
        found[name][...] = array
        _view(mask[end - size : end], array)[...] = _mask_of(array, free.get(name, {}))
    return {**found, "control": control, "control_mask": mask, "control_then": aligned_words(len(control))}


def _view(words: np.ndarray, array: np.ndarray) -> np.ndarray:
    found = words.view(np.uint8)[: array.nbytes].view(array.dtype).reshape(array.shape)
    return found.view(type(array))


def _mask_of(array: np.ndarray, free: Mapping[str, int]) -> np.ndarray:
    """Return the bits that count in an item of an array."""
    mask = np.zeros((), dtype=array.dtype)
    if array.dtype.names is None:
        return ~mask
    for name in array.dtype.names:
        full = ~np.zeros((), dtype=array.dtype[name])
        mask[name] = full & full.dtype.type(free[name]) if name in free else full
    return mask
