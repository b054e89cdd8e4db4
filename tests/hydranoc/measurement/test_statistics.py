"""Statistics of a measurement: autocorrelation, warm-up, curves, saturation load."""

import math
from dataclasses import replace

import numpy as np
import pytest

from hydranoc.measurement.curve import find_saturation, load_curve
from hydranoc.measurement.load_point import LATENCIES, columns, row
from hydranoc.measurement.observations import COUNTED_PARTS, PARTS, Observations
from hydranoc.measurement.point import Plan, carries_load
from hydranoc.measurement.stability import independent_pieces, inefficiency
from hydranoc.measurement.warmup import beginning, filled, mser, warmup_parts
from tests.each import each
from tests.hydranoc.measurement.synthetic import FixedServiceQueue, curve

LENGTH = 4_000


def _moving(weights, runs=20, length=LENGTH, seed=1):
    """Moving averages of noise."""
    noise = np.random.default_rng(seed).normal(size=(runs, length + len(weights) - 1))
    return np.array([np.convolve(row, weights, "valid") for row in noise])


@pytest.mark.parametrize("factor", [0.5, 0.8, 0.95])
def test_series_that_decay_have_the_inefficiency_of_theory(factor):
    series = _moving(factor ** np.arange(400))
    assert inefficiency(series) == pytest.approx((1 + factor) / (1 - factor), rel=0.1)


def test_pairs_of_correlations_never_rise_again():
    # pairs in units of the variance, 2.04: 2.27, 0.43, 1.2, which counts as 0.43
    assert inefficiency(_moving([1, 0.1, 0.1, 0.1, 0.1, 1])) == pytest.approx(
        2 * (2.27 + 2 * 0.43) / 2.04 - 1, rel=0.05
    )


def _runs(series, messages_per_slice=5):
    """Runs whose latencies are those of the slices, a slice for each value of the series."""
    found = []
    for latencies in series:
        cycles = 100 * len(latencies)
        start = np.repeat(np.arange(len(latencies)) * 100, messages_per_slice)
        latency = 10_000 + np.repeat(1_000 * latencies, messages_per_slice).astype(int)
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


def _marginal_error(series: np.ndarray, dropped: int) -> float:
    """The definition: sum of squares about the mean of the remaining values, over the square of their count."""
    rest = series[dropped:]
    return sum((value - rest.mean()) ** 2 for value in rest) / len(rest) ** 2


@each("seed", range(20))
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


KIND = "message"
(STABLE,) = curve("one", {0.1: {KIND: (100.0, 1.0)}}, (0.1, math.inf)).points


def _point(load, verdict, carried):
    return replace(STABLE, load=load, verdict=verdict, carried=carried)


def _measure(means, carried):
    """A curve of loads 0.1 to 0.5: those up to ``means`` have means, those up to ``carried`` are carried."""
    asked, curves = [], load_curve(lambda load, wanted: (load, wanted), (0.1, 0.2, 0.3, 0.4, 0.5), relative_width=0.1)
    task = next(curves)
    try:
        while True:
            asked.append(task)
            load = task[0]
            verdict = "stable" if load <= means else "undecided" if load <= carried else "diverges"
            task = curves.send(_point(load, verdict, load <= carried))
    except StopIteration as end:
        return asked, end.value


def test_a_curve_goes_on_past_a_load_that_is_carried_and_undecided():
    asked, found = _measure(0.2, 0.33)
    assert [load for load, means in asked if means] == [0.1, 0.2, 0.3, 0.4]
    assert [point.load for point in found.stable] == [0.1, 0.2]
    assert found.at(0.3) is None
    assert found.saturation.carried <= 0.33 < found.saturation.diverging
    assert found.saturation.relative_width <= 0.1


@pytest.mark.parametrize("verdict", ["undecided", "diverges"])
def test_rows_without_a_mean_have_no_latencies(verdict):
    names = columns((KIND,), "cycles")
    cells = dict(zip(names, row(_point(0.1, verdict, True), 1.0), strict=True))
    assert [cells[f"{KIND}_{name}_cycles"] for name in LATENCIES] == [""] * len(LATENCIES)
    assert cells[f"{KIND}_accepted"] == 1.0
    assert math.isnan(_point(0.1, verdict, True).latency_cycles(KIND).mean)
    assert dict(zip(names, row(STABLE, 1.0), strict=True))[f"{KIND}_mean_cycles"] == 100.0


@each("seed", range(8))
def test_a_queue_saturates_at_load_1(seed):
    found = find_saturation(lambda load: carries_load(FixedServiceQueue(load, seed), Plan(200_000)), 0.5, 1.5)
    assert found.carried == pytest.approx(1, rel=0.02)
    assert found.diverging == pytest.approx(1, rel=0.02)
    assert found.carried < found.middle < found.diverging


def test_the_interval_is_as_narrow_as_asked():
    asked = []
    found = find_saturation(lambda load: asked.append(load) or load < 0.777, 0.1, 2, relative_width=0.001)
    assert found.carried < 0.777 <= found.diverging
    assert found.diverging - found.carried <= 0.001 * found.diverging
    assert len(asked) < 20


@pytest.mark.parametrize(
    ("low", "high", "width", "text"),
    [
        (0, 1, 0.1, "are 0 and 1; they must be 0 < low < high"),
        (2, 1, 0.1, "are 2 and 1; they must be 0 < low < high"),
        (1, 2, 0, "is 0; it must be between 0 and 1"),
    ],
)
def test_wrong_searches_are_refused(low, high, width, text):
    with pytest.raises(ValueError, match=text):
        find_saturation(lambda _: True, low, high, relative_width=width)
