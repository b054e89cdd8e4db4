"""Places of the words of contributions: dense as their columns have them, and spread as the jobs of a plane do."""

from typing import Any

import numpy as np

MIN_WORDS_OF_SLICES = 64
"""Mean of words from which a copy for each contribution is faster than one of single words."""


def word_places(first: np.ndarray, stride: np.ndarray, words: np.ndarray, offsets: np.ndarray) -> list[tuple[Any, Any]]:
    """Return pairs of indices, of spread words and of dense ones.

    Parameters:
        first, stride (int64 arrays): First spread word of each contribution, and the step to the next one.
        words (int64 array): Number of words.
        offsets (int64 array): First dense word.
    """
    total = int(words.sum())
    if total >= MIN_WORDS_OF_SLICES * len(words):
        columns = zip(*(column.tolist() for column in (first, stride, words, offsets)), strict=True)
        return [
            (slice(begin, begin + count * step, step), slice(dense, dense + count))
            for begin, step, count, dense in columns
        ]
    number = np.repeat(np.arange(len(words)), words)
    position = np.arange(total) - np.repeat(np.cumsum(words) - words, words)
    return [(first[number] + stride[number] * position, offsets[number] + position)]
