"""Summaries, intervals and replications."""

import numpy as np
import pytest

from hydranoc.measurement.replication import Precision, replicate
from sim_model.statistics.latency import Summary, confidence_interval


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


def test_interval_of_a_known_sample():
    # t(0.975, 4) = 2.776; standard deviation 1.5811; 2.776 * 1.5811 / sqrt(5) = 1.963.
    interval = confidence_interval([1, 2, 3, 4, 5])
    assert interval.mean == 3
    assert interval.half_width == pytest.approx(1.963, abs=0.001)
    assert interval.relative == pytest.approx(0.654, abs=0.001)
    assert confidence_interval([4]).half_width == float("inf")


def test_intervals_cover_the_mean_as_often_as_they_say():
    random = np.random.default_rng(5)
    hits = sum(
        abs(interval.mean - 7) <= interval.half_width
        for interval in (confidence_interval(random.normal(7, 2, 10)) for _ in range(2000))
    )
    assert hits / 2000 == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: confidence_interval([]), "A confidence interval needs at least 1 observation, not 0"),
        (lambda: confidence_interval([1, 2], 1.5), "Confidence must be between 0 and 1, not 1.5"),
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
