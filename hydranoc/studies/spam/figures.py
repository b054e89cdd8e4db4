"""Figures of the SPAM paper (Sec. 4): networks, and the paper's claims against the results."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Reproduction, Series

if TYPE_CHECKING:
    from hydranoc.studies.spam.measurements import Point
    from topology.common.graph import Network

NETWORKS_PER_SIZE = 8
BROADCAST_US = 14.0
PAPER_BOUND_US = 90.0
PAPER_RATIO = 6.0
ESSENTIALLY_INDEPENDENT = 1.15

COLUMNS = ("series", "x", "latency_us", "half_width_us", "replications")
COMPARABLE = Comparable(COLUMNS[:2], (COLUMNS[2:4],))


def _lattices(switches: int) -> "list[Network]":
    from topology.common.lattice import lattice_network

    return [lattice_network(switches, seed=seed) for seed in range(1, NETWORKS_PER_SIZE + 1)]


def _series(points: Sequence["Point"], names: Sequence[str]) -> tuple[Series, ...]:
    series = []
    for name in names:
        own = [point for point in points if point.series == name]
        half_widths = [point.half_width_us for point in own]
        series.append(Series(name, [point.x for point in own], [point.latency_us for point in own], half_widths))
    return tuple(series)


def _rows(points: Sequence["Point"]) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Return header and rows of the CSV file, with all details of any point."""
    details = list(dict.fromkeys(name for point in points for name in point.details))
    rows = tuple(
        (
            point.series,
            point.x,
            round(point.latency_us, 4),
            round(point.half_width_us, 4),
            point.replications,
            *(round(point.details[name], 4) if name in point.details else "" for name in details),
        )
        for point in points
    )
    return (*COLUMNS, *details), rows


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f} us, a factor of {max(values) / min(values):.2f}"


def figure_2(effort: Effort) -> Figure:
    """Return figure 2: latency of a single multicast against its number of destinations, in 128 and 256 nodes."""
    from hydranoc.studies.spam.measurements import spam_fig2

    networks = [*_lattices(128), *_lattices(256)]
    points = spam_fig2(networks, quick=effort.quick, **effort.points)
    small, large = ([point for point in points if point.series == f"{size} nodes"] for size in (128, 256))
    broadcast = large[-1]
    spreads = [[point.latency_us for point in curve] for curve in (small, large)]
    sizes = [point.latency_us / other.latency_us for point, other in zip(large, small, strict=False)]
    columns, rows = _rows(points)
    return Figure(
        title="SPAM, figure 2: latency of a single multicast",
        x_label="destinations",
        y_label="latency, us (95 % confidence)",
        series=_series(points, ("128 nodes", "256 nodes")),
        claims=(
            Claim(
                "broadcast in 256 nodes under 14 us",
                f"mean {broadcast.latency_us:.2f} us, largest {broadcast.details['largest_us']:.2f} us",
                broadcast.details["largest_us"] < BROADCAST_US,
                level=BROADCAST_US,
            ),
            Claim(
                "latency essentially independent of the number of destinations",
                "; ".join(_range(values) for values in spreads),
                all(max(values) / min(values) <= ESSENTIALLY_INDEPENDENT for values in spreads),
            ),
            Claim(
                "latency largely independent of the size of the network",
                f"256 nodes take {max(sizes):.2f} times as long as 128 at most",
                max(sizes) <= ESSENTIALLY_INDEPENDENT,
            ),
        ),
        columns=columns,
        rows=rows,
        log_x=True,
        comparable=COMPARABLE,
    )


def figure_3(effort: Effort) -> Figure:
    """Return figure 3: latency in mixed traffic against the rate of messages, 128 nodes."""
    from hydranoc.studies.spam.load_figure import load_figure

    return load_figure(_lattices(128), effort)


def software_bound(effort: Effort) -> Figure:
    """Return the latency of a broadcast in 256 nodes by hardware and by software."""
    from hydranoc.studies.spam.measurements import spam_bound

    points = spam_bound(_lattices(256), quick=effort.quick, **effort.points)
    hardware, software, bound = points
    columns, rows = _rows(points)
    ratio = bound.latency_us / hardware.latency_us
    return Figure(
        title="SPAM: broadcast in 256 nodes, hardware against software",
        x_label="",
        y_label="latency, us (95 % confidence)",
        series=_series(points, [point.series for point in points]),
        claims=(
            Claim(
                "hardware broadcast under 14 us",
                f"mean {hardware.latency_us:.2f} us, largest {hardware.details['largest_us']:.2f} us",
                hardware.details["largest_us"] < BROADCAST_US,
                level=BROADCAST_US,
            ),
            Claim(
                "software takes 90 us at least",
                f"bound {bound.latency_us:.0f} us, simulated {software.latency_us:.2f} us",
                bound.latency_us >= PAPER_BOUND_US,
                level=PAPER_BOUND_US,
                note="ceil(log2(d + 1)) start-ups for the d = 255 others are 8, not 9: the bound is 80 us.",
            ),
            Claim(
                "more than a six-fold difference",
                f"{ratio:.1f} times by the bound, {software.latency_us / hardware.latency_us:.1f} times as simulated",
                ratio > PAPER_RATIO,
                note=f"With the paper's own figures, but 80 us: {bound.latency_us / BROADCAST_US:.1f} times.",
            ),
        ),
        columns=columns,
        rows=rows,
        bars=True,
        comparable=COMPARABLE,
    )


REPRODUCTIONS = {
    "spam-fig2": Reproduction("latency against number of destinations, one multicast (Sec. 4, figure 2)", figure_2),
    "spam-fig3": Reproduction("latency against load, 90 % unicast, 10 % multicast (Sec. 4, figure 3)", figure_3),
    "spam-bound": Reproduction("broadcast in 256 nodes against software multicast (Sec. 4)", software_bound),
}
