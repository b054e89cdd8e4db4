"""Comparison of a newly measured figure with the stored rows of a full run.

Rule, fixed beforehand: at every common load the verdicts are equal, and each pair of means is no farther
apart than twice the half width of the interval of their difference. Deterministic values are equal.
Loads within the stored interval of saturation, widened by a quarter to either side, may have either verdict.
"""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hydranoc.studies.common.figure import Figure

Row = Mapping[str, str]
HALF_WIDTHS = 2.0
NEAR_SATURATION = 0.25


@dataclass(frozen=True)
class Comparable:
    """Columns of a figure's rows that are compared.

    Members:
        keys: Columns that name a row.
        intervals (tuple of (str, str)): Columns of a mean and of its half width.
        exact: Deterministic columns, which must be equal.
    """

    keys: tuple[str, ...]
    intervals: tuple[tuple[str, str], ...] = ()
    exact: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """Result of a comparison.

    Members:
        compared: Number of compared values.
        differences: Differing values, in words.
    """

    compared: int
    differences: tuple[str, ...]


def check_figure(figure: "Figure", kept: Sequence[Row]) -> Check:
    """Compare a figure with stored rows.

    Raises:
        ValueError: If they have no row in common.
    """
    plan = figure.comparable
    if plan is None:
        raise ValueError("A figure must name the columns that are to be checked")
    rows = {_name(row, plan): row for row in kept}
    compared, differences = 0, []
    for new in written_rows(figure):
        old = rows.get(_name(new, plan))
        if old is not None:
            found = list(_differences(new, old, plan))
            compared += len(found)
            differences += [f"{_name(new, plan)}: {text}" for text in found if text]
    if not compared:
        raise ValueError("A figure and what is kept of it must have rows in common, not none")
    return Check(compared, tuple(differences))


def written_rows(figure: "Figure") -> list[dict[str, str]]:
    """Return the rows of a figure's CSV file."""
    return list(csv.DictReader(io.StringIO(csv_text(figure.columns, figure.rows))))


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the text of a CSV file."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()


def _name(row: Row, plan: Comparable) -> str:
    return ", ".join(f"{key} {row[key]}" for key in plan.keys)


def _differences(new: Row, old: Row, plan: Comparable) -> Iterator[str]:
    """Yield a text for each compared value, empty if it is equal."""
    if new.get("verdict") != old.get("verdict"):
        if not _near_saturation(old):
            yield f"verdict is {new['verdict']}, kept {old['verdict']}"
        return
    for column in plan.exact:
        yield "" if new[column] == old[column] else f"{column} is {new[column]}, kept {old[column]}"
    for mean, half_width in plan.intervals:
        if all(row[name] for row in (new, old) for name in (mean, half_width)):
            apart = abs(float(new[mean]) - float(old[mean]))
            allowed = HALF_WIDTHS * math.hypot(float(new[half_width]), float(old[half_width]))
            yield (
                ""
                if apart <= allowed
                else f"{mean} is {new[mean]}, kept {old[mean]}, {apart / allowed:.1f} times as far apart as may be"
            )


def _near_saturation(row: Row) -> bool:
    if not row.get("saturation_high"):
        return False
    load, low, high = (float(row[name]) for name in ("load", "saturation_low", "saturation_high"))
    return (1 - NEAR_SATURATION) * low <= load <= (1 + NEAR_SATURATION) * high
