"""Results of full runs of figures, stored with the project: rows as CSV files, claims as JSON files."""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hydranoc.studies

MEASURED = Path(str(hydranoc.studies.__file__)).parent / "measured"


@dataclass(frozen=True)
class MeasuredFigure:
    """A stored figure.

    Members:
        name, title (str)
        claims (list of dict): ``claim``, ``measured``, ``holds``, ``note``.
        rows
        table (list of str): Lines of its table, if it has one.
    """

    name: str
    title: str
    claims: list[dict[str, Any]]
    rows: list[dict[str, str]]
    table: list[str] = field(default_factory=list)


def measured_names() -> list[str]:
    """Return the names of the stored figures."""
    return sorted(path.stem for path in MEASURED.glob("*.csv"))


def measured_figure(name: str) -> MeasuredFigure | None:
    """Return a stored figure; None if there is none of that name."""
    table, claims = (MEASURED / f"{name}{suffix}" for suffix in (".csv", ".json"))
    if not table.exists():
        return None
    kept = json.loads(claims.read_text(encoding="utf-8"))
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return MeasuredFigure(name, kept["title"], kept["claims"], rows, kept.get("table", []))
