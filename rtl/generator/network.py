# (a top that is written as text is not elaborated)
"""Network generator: from a plan to Verilog, manifest and FuseSoC core."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rtl.generator.fabric import Fabric
from rtl.generator.identifiers import is_identifier
from rtl.generator.manifest import fusesoc_core, lint_control, network_manifest
from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import ModuleInstance, Slice, StructuralPart, Structure
from rtl.generator.top_ports import connect_exported, counter_manifest, exported_members, table_files, table_manifest
from rtl.generator.verilog import ModuleLibrary
from rtl.parts.injector import descriptor_layout
from topology.common.flits import FlitFormat


class NetworkTop(StructuralPart):
    """A whole network with an injector port per injection channel and an ejector port per delivery channel.

    Members:
        inject_n{i}_message_valid, _ready, _header, _header_flits, _flits: Message descriptors of processor i, see
            ``descriptor_layout``. If it has several injection channels: ``inject_n{i}_c{k}_message_valid`` and so on,
            like the next four.
        inject_n{i}_error (Out(1)): A descriptor has been refused since the last reset, see ``MessageInjector``.
        inject_n{i}_payload_valid, _ready, _data: Body words of the accepted message.
        eject_n{i}_valid, _ready, _head, _tail, _data: Flits that arrive at processor i. If it has several delivery
            channels: ``eject_n{i}_c{k}_valid`` and so on.
        moved (Out(channels and stages)): Bit c: a flit moved on channel c in this cycle, or out of a register stage of
            a link. Channels are numbered as in ``Network.channels`` and in the manifest, which lists the stages as
            well. Absent if the plan omits it.
        counters_enable, counters_clear, counters_address, counters_data: Bus of the channel counters, see
            ``ChannelCounters``; only if the plan has counters.
        tables_load, tables_data, tables_out: Chain of the table stores, see ``TableStore``; only if tables are
            loadable. Load them under reset.
        others: Outputs of the plan's status parts, ``{name}_{output}``.
    """

    def __init__(self, plan: NetworkPlan):
        self.plan = plan
        members: dict[str, Any] = {}
        for i in range(len(plan.network.processors)):
            for name in plan.network.injection_names_of(i):
                members.update(self._injector_members(f"inject_{name}"))
            for name in plan.network.delivery_names_of(i):
                members.update(self._ejector_members(f"eject_{name}"))
        members.update(exported_members(plan))
        super().__init__("network", members)

    def _injector_members(self, prefix: str) -> dict[str, wiring.Member]:
        descriptor = descriptor_layout(self.plan.header).members
        return {
            f"{prefix}_message_valid": In(1),
            f"{prefix}_message_ready": Out(1),
            **{f"{prefix}_message_{name}": In(width) for name, width in descriptor.items()},
            f"{prefix}_error": Out(1),
            f"{prefix}_payload_valid": In(1),
            f"{prefix}_payload_ready": Out(1),
            f"{prefix}_payload_data": In(self.plan.flit_bits),
        }

    def _ejector_members(self, prefix: str) -> dict[str, wiring.Member]:
        return {
            f"{prefix}_valid": Out(1),
            f"{prefix}_ready": In(1),
            f"{prefix}_head": Out(1),
            f"{prefix}_tail": Out(1),
            f"{prefix}_data": Out(self.plan.flit_bits),
        }

    def structure(self):
        structure = Structure(self)
        fabric = Fabric(structure, self.plan)
        connect_exported(structure, fabric, self.plan)
        network = self.plan.network
        for name, injector in zip(network.injection_names, fabric.injectors, strict=True):
            self._connect_injector(structure, f"inject_{name}", injector)
        for name, ejector in zip(network.delivery_names, fabric.ejectors, strict=True):
            self._connect_ejector(structure, f"eject_{name}", ejector)
        return structure

    def _connect_injector(self, structure: Structure, prefix: str, injector: ModuleInstance):
        ports, outputs = structure.ports, structure.outputs
        descriptor = tuple(ports[f"{prefix}_message_{name}"] for name in descriptor_layout(self.plan.header).members)
        injector.connect("message__valid", ports[f"{prefix}_message_valid"])
        injector.connect("message__payload", descriptor)
        injector.connect("payload__valid", ports[f"{prefix}_payload_valid"])
        injector.connect("payload__payload", ports[f"{prefix}_payload_data"])
        outputs[f"{prefix}_message_ready"] = injector.output("message__ready")
        outputs[f"{prefix}_error"] = injector.output("error")
        outputs[f"{prefix}_payload_ready"] = injector.output("payload__ready")

    def _connect_ejector(self, structure: Structure, prefix: str, ejector: ModuleInstance):
        flit, low = ejector.output("user__payload"), 0
        ejector.connect("user__ready", structure.ports[f"{prefix}_ready"])
        structure.outputs[f"{prefix}_valid"] = ejector.output("user__valid")
        for name, width in FlitFormat(self.plan.flit_bits).fields:
            structure.outputs[f"{prefix}_{name}"] = Slice(flit, low, width)
            low += width


@dataclass(frozen=True)
class GeneratedDesign:
    """A network as files.

    Members:
        top: Name of the top module.
        files: File names and their texts: ``<top>.v`` with all modules, ``<top>.vlt``, ``<top>.core`` and
            ``manifest.json``; ``<top>_tables.hex`` if tables are loadable.
        manifest: Content of ``manifest.json``.
    """

    top: str
    manifest: dict[str, Any]
    files: dict[str, str] = field(repr=False)


MakeTop = Callable[[NetworkPlan], StructuralPart]
Generator = Callable[[MakeTop, NetworkPlan, str, dict[str, Any]], GeneratedDesign]
"""Makes the files of a top-level part around a plan, with a name and additional manifest entries."""


def generate_design(
    make_top: MakeTop,
    plan: NetworkPlan,
    top: str,
    extra: dict[str, Any],
    *,
    files: Mapping[str, str] | None = None,
) -> GeneratedDesign:
    """Generate the files of a top-level part around a plan.

    Parameters:
        make_top (function): Makes the part.
        top: Name of the top module, and prefix of all other module names.
        extra: More entries of the manifest.
        files (mapping of str to str): More files: names and texts. C headers among them are in the core, for dependent
            cores.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    if not is_identifier(top):
        raise ValueError(f"Name of the top module is {top!r}; it must be a Verilog identifier")
    part = make_top(plan)
    library = ModuleLibrary(prefix=f"{top}_")
    library.add(part, top)
    verilog = library.verilog()
    more = {**table_files(plan, top), **(files or {})}
    names = [f"{top}.v", f"{top}.vlt", f"{top}.core", *more, "manifest.json"]
    manifest = {
        **network_manifest(part, plan, top, library.modules, names),
        **counter_manifest(plan),
        **table_manifest(plan, top),
        **extra,
    }
    network = plan.network
    size = f"{network.switches} switches, {len(network.processors)} processors"
    core = fusesoc_core(top, f"{plan.family} network, {size}", more)
    texts = [verilog, lint_control(top), core, *more.values(), json.dumps(manifest, indent=1) + "\n"]
    return GeneratedDesign(top, manifest, dict(zip(names, texts, strict=True)))


def generate_network(plan: NetworkPlan, top: str = "noc", generate: Generator = generate_design) -> GeneratedDesign:
    """Generate the Verilog of a network. The same plan gives the same bytes.

    Parameters:
        top: Name of the top module, and prefix of all other module names.
        generate (function): ``generate_design``, or ``rtl.registers.top.generate_with_registers``.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    return generate(NetworkTop, plan, top, {})
