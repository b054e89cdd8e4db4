"""A sweep from its axes to its table; the points of an interrupted one are stored."""

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydranoc.config.load import checked_config
from hydranoc.config.named_files import content_digest
from hydranoc.config.source import GivenSource, YamlSource, separate_copy
from hydranoc.design import Design
from hydranoc.errors import ConfigError, shown
from hydranoc.families.registry import FAMILIES
from hydranoc.measurement.kept import sources_digest
from hydranoc.measurement.kept_points import KeptPoints
from hydranoc.reports.progress import Progress
from hydranoc.sweeps.axes import Axis, changed, given_axis, grid, parse_axis
from hydranoc.sweeps.measure import FILES, SweepSettings, Task, check_measurable, measure
from hydranoc.sweeps.table import data_frame
from hydranoc.sweeps.workers import Row, on_processes
from sim_model.loops.folders import cache_folder

if TYPE_CHECKING:
    from pandas import DataFrame

Over = str | Mapping[str, Sequence[Any]]
MAX_POINTS = 1_000_000
SOURCES = ("sim_model", "topology", "hydranoc")
"""Folders of the sources that determine a row, from the configuration on."""


class Sweep:
    """A configuration, its axes, and the settings of its points.

    Parameters:
        configuration: See ``hydranoc.load``.

    Members:
        points (list of dict): Values by key, in the order of the table.
        kept (KeptPoints): Points of an earlier run of the same sweep.

    Raises:
        ConfigError: For an axis that is no key of the configuration, or a value that is wrong with the others' first
            values.
    """

    def __init__(self, configuration: str | Path | Mapping[str, Any], axes: Sequence[Axis], effort: SweepSettings):
        self.axes, self.effort = tuple(axes), effort
        given = isinstance(configuration, Mapping)
        source = GivenSource(configuration) if given else YamlSource(Path(configuration))
        self.content = separate_copy(source.data)
        self.folder = Path.cwd() if given else Path(configuration).parent.absolute()
        self._check_axes()
        original = Design(checked_config(source, FAMILIES))  # reports its errors with their lines
        self._keep_swept_names(original)
        self._check_values(original)
        self.points = list(grid(self.axes))
        self.kept = KeptPoints(cache_folder() / "sweeps" / f"{self._digest()}.jsonl")
        self.kept.keep_only(self._still_true())

    def _check_axes(self) -> None:
        keys = [axis.key for axis in self.axes]
        if len(set(keys)) < len(keys):
            raise ConfigError(f"--over must name a key once, not {keys}")
        size = math.prod(len(axis.values) for axis in self.axes) if self.axes else 0
        if not 1 <= size <= MAX_POINTS:
            raise ConfigError(f"A sweep must have 1 to {MAX_POINTS:,} points, not {size:,}")

    def _keep_swept_names(self, original: Design) -> None:
        """Drop keys that are swept by their other name, former or present: both at once would be refused."""
        keys = [axis.key for axis in self.axes]
        for pair in original.config.family.network_section.FORMER_KEYS.items():
            for swept, other in (pair, pair[::-1]):
                if f"network.{swept}" in keys:
                    self.content["network"].pop(other, None)

    def _check_values(self, original: Design) -> None:
        """Refuse wrong values, and traffic that is wrong on the network of the first point."""
        first = {axis.key: axis.values[0] for axis in self.axes}
        try:
            self.task(first).check(with_traffic=True)
        except ConfigError:
            if not any(axis.is_of_traffic for axis in self.axes):
                check_measurable(original)  # an error of the original traffic has a line
            raise
        for axis in self.axes:
            for value in axis.values[1:]:
                self.task(first | {axis.key: value}).check(with_traffic=axis.is_of_traffic)

    def task(self, values: Mapping[str, Any]) -> Task:
        """Return the configuration of a point."""
        name = ", ".join(f"{key}={shown(value)}" for key, value in values.items())
        return Task(changed(self.content, self.axes, values), str(self.folder), name)

    def _digest(self) -> str:
        """Return the digest of all that determines the rows, except files that configurations name."""
        told = [
            self.content,
            [[axis.key, axis.values] for axis in self.axes],
            asdict(self.effort),
            sources_digest(folders=SOURCES),
        ]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:24]

    def _still_true(self) -> Callable[[Row], bool]:
        """Return a test of a row for unchanged files since its measurement; each file is read once."""
        digest = cache(lambda name: content_digest(self.folder / name))
        return lambda row: all(digest(name) == old for name, old in row.get(FILES, {}).items())

    def run(
        self, share: Callable[[Callable[[Task], Row], Sequence[Task]], Iterator[tuple[int, Row]]], progress: Progress
    ) -> "DataFrame":
        """Measure the points that are not stored, and return the table.

        Parameters:
            share: Function and tasks -> positions and rows, such as ``on_processes``.
        """
        rows = {number: row for number in range(len(self.points)) if (row := self.kept.get(str(number))) is not None}
        missing = [number for number in range(len(self.points)) if number not in rows]
        progress("measuring", len(rows), len(self.points))
        tasks = [self.task(self.points[number]) for number in missing]
        for position, row in share(partial(measure, effort=self.effort), tasks):
            rows[missing[position]] = row
            self.kept.add(str(missing[position]), row)
            progress("measuring", len(rows), len(self.points))
        progress("making the table", 0, 0)
        return data_frame(self.axes, self.points, [rows[number] for number in range(len(self.points))])


def sweep(
    configuration: str | Path | Mapping[str, Any],
    over: Mapping[str, Sequence[Any]] | Sequence[str],
    *,
    processes: int | None = None,
    dask: str | None = None,
    progress: Progress = lambda *_: None,
    **effort: Any,
) -> "DataFrame":
    """Measure a configuration with many values of its keys.

    Parameters:
        configuration: See ``hydranoc.load``.
        over (mapping of str to sequences, or sequence of str): Values by key, or texts such as
            ``network.buffer_flits=1,2,4``.
        processes: Number of processes; default all cores.
        dask: Address of a Dask scheduler, whose workers measure then.
        progress: Called with the work, points done, and points in all.
        **effort: Members of ``SweepSettings``.

    Returns:
        A row for each point, the last key fastest; independent of processes and workers.

    Raises:
        ConfigError: For the first error.
        MachineTrouble: If pandas or Dask is missing, or processes crash.
    """
    if isinstance(over, Mapping):
        axes = [given_axis(key, values) for key, values in over.items()]
    else:
        axes = [parse_axis(text) for text in over]
    share = sharing(processes, dask)
    planned = Sweep(configuration, axes, SweepSettings(**effort))
    table = planned.run(share, progress)
    planned.kept.drop()
    return table


def sharing(processes: int | None, dask: str | None) -> Callable[..., Iterator[tuple[int, Row]]]:
    """Return the function that shares the work, among processes or a cluster.

    Raises:
        ConfigError: For less than one process.
    """
    if processes is not None and processes < 1:
        raise ConfigError(f"--jobs must be at least 1, not {processes}")
    if dask is not None:
        from hydranoc.sweeps.workers import on_cluster

        return partial(on_cluster, address=dask)
    return partial(on_processes, processes=processes or os.cpu_count() or 1)
