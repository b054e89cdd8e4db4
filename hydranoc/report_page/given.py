"""Results of other verbs for a page: the table of a sweep, a figure of a paper."""

from pathlib import Path
from typing import Any

from hydranoc.errors import ConfigError, file_error, shown
from hydranoc.report_page.axes import MAX_VALUE
from hydranoc.report_page.figure_file import figure_path, read_figure
from hydranoc.studies.common.figure import Figure
from hydranoc.sweeps.measure import COLUMNS
from hydranoc.sweeps.table import pandas_with_parquet, sweep_figures

MAX_MEGABYTES = 16
PARQUET = ".parquet"
AS_WRITTEN = {"dtype_backend": "numpy_nullable", "keep_default_na": False, "na_values": [""]}
"""Options of pandas for the values of ``write_tables``: words such as None are no missing values."""
NUMBERS = ("Int64", "Float64")
DRAWN = ("_mean", "_half_width", "_accepted")
FIRST_ROW_LINE = 2
"""Line of the first row, below the heading."""


def read_sweep(path: Path) -> dict[str, Figure]:
    """Return the figures by name of a table of ``hydranoc sweep``, CSV or Parquet.

    Raises:
        ConfigError: If it is no such table, or nothing of it can be drawn.
        MachineTrouble: If pandas is missing.
    """
    _check_size(path)
    pandas = pandas_with_parquet()
    try:
        table = pandas.read_parquet(path) if path.suffix == PARQUET else pandas.read_csv(path, **AS_WRITTEN)
    except (ValueError, pandas.errors.ParserError) as error:
        raise ConfigError(f"must be a table of 'hydranoc sweep', CSV or Parquet: {error}", file=path) from None
    if not isinstance(table.index, pandas.RangeIndex) and path.suffix != PARQUET:
        raise ConfigError("must be a table of 'hydranoc sweep'; its rows have more values than the heading", file=path)
    if table.empty:
        raise ConfigError("must be a table of 'hydranoc sweep', with a row for each point; it has none", file=path)
    keys = [str(column) for column in table.columns if column not in COLUMNS]
    if not keys or not any(column in COLUMNS for column in table.columns):
        raise ConfigError(
            "must be a table of 'hydranoc sweep', with its keys and a column 'verdict' or 'cycles'", file=path
        )
    _check_numbers(table, keys[0], path)
    figures = sweep_figures(table, keys, path.stem)
    if not figures:
        raise ConfigError(
            f"a sweep is drawn against its first key, which must be of numbers, not {shown(table[keys[0]].iloc[0])}",
            file=path,
        )
    return figures


def _check_numbers(table: Any, key: str, path: Path) -> None:
    """Check that drawn values are numbers within the range of an axis."""
    drawn = [column for column in table.columns if column in COLUMNS and column.endswith(DRAWN)]
    for column in drawn if str(table[key].dtype) not in NUMBERS else [key, *drawn]:
        values = table[column]
        known = values[values.notna()]
        if len(known) and str(values.dtype) not in NUMBERS:
            wrong = known
        else:
            wrong = known[(known < -MAX_VALUE) | (known > MAX_VALUE)]
        if column == key and len(known) < len(values):
            wrong = values[values.isna()]
        if len(wrong):
            line = int(wrong.index[0]) + FIRST_ROW_LINE
            right = f"it must be a number from {-MAX_VALUE:g} to {MAX_VALUE:g}"
            given = shown(*wrong.head(1).astype(object).where(wrong.head(1).notna(), None))
            raise ConfigError(f"{column} is {given}; {right}", file=path, line=line if path.suffix != PARQUET else None)


def read_given_figure(given: Path) -> Figure:
    """Return a figure from a file of ``hydranoc reproduce``, or a stored one by its name.

    Raises:
        ConfigError: If there is none.
    """
    path = figure_path(given)
    _check_size(path)
    return read_figure(path)


def _check_size(path: Path) -> None:
    try:
        megabytes = path.stat().st_size / 1e6
        path.open("rb").close()
    except OSError as error:
        raise file_error("cannot be read", error, path) from None
    if megabytes > MAX_MEGABYTES:
        raise ConfigError(f"must have at most {MAX_MEGABYTES} MB, not {megabytes:.0f}", file=path)
