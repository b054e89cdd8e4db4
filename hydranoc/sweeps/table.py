"""The table of a sweep, a row for each point in the order of the grid, and its plots."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydranoc.studies.common.figure import Figure, Series
from hydranoc.sweeps.axes import Axis
from hydranoc.sweeps.axi4 import AXI4_KINDS
from hydranoc.sweeps.measure import COLUMNS
from topology.common.errors import MachineTrouble

if TYPE_CHECKING:
    from pandas import DataFrame


TEXTS = ("verdict", "collective_algorithm")
TRUTHS = ("precise", "carried", "deadlocked")
COUNTS = ("cycles", "warmup_cycles", "replications", "needed_cycles")


def data_frame(
    axes: Sequence[Axis], points: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> "DataFrame":
    """Return the table: a column for each key, then ``COLUMNS``; those without any value are left out.

    Parameters:
        points (sequence of mappings): Values by key.
        rows (sequence of mappings): Measured values by column.

    Raises:
        MachineTrouble: If pandas is missing.
    """
    pandas = pandas_with_parquet()
    columns: dict[str, Any] = {axis.key: _key_column(pandas, [point[axis.key] for point in points]) for axis in axes}
    for name in COLUMNS:
        values = [row[name] for row in rows]
        if any(value is not None for value in values):
            columns[name] = pandas.array(values, dtype=_dtype(name))
    return pandas.DataFrame(columns)


def write_tables(table: "DataFrame", folder: Path, name: str) -> None:
    """Write ``NAME.csv`` and ``NAME.parquet``."""
    table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
    table.to_parquet(folder / f"{name}.parquet", index=False)


def _dtype(name: str) -> str:
    if name in TEXTS:
        return "string"
    if name in TRUTHS:
        return "boolean"
    return "Int64" if name in COUNTS or name.endswith("_messages") else "Float64"


def _key_column(pandas: Any, values: list[Any]) -> Any:
    """Return a column of numbers; lists and mixed values become text."""
    kinds = {type(value) for value in values}
    if kinds == {int}:
        return pandas.array(values, dtype="Int64")
    if kinds <= {int, float}:
        return pandas.array(values, dtype="Float64")
    if kinds == {bool}:
        return pandas.array(values, dtype="boolean")
    return pandas.array([str(value) for value in values], dtype="string")


def pandas_with_parquet() -> Any:
    """Return the module ``pandas``, if it can read and write all tables of sweeps.

    Raises:
        MachineTrouble: If it or pyarrow is missing.
    """
    try:
        import_module("pyarrow")
        return import_module("pandas")
    except ImportError:
        raise MachineTrouble("tables need pandas and pyarrow: python -m pip install 'hydranoc[sweep]'") from None


MAX_CURVES = 12
"""Maximum curves in one plot; more would be indistinguishable."""
KINDS = ("unicast", "multicast", "collective", *AXI4_KINDS)


def sweep_figures(table: "DataFrame", keys: Sequence[str], name: str) -> dict[str, Figure]:
    """Return figures by file name: none if the first key has no numbers, there are too many curves, or no points.

    Parameters:
        table: See ``data_frame``.
        keys: Columns of the axes.
        name: Name of the configuration.
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
