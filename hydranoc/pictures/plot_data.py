"""Content of a figure's plot as plain values, for files and other plotting programs."""

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from hydranoc.studies.common.figure import Figure, Series

DIGITS = 6
"""Digits of a number, as in the figure's table."""
NUMBERS = ("x", "y", "error", "saturation")
"""Members of a series with several numbers."""
LIST_OF_NUMBERS = re.compile(r"\[\s+([^\[\]{}\"]+?)\s+\]")


def plain_claims(figure: Figure) -> list[dict[str, Any]]:
    """Return the claims with the measured results."""
    return [
        {"claim": claim.text, "measured": claim.measured, "holds": claim.holds, "note": claim.note}
        for claim in figure.claims
    ]


def plain_plot(figure: Figure) -> dict[str, Any]:
    """Return axes, parts, levels of claims and series of a figure; defaults of a series are left out."""
    return {
        "x_label": figure.x_label,
        "y_label": figure.y_label,
        "log_x": figure.log_x,
        "log_y": figure.log_y,
        "bars": figure.bars,
        "x_names": list(figure.x_names),
        "panels": list(figure.panels),
        "one_legend": figure.one_legend,
        "levels": [{"claim": claim.text, "y": claim.level} for claim in figure.claims if claim.level is not None],
        "series": [_plain_series(series) for series in figure.series],
    }


def _plain_series(series: Series) -> dict[str, Any]:
    own = {field.name: getattr(series, field.name) for field in fields(series)}
    unusual = {field.name: own[field.name] for field in fields(series) if own[field.name] != field.default}
    return {name: _numbers(value) if name in NUMBERS else value for name, value in unusual.items()}


def _numbers(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


def plain_text(content: Any) -> str:
    """Return plain values as readable JSON: indented, but with the numbers of a list in one line."""
    text = json.dumps(content, indent=1)
    return LIST_OF_NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"
