# (specimens of parts only provide their ports)
"""Ports of tops for monitors, channel counters and loadable tables, and the options that add them."""

from typing import Any

from amaranth.lib.wiring import In, Out

from rtl.generator.channel_counters import ChannelCounters
from rtl.generator.fabric import Fabric
from rtl.generator.plan import NetworkPlan, StatusPart
from rtl.generator.structure import SharedModule, Structure, Wire
from rtl.generator.table_store import loaded_words, switch_tables
from topology.common.counter_bus import COUNT_BITS, COUNTED, KIND_BITS, READ_CYCLES, settling_cycles
from topology.common.flits import bits_for
from topology.common.observed import StatusOutput
from topology.common.table_chain import TABLE_WORD_BITS

CLEAR = "clear_"


def status_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of a top for all status parts: ``{name}_{output}`` and ``{name}_clear_{output}``."""
    outputs: dict[str, Any] = {output.name: Out(output.bits) for output in status_outputs(plan)}
    for status in plan.status:
        inputs = _module(plan, status).inputs
        outputs |= {f"{status.name}_{port}": In(inputs[port]) for port in inputs if port.startswith(CLEAR)}
    return outputs


def status_outputs(plan: NetworkPlan) -> tuple[StatusOutput, ...]:
    """Return the outputs of all status parts, in their order."""
    modules = {status.name: _module(plan, status) for status in plan.status}
    return tuple(
        StatusOutput(f"{name}_{port}", width)
        for name, module in modules.items()
        for port, width in module.outputs.items()
    )


def _module(plan: NetworkPlan, status: StatusPart) -> SharedModule:
    return SharedModule(lambda: status.make(plan.clearable_status))


def connect_status(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add the status parts of a plan to a top."""
    for status in plan.status:
        part = structure.instance(status.name, _module(plan, status))
        for port, watched in status.watched.items():
            part.connect(port, fabric.watched(watched))
        for port in part.module.inputs:
            if port.startswith(CLEAR):
                part.connect(port, structure.ports[f"{status.name}_{port}"])
        for port in part.module.outputs:
            structure.outputs[f"{status.name}_{port}"] = part.output(port)


INPUTS = ("enable", "clear", "address")


def counter_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of a top: ``counters_enable`` and others, see ``ChannelCounters``."""
    if not plan.counters:
        return {}
    address_bits = KIND_BITS + bits_for(len(plan.network.channels))
    return {
        "counters_enable": In(1),
        "counters_clear": In(1),
        "counters_address": In(address_bits),
        "counters_data": Out(COUNT_BITS),
    }


def connect_counters(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add the counters of all channels to a top, if the plan has counters."""
    if not plan.counters:
        return
    channels = len(plan.network.channels)
    counters = structure.instance("channel_counters", SharedModule(lambda: ChannelCounters(channels)))
    for name in ("valid", "ready", "tail"):
        counters.connect(name, getattr(fabric, name))
    for name in INPUTS:
        counters.connect(name, structure.ports[f"counters_{name}"])
    structure.outputs["counters_data"] = counters.output("data")


def counter_manifest(plan: NetworkPlan) -> dict[str, Any]:
    """Return the manifest entries about reading the counters."""
    if not plan.counters:
        return {}
    return {
        "counters": {
            "address": "4 * channel + kind",
            "kinds": list(COUNTED),
            "bits": COUNT_BITS,
            "read_cycles": READ_CYCLES,
            "settling_cycles": settling_cycles(len(plan.network.channels)),
        }
    }


def table_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members ``tables_load``, ``tables_data`` and ``tables_out`` (end of the chain) of a top."""
    if not plan.loadable_tables:
        return {}
    word = TABLE_WORD_BITS
    return {"tables_load": In(1), "tables_data": In(word), "tables_out": Out(word)}


def connect_tables(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Chain the table stores, if the plan has loadable tables."""
    if not plan.loadable_tables:
        return
    data: Wire = structure.ports["tables_data"]
    for store in fabric.table_stores:
        store.connect("load", structure.ports["tables_load"])
        store.connect("data", data)
        data = store.output("following")
    structure.outputs["tables_out"] = data


def table_manifest(plan: NetworkPlan, top: str) -> dict[str, Any]:
    """Return the manifest entries about loading."""
    if not plan.loadable_tables:
        return {}
    return {
        "tables": {
            "word_bits": TABLE_WORD_BITS,
            "words": len(loaded_words(plan)),
            "file": table_file(top),
            "switches": [
                {name: {"offset": offset, "bits": bits} for name, (offset, bits) in tables.offsets.items()}
                for tables in switch_tables(plan)
            ],
        }
    }


def table_file(top: str) -> str:
    """Return the name of the file with the words."""
    return f"{top}_tables.hex"


def table_files(plan: NetworkPlan, top: str) -> dict[str, str]:
    """Return the file with the words, one in hexadecimal per line, as Verilog's ``$readmemh`` reads it."""
    if not plan.loadable_tables:
        return {}
    return {table_file(top): "".join(f"{word:02x}\n" for word in loaded_words(plan))}


def optional_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of a top for all options of the plan."""
    return {**counter_members(plan), **status_members(plan), **table_members(plan)}


def connect_optional(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add all options of the plan to a top."""
    connect_counters(structure, fabric, plan)
    connect_status(structure, fabric, plan)
    connect_tables(structure, fabric, plan)


def exported_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of an exported top: those of any top, and ``moved`` if the plan has it."""
    moved = {"moved": Out(plan.links.moved_bits)} if plan.moved else {}
    return {**moved, **optional_members(plan)}


def connect_exported(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add all options of the plan to an exported top, ``moved`` included."""
    if plan.moved:
        structure.outputs["moved"] = fabric.moved
    connect_optional(structure, fabric, plan)
