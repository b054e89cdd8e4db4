"""The survey of collective operations as a figure: curves of all-reduces, claims, tables and rows."""

from collections.abc import Iterator, Mapping, Sequence

from hydranoc.reports.table import aligned
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Effort, Figure, Series
from hydranoc.surveys.collectives.claims import all_claims
from hydranoc.surveys.collectives.networks import NETWORKS, WIDE_TORUS, WITH_OPERATORS
from hydranoc.surveys.collectives.points import ALL_REDUCE, CollectivePoint, CollectivePoints, measured
from hydranoc.surveys.collectives.tables import cycles_table, fastest_table
from sim_model.collectives.registry import OPERATIONS

KEYS = ("network", "operation", "words", "startup_cycles", "algorithm")
COLUMNS = (*KEYS, "cycles", "chosen", "closed_form")
PLOTTED_STARTUP = 100
PANELS = (*((name, PLOTTED_STARTUP) for name in NETWORKS), (WIDE_TORUS, 0))
"""Network and start-up of each part of the plot."""
ALGORITHMS = (WITH_OPERATORS, *OPERATIONS[ALL_REDUCE])
"""Curves; the first one is the thickest."""


def collectives(effort: Effort) -> Figure:
    """Return the survey."""
    points = measured(quick=effort.quick, **effort.points)
    return Figure(
        title="All-reduces of 64 nodes by messages and on the collective plane",
        x_label="words of a member's vector",
        y_label="cycles",
        series=tuple(_series(points)),
        claims=all_claims(points),
        columns=COLUMNS,
        rows=tuple(rows_of(points)),
        log_x=True,
        log_y=True,
        panels=tuple(f"{name}, start-up {startup}" for name, startup in PANELS),
        panels_across=2,
        one_legend=True,
        table=(*aligned(cycles_table(points)), "", *aligned(fastest_table(points))),
        comparable=Comparable(KEYS, exact=("cycles", "chosen", "closed_form")),
    )


def _series(points: CollectivePoints) -> Iterator[Series]:
    for panel, (name, startup) in enumerate(PANELS):
        own = points.find(network=name, operation=ALL_REDUCE, startup_cycles=startup)
        for colour, algorithm in enumerate(ALGORITHMS):
            if algorithm in own[0].cycles:
                words, cycles = [point.words for point in own], [point.cycles[algorithm] for point in own]
                yield Series(algorithm, words, cycles, panel=panel, colour=colour)


def rows_of(points: CollectivePoints) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the CSV file: one for each algorithm of each point.

    ``chosen`` marks the algorithm of ``auto`` in a network without a plane; ``closed_form`` is that of a plane.
    """
    for point in points.all:
        for algorithm, cycles in point.cycles.items():
            keys = (point.network, point.operation, point.words, point.startup_cycles, algorithm)
            yield (*keys, cycles, int(algorithm == point.chosen), point.forms.get(algorithm, ""))


def points_of(rows: Sequence[Mapping[str, str]]) -> CollectivePoints:
    """Return the points of the rows of a CSV file."""
    found: dict[tuple[str, str, int, int], CollectivePoint] = {}
    for row in rows:
        key = (row["network"], row["operation"], int(row["words"]), int(row["startup_cycles"]))
        before = found.get(key, CollectivePoint(*key, {}, "", {}))
        algorithm = row["algorithm"]
        found[key] = CollectivePoint(
            *key,
            {**before.cycles, algorithm: int(row["cycles"])},
            algorithm if row["chosen"] == "1" else before.chosen,
            before.forms | ({algorithm: int(row["closed_form"])} if row["closed_form"] else {}),
        )
    return CollectivePoints(found.values())
