"""Warm-up of runs: detected where there is one, and no other samples are dropped."""

import numpy as np
import pytest

from hydranoc.measurement.observations import COUNTED_PARTS, PARTS, Observations
from hydranoc.measurement.warmup import beginning, filled, mser, warmup_parts


def _marginal_error(series: np.ndarray, dropped: int) -> float:
    """The definition: sum of squares about the mean of the remaining values, over the square of their count."""
    rest = series[dropped:]
    return sum((value - rest.mean()) ** 2 for value in rest) / len(rest) ** 2


@pytest.mark.parametrize("seed", range(20))
def test_mser_is_least_by_its_definition(seed):
    random = np.random.default_rng(seed)
    series = random.normal(10, 1, 40) - 8 * np.exp(-np.arange(40) / (1 + seed % 7))
    errors = [_marginal_error(series, dropped) for dropped in range(21)]
    assert errors[mser(series)] == pytest.approx(min(errors), rel=1e-12)


def test_gaps_count_as_nothing():
    series = np.array([1, np.nan, 5, 9, np.nan, 9, 9, 9, 9, 9.0])
    assert mser(series) == 3


@pytest.mark.parametrize("length", [3, 6, 12, 20])
def test_a_ramp_is_dropped(length):
    random = np.random.default_rng(length)
    series = 100 + random.normal(0, 1, 45)
    series[:length] -= 60 * (1 - np.arange(length) / length)
    assert length - 2 <= beginning(series) <= length + 8


def test_a_queue_that_was_long_by_chance_is_no_beginning():
    series = np.full(45, 10.0) + np.tile([0, 1, -1], 15)
    series[1:6] += 30
    assert mser(series) == 6
    assert beginning(series) == 0


def test_a_short_beginning_lasts_until_the_mean_is_reached():
    assert filled(np.array([4, 8, 9, 11, 10, 9, 11, 10, 10, 10.0])) == 4
    assert filled(np.linspace(0, 1, 10)) == 5, "what grows all the time is dropped by half"


def _run(*latencies_by_part: np.ndarray) -> Observations:
    """Three messages of each kind in every part."""
    kinds = len(latencies_by_part)
    start = np.tile(np.repeat(np.arange(PARTS) * 100, 3), kinds)
    latency = np.repeat(np.concatenate(latencies_by_part), 3)
    kind = np.repeat(np.arange(kinds), 3 * PARTS)
    return Observations(100 * PARTS, start, start + latency, kind, np.ones(len(start), dtype=np.int64))


def test_the_slowest_kind_decides():
    level, ramp = np.full(PARTS, 50), np.minimum(5 * np.arange(PARTS), 50)
    level[::2] += 1
    ramp[11::2] += 1
    assert warmup_parts([_run(level)], 1) == 1
    assert warmup_parts([_run(ramp)], 1) >= 9
    assert warmup_parts([_run(level, ramp)], 2) == warmup_parts([_run(ramp)], 1)


def test_what_comes_behind_the_counted_parts_does_not_count():
    latencies = np.full(PARTS, 50)
    latencies[::2] += 1
    changed = latencies.copy()
    changed[COUNTED_PARTS:] = 5000
    assert warmup_parts([_run(latencies)], 1) == warmup_parts([_run(changed)], 1)
