"""The table of a sweep: a row for each point, in the order of the grid."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydranoc.sweeps.axes import Axis
from hydranoc.sweeps.measure import COLUMNS
from topology.common.trouble import MachineTrouble

if TYPE_CHECKING:
    from pandas import DataFrame

TRUTHS = ("precise", "carried", "deadlocked")
COUNTS = ("cycles", "warmup_cycles", "replications", "needed_cycles")


def data_frame(
    axes: Sequence[Axis], points: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> "DataFrame":
    """Return the table: a column for each key, then ``COLUMNS``; those without any value are left out.

    Parameters
    ----------
    axes : sequence of Axis
    points : sequence of mappings
        Values by key.
    rows : sequence of mappings
        Measured values by column.

    Raises
    ------
    MachineTrouble
        If pandas is missing.
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
    if name == "verdict":
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

    Raises
    ------
    MachineTrouble
        If it or pyarrow is missing.
    """
    try:
        import_module("pyarrow")
        return import_module("pandas")
    except ImportError:
        raise MachineTrouble("tables need pandas and pyarrow: python -m pip install 'hydranoc[sweep]'") from None
