"""Cell counts from Yosys' ``stat -json``, and missing resources from nextpnr's log."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fpga.common.devices import Device


class ReportError(ValueError):
    """A tool's report lacks an expected entry."""


@dataclass(frozen=True)
class Area:
    """Resources of a device that a design uses.

    Members:
        luts: Look-up tables in logic, including those in carry cells, excluding those used as memories. Two tables that
            may share one LUT of the device count as two.
        flip_flops
        memories (mapping of str to int): Memory cells by kind, all kinds of the device.
        memory_luts: Look-up tables in those memory cells that consist of the same LUTs as logic.
        cells (mapping of str to int): All cells by kind, as the tool names them.
        transistors: Of gates, flip-flops included.
        memory_bits: Bits of memories that are no cells of the device.
    """

    luts: int
    flip_flops: int
    memories: Mapping[str, int]
    memory_luts: int = 0
    cells: Mapping[str, int] = field(default_factory=dict)
    transistors: int = 0
    memory_bits: int = 0

    @property
    def memory_cells(self) -> int:
        """Memory cells of all kinds."""
        return sum(self.memories.values())


_NO_CELLS = ("$scopeinfo", "$mem")
"""Beginnings of the names of what is no cell: a flattened hierarchy, and memories that are counted in bits."""


def read_area(text: str, device: Device) -> Area:
    """Return the counts in the report of a flattened design.

    Raises:
        ReportError: If the report has another format, or a gate of an unknown kind.
    """
    try:
        design = json.loads(text)["design"]
        counts = design["num_cells_by_type"].items()
        memory_bits = int(design["num_memory_bits"]) if device.transistors else 0
        cells = {kind: int(count) for kind, count in counts if not kind.startswith(_NO_CELLS)}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"Report of Yosys is {text[:40]!r}; it must be JSON with the cells of a design") from error
    if device.transistors and (unknown := cells.keys() - device.transistors.keys()):
        raise ReportError(f"Report of Yosys has {sorted(unknown)[0]!r}; cells must be {', '.join(device.transistors)}")
    return Area(
        luts=_weighed(cells, device.luts),
        flip_flops=sum(count for kind, count in cells.items() if kind.startswith(device.flip_flops)),
        memories={kind: cells.get(kind, 0) for kind in device.memories},
        memory_luts=_weighed(cells, device.memory_luts),
        cells=cells,
        transistors=_weighed(cells, device.transistors),
        memory_bits=memory_bits,
    )


def _weighed(cells: Mapping[str, int], weights: Mapping[str, int]) -> int:
    return sum(weight * cells.get(kind, 0) for kind, weight in weights.items())


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
    """Return the resources that the device lacks according to nextpnr's log, which then fails to place the design."""
    found = {name: Shortage(name, int(used), int(available)) for name, used, available in _UTILISATION.findall(log)}
    return tuple(shortage for shortage in found.values() if shortage.needed > shortage.available)
