"""A network with AXI4-Stream ends as a component for designs in Amaranth: its ends are arrays of streams."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from amaranth.hdl import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from rtl.generator.structure import StructuralPart
from rtl.parts.flit import stream_of

VALID, READY = "tvalid", "tready"
SINKS, SOURCES = "s_axis_", "m_axis_"


class StreamNetwork(wiring.Component):
    """A network with arrays of ``amaranth.lib.stream`` streams, in clock domain ``sync``.

    Element i of an array is node i's; with several channels of a node the elements are by node, and then by channel, as
    in the manifest. Latency and throughput are those of the network, docs/look_up/ports.md.

    Parameters:
        top: ``AxiStreamTop``, or ``RegisterTop`` around one; its ports have the clock of the network.

    Members:
        sinks (In(stream.Signature(sink_payload)).array(injection channels)): Packets into the network.
        sources (Out(stream.Signature(source_payload)).array(delivery channels)): Packets out of the network.
        error (Out(1).array(injection channels)): High for one cycle when an unroutable packet is drained.
        refused, ... (Out(1).array(delivery channels)): Other outputs of the ejectors, if the family has some.
        others: All ports of the network that belong to no stream, under their names: ``moved``, ``counters_enable``,
            ``s_axil_awaddr`` and so on.
        sink_payload, source_payload (data.StructLayout): Fields ``data``, ``last`` and, where the network has them,
            ``dest`` and ``user`` of a sink, ``id`` and ``user`` of a source.
        registers (RegisterMap or None): Map of the registers behind AXI4-Lite, if there are any.
    """

    if TYPE_CHECKING:
        # the members of the signature are attributes, which a type checker does not see
        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, top: StructuralPart):
        self._top = top
        self.registers = getattr(top, "registers", None)
        network, ports = top.plan.network, top.signature.members
        self._injections, self._deliveries = network.injection_names, network.delivery_names
        into, out = (
            _fields_of(ports, f"{prefix}{names[0]}_")
            for prefix, names in ((SINKS, self._injections), (SOURCES, self._deliveries))
        )
        self.sink_payload, self.source_payload = _payload(into), _payload(out)
        self._flags = {
            prefix: [name for name in fields if not name.startswith("t")]
            for prefix, fields in ((SINKS, into), (SOURCES, out))
        }
        self._others = [name for name in ports if not name.startswith((SINKS, SOURCES))]
        super().__init__(
            {
                "sinks": In(stream_of(self.sink_payload)).array(len(self._injections)),
                "sources": Out(stream_of(self.source_payload)).array(len(self._deliveries)),
                **{name: Out(1).array(len(self._injections)) for name in self._flags[SINKS]},
                **{name: Out(1).array(len(self._deliveries)) for name in self._flags[SOURCES]},
                **{name: ports[name] for name in self._others},
            }
        )

    def elaborate(self, _platform):
        m = Module()
        m.submodules.network = self._top
        for name, stream in zip(self._injections, self.sinks, strict=True):
            self._connect(m, f"{SINKS}{name}_", stream, self.sink_payload, inward=True)
        for name, stream in zip(self._deliveries, self.sources, strict=True):
            self._connect(m, f"{SOURCES}{name}_", stream, self.source_payload, inward=False)
        self._connect_flags(m, SINKS, self._injections)
        self._connect_flags(m, SOURCES, self._deliveries)
        for name in self._others:
            inside, outside = getattr(self._top, name), getattr(self, name)
            is_input = self._top.signature.members[name].flow == In
            m.d.comb += inside.eq(outside) if is_input else outside.eq(inside)
        return m

    def _connect(self, m, prefix: str, stream: Any, payload: data.StructLayout, *, inward: bool) -> None:
        """Connect a stream to the ports of the network that begin with ``prefix``."""
        valid, ready = (getattr(self._top, f"{prefix}{name}") for name in (VALID, READY))
        fields = [(getattr(self._top, f"{prefix}t{name}"), stream.payload[name]) for name in payload.members]
        forward = [(valid, stream.valid), *fields]
        for inside, outside in forward:
            m.d.comb += inside.eq(outside) if inward else outside.eq(inside)
        m.d.comb += stream.ready.eq(ready) if inward else ready.eq(stream.ready)

    def _connect_flags(self, m, prefix: str, streams: Sequence[str]) -> None:
        for name in self._flags[prefix]:
            for stream, flag in zip(streams, getattr(self, name), strict=True):
                m.d.comb += flag.eq(getattr(self._top, f"{prefix}{stream}_{name}"))


def _fields_of(ports: Any, prefix: str) -> dict[str, wiring.Member]:
    """Return the ports of one stream, without the prefix."""
    return {name.removeprefix(prefix): ports[name] for name in ports if name.startswith(prefix)}


def _payload(fields: dict[str, wiring.Member]) -> data.StructLayout:
    """Return the layout of a beat, from the AXI4-Stream ports of one stream."""
    moving = [name for name in fields if name.startswith("t") and name not in (VALID, READY)]
    return data.StructLayout({name.removeprefix("t"): fields[name].shape for name in moving})
