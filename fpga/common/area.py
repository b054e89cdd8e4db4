"""Cell counts from Yosys' ``stat -json``, and what a device lacks from nextpnr's log."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from fpga.common.devices import Device


class ReportError(ValueError):
    """A tool's report does not hold what it should."""


@dataclass(frozen=True)
class Area:
    """What a design takes of a device.

    Members
    -------
    lut4 : int
        Look-up tables with 4 inputs, those in carry cells included, those used as memories not.
    flip_flops : int
    memories : dict of str to int
        Memory cells by kind, all kinds of the device.
    """

    lut4: int
    flip_flops: int
    memories: Mapping[str, int]

    @property
    def memory_cells(self) -> int:
        """Memory cells of all kinds."""
        return sum(self.memories.values())


def read_area(text: str, device: Device) -> Area:
    """Counts from the report of a flattened design.

    Raises
    ------
    ReportError
        If it is no such report.
    """
    try:
        cells = {kind: int(count) for kind, count in json.loads(text)["design"]["num_cells_by_type"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"Report of Yosys must be JSON with the cells of a design, not {text[:40]!r}") from error
    return Area(
        lut4=sum(luts * cells.get(kind, 0) for kind, luts in device.lut4.items()),
        flip_flops=sum(count for kind, count in cells.items() if kind.startswith(device.flip_flops)),
        memories={kind: cells.get(kind, 0) for kind in device.memories},
    )


@dataclass(frozen=True)
class Shortage:
    """A resource of which a design needs more than the device has."""

    resource: str
    needed: int
    available: int

    def __str__(self) -> str:
        return f"{self.needed:,} {self.resource}, it has {self.available:,}"


_UTILISATION = re.compile(r"^Info:\s+(\w+):\s*(\d+)/\s*(\d+)\s+\d+%$", re.MULTILINE)


def read_shortages(log: str) -> tuple[Shortage, ...]:
    """Resources of which nextpnr's log says that more are needed than there are; it then fails to place the design."""
    found = {name: Shortage(name, int(used), int(available)) for name, used, available in _UTILISATION.findall(log)}
    return tuple(shortage for shortage in found.values() if shortage.needed > shortage.available)
