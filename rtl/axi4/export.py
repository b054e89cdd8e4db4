"""Files of networks with AXI4 ends: Verilog, lint control, FuseSoC core, manifest, and the address map for software."""

import json
from collections.abc import Iterator
from typing import Any

from rtl.axi4.network import MANAGER, REQUESTS, RESPONSES, SUBORDINATE, Axi4Plan, Axi4Top
from rtl.generator.identifiers import is_identifier
from rtl.generator.manifest import fusesoc_core, lint_control, port_list
from rtl.generator.network import GeneratedDesign
from rtl.generator.verilog import LICENSE, ModuleLibrary


def generate_axi4(plan: Axi4Plan, top: str = "noc") -> GeneratedDesign:
    """Generate the files. The same plan gives the same bytes.

    Parameters:
        plan
        top: Name of the top module, and prefix of all other module names.

    Returns:
        Its ``files`` are ``<top>.v``, ``<top>.vlt``, ``<top>.core``, ``<top>_map.h``, ``<top>_map.dtsi`` and
            ``manifest.json``.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    if not is_identifier(top):
        raise ValueError(f"Name of the top module is {top!r}; it must be a Verilog identifier")
    part, library = Axi4Top(plan), ModuleLibrary(prefix=f"{top}_")
    library.add(part, top)
    header, tree = f"{top}_map.h", f"{top}_map.dtsi"
    names = [f"{top}.v", f"{top}.vlt", f"{top}.core", header, tree, "manifest.json"]
    manifest = {**_manifest(plan), "top": top, "modules": library.modules, "ports": port_list(part), "files": names}
    texts = [library.verilog(), lint_control(top), fusesoc_core(top, _description(plan), [header])]
    texts += [_c_header(plan, top), _device_tree(plan), json.dumps(manifest, indent=1) + "\n"]
    return GeneratedDesign(top, manifest, dict(zip(names, texts, strict=True)))


def _description(plan: Axi4Plan) -> str:
    managers, subordinates = len(plan.managers), len(plan.subordinates)
    families = " and ".join(dict.fromkeys((plan.requests.family, plan.responses.family)))
    return f"{families} networks with AXI4 ends, {managers} managers, {subordinates} subordinates"


def _manifest(plan: Axi4Plan) -> dict[str, Any]:
    axi, areas = plan.axi, plan.areas
    networks = ((REQUESTS, plan.requests), (RESPONSES, plan.responses))
    regions = [{"processor": r.processor, "base": r.base, "size": r.size} for r in areas.regions]
    windows = [{"processors": list(w.processors), "base": w.base, "size": w.size} for w in areas.windows]
    widths = ("address_bits", "data_bits", "id_bits", "user_bits", "outstanding")
    return {
        "axi4": {
            **{name: getattr(axi, name) for name in widths},
            "pending": plan.pending,
            **({"max_burst_flits": plan.cut_beats} if plan.cut_beats else {}),
            **({"multicast_mask": "awuser"} if axi.masks else {}),
            **({"lite": list(plan.lite)} if plan.lite else {}),
            **({"timeout_cycles": plan.timeout_cycles} if plan.timeout_cycles else {}),
            **({"delivery_buffer_flits": plan.delivery_buffer_flits} if plan.delivery_buffer_flits else {}),
            "managers": {i: f"{MANAGER}_n{i}" for i in plan.managers},
            "subordinates": {i: f"{SUBORDINATE}_n{i}" for i in plan.subordinates},
            "regions": regions,
            "multicast": windows,
        },
        **{
            name: {"family": net.family, "parameters": dict(net.parameters), "flit_bits": net.flit_bits}
            for name, net in networks
        },
    }


def _areas(plan: Axi4Plan) -> Iterator[tuple[str, int, int, str]]:
    """Yield name, base, size and description of every area."""
    counts: dict[int, int] = {}
    for area in plan.areas.regions:
        number = counts[area.processor] = counts.get(area.processor, -1) + 1
        yield f"n{area.processor}" + (f"_{number}" if number else ""), area.base, area.size, "one subordinate"
    for i, window in enumerate(plan.areas.windows):
        members = ", ".join(f"n{processor}" for processor in window.processors)
        yield f"multicast_{i}", window.base, window.size, f"writes go to {members}"


def _c_header(plan: Axi4Plan, top: str) -> str:
    """Return base, last address and size of every area; no size that is beyond the type of an address."""
    prefix = f"{top.upper()}_"
    lines = [f"/* SPDX-License-Identifier: {LICENSE} */", f"/* Address map of {top}. */", f"#ifndef {prefix}MAP_H"]
    lines += [f"#define {prefix}MAP_H", ""]
    suffix, type_bits = ("ULL", 64) if plan.axi.address_bits > 32 else ("UL", 32)
    for name, base, size, text in _areas(plan):
        constants = {"BASE": base, "LAST": base + size - 1, "SIZE": size}
        if size >> type_bits:
            del constants["SIZE"]
            text += f"; its size, {size:#x}, does not fit the type of an address"
        lines.append(f"/* {text} */")
        lines += [f"#define {prefix}{name.upper()}_{key} {value:#x}{suffix}" for key, value in constants.items()]
    return "\n".join([*lines, "", "#endif", ""])


def _device_tree(plan: Axi4Plan) -> str:
    """Return the regions as memories, for a device tree that includes the file."""
    address_cells = 2 if plan.axi.address_bits > 32 else 1
    largest = max(region.size for region in plan.areas.regions)
    size_cells = 2 if address_cells == 2 or largest >> 32 else 1

    def cells(value: int, count: int) -> str:
        return f"{value >> 32:#x} {value & 0xFFFFFFFF:#x}" if count > 1 else f"{value:#x}"

    def entries(base: int, size: int) -> str:
        if size >> 64:  # as two halves: a size has 64 bits at most
            return f"{entries(base, size // 2)}, {entries(base + size // 2, size // 2)}"
        return f"<{cells(base, address_cells)} {cells(size, size_cells)}>"

    lines = [f"/* SPDX-License-Identifier: {LICENSE} */", "/ {"]
    lines += [f"\t#address-cells = <{address_cells}>;", f"\t#size-cells = <{size_cells}>;", ""]
    for region in plan.areas.regions:
        lines += [f"\tmemory@{region.base:x} {{", '\t\tdevice_type = "memory";']
        lines += [f"\t\treg = {entries(region.base, region.size)};", "\t};"]
    return "\n".join([*lines, "};", ""])
