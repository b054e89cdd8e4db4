"""Area of a design on a device as plain values, rows for display, and the report of a measurement."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fpga.common.area import Area
from fpga.common.devices import MAX_FLIP_FLOP_WORDS, NAND_TRANSISTORS, NO_CLOCK, Device
from fpga.common.timing import Path, path_lines, with_design_names
from hydranoc.fpga.baseline import BaselineEntry, changes
from hydranoc.fpga.run import Measurement
from hydranoc.reports.table import table


def area_figures(area: Area, device: Device) -> dict[str, Any]:
    """Return JSON counts: ``lut4``, or ``luts`` as the sum of ``logic_luts`` and ``memory_luts``; and the rest.

    Gates have ``gate_equivalents``, ``transistors`` and ``memory_bits`` instead.
    """
    if device.transistors:
        return {
            "gate_equivalents": gate_equivalents(area),
            "transistors": area.transistors,
            "flip_flops": area.flip_flops,
            "memory_bits": area.memory_bits,
            "cells": dict(area.cells),
        }
    sums = {"luts": area.luts + area.memory_luts, "logic_luts": area.luts, "memory_luts": area.memory_luts}
    return {
        **({"lut4": area.luts} if device.lut_inputs == 4 else sums),
        "flip_flops": area.flip_flops,
        "memories": dict(area.memories),
        "cells": dict(area.cells),
    }


def gate_equivalents(area: Area) -> int:
    """Return the area in NAND gates of two inputs, memories that are no gates excluded."""
    return round(area.transistors / NAND_TRANSISTORS)


def area_rows(area: Area, device: Device) -> list[tuple[str, object]]:
    """Return counts for display, without kinds of cells that do not occur."""
    if device.transistors:
        gates = [(kind.strip("$_"), count) for kind, count in sorted(area.cells.items())]
        size = f"{gate_equivalents(area):,}: {area.transistors:,} transistors, {NAND_TRANSISTORS} each"
        deep = (
            [(f"bits in memories of more than {MAX_FLIP_FLOP_WORDS} words", area.memory_bits)]
            if area.memory_bits
            else []
        )
        return [("gate equivalents", size), ("FF", area.flip_flops), *deep, *gates]
    memories = [(kind, count) for kind, count in area.memories.items() if count]
    if device.lut_inputs == 4:
        return [("LUT4", area.luts), ("FF", area.flip_flops), *memories]
    split = f"{area.luts + area.memory_luts:,}: {area.luts:,} in logic, {area.memory_luts:,} in memories"
    kinds = [(kind, area.cells[kind]) for kind in device.luts if kind in area.cells]
    known = (*device.luts, *device.memories)
    others = [
        (kind, count)
        for kind, count in sorted(area.cells.items())
        if kind not in known and not kind.startswith(device.flip_flops)
    ]
    return [("LUT", split), *kinds, ("FF", area.flip_flops), *memories, *others]


CHANGE_NAMES = {"lut4": "LUT4", "flip_flops": "FF", "memory_cells": "memory", "fmax_mhz": "Fmax"}


@dataclass(frozen=True)
class Result:
    """A measurement with its title, instances and baseline.

    Members:
        measurement
        title: Title for display.
        instances: Instances of this shape in the network.
        entry: Stored figures of the same configuration.
        switch_names: Switch names by number.
    """

    measurement: Measurement
    title: str
    instances: int
    entry: BaselineEntry | None
    switch_names: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Critical path of the typical seed."""
        measurement = self.measurement
        return with_design_names(measurement.timings[measurement.typical_seed - 1].path, self.switch_names)


def figures(results: Sequence[Result], device: Device, tools: Sequence[str], seeds: int) -> dict[str, Any]:
    """Return all measurements for JSON."""
    return {
        "device": {"name": device.name, "title": device.title},
        "no_clock": None if device.has_clock else f"a clock is {NO_CLOCK}",
        "tools": list(tools),
        "seeds": seeds if device.has_clock else None,
        "results": [_result_figures(result, device) for result in results],
    }


def _result_figures(result: Result, device: Device) -> dict[str, Any]:
    measurement = result.measurement
    subject = measurement.subject
    compared = None
    if result.entry:
        compared = {"name": result.entry.name, "changes": _rounded(changes(measurement, result.entry))}
    return {
        "name": subject.name,
        "shape": subject.shape,
        "switch": subject.switch,
        "instances": result.instances,
        **area_figures(measurement.area, device),
        "fits": measurement.fits if device.has_clock else None,
        "shortages": [asdict(shortage) for shortage in measurement.shortages],
        "fmax_mhz": None if measurement.fmax_mhz is None else round(measurement.fmax_mhz, 2),
        "fmax_mhz_by_seed": [round(timing.fmax_mhz, 2) for timing in measurement.timings],
        "critical_path": _path_figures(result) if measurement.timings else None,
        "baseline": compared,
    }


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def _path_figures(result: Result) -> dict[str, Any]:
    seed, path = result.measurement.typical_seed, result.path
    return {
        "seed": seed,
        "levels": path.levels,
        "logic_ns": round(path.logic_ns, 3),
        "routing_ns": round(path.routing_ns, 3),
        "hops": [_rounded_hop(asdict(hop)) for hop in path.hops],
    }


def _rounded_hop(hop: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in hop.items()}


def report_text(results: Sequence[Result], device: Device, tools: Sequence[str]) -> str:
    """Return all results for display: figures first, then the critical paths."""
    blocks = [table([("device", device.title), ("tools", ", ".join(tools))])]
    blocks += [f"{result.title}\n{_indented(table(_rows(result, device)))}" for result in results]
    blocks += [_path_text(result) for result in results if result.measurement.timings]
    return "\n\n".join(blocks)


def _rows(result: Result, device: Device) -> list[tuple[str, object]]:
    measurement = result.measurement
    rows = area_rows(measurement.area, device)
    if not device.has_clock:
        rows.append(("clock", NO_CLOCK))
    elif measurement.fmax_mhz is None:
        rows += [("does not fit", f"needs {shortage}") for shortage in measurement.shortages]
    else:
        by_seed = ", ".join(f"{timing.fmax_mhz:.1f}" for timing in measurement.timings)
        rows.append(("Fmax", f"{measurement.fmax_mhz:.1f} MHz, median of {by_seed}"))
    if result.entry:
        rows.append(("baseline", _changes_text(measurement, result.entry)))
    return rows


def _changes_text(measurement: Measurement, entry: BaselineEntry) -> str:
    texts = (f"{CHANGE_NAMES[name]} {change:+.1%}" for name, change in changes(measurement, entry).items())
    return f"{', '.join(texts)} ({entry.name})"


def _path_text(result: Result) -> str:
    seed = result.measurement.typical_seed
    path = result.path
    title = (
        f"critical path of {result.measurement.subject.name}, seed {seed}: {path.levels} levels, "
        f"{path.logic_ns:.2f} ns in cells, {path.routing_ns:.2f} ns on wires"
    )
    return "\n".join([title, *path_lines(path)])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
