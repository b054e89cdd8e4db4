"""Summaries, intervals, replications, and Student's distribution against SciPy's."""

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from hydranoc.measurement.replication import Precision, replicate
from sim_model.statistics.latency import Summary, confidence_interval, observed_percentiles
from sim_model.statistics.student import student_quantile, student_tail


def test_summary():
    summary = Summary.of(np.arange(1, 201))
    assert summary.as_dict() == {"count": 200, "mean": 100.5, "p50": 100, "p99": 198, "max": 200}
    assert Summary.of(np.array([], dtype=np.int64)).as_dict() == {
        "count": 0,
        "mean": None,
        "p50": None,
        "p99": None,
        "max": None,
    }


def test_percentiles_are_of_the_smallest_rank_that_covers_their_share():
    """In binary, 99.9 % of 1,000 is more than 999."""
    for size in (1, 2, 99, 100, 101, 999, 1000, 1001, 2000, 7000):
        sample = np.arange(size, 0, -1)
        for share in (1, 500, 990, 999, 1000):
            (found,) = observed_percentiles(sample, [share])
            assert found * 1000 >= size * share > (found - 1) * 1000
    assert observed_percentiles(np.array([2.5, 0.5, 1.5]), (500, 999)) == (1.5, 2.5)


def test_interval_of_a_known_sample():
    # t(0.975, 4) = 2.776; standard deviation 1.5811; 2.776 * 1.5811 / sqrt(5) = 1.963.
    interval = confidence_interval([1, 2, 3, 4, 5])
    assert interval.mean == 3
    assert interval.half_width == pytest.approx(1.963, abs=0.001)
    assert interval.relative == pytest.approx(0.654, abs=0.001)
    assert confidence_interval([4]).half_width == float("inf")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: confidence_interval([]), "A confidence interval needs at least 1 observation, not 0"),
        (lambda: confidence_interval([1, 2], 1.5), "Confidence is 1.5; it must be between 0 and 1"),
    ],
)
def test_bad_samples(call, problem):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        call()


def test_replications_stop_when_the_mean_is_known():
    random = np.random.default_rng(7)
    rows = replicate(lambda number: [100 + random.normal(0, 5), number], Precision(relative_half_width=0.01))
    assert confidence_interval(rows[:, 0]).relative <= 0.01
    assert 20 < len(rows) < 400
    assert rows[:, 1].tolist() == list(range(len(rows)))
    assert len(replicate(lambda _: [random.normal()], Precision(most=8))) == 8


def test_hopeless_replications_end_early():
    random = np.random.default_rng(8)
    rows = replicate(lambda _: [random.normal()], Precision(least=6), hopeless=lambda row: row[0] < 9)
    assert len(rows) == 6


# Student's distribution against SciPy's.

FREEDOMS = (1, 2, 3, 4, 7, 19, 30, 199, 1_000, 9_999)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tails_equal_scipys(freedom):
    values = np.concatenate(([0.0, 1e9], np.random.default_rng(freedom).normal(0, 3, 50)))
    found = [student_tail(freedom, t) for t in values]
    np.testing.assert_allclose(found, stdtr(freedom, -values), rtol=2e-10)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_equal_scipys(freedom):
    probabilities = [0.001, 0.3, 0.5, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999]
    found = [student_quantile(freedom, p) for p in probabilities]
    np.testing.assert_allclose(found, [stdtrit(freedom, p) for p in probabilities], rtol=2e-10, atol=1e-12)


def test_many_degrees_of_freedom_and_endless_values():
    assert student_quantile(1e6, 0.975) == pytest.approx(stdtrit(1e6, 0.975), rel=1e-8)
    assert student_tail(5, float("inf")) == 0
    assert student_tail(5, -float("inf")) == 1
