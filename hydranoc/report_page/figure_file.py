"""A figure of a paper in the file format of ``hydranoc reproduce``: title, claims, and content of its plot."""

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from hydranoc.config.schema.pydantic_models import Checked
from hydranoc.config.source import KeyPath, Source, name_of
from hydranoc.config.validation import validate
from hydranoc.errors import ConfigError, shown
from hydranoc.report_page.axes import MAX_VALUE
from hydranoc.studies.common.figure import Claim, Figure, Series
from hydranoc.studies.common.measured import MEASURED, measured_names

KIND = "NAME.json of 'hydranoc reproduce'"
Value = Annotated[float, Field(ge=-MAX_VALUE, le=MAX_VALUE, allow_inf_nan=False)]
Number = Annotated[int, Field(ge=0)]
HalfWidth = Annotated[float, Field(ge=0, le=MAX_VALUE, allow_inf_nan=False)]


class _Series(Checked):
    name: str
    x: list[Value]
    y: list[Value]
    error: list[HalfWidth] | None = None
    panel: Number = 0
    colour: Number | None = None
    dashed: bool = False
    joined: bool = True
    marked: bool = True
    saturation: Annotated[list[Value], Field(min_length=2, max_length=2)] | None = None


class _Level(Checked):
    claim: str
    y: Value


class _Plot(Checked):
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False
    bars: bool = False
    x_names: list[str] = []
    panels: list[str] = []
    one_legend: bool = False
    levels: list[_Level] = []
    series: list[_Series]


class _Claim(Checked):
    claim: str
    measured: str
    holds: bool
    note: str = ""


class _Written(Checked):
    model_config = ConfigDict(extra="ignore")  # settings of its measurement are ignored here

    title: str
    claims: list[_Claim]
    plot: _Plot | None = None


class _JsonSource(Source):
    """A JSON file, with places in words."""

    def __init__(self, path: Path):
        self.path = self.file = path
        try:
            self.data = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"must be {KIND}: {error}", file=path) from None
        if not isinstance(self.data, dict):
            raise ConfigError(f"must be {KIND}, with a title and claims", file=path)

    def error(self, key_path: KeyPath, message: str) -> ConfigError:
        """Return an error about the value at a place."""
        place = "" if not key_path or name_of(key_path) in message else f"{name_of(key_path)}: "
        return ConfigError(f"must be {KIND}: {place}{message}", file=self.path)

    def line_of(self, key_path: KeyPath) -> None:
        """Return None: a generated file has no lines worth naming."""


def figure_path(given: Path) -> Path:
    """Return the file itself, or that of a figure of this name with stored results of a full run."""
    return MEASURED / f"{given}.json" if not given.exists() and str(given) in measured_names() else given


def read_figure(path: Path) -> Figure:
    """Return a figure from a file of ``hydranoc reproduce``, without its table; without series if it is of a version
    that wrote none.

    Raises:
        ConfigError: If the file is no such thing.
    """
    source = _JsonSource(path)
    written = validate(source, (), _Written)
    plot = written.plot or _Plot(x_label="", y_label="", series=[])
    for number, series in enumerate(plot.series):
        _check(source, ("plot", "series", number), plot, series)
    levels = {level.claim: level.y for level in plot.levels}
    return Figure(
        written.title,
        plot.x_label,
        plot.y_label,
        tuple(_series(one) for one in plot.series),
        tuple(Claim(one.claim, one.measured, one.holds, levels.get(one.claim), one.note) for one in written.claims),
        (),
        (),
        log_x=plot.log_x,
        log_y=plot.log_y,
        bars=plot.bars,
        x_names=tuple(plot.x_names),
        panels=tuple(plot.panels),
        one_legend=plot.one_legend,
    )


def _series(written: _Series) -> Series:
    ends = written.saturation
    return Series(**{**dict(written), "saturation": None if ends is None else (ends[0], ends[1])})


def _check(source: Source, place: KeyPath, plot: _Plot, series: _Series) -> None:
    """Refuse a series whose values do not fit each other."""
    parts = max(1, len(plot.panels))
    if series.panel >= parts:
        raise _wrong(source, (*place, "panel"), f"less than {parts}", series.panel)
    for name, values in (("y", series.y), ("error", series.error)):
        if values is not None and len(values) != len(series.x):
            raise _wrong(source, (*place, name), f"a list of as many numbers as x, {len(series.x)}", len(values))
    if plot.bars and len(series.x) != 1:
        raise _wrong(source, (*place, "x"), "a list of one number, as series are bars", len(series.x))
    if plot.bars and series.y[0] < 0:
        raise _wrong(source, (*place, "y"), "at least 0, as series are bars", series.y[0])
    for name, values, log in (("x", series.x, plot.log_x), ("y", series.y, plot.log_y)):
        if log and min(values, default=1) <= 0:
            raise _wrong(source, (*place, name), "greater than 0 on a logarithmic axis", min(values))


def _wrong(source: Source, place: KeyPath, right: str, value: Any) -> ConfigError:
    return source.error(place, f"{name_of(place)} is {shown(value)}; it must be {right}")
