"""Random choices of a case; all of them follow from its number."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
SEED = 17
"""Another seed draws another campaign."""


class Draw:
    """A random stream of its own for every tuple of numbers.

    Parameters:
        numbers (int): Purpose of the stream.
    """

    def __init__(self, *numbers: int):
        self._generator = np.random.default_rng([SEED, *numbers])

    def one_of(self, choices: Sequence[T], shares: Sequence[float] | None = None) -> T:
        """Return one of some values, all equally likely or by their shares."""
        if shares is None:
            return choices[int(self._generator.integers(len(choices)))]
        total = sum(shares)
        return choices[int(self._generator.choice(len(choices), p=[share / total for share in shares]))]

    def whole(self, least: int, most: int) -> int:
        """Return a whole number, both ends included."""
        return int(self._generator.integers(least, most + 1))

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return bool(self._generator.random() < probability)

    def some_of(self, choices: Sequence[T], count: int) -> list[T]:
        """Return several different values."""
        return [choices[int(index)] for index in self._generator.choice(len(choices), count, replace=False)]

    def exponential(self, mean: float) -> float:
        """Return an exponential gap."""
        return float(self._generator.exponential(mean))


Section = dict[str, Any]
"""A part of a configuration as in YAML."""
