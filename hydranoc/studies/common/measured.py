"""What full runs of figures gave, kept with the project: their rows as CSV files, their claims beside them."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hydranoc.studies

MEASURED = Path(str(hydranoc.studies.__file__)).parent / "measured"


@dataclass(frozen=True)
class MeasuredFigure:
    """A kept figure.

    Members
    -------
    name, title : str
    claims : list of dict
        ``claim``, ``measured``, ``holds``, ``note``.
    rows : list of dict of str to str
    """

    name: str
    title: str
    claims: list[dict[str, Any]]
    rows: list[dict[str, str]]


def measured_names() -> list[str]:
    """Return names of the figures that are kept."""
    return sorted(path.stem for path in MEASURED.glob("*.csv"))


def measured_figure(name: str) -> MeasuredFigure | None:
    """Return a kept figure; None if there is none of that name."""
    table, claims = (MEASURED / f"{name}{suffix}" for suffix in (".csv", ".json"))
    if not table.exists():
        return None
    kept = json.loads(claims.read_text(encoding="utf-8"))
    with table.open(encoding="utf-8", newline="") as file:
        return MeasuredFigure(name, kept["title"], kept["claims"], list(csv.DictReader(file)))
