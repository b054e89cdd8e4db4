# (specimens of parts only provide their ports)
"""Core of every network top: routers, injectors and ejectors, wired by the topology."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeAlias

from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import Bits, Constant, ModuleInstance, SharedModule, Slice, Structure, Wire, connect_link
from rtl.generator.table_store import TableStore, switch_tables
from rtl.parts.ejector import MessageEjector
from rtl.parts.injector import MessageInjector
from rtl.parts.link_stage import LinkStage, WireStages
from rtl.parts.monitor import TransferMonitor
from rtl.parts.part import Part
from topology.common.channels import Channel
from topology.common.side_wires import SideWire
from topology.common.virtual_channels import VcNetwork

End: TypeAlias = tuple[ModuleInstance, str]
"""End of a link: instance and port."""


class Fabric:
    """Places and wires all routers, injectors and ejectors of a plan.

    Parameters:
        structure: Structure that they are added to.
        injector, ejector (SharedModule or None): Ends of the network: a part with a link, by default
            ``MessageInjector`` and ``MessageEjector``.

    Members:
        injectors, ejectors (list of ModuleInstance): One injector per channel from a processor, in the order of
            ``injection_channels``, and one ejector per channel into a processor, in the order of ``delivery_channels``;
            their user sides are unconnected.
        valid, ready, tail (tuple of wires, one bit per channel): Handshake of each channel, and the tail bit of the
            flit on it, at the output register.
        moved (Wire, one bit per channel and stage): Bit c: a flit left the output register of channel c of the network
            in this cycle; after the channels a bit for every stage, in the order of ``LinkStages.hops``.
        payload (tuple of wires): The flit on each link, in the order of ``moved``.
        side_wires (tuple of wires): Router outputs that drive the plan's side wires, in their order.
        table_stores (list of ModuleInstance): One ``TableStore`` per switch if tables are loadable, else none; their
            chain is unconnected.
    """

    def __init__(
        self,
        structure: Structure,
        plan: NetworkPlan,
        injector: SharedModule | None = None,
        ejector: SharedModule | None = None,
    ):
        self._structure = structure
        self._plan = plan
        network = plan.network
        used = {instance.shape for instance in plan.routers}
        shapes = {name: _router_module(name, make) for name, make in plan.shapes.items() if name in used}
        self._tables = switch_tables(plan) if plan.loadable_tables else []
        self.table_stores: list[ModuleInstance] = []
        self._routers = [self._router(switch, shapes) for switch in range(network.switches)]
        self._wire_stages: dict[SideWire, ModuleInstance] = {}
        self.side_wires = tuple(self._connect_side_wire(wire) for wire in plan.side_wires)
        injector = injector or SharedModule(lambda: MessageInjector(plan.header, plan.most_flits))
        ejector = ejector or SharedModule(lambda: MessageEjector(plan.flit_bits))
        self.injectors = [structure.instance(f"injector_{name}", injector) for name in network.injection_names]
        self.ejectors = [structure.instance(f"ejector_{name}", ejector) for name in network.delivery_names]
        self._injector_at = dict(zip(network.injection_channels, self.injectors, strict=True))
        self._ejector_at = dict(zip(network.delivery_channels, self.ejectors, strict=True))
        self._stages = self._link_stages()
        valid, ready, payload = [], [], []
        stage_valid, stage_ready, stage_payload = [], [], []
        for channel in network.channels:
            if self._is_vc(channel):
                vc_valid, vc_payload = self._connect_vc(channel)
                valid.append(vc_valid)
                ready.append(Constant(1, 1))  # credits guarantee room: flits with virtual channels always move
                payload.append(vc_payload)
                continue
            ends = self._ends(channel)
            for (source, source_port), (sink, sink_port) in ends:
                connect_link(source, source_port, sink, sink_port)
            handshakes = [(source.output(f"{a}__valid"), sink.output(f"{b}__ready")) for (source, a), (sink, b) in ends]
            valid.append(handshakes[0][0])
            ready.append(handshakes[0][1])
            stage_valid += [stage for stage, _ in handshakes[1:]]
            stage_ready += [stage for _, stage in handshakes[1:]]
            payloads = [source.output(f"{port}__payload") for (source, port), _ in ends]
            payload.append(payloads[0])
            stage_payload += payloads[1:]
        self.valid, self.ready, self.payload = tuple(valid), tuple(ready), (*payload, *stage_payload)
        self.tail = tuple(Slice(flit, flit.width - 1, 1) for flit in payload)
        self._watched = (*self.valid, *stage_valid), (*self.ready, *stage_ready)

    @cached_property
    def moved(self) -> Wire:
        """The member ``moved``; the first access adds its monitor to the structure."""
        monitor = self._structure.instance(
            "channels", SharedModule(lambda: TransferMonitor(self._plan.links.moved_bits))
        )
        for port, wires in zip(("valid", "ready"), self._watched, strict=True):
            monitor.connect(port, wires)
        return monitor.output("moved")

    def _router(self, switch: int, shapes: dict[str, SharedModule]) -> ModuleInstance:
        instance = self._plan.routers[switch]
        router = self._structure.instance(f"router_s{switch}", shapes[instance.shape])
        loaded = self._tables[switch].offsets if self._tables else {}
        for port, value in instance.constants.items():
            if port not in loaded:
                router.tie(port, value)
        if loaded:
            bits = self._tables[switch].bits
            self.table_stores.append(
                self._structure.instance(f"tables_s{switch}", SharedModule(lambda: TableStore(bits)))
            )
            table = self.table_stores[-1].output("table")
            for port, (low, width) in loaded.items():
                router.connect(port, Slice(table, low, width))
        return router

    def _link_stages(self) -> dict[tuple[int, int], ModuleInstance]:
        """Return the register stages of all links, by channel and stage."""
        links, flit_bits = self._plan.links, self._plan.flit_bits
        if not links.hops:
            return {}
        module = SharedModule(lambda: LinkStage(flit_bits))
        return {(c, stage): self._structure.instance(f"link_c{c}_{stage}", module) for c, stage in links.hops}

    def _ends(self, channel: Channel) -> list[tuple[End, End]]:
        """Return the links of a channel in order, from source to sink."""
        stages = [self._stages[hop] for hop in self._plan.links.hops_of(channel.index)]
        sources = [self._source(channel), *((stage, "onward") for stage in stages)]
        sinks = [*((stage, "link") for stage in stages), self._sink(channel)]
        return list(zip(sources, sinks, strict=True))

    def _is_vc(self, channel: Channel) -> bool:
        """Return whether a channel is a virtual channel of a link between switches."""
        network = self._plan.network
        return isinstance(network, VcNetwork) and network.is_switch(channel.source) and network.is_switch(channel.sink)

    def _connect_vc(self, channel: Channel) -> tuple[Slice, Wire]:
        """Connect the link that a virtual channel belongs to; return the valid bit and the payload at its source."""
        network = self._plan.network
        assert isinstance(network, VcNetwork)
        source, output = self._source(channel)
        sink, port = self._sink(channel)
        valid, payload = (source.output(f"{output}__{part}") for part in ("valid", "payload"))
        sink.connect(f"{port}__valid", valid)
        sink.connect(f"{port}__payload", payload)
        return Slice(valid, network.vc_of[channel.index], 1), payload

    def _link(self, channel: Channel) -> Channel:
        """Return the physical channel, which has the router ports."""
        network = self._plan.network
        return network.links.channels[network.link_of[channel.index]] if isinstance(network, VcNetwork) else channel

    def _connect_side_wire(self, wire: SideWire) -> Wire:
        """Connect a side wire; return the router output that drives it."""
        output = source = self._routers[wire.source].output(wire.output)
        stages = self._plan.links.per_side_wire
        if stages and wire.source != wire.sink:
            module = SharedModule(lambda: WireStages(output.width, stages))
            instance = self._structure.instance(f"wire_{wire.input}_s{wire.sink}", module)
            instance.connect("source", output)
            self._wire_stages[wire] = instance
            output = instance.output("sink")
        self._routers[wire.sink].connect(wire.input, output)
        return source

    def _source(self, channel: Channel) -> End:
        """Return the source of a channel: instance and port."""
        network = self._plan.network
        if network.is_switch(channel.source):
            return self._routers[channel.source], f"outputs__{self._link(channel).source_port}"
        return self._injector_at[channel.index], "link"

    def _sink(self, channel: Channel) -> End:
        """Return the sink of a channel: instance and port."""
        network = self._plan.network
        if network.is_switch(channel.sink):
            return self._routers[channel.sink], f"inputs__{self._link(channel).sink_port}"
        return self._ejector_at[channel.index], "link"

    def watched(self, sources: Iterable[tuple[int, str] | SideWire]) -> Bits:
        """Return the router outputs that are no links, and the contents of the register stages of side wires."""
        bits: list[Bits] = []
        for source in sources:
            if not isinstance(source, SideWire):
                switch, port = source
                bits.append(self._routers[switch].output(port))
            elif source in self._wire_stages:
                bits.append(self._wire_stages[source].output("underway"))
        return tuple(bits)

    def delivered_flit(self, delivery: int):
        """Return the payload of one of the ``delivery_channels``."""
        return self.ejectors[delivery].inputs["link__payload"]


def _router_module(shape: str, make: Callable[[], Part]) -> SharedModule:
    module = SharedModule(make)
    if module.part.module_name != shape:
        raise ValueError(f"Router shape {shape!r} must be the module name of its part, not {module.part.module_name!r}")
    return module
