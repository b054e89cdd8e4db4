"""Files of a plane beside those of its network: Verilog, lint control, FuseSoC core and manifest."""

import json
from dataclasses import replace

from rtl.collectives.generate import generate_plane
from rtl.collectives.plan import PlanePlan
from rtl.collectives.register_map import PlaneRegisters
from rtl.collectives.register_top import generate_plane_with_registers
from rtl.generator.manifest import fusesoc_core
from rtl.generator.network import GeneratedDesign

PLAIN_MANIFEST = "manifest.json"


def export_plane(plan: PlanePlan, top: str, registers: PlaneRegisters | None = None) -> GeneratedDesign:
    """Generate the files of a plane under names that no network has. The same plan gives the same bytes.

    Parameters:
        plan
        top: Name of the top module, and prefix of all other module names.
        registers: Registers around it; None for ports.

    Returns:
        Its ``files`` are ``<top>.v``, ``<top>.vlt``, ``<top>.core`` and ``<top>.json``, the manifest; with registers
            also ``<top>_regs.h`` and ``<top>_registers.md``.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    generated = generate_plane(plan, top) if registers is None else generate_plane_with_registers(registers, top)
    texts = {name: text for name, text in generated.files.items() if name != PLAIN_MANIFEST}
    size = f"{len(plan.tree.switches)} switches, {len(plan.tree.processors)} processors"
    groups = "1 group" if plan.parameters.groups == 1 else f"{plan.parameters.groups} groups"
    description = f"collective plane, {size}, {groups}"
    texts[f"{top}.core"] = fusesoc_core(top, description, texts)
    manifest = {**generated.manifest, "files": [*texts, f"{top}.json"]}
    return replace(generated, manifest=manifest, files={**texts, f"{top}.json": json.dumps(manifest, indent=1) + "\n"})
