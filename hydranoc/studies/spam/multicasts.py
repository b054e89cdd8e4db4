"""Figure 2 of the SPAM paper and its software bound (Sec. 4), and common parts of all its figures.

Paper's parameters: start-up 10 us, router set-up 40 ns, channel 10 ns, 128 flits, 8 ports; here 1 cycle is 10 ns.
Flits are wide enough for the header to be one of them. The paper's "negative binomial" arrivals come without
parameters: these are Poisson (exponential gaps). Networks are arguments: the paper does not give the density of its
lattices. Traffic for figure 3 is in ``load.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hydranoc.measurement.kept_points import KeptPoints, Progress, measure_points
from hydranoc.measurement.replication import PAPER_PRECISION, QUICK_PRECISION, Precision, replicate
from hydranoc.measurement.whole_runs import finish, prepare
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from sim_model.messages.messages import Message
from sim_model.messages.software import binomial_chain, software_steps
from sim_model.spam.model import SpamModel
from sim_model.statistics.latency import confidence_interval
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

CYCLE_US = 0.01
STARTUP_CYCLES = 1000
ROUTING_CYCLES = 4
MESSAGE_FLITS = 128
FLIT_BITS = 512
BUFFER_FLITS = 2


@dataclass(frozen=True)
class Point:
    """One point of a curve.

    Members:
        series: Curve.
        x: Destinations.
        latency_us, half_width_us (float): Mean latency, and half width of its 95 % confidence interval.
        replications
        details: Further means over the replications.
    """

    series: str
    x: float
    latency_us: float
    half_width_us: float
    replications: int
    details: dict[str, float]


def paper_model(network: Network, root: int | None = None) -> SpamModel:
    """Return a network with the paper's parameters."""
    routing = SpamRouting(SpamLabels(network, root), FLIT_BITS)
    return SpamModel(routing, buffer_flits=BUFFER_FLITS, routing_cycles=ROUTING_CYCLES)


def spam_fig2(
    networks: Sequence[Network],
    *,
    destinations: Sequence[int] = (1, 2, 4, 8, 16, 32, 64, 127, 255),
    quick: bool = False,
    seed: int = 1,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
) -> list[Point]:
    """Return figure 2: latency of a single multicast against its number of destinations.

    Parameters:
        networks: One or more of each size (the paper has 128 and 256 nodes); networks of one size are one curve, used
            in turn.
        destinations: Numbers below a network's number of processors are used.
        quick: Few replications instead of 95 % confidence within 1 %.
        processes: Processes to share the points.
        progress: Called with (points done, points in all).
        kept: Store of an interrupted run's points with equal parameters, and of this run's.
    """
    tasks = []
    for nodes, models in _models_by_size(networks).items():
        for count in destinations:
            if count < nodes:
                tasks.append((f"{nodes} nodes", count, models, _precision(quick), seed))
    return measure_points(_measure_single, tasks, processes=processes, progress=progress, **_kept(kept))


def spam_bound(
    networks: Sequence[Network],
    *,
    quick: bool = False,
    seed: int = 1,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
) -> list[Point]:
    """Return the broadcast: hardware, simulated software, and the software bound of ceil(log2(d + 1)) start-ups.

    ``details`` of the hardware point has the largest latency. The paper's 90 us for 256 nodes counts the source as
    a destination: 255 destinations need 8 start-ups, 80 us.

    Parameters:
        networks: Networks of one size (the paper: 256 nodes), used in turn.
        quick, seed, processes, progress, kept: As for ``spam_fig2``.
    """
    models = [paper_model(network) for network in networks]
    count = len(networks[0].processors) - 1
    tasks = [("hardware", count, models, _precision(quick), seed), ("software", count, models, _precision(quick), seed)]
    points = measure_points(_measure_single, tasks, processes=processes, progress=progress, **_kept(kept))
    bound_us = software_steps(count) * STARTUP_CYCLES * CYCLE_US
    return [*points, Point("software bound", count, bound_us, 0.0, 0, {})]


def _kept(kept: KeptPoints | None) -> dict[str, Any]:
    return {"kept": kept, "point_type": Point, "key": lambda task: f"{task[0]}, {task[1]}"}


def _precision(quick: bool) -> Precision:
    return QUICK_PRECISION if quick else PAPER_PRECISION


def _models_by_size(networks: Sequence[Network]) -> dict[int, list[SpamModel]]:
    models: dict[int, list[SpamModel]] = {}
    for network in networks:
        models.setdefault(len(network.processors), []).append(paper_model(network))
    return models


def _generator(seed: int, *numbers: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *numbers])))


def _point(series: str, x: float, rows: np.ndarray, names: Sequence[str]) -> Point:
    """Return a point from replications whose first column is the latency in cycles."""
    interval = confidence_interval(rows[:, 0])
    details = dict(zip(names, rows.mean(axis=0)[1:].tolist(), strict=True))
    return Point(series, x, interval.mean * CYCLE_US, interval.half_width * CYCLE_US, len(rows), details)


def _measure_single(task) -> Point:
    """Return the latency of one message with random source and destinations in an empty network."""
    series, count, models, precision, seed = task
    rows = replicate(partial(_observe_single, models, count, series == "software", seed), precision)
    point = _point(series, count, rows, ())
    return Point(**{**point.__dict__, "details": {"largest_us": float(rows.max()) * CYCLE_US}})


def _observe_single(
    models: Sequence[SpamModel], count: int, software: bool, seed: int, replication: int
) -> list[float]:
    model = models[replication % len(models)]
    processors = len(model.network.processors)
    source, *destinations = _generator(seed, count, replication).permutation(processors)[: count + 1].tolist()
    records = [Message(source, destinations, MESSAGE_FLITS)]
    if software:
        records = binomial_chain(source, destinations, flits=MESSAGE_FLITS)
    results = finish(prepare(model, records, STARTUP_CYCLES))
    return [float(results.group_latency_cycles[0])]


NETWORKS_PER_SIZE = 8
BROADCAST_US = 14.0
PAPER_BOUND_US = 90.0
PAPER_RATIO = 6.0
ESSENTIALLY_INDEPENDENT = 1.15

COLUMNS = ("series", "x", "latency_us", "half_width_us", "replications")
COMPARABLE = Comparable(COLUMNS[:2], (COLUMNS[2:4],))


def lattices(switches: int) -> list[Network]:
    """Return the random networks of a size, of which the paper gives no picture."""
    return [lattice_network(switches, seed=seed) for seed in range(1, NETWORKS_PER_SIZE + 1)]


def _series(points: Sequence[Point], names: Sequence[str]) -> tuple[Series, ...]:
    series = []
    for name in names:
        own = [point for point in points if point.series == name]
        half_widths = [point.half_width_us for point in own]
        series.append(Series(name, [point.x for point in own], [point.latency_us for point in own], half_widths))
    return tuple(series)


def _rows(points: Sequence[Point]) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
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
    networks = [*lattices(128), *lattices(256)]
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


def software_bound(effort: Effort) -> Figure:
    """Return the latency of a broadcast in 256 nodes by hardware and by software."""
    points = spam_bound(lattices(256), quick=effort.quick, **effort.points)
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
