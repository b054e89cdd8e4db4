"""Network generator: from a plan to Verilog, manifest and FuseSoC core."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rtl.common.fabric import Fabric
from rtl.common.injector import descriptor_layout
from rtl.common.manifest import fusesoc_core, network_manifest, waivers
from rtl.common.part import Part
from rtl.common.plan import NetworkPlan
from rtl.common.verilog import ModuleLibrary


class NetworkTop(Part):
    """A whole network with one injector and one ejector port per processor.

    Parameters
    ----------
    plan : NetworkPlan

    Members
    -------
    inject_n{i}_message_valid, _ready, _header, _header_flits, _flits
        Message descriptors of processor i, see ``descriptor_layout``.
    inject_n{i}_payload_valid, _ready, _data
        Body words of the accepted message.
    eject_n{i}_valid, _ready, _head, _tail, _data
        Flits that arrive at processor i.
    moved : Out(channels)
        Bit c: a flit moved on channel c in this cycle. Channels are numbered as in ``Network.channels`` and in the
        manifest.
    """

    def __init__(self, plan: NetworkPlan):
        self.plan = plan
        members: dict[str, Any] = {}
        for i in range(len(plan.network.processors)):
            members.update(self._processor_members(i))
        members["moved"] = Out(len(plan.network.channels))
        super().__init__("network", members)

    def _processor_members(self, i: int) -> dict[str, wiring.Member]:
        flit_bits = self.plan.flit_bits
        descriptor = descriptor_layout(self.plan.header).members
        return {
            f"inject_n{i}_message_valid": In(1),
            f"inject_n{i}_message_ready": Out(1),
            **{f"inject_n{i}_message_{name}": In(width) for name, width in descriptor.items()},
            f"inject_n{i}_payload_valid": In(1),
            f"inject_n{i}_payload_ready": Out(1),
            f"inject_n{i}_payload_data": In(flit_bits),
            f"eject_n{i}_valid": Out(1),
            f"eject_n{i}_ready": In(1),
            f"eject_n{i}_head": Out(1),
            f"eject_n{i}_tail": Out(1),
            f"eject_n{i}_data": Out(flit_bits),
        }

    def elaborate(self, platform):
        m: Any = Module()
        fabric = Fabric(m, platform, self.plan)
        m.d.comb += self.moved.eq(fabric.moved)
        for i, (injector, ejector) in enumerate(zip(fabric.injectors, fabric.ejectors, strict=True)):
            self._connect_injector(m, i, injector)
            self._connect_ejector(m, i, ejector.user)
        return m

    def _connect_injector(self, m, i, injector):
        def port(name: str) -> Any:
            return getattr(self, f"inject_n{i}_{name}")

        m.d.comb += [
            injector.message.valid.eq(port("message_valid")),
            port("message_ready").eq(injector.message.ready),
            injector.payload.valid.eq(port("payload_valid")),
            port("payload_ready").eq(injector.payload.ready),
            injector.payload.payload.eq(port("payload_data")),
        ]
        for name in descriptor_layout(self.plan.header).members:
            m.d.comb += injector.message.payload[name].eq(port(f"message_{name}"))

    def _connect_ejector(self, m, i, user):
        m.d.comb += [
            getattr(self, f"eject_n{i}_valid").eq(user.valid),
            user.ready.eq(getattr(self, f"eject_n{i}_ready")),
        ]
        for name in ("head", "tail", "data"):
            m.d.comb += getattr(self, f"eject_n{i}_{name}").eq(user.payload[name])


@dataclass(frozen=True)
class GeneratedDesign:
    """A network as files.

    Members
    -------
    top : str
        Name of the top module.
    files : dict of str to str
        File names and their texts: ``<top>.v`` with all modules, ``<top>.vlt``, ``<top>.core`` and ``manifest.json``.
    manifest : dict
        What ``manifest.json`` says.
    """

    top: str
    manifest: dict[str, Any]
    files: dict[str, str] = field(repr=False)


def generate_network(plan: NetworkPlan, top: str = "noc") -> GeneratedDesign:
    """Make the Verilog of a network. The same plan gives the same bytes.

    Parameters
    ----------
    plan : NetworkPlan
    top : str
        Name of the top module, and prefix of all other module names.

    Raises
    ------
    ValueError
        If the name is no Verilog identifier.
    """
    return generate_design(NetworkTop, plan, top, {})


def generate_design(
    make_top: Callable[[NetworkPlan], Part], plan: NetworkPlan, top: str, extra: dict[str, Any]
) -> GeneratedDesign:
    """Make the files of a top-level part around a plan; ``extra`` is added to the manifest."""
    if not (top.isascii() and top.isidentifier()):
        raise ValueError(f"Name of the top module must be a Verilog identifier, not {top!r}")
    part = make_top(plan)
    library = ModuleLibrary(prefix=f"{top}_")
    library.add(part, top)
    verilog = library.verilog()
    names = [f"{top}.v", f"{top}.vlt", f"{top}.core", "manifest.json"]
    manifest = {**network_manifest(part, plan, top, library.modules, names), **extra}
    texts = [verilog, waivers(), fusesoc_core(top, plan), json.dumps(manifest, indent=1) + "\n"]
    return GeneratedDesign(top, manifest, dict(zip(names, texts, strict=True)))
