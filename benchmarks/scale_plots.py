"""Plots of ``python -m benchmarks.scale``: time and memory against nodes, measured and extrapolated."""

from collections.abc import Sequence
from math import log
from typing import Any

from benchmarks.scale_networks import FAMILIES, NODES
from hydranoc.pictures.plots import plot_figure
from hydranoc.studies.common.figure import Figure, Series

CYCLES = 100_000
GIGABYTE_MB = 1024
MESSAGE_BYTES = 600
"""Memory of a unicast from its drawing to its row in messages.csv, as measured with many of them."""


def seconds_of(point: dict[str, Any]) -> float:
    """Return the CPU seconds from configuration to messages.csv for 100,000 cycles, without compilation."""
    per_cycle = ("messages", "run", "statistics", "messages_csv")
    grows = sum(point[f"{stage}_seconds"] for stage in per_cycle)
    return point["network_seconds"] + point["state_seconds"] + grows * CYCLES / point["cycles"]


def megabytes_of(point: dict[str, Any]) -> float:
    """Return the peak memory; shorter runs are corrected by the memory of the messages that were not sent."""
    missing = point["messages"] * (CYCLES / point["cycles"] - 1)
    return point["messages_csv_mb"] + missing * MESSAGE_BYTES / 2**20


def carried_on(x: Sequence[float], y: Sequence[float], to: float) -> float:
    """Return an extrapolation: a power of the nodes through the last two points."""
    slope = log(y[-1] / y[-2]) / log(x[-1] / x[-2])
    return y[-1] * (to / x[-1]) ** slope


def plot_points(points: Sequence[dict[str, Any]]) -> dict[str, bytes]:
    """Return the plots of time and memory; file contents by suffix."""
    series = []
    for panel, value in enumerate((seconds_of, lambda point: megabytes_of(point) / GIGABYTE_MB)):
        for colour, family in enumerate(FAMILIES):
            own = sorted((point for point in points if point["family"] == family), key=lambda point: point["nodes"])
            if not own:
                continue
            x, y = [point["nodes"] for point in own], [value(point) for point in own]
            series.append(Series(FAMILIES[family].title, x, y, panel=panel, colour=colour))
            if len(own) > 1 and x[-1] < 0.9 * NODES[-1]:
                ends = [x[-1], NODES[-1]], [y[-1], carried_on(x, y, NODES[-1])]
                series.append(Series("", *ends, panel=panel, colour=colour, dashed=True, marked=False))
    figure = Figure(
        title="A loaded run of 100,000 cycles",
        columns=(),
        rows=(),
        series=tuple(series),
        claims=(),
        x_label="nodes",
        y_label="",
        log_x=True,
        log_y=True,
        panels=("CPU seconds, configuration to messages.csv", "peak memory, GiB"),
    )
    return plot_figure(figure)
