"""Files of a plane beside those of its network: Verilog, lint control, FuseSoC core and manifest."""

import json
from dataclasses import replace

from rtl.collectives.generate import generate_plane
from rtl.collectives.plan import PlanePlan
from rtl.collectives.register_map import PlaneRegisters
from rtl.collectives.register_top import generate_plane_with_registers
from rtl.generator.network import GeneratedDesign
from rtl.generator.verilog import LICENSE
from rtl.version import VERSION

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
    texts[f"{top}.core"] = _core(plan, top)
    manifest = {**generated.manifest, "files": [*texts, f"{top}.json"]}
    return replace(generated, manifest=manifest, files={**texts, f"{top}.json": json.dumps(manifest, indent=1) + "\n"})


def _core(plan: PlanePlan, top: str) -> str:
    """Return the FuseSoC core file (CAPI2) of a plane."""
    switches, processors = len(plan.tree.switches), len(plan.tree.processors)
    return f"""CAPI=2:
# SPDX-License-Identifier: {LICENSE}

name: hydranoc:noc:{top}:{VERSION}
description: "collective plane, {switches} switches, {processors} processors, {plan.parameters.groups} groups"

filesets:
  rtl:
    files:
      - {top}.v
    file_type: verilogSource-2005

targets:
  default: &default
    filesets: [rtl]
    toplevel: {top}

  lint:
    <<: *default
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
"""
