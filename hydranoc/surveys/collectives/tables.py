"""Tables of the survey: cycles by size, and the fastest algorithms."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from hydranoc.surveys.collectives.networks import NETWORKS
from hydranoc.surveys.collectives.points import ALL_REDUCE, CollectivePoint, CollectivePoints
from sim_model.collectives.registry import OPERATIONS
from sim_model.collectives.schedule import ALL_TO_ALL, BARRIER

SHOWN_WORDS = (1, 16, 256, 4096)
"""Sizes of all-reduces in the table of cycles."""
Row = tuple[str, ...]


def cycles_table(points: CollectivePoints) -> list[Row]:
    """Return the header and the rows of a table: the least cycles by messages at each start-up, and those of the plane.

    The plane's are those at the longest start-up, less that start-up; behind them are those of a plane of barriers
    alone.
    """
    startups = sorted({point.startup_cycles for point in points.all})
    header = ("network", "operation", *(f"start-up {startup:,}" for startup in startups), "plane")
    return [header, *(row for network in NETWORKS for row in _rows_of(points.find(network=network)))]


def _rows_of(points: Iterable[CollectivePoint]) -> Iterable[Row]:
    shown = [point for point in points if point.operation != ALL_REDUCE or point.words in SHOWN_WORDS]
    for (network, operation, words), found in groupby(shown, lambda p: (p.network, p.operation, p.words)):
        own = list(found)
        last = own[-1]
        planes = [
            f"{cycles - last.startup_cycles:,}" for cycles in (last.plane, last.barrier_plane) if cycles is not None
        ]
        name = operation if operation == BARRIER else f"{operation}, {words:,}"
        yield (network, name, *(f"{point.best_cycles:,}" for point in own), "; ".join(planes))


def fastest_table(points: CollectivePoints) -> list[Row]:
    """Return the header and the rows of a table: the fastest algorithms by messages, and where the plane is faster.

    Algorithms of all-reduces have the largest size at which they are the fastest. Those with a multicast in hardware
    are in bold type.
    """
    rows: list[Row] = [
        ("network", "start-up", BARRIER, f"{ALL_REDUCE}, up to words", ALL_TO_ALL, "plane faster for all-reduces")
    ]
    for network in NETWORKS:
        for startup in sorted({point.startup_cycles for point in points.all}):
            barrier, *others = (
                points.find(network=network, startup_cycles=startup, operation=operation)
                for operation in (BARRIER, ALL_REDUCE, ALL_TO_ALL)
            )
            cells = (*(_fastest(own) for own in (barrier, *others)), faster_on_plane(others[0]))
            rows.append((network, f"{startup:,}", *cells))
    return rows


def _fastest(points: Sequence[CollectivePoint]) -> str:
    """Return the fastest algorithms in the order of sizes."""
    runs = [(name, list(found)) for name, found in groupby(points, lambda point: point.best)]
    texts = [
        _name(found[0]) + (f" {found[-1].words:,}" if position < len(runs) - 1 else "")
        for position, (_, found) in enumerate(runs)
    ]
    return ", ".join(texts)


def _name(point: CollectivePoint) -> str:
    """Return the fastest algorithm, in bold type if it multicasts in hardware."""
    return f"**{point.best}**" if OPERATIONS[point.operation][point.best].in_hardware else point.best


def faster_on_plane(points: Sequence[CollectivePoint]) -> str:
    """Return the sizes at which the plane is faster than all algorithms by messages: all, none, or up to a size."""
    faster = [point for point in points if point.plane is not None and point.plane < point.best_cycles]
    if len(faster) == len(points):
        return "all"
    if not faster:
        return "none"
    is_prefix = faster == list(points[: len(faster)])
    return f"up to {faster[-1].words:,}" if is_prefix else f"{len(faster)} of {len(points)} sizes"


def markdown(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table in Markdown. A first cell that repeats the one above is empty."""
    firsts = ["" if above[0] == row[0] else row[0] for above, row in zip((("",), *rows), rows, strict=False)]
    lines = [
        f"| {' | '.join((first, *row[1:]))} |".replace("|  |", "| |") for first, row in zip(firsts, rows, strict=True)
    ]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]
