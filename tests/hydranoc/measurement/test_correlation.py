"""Independent pieces of runs, on series whose correlation is known."""

import numpy as np
import pytest

from hydranoc.measurement.correlation import independent_pieces, inefficiency
from hydranoc.measurement.observations import COUNTED_PARTS, NOT_DELIVERED, PARTS, Observations

LENGTH = 4_000


def _moving(weights, runs=20, length=LENGTH, seed=1):
    """Moving averages of noise."""
    noise = np.random.default_rng(seed).normal(size=(runs, length + len(weights) - 1))
    return np.array([np.convolve(row, weights, "valid") for row in noise])


@pytest.mark.parametrize("factor", [0.5, 0.8, 0.95])
def test_series_that_decay_have_the_inefficiency_of_theory(factor):
    series = _moving(factor ** np.arange(400))
    assert inefficiency(series) == pytest.approx((1 + factor) / (1 - factor), rel=0.1)


def test_no_series_is_worth_more_than_its_length():
    assert inefficiency(_moving([1.0])) == pytest.approx(1, abs=0.05)
    assert inefficiency(_moving([1.0, -0.9])) == 1
    assert inefficiency(np.zeros((2, 10))) == 1


def test_pairs_of_correlations_never_rise_again():
    # pairs in units of the variance, 2.04: 2.27, 0.43, 1.2, which counts as 0.43
    assert inefficiency(_moving([1, 0.1, 0.1, 0.1, 0.1, 1])) == pytest.approx(
        2 * (2.27 + 2 * 0.43) / 2.04 - 1, rel=0.05
    )


def _runs(series, messages_per_slice=5):
    """Runs whose latencies are those of the slices, a slice for each value of the series."""
    found = []
    for row in series:
        cycles = 100 * len(row)
        start = np.repeat(np.arange(len(row)) * 100, messages_per_slice)
        latency = 10_000 + np.repeat(1_000 * row, messages_per_slice).astype(int)
        found.append(Observations(cycles, start, start + latency, 0 * start, 1 + 0 * start))
    return found


def test_a_part_has_four_slices_and_warm_up_and_last_parts_do_not_count():
    runs = _runs(_moving([1.0], length=4 * PARTS))
    assert independent_pieces(runs, 0, 0) == pytest.approx(4 * COUNTED_PARTS, rel=0.1)
    assert independent_pieces(runs, 0, 20) == pytest.approx(4 * (COUNTED_PARTS - 20), rel=0.1)
    for run in runs:
        run.end_cycle[: len(run.end_cycle) // 2] += 1_000_000
    assert independent_pieces(runs, 0, 0) < 10
    assert independent_pieces(runs, 0, 25) == pytest.approx(4 * (COUNTED_PARTS - 25), rel=0.15)


def test_correlation_is_pooled_over_runs():
    white, slow = _moving([1.0], 10, 4 * PARTS), _moving(np.ones(20) / np.sqrt(20), 10, 4 * PARTS)
    alone = independent_pieces(_runs(white), 0, 0)
    pooled = independent_pieces(_runs([*white, *slow]), 0, 0)
    assert pooled < alone / 4
    assert pooled == independent_pieces(_runs([*slow, *white]), 0, 0)


def test_runs_without_a_delivered_message_are_no_piece():
    (run,) = _runs(_moving([1.0], 1, 4 * PARTS))
    run.end_cycle[:] = NOT_DELIVERED
    assert independent_pieces([run], 0, 0) == 0
