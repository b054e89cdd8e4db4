"""Routing tables as CSV files, written and read: the tables of model, hardware and static check.

A row allows a header to take an output::

    switch,arrival,key,output
    s0,up,p3,s0->s1          at s0 a header for p3 that came on an up channel may leave to s1
    s0,branch,p3,s0->s1      a worm that branches at s0 sends the copy for p3 to s1

With several rows for a header the router chooses; with none, the header branches.
"""

import copy
import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from hydranoc.config.load import NETWORK, Config
from hydranoc.errors import ConfigError, file_error, nearest, reason, shown
from hydranoc.families.reports import TableNames
from sim_model.messages.trace import bounded_lines

COLUMNS = ("switch", "arrival", "key", "output")
BRANCH = "branch"
SUFFIX = ".csv"
SHOWN_NAMES = 6


def table_rows(routing: Any, names: TableNames) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of a family's tables, by switch, class of the arrival channel, key and port; branches come last.

    Parameters:
        routing: The tables: ``network``, ``routes`` and ``reach``.
    """
    network = routing.network
    for switch, name in enumerate(network.switch_names):
        outputs = [network.channels[channel].name for channel in network.output_channel[switch]]
        for key, arrival in sorted(np.argwhere(routing.routes[switch]).tolist(), key=lambda place: place[::-1]):
            mask = int(routing.routes[switch, key, arrival])
            for port in (port for port in range(len(outputs)) if mask >> port & 1):
                yield name, names.arrivals[arrival], names.keys[key], outputs[port]
        for processor, port in np.argwhere(routing.reach[switch].T).tolist():
            yield name, BRANCH, network.vertex_name(network.processor_vertex(processor)), outputs[port]


def write_tables(routing: Any, names: TableNames, file: TextIO) -> int:
    """Write a table file, and return the number of its rows without the heading.

    Parameters:
        routing: See ``table_rows``.
        file: Opened with ``newline=""``.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    rows = 0
    for row in table_rows(routing, names):
        writer.writerow(row)
        rows += 1
    return rows


class TableReader:
    """Tables filled from the rows of a file.

    Parameters:
        routing: The family's own tables of the network, for sizes.

    Members:
        routes, reach (arrays): As those of the family, with the rows so far.
    """

    def __init__(self, routing: Any, names: TableNames):
        network = routing.network
        self.routes, self.reach = np.zeros_like(routing.routes), np.zeros_like(routing.reach)
        self._branching = routing.reach.any(axis=2)
        self._switches = _numbers(network.switch_names)
        self._arrivals = _numbers((*names.arrivals, BRANCH))
        self._keys = _numbers(names.keys)
        vertices = (network.processor_vertex(processor) for processor in range(len(network.processors)))
        self._processors = _numbers([network.vertex_name(vertex) for vertex in vertices])
        self._outputs = [
            _numbers([network.channels[channel].name for channel in channels])
            for channels in network.output_channel[: network.switches]
        ]

    def add(self, fields: Sequence[str]) -> None:
        """Add a row.

        Raises:
            ValueError: "X is Z; it must be Y".
        """
        if len(fields) != len(COLUMNS):
            raise ValueError(f"A row must have {len(COLUMNS)} fields ({', '.join(COLUMNS)}), not {len(fields)}")
        switch = _number("switch", fields[0], self._switches)
        arrival = _number("arrival", fields[1], self._arrivals)
        port = _number("output", fields[3], self._outputs[switch])
        if fields[1] == BRANCH:
            self._add_branch(switch, port, _number("key of a branch", fields[2], self._processors), fields)
        else:
            self._add_route(switch, arrival, _number("key", fields[2], self._keys), port, fields)

    def _add_branch(self, switch: int, port: int, processor: int, fields: Sequence[str]) -> None:
        if not self._branching[switch, port]:
            raise ValueError(f"output of a branch is {shown(fields[3])}; it must be one to which worms can branch")
        _check_new(bool(self.reach[switch, port, processor]), fields)
        self.reach[switch, port, processor] = True

    def _add_route(self, switch: int, arrival: int, key: int, port: int, fields: Sequence[str]) -> None:
        _check_new(bool(self.routes[switch, key, arrival] >> port & 1), fields)
        self.routes[switch, key, arrival] |= 1 << port


def _numbers(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _number(what: str, name: str, numbers: Mapping[str, int]) -> int:
    if name not in numbers:
        known = ", ".join([*numbers][:SHOWN_NAMES]) + (", ..." if len(numbers) > SHOWN_NAMES else "")
        raise ValueError(f"{what} is {shown(name)}; it must be one of {known}{nearest(name, numbers)}")
    return numbers[name]


def _check_new(known: bool, fields: Sequence[str]) -> None:
    if known:
        raise ValueError(f"a row must be there once, not twice: {shown(','.join(fields))}")


def read_tables(path: Path, routing: Any, names: TableNames) -> Any:
    """Return a family's tables with the content of a file in place of its own.

    Parameters:
        routing: The family's own tables of the same network.

    Raises:
        ConfigError: For the first line that is wrong.
        OSError: If there is no such file.
    """
    reader = TableReader(routing, names)
    with path.open(encoding="utf-8-sig", newline="") as file:  # spreadsheets write a byte-order mark
        rows = csv.reader(bounded_lines(file), skipinitialspace=True)
        try:
            heading = next(rows, [])
            if tuple(heading) != COLUMNS:
                raise ValueError(f"the first line is {shown(','.join(heading))}; it must be {','.join(COLUMNS)}")
            for fields in rows:
                reader.add([field.strip() for field in fields])
        except UnicodeDecodeError:
            raise ConfigError("A table file must be UTF-8 text", file=path, line=rows.line_num + 1) from None
        except (ValueError, csv.Error) as error:
            raise ConfigError(str(error), file=path, line=max(rows.line_num, 1)) from None
    changed = copy.copy(routing)
    vars(changed).update(routes=reader.routes, reach=reader.reach)  # cached, so that they are not rebuilt
    return changed


@dataclass(frozen=True)
class FileRouting:
    """Builder of the tables of a network from the table file that its configuration names."""

    config: Config

    def __call__(self, section: Any, network: Any) -> Any:
        """Return tables by network section and network, like ``Family.build_routing``.

        Raises:
            ConfigError: If the family has no tables, or the file is wrong.
            TopologyError, KeyWrong: As ``Family.build_routing``.
        """
        source, family, key = self.config.source, self.config.family, (*NETWORK, "routing")
        routing = family.build_routing(section, network)
        names = names_of(self.config, routing, key)
        try:
            return read_tables(source.files.path(section.routing), routing, names)
        except OSError as error:
            text = f"cannot read tables {shown(section.routing)}: {reason(error)}"
            raise file_error(text, error, source.file, line=source.line_of(key)) from None


def names_of(config: Config, routing: Any, key: Sequence[str | int]) -> TableNames:
    """Return the names for table files of a configuration's family.

    Parameters:
        routing: The family's tables.
        key (sequence of str or int): Key for errors.

    Raises:
        ConfigError: If the family has none, or two nodes have the same name in a row.
    """
    names = config.family.table_names(routing)
    if names is None:
        text = f"family {config.family.name!r} has no routing tables: its routers work out the way from the header"
        raise config.source.error(key, text)
    twice = [name for name, count in Counter(names.keys).items() if count > 1]
    if twice:
        text = f"a table file needs names that differ, and two nodes have the name {shown(twice[0])}"
        raise config.source.error(key, text)
    return names
