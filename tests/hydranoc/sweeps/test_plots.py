"""Plots of sweeps: a panel for each kind of message that has values, and no others."""

import importlib

import pytest

from hydranoc.pictures.plots import _draw_panels
from hydranoc.sweeps.plots import sweep_figures


@pytest.fixture
def pandas(require_package):
    require_package("pyarrow")
    return importlib.import_module("pandas")


def _table(pandas, **columns):
    return pandas.DataFrame({"load": [1, 2], **columns}).convert_dtypes()


def test_a_kind_without_means_has_throughput_alone(pandas):
    table = _table(pandas, unicast_mean=[20.5, 30.5], unicast_accepted=[0.1, 0.2], multicast_accepted=[0.01, 0.02])
    found = sweep_figures(table, ("load",), "name")
    assert found["latency"].panels == ("unicast",)
    assert found["throughput"].panels == ("unicast", "multicast")
    assert [series.y for series in found["throughput"].series] == [[0.1, 0.2], [0.01, 0.02]]


def test_no_panel_is_empty(pandas):
    figure = sweep_figures(_table(pandas, unicast_mean=[20.5, 30.5]), ("load",), "name")["latency"]
    canvas, _ = _draw_panels(figure)
    assert [len(axes.lines) > 0 for axes in canvas.axes] == [True]


def test_a_sweep_that_diverges_everywhere_has_no_plot_of_latency(pandas):
    assert list(sweep_figures(_table(pandas, unicast_accepted=[0.1, 0.2]), ("load",), "name")) == ["throughput"]
