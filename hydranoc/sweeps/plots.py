"""Plots of a sweep: latency and throughput against its first key, a curve for each combination of the others."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hydranoc.studies.common.figure import Figure, Series

if TYPE_CHECKING:
    from pandas import DataFrame

MAX_CURVES = 12
"""Maximum curves in one plot; more would be indistinguishable."""
KINDS = ("unicast", "multicast")


def sweep_figures(table: "DataFrame", keys: Sequence[str], name: str) -> dict[str, Figure]:
    """Return figures by file name: none if the first key has no numbers, there are too many curves, or no points.

    Parameters
    ----------
    table : DataFrame
        See ``data_frame``.
    keys : sequence of str
        Columns of the axes.
    name : str
        Name of the configuration.
    """
    curves = table[list(keys[1:])].drop_duplicates() if len(keys) > 1 else table.head(1)
    numbers = str(table[keys[0]].dtype) in ("Int64", "Float64")
    if not numbers or len(curves) > MAX_CURVES:
        return {}
    wanted = {
        "latency": (("mean", "half_width"), "latency, cycles (95 % confidence)"),
        "throughput": (("accepted", None), "accepted messages per cycle"),
    }
    figures = {file: _figure(table, keys, name, columns, label) for file, (columns, label) in wanted.items()}
    return {file: figure for file, figure in figures.items() if figure.series}


def _figure(
    table: "DataFrame", keys: Sequence[str], name: str, columns: tuple[str, str | None], y_label: str
) -> Figure:
    """Return a figure with a panel for each kind of message that has values."""
    kinds = tuple(kind for kind in KINDS if f"{kind}_{columns[0]}" in table)
    series = [one for panel, kind in enumerate(kinds) for one in _series(table, keys, kind, columns, panel)]
    return Figure(name, keys[0], y_label, tuple(series), (), (), (), panels=kinds)


def _series(
    table: "DataFrame", keys: Sequence[str], kind: str, columns: tuple[str, str | None], panel: int
) -> Iterator[Series]:
    """Yield a curve for each combination of the other keys; points without a value are left out."""
    value, error = (None if column is None else f"{kind}_{column}" for column in columns)
    everything: list[tuple[tuple[Any, ...], Any]] = [((), table)]
    groups: Any = table.groupby(list(keys[1:]), sort=False, dropna=False) if len(keys) > 1 else everything
    for names, rows in groups:
        text = ", ".join(f"{key} {one}" for key, one in zip(keys[1:], names, strict=True)) or "all"
        if value in rows:
            known = rows[rows[value].notna()]
            errors = None if error is None or error not in rows else known[error].fillna(0).tolist()
            yield Series(text, known[keys[0]].tolist(), known[value].tolist(), errors, panel=panel)
