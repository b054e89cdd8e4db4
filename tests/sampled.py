"""Parameters of tests, of which each run takes a sample and the long run takes all."""

from collections.abc import Container, Iterable
from typing import Any

import pytest


def sampled(values: Iterable[Any], unmarked: Container[Any]) -> list[Any]:
    """All values, all but a sample of them only in the long run."""
    return [value if value in unmarked else pytest.param(value, marks=pytest.mark.slow) for value in values]
