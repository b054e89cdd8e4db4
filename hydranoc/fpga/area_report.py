"""Area of a design on a device, as plain values and as rows for display.

Devices with LUTs of four inputs have one count of LUTs. Where LUTs have more inputs, synthesis counts them by inputs,
and memories take LUTs from logic, so there are counts by kind, and a sum of both.
"""

from typing import Any

from fpga.common.area import Area
from fpga.common.devices import Device


def area_figures(area: Area, device: Device) -> dict[str, Any]:
    """Return JSON counts: ``lut4``, or ``luts`` as the sum of ``logic_luts`` and ``memory_luts``; and the rest."""
    sums = {"luts": area.luts + area.memory_luts, "logic_luts": area.luts, "memory_luts": area.memory_luts}
    return {
        **({"lut4": area.luts} if device.lut_inputs == 4 else sums),
        "flip_flops": area.flip_flops,
        "memories": dict(area.memories),
        "cells": dict(area.cells),
    }


def area_rows(area: Area, device: Device) -> list[tuple[str, object]]:
    """Return counts for display, without kinds of cells that do not occur."""
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
