"""Curves go on past loads that are carried without a mean, which have no latencies in plots and tables."""

import math
from dataclasses import replace

import pytest

from hydranoc.measurement.curve import load_curve
from hydranoc.measurement.load_point import LATENCIES, columns, row
from tests.hydranoc.measurement.synthetic import curve

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


def test_a_load_that_is_undecided_and_not_carried_ends_a_curve():
    asked, found = _measure(0.2, 0.2)
    assert [load for load, means in asked if means] == [0.1, 0.2, 0.3]
    assert found.saturation.carried >= 0.2


@pytest.mark.parametrize("verdict", ["undecided", "diverges"])
def test_rows_without_a_mean_have_no_latencies(verdict):
    names = columns((KIND,), "cycles")
    cells = dict(zip(names, row(_point(0.1, verdict, True), 1.0), strict=True))
    assert [cells[f"{KIND}_{name}_cycles"] for name in LATENCIES] == [""] * len(LATENCIES)
    assert cells[f"{KIND}_accepted"] == 1.0
    assert math.isnan(_point(0.1, verdict, True).latency_cycles(KIND).mean)
    assert dict(zip(names, row(STABLE, 1.0), strict=True))[f"{KIND}_mean_cycles"] == 100.0
