"""Traces: messages from a CSV file with the columns cycle, source, destinations, flits, and perhaps algorithm."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from sim_model.messages.messages import Message, MessageError, Messages

COLUMNS = ("cycle", "source", "destinations", "flits")
ALGORITHM = "algorithm"
MAX_DIGITS = 18
MAX_FIELD_SHOWN = 40
MAX_LINE = 1_000_000


class TraceError(ValueError):
    """A broken line of a trace.

    Parameters:
        problem: "X is Z; it must be Y".
        line: Line, counted from 1.
    """

    def __init__(self, problem: str, line: int):
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


def read_trace(lines: Iterable[str], operations: Mapping[str, int] | None = None) -> list[tuple[int, Message]]:
    """Return records of a trace with their line numbers, in the order of the file.

    Destinations are separated by spaces or semicolons; fields may be quoted. Empty lines and lines that begin with
    # are skipped, and the first of the others may name the columns.

    Parameters:
        lines: An open file, or lines.
        operations (mapping of str to int, or None): Names for a fifth column, ``algorithm``, and the operations that
            they mean. A line that names one needs no destinations.

    Raises:
        TraceError: For a line that is no record.
    """
    operations = operations or {}
    records = []
    for number, text in enumerate(lines, start=1):
        if len(text) > MAX_LINE:
            raise TraceError(f"A line must have at most {MAX_LINE:,} letters", number)
        text = text.strip()
        if not text or text.startswith("#"):
            continue
        fields = _fields(text, number)
        if not records and tuple(fields) in (COLUMNS, (*COLUMNS, ALGORITHM)):
            continue
        records.append((number, _record(fields, operations, number)))
    return records


def bounded_lines(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file that may be endless, such as a device, cut if too long for ``read_trace``."""
    return iter(lambda: file.readline(MAX_LINE + 1), "")


def trace_messages(lines: Iterable[str], *, processors: int, header_flits: Callable[[Sequence[int]], int]) -> Messages:
    """Return checked messages of a trace; parameters as for ``Messages.build``.

    Raises:
        TraceError: For a line that is no record, or whose message breaks a rule.
    """
    records = read_trace(lines)
    try:
        return Messages.build((record for _, record in records), processors=processors, header_flits=header_flits)
    except MessageError as error:
        raise TraceError(error.problem, records[error.number][0]) from None


def _fields(text: str, line: int) -> list[str]:
    try:
        return [field.strip() for field in next(csv.reader([text], skipinitialspace=True))]
    except csv.Error as error:
        raise TraceError(f"A line must be comma-separated values; {error}", line) from None


def _record(fields: list[str], operations: Mapping[str, int], line: int) -> Message:
    operation = 0
    if operations and len(fields) == len(COLUMNS) + 1:
        *fields, algorithm = fields
        operation = _operation(algorithm, operations, line)
    if len(fields) != len(COLUMNS):
        raise TraceError(f"A line must have the {len(COLUMNS)} fields {','.join(COLUMNS)}, not {len(fields)!r}", line)
    cycle, source, flits = (_number(fields[COLUMNS.index(name)], name, line) for name in ("cycle", "source", "flits"))
    parts = [part for part in re.split(r"[\s;]+", fields[2]) if part]
    destinations = tuple(_number(part, "destination", line) for part in parts)
    return Message(source, destinations, flits, start_cycle=cycle, operation=operation)


def _operation(algorithm: str, operations: Mapping[str, int], line: int) -> int:
    if algorithm and algorithm not in operations:
        names = ", ".join(operations)
        raise TraceError(f"Field {ALGORITHM} is {algorithm[:MAX_FIELD_SHOWN]!r}; it must be empty or {names}", line)
    return operations.get(algorithm, 0)


def _number(text: str, name: str, line: int) -> int:
    if not re.fullmatch(r"-?[0-9]+", text):
        raise TraceError(f"Field {name} is {text[:MAX_FIELD_SHOWN]!r}; it must be a whole number", line)
    if len(text) > MAX_DIGITS:
        raise TraceError(f"Field {name} must have at most {MAX_DIGITS} digits, not {len(text)}", line)
    return int(text)
