"""Generator of a collective plane: Verilog, lint control and manifest."""

import json
from typing import Any

from rtl.collectives.plan import PlanePlan, make_switch
from rtl.collectives.plane import PlaneTop, observed_fields
from rtl.generator.identifiers import is_identifier
from rtl.generator.manifest import lint_control, port_list
from rtl.generator.network import GeneratedDesign
from rtl.generator.structure import StructuralPart
from rtl.generator.verilog import ModuleLibrary
from topology.collectives.operators import OPERATORS


def generate_plane(plan: PlanePlan, top: str = "plane", *, observes: bool = False) -> GeneratedDesign:
    """Generate the Verilog of a plane. The same plan gives the same bytes.

    Parameters:
        plan
        top: Name of the top module, and prefix of all other module names.
        observes: With a port ``observed`` for lock-step runs.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    return generate_top(PlaneTop(plan, observes=observes), top)


def generate_top(part: StructuralPart, top: str) -> GeneratedDesign:
    """Generate the Verilog of a plane's top.

    Parameters:
        part: The plane, or the plane with its registers; with ``plan`` and ``observes``.
        top: Name of the top module, and prefix of all other module names.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    if not is_identifier(top):
        raise ValueError(f"Name of the top module is {top!r}; it must be a Verilog identifier")
    library = ModuleLibrary(prefix=f"{top}_")
    library.add(part, top)
    verilog = library.verilog()
    names = [f"{top}.v", f"{top}.vlt", "manifest.json"]
    manifest = plane_manifest(part, top, library.modules, names)
    texts = [verilog, lint_control(top), json.dumps(manifest, indent=1) + "\n"]
    return GeneratedDesign(top, manifest, dict(zip(names, texts, strict=True)))


def plane_manifest(part: StructuralPart, top: str, modules: list[str], files: list[str]) -> dict[str, Any]:
    """Return the facts about a generated plane, ready for JSON.

    Parameters:
        part: The top.
        top: Name of the top module; the prefix of the others.
        modules: All module names.
        files: Names of the generated files.
    """
    plan = part.plan
    plane, tree = plan.parameters, plan.tree
    return {
        "top": top,
        "parameters": {
            "groups": plane.groups,
            "word_bits": plane.word_bits,
            "operators": [OPERATORS[number] for number in plane.operators],
            "buffer_words": plane.buffer_words,
            "result_words": plane.result_words,
            "window": plane.window,
            "link_cycles": plane.link_cycles,
            "timeouts": plane.timeouts,
        },
        "groups": [list(group.members) for group in plan.tables.groups],
        "switches": [
            {
                "switch": switch,
                "instance": f"switch_s{switch}",
                "module": f"{top}_{make_switch(plan.shapes[switch]).module_name}",
                "parent": tree.parent[switch],
                "branches": [f"{'p' if b.is_processor else 's'}{b.number}" for b in tree.branches_of(switch)],
                **plan.constants(switch),
            }
            for switch in tree.switches
        ],
        "endpoints": [
            {
                "processor": processor,
                "instance": None if plane.barriers_only else f"endpoint_p{processor}",
                "switch": branch.switch,
                "port": branch.port,
            }
            for processor, branch in plan.processor_branches.items()
        ],
        "observed": _observed(plan) if part.observes else [],
        "modules": modules,
        "ports": port_list(part),
        "files": files,
    }


def _observed(plan: PlanePlan) -> list[dict[str, Any]]:
    """Return name, lowest bit and width of every field of ``observed``."""
    found, offset = [], 0
    for name, bits in observed_fields(plan):
        found.append({"name": name, "offset": offset, "bits": bits})
        offset += bits
    return found
