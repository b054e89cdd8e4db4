"""What a design takes of a device, as plain values and as rows for people.

Of devices with LUTs of four inputs there is one count of LUTs. Where LUTs have more inputs, synthesis says how many of
them each uses, and memories take LUTs from logic: so there are counts by kind, and a sum of both.
"""

from typing import Any

from fpga.common.area import Area
from fpga.common.devices import Device


def area_figures(area: Area, device: Device) -> dict[str, Any]:
    """Counts ready for JSON: ``lut4``, or ``luts`` as the sum of ``logic_luts`` and ``memory_luts``; the rest alike."""
    sums = {"luts": area.luts + area.memory_luts, "logic_luts": area.luts, "memory_luts": area.memory_luts}
    return {
        **({"lut4": area.luts} if device.lut_inputs == 4 else sums),
        "flip_flops": area.flip_flops,
        "memories": dict(area.memories),
        "cells": dict(area.cells),
    }


def area_rows(area: Area, device: Device) -> list[tuple[str, object]]:
    """Counts for people; kinds of cells of which there are none are left out."""
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
