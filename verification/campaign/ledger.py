"""The ledger: a line for each completed case, appended at its end, so that a killed campaign loses none."""

import csv
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from hydranoc.errors import ConfigError
from verification.campaign.run import Found


@dataclass(frozen=True)
class Entry:
    """A line.

    Members:
        case
        family
        configuration: Its digest.
        routers, cycles, messages (int): Cycles that were compared.
        cpu_seconds: Of all processes, building included.
        verdict: ``equal``, ``mismatch`` or ``trouble``.
        versions: Of HydraNoC, its sources' digest, and Verilator's.
        situations: ``name=count``, separated by blanks; those with count 0 are left out.
    """

    case: int
    family: str
    configuration: str
    routers: int
    cycles: int
    messages: int
    cpu_seconds: int
    verdict: str
    versions: str
    situations: str

    @classmethod
    def of(cls, found: Found, versions: str) -> "Entry":
        """Return the entry of a case's result."""
        seen = " ".join(f"{name}={count}" for name, count in found.situations.items() if count)
        sizes = (found.routers, found.cycles, found.messages, round(found.cpu_seconds))
        return cls(found.case, found.family, found.configuration, *sizes, found.verdict, versions, seen)

    def __post_init__(self):
        _ = self.seen  # refuses wrong texts

    @property
    def router_cycles(self) -> int:
        """Cycles of all routers."""
        return self.routers * self.cycles

    @property
    def seen(self) -> dict[str, int]:
        """Situations and their counts."""
        pairs = (pair.split("=") for pair in self.situations.split())
        return {name: int(count) for name, count in pairs}


class _Line(Protocol):
    """A dataclass of texts and whole numbers, with the number of a case."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def case(self) -> int: ...


Line = TypeVar("Line", bound=_Line)


class Ledger(Generic[Line]):
    """A ledger in a file.

    Parameters:
        path: Created with the first line.
        kind (type): Dataclass of a line.
    """

    def __init__(self, path: Path, kind: type[Line]):
        self.path = path
        self._kind = kind
        types = {field.name: field.type for field in fields(kind)}
        self._columns, self._whole = tuple(types), tuple(name for name, of in types.items() if of is int)

    def entries(self) -> list[Line]:
        """Return all entries; the last one counts if a case has several. An incomplete line is left out.

        Raises:
            ConfigError: If the file is not a ledger.
        """
        return list({entry.case: entry for entry in self._read()}.values()) if self.path.exists() else []

    def _read(self) -> Iterator[Line]:
        with self.path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            if tuple(next(rows, ())) != self._columns:
                text = f"a ledger must begin with the columns {','.join(self._columns)}"
                raise ConfigError(text, file=self.path, line=1)
            for row in rows:
                if len(row) < len(self._columns):
                    continue  # its writer was killed
                yield self._entry(rows.line_num, row)

    def _entry(self, line: int, row: list[str]) -> Line:
        try:
            pairs = zip(self._columns, row, strict=True)
            values: dict[str, Any] = {name: int(text) if name in self._whole else text for name, text in pairs}
            return self._kind(**values)
        except ValueError:
            right = f"it must be {','.join(self._columns)} with whole numbers for {', '.join(self._whole)}"
            raise ConfigError(f"a line is {','.join(row)!r}; {right}", file=self.path, line=line) from None

    def add(self, entry: Line) -> None:
        """Append a line; it is on disk when this returns. Several processes may append."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+", encoding="utf-8", newline="") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            text = file.read()
            writer = csv.writer(file, lineterminator="\n")
            if not text:
                writer.writerow(self._columns)
            elif not text.endswith("\n"):
                file.write("\n")  # after an incomplete line
            writer.writerow([getattr(entry, name) for name in self._columns])
            file.flush()
            os.fsync(file.fileno())
