"""AXI4-Stream ends of networks without multicast, and networks as components for Amaranth."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from hydranoc import load
from rtl.endpoints import axi_injector
from rtl.endpoints.axi_ejector import AxiStreamEjector
from rtl.endpoints.axi_injector import SET_MODES, TDEST, AxiStreamInjector
from rtl.torus.network import torus_addressing
from tests.rtl.simulate import run
from tests.tb.racks import mutated
from topology.common.flits import FlitFormat
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

# AXI4-Stream injector and ejector of networks without multicast: headers, cycles, packets without a destination.

BODY = (5, 0, 255, 9)
NODE = 4
GARBAGE = 0x5A5A5A5A
# headers of one flit and of two; numbers of nodes that do not exist, and none
ROUTINGS = {
    "one": TorusRouting(TorusNetwork(Grid(3, 3), 2), 16),
    "two": TorusRouting(TorusNetwork(Grid(2, 4, wraps=False), 2), 8),
}
Beat = tuple[int, int, int]


def packet(tdest: int, body: Iterable[int] = BODY) -> list[Beat]:
    """(tdata, tlast, tdest) of each beat; only the first one's ``tdest`` may be read."""
    words = list(body)
    return [(word, int(i == len(words) - 1), GARBAGE if i else tdest) for i, word in enumerate(words)]


def message(routing: TorusRouting, source: int, destination: int, body: Iterable[int] = BODY) -> list[int]:
    """The flits of a message."""
    header = routing.header.to_flits(routing.header_value(source, [destination]), routing.header.unicast_flits)
    words = [*header, *body]
    pack = FlitFormat(routing.flit_bits).pack
    return [pack(data=word, head=i == 0, tail=i == len(words) - 1) for i, word in enumerate(words)]


class Seen:
    """Events of an injector: flits with their cycles, cycles in which beats were taken, and cycles of errors."""

    def __init__(self):
        self.flits: list[tuple[int, int]] = []
        self.taken: list[int] = []
        self.errors: list[int] = []

    @property
    def sent(self) -> list[int]:
        return [flit for _, flit in self.flits]


def sent(routing: TorusRouting, beats: Iterable[Beat], part: Any = None, cycles: int = 120) -> Seen:
    """Response of the injector of a node to a stream without pauses, on a link without pauses."""
    part = part or AxiStreamInjector(routing.header, torus_addressing(routing), TDEST)
    seen, left = Seen(), list(beats)

    async def testbench(ctx):
        ctx.set(part.node, NODE)
        ctx.set(part.node_fields, NODE)
        ctx.set(part.link.ready, 1)
        for cycle in range(cycles):
            ctx.set(part.tvalid, bool(left))
            if left:
                for port, value in zip((part.tdata, part.tlast, part.tdest), left[0], strict=True):
                    ctx.set(port, value & (1 << len(port)) - 1)
            if ctx.get(part.link.valid):
                seen.flits.append((cycle, ctx.get(part.link.payload.as_value())))
            if ctx.get(part.error):
                seen.errors.append(cycle)
            if ctx.get(part.tready) and left:
                seen.taken.append(cycle)
                left.pop(0)
            await ctx.tick()

    run(part, testbench)
    assert not left
    return seen


def others(routing: TorusRouting) -> list[int]:
    return [node for node in range(routing.network.grid.nodes) if node != NODE]


@pytest.mark.parametrize("name", ROUTINGS)
def test_there_are_no_ports_for_sets(name):
    routing = ROUTINGS[name]
    injector = AxiStreamInjector(routing.header, torus_addressing(routing), TDEST)
    assert "tuser" not in injector.signature.members
    assert {"tuser", "unicast_key"}.isdisjoint(AxiStreamEjector(routing.header).signature.members)


@pytest.mark.parametrize("name", ROUTINGS)
def test_packets_to_all_others(name):
    """Header flits and one cycle more, then a word per cycle; so also for the next packet."""
    routing = ROUTINGS[name]
    seen = sent(routing, [beat for node in others(routing) for beat in packet(node)])
    assert seen.sent == [flit for node in others(routing) for flit in message(routing, NODE, node)]
    overhead = 1 + routing.header.unicast_flits
    period = overhead + len(BODY)
    starts = range(0, period * len(others(routing)), period)
    assert seen.taken == [start + overhead + i for start in starts for i in range(len(BODY))]
    assert [cycle for cycle, _ in seen.flits] == [start + 2 + i for start in starts for i in range(period - 1)]
    assert seen.errors == []


def unroutable(routing: TorusRouting) -> list[int]:
    """The node itself, and all numbers without a node."""
    nodes = routing.network.grid.nodes
    return [NODE, *range(nodes, 1 << (nodes - 1).bit_length())]


def swallowed(routing: TorusRouting, part: Any = None) -> Seen:
    """Packets without a destination, each between two others."""
    stream = [beat for tdest in unroutable(routing) for beat in (*packet(tdest, (1, 2)), *packet(0))]
    return sent(routing, packet(1) + stream, part, cycles=200)


def due_of_swallowed(routing: TorusRouting) -> tuple[list[int], int]:
    """Flits and errors of `swallowed`."""
    count = len(unroutable(routing))
    return message(routing, NODE, 1) + count * message(routing, NODE, 0), count


@pytest.mark.parametrize("name", ROUTINGS)
def test_packets_to_nowhere_are_swallowed(name):
    seen = swallowed(ROUTINGS[name])
    assert (seen.sent, len(seen.errors)) == due_of_swallowed(ROUTINGS[name])
    assert len(set(seen.errors)) == len(seen.errors)


FAULTS = {
    "sends to itself": ("finder.exists & (self.node != self.tdest)", "finder.exists"),
    "sends to nodes that are not there": ("finder.exists & (self.node", "(self.node"),
    "finds the key of the next beat": ("finder.destination.eq(self.tdest)", "finder.destination.eq(self.tdata)"),
    "leaves out the sender": (
        "fixed.eq(concat((finder.key, self._node_fields)))\n        with",
        "fixed.eq(finder.key)\n        with",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(fault):
    routing = ROUTINGS["one"]
    faulty = mutated(axi_injector, *FAULTS[fault]).AxiStreamInjector
    seen = swallowed(routing, faulty(routing.header, torus_addressing(routing), TDEST))
    assert (seen.sent, len(seen.errors)) != due_of_swallowed(routing)


def received(routing: TorusRouting, flits: Iterable[int], ready: Callable[[int], bool]) -> list[tuple[int, list[int]]]:
    """Sender and words of each packet that the ejector gives."""
    part, packets, words, left = AxiStreamEjector(routing.header), [], [], list(flits)

    async def testbench(ctx):
        for cycle in range(6 * len(left) + 8):
            ctx.set(part.link.valid, bool(left))
            ctx.set(part.link.payload.as_value(), left[0] if left else 0)
            ctx.set(part.tready, ready(cycle))
            if ctx.get(part.tvalid) and ready(cycle):
                words.append((ctx.get(part.tid), ctx.get(part.tdata)))
                if ctx.get(part.tlast):
                    ((sender,), data) = {tid for tid, _ in words}, [word for _, word in words]
                    packets.append((sender, data))
                    words.clear()
            if ctx.get(part.link.ready) and left:
                left.pop(0)
            await ctx.tick()

    run(part, testbench)
    assert not left
    assert not words
    return packets


@pytest.mark.parametrize("name", ROUTINGS)
@pytest.mark.parametrize("period", [1, 3])
def test_headers_are_stripped(name, period):
    """Bodies that look like headers, and messages without a body."""
    routing = ROUTINGS[name]
    key_like = [flit & (1 << routing.flit_bits) - 1 for flit in message(routing, 0, NODE)]
    sends = list(zip(others(routing), [BODY, key_like, (), (1,), (0, 0, 0), (), BODY, (2,)], strict=False))
    flits = [flit for node, body in sends for flit in message(routing, node, NODE, body)]
    due = [(node, list(body)) for node, body in sends if body]
    assert received(routing, flits, lambda cycle: cycle % period == 0) == due


@pytest.mark.parametrize("mode", [*SET_MODES, "tid"])
def test_other_modes_are_refused(mode):
    routing = ROUTINGS["one"]
    with pytest.raises(ValueError, match=f"^Destination mode must be tdest, not '{mode}'$"):
        AxiStreamInjector(routing.header, torus_addressing(routing), mode)


# A network as a component for Amaranth: arrays of streams in the order of the manifest, each at its own port.

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
"""Some tests read only the signature of a component."""

MESH = {"family": "spam", "topology": {"kind": "mesh", "shape": [1, 3]}}
NETWORKS = {
    "one channel": (MESH, "tuser"),
    "several outputs": (
        {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 2, "consumption_channels": 2}},
        "tuser",
    ),
    "several inputs": (
        {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 2}, "injection_channels": 2},
        "tdest",
    ),
}


def component(network, mode, **options):
    return load({"network": network}).component(mode, **options)


def simulate(design, testbench) -> None:
    simulator = Simulator(design)
    simulator.add_clock(1e-8)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("name", NETWORKS)
def test_streams_are_those_of_the_manifest(name):
    network, mode = NETWORKS[name]
    names = load({"network": network}).verilog(axi_stream=mode).manifest["axi_stream"]
    design = component(network, mode)
    assert (len(design.sinks), len(design.sources)) == (len(names["inputs"]), len(names["outputs"]))

    async def testbench(ctx):
        for sinks in range(len(design.sinks)):
            for i, sink in enumerate(design.sinks):
                ctx.set(sink.valid, i == sinks)
                ctx.set(sink.payload.data, 0x100 + i)
            ports = [getattr(design._top, f"{port}_tvalid") for port in names["inputs"]]
            assert [ctx.get(port) for port in ports] == [i == sinks for i in range(len(ports))]
            words = [ctx.get(getattr(design._top, f"{port}_tdata")) for port in names["inputs"]]
            assert words == [0x100 + i for i in range(len(ports))]
        for sources in range(len(design.sources)):
            for i, source in enumerate(design.sources):
                ctx.set(source.ready, i == sources)
            ports = [getattr(design._top, f"{port}_tready") for port in names["outputs"]]
            assert [ctx.get(port) for port in ports] == [i == sources for i in range(len(ports))]

    simulate(design, testbench)


def test_payloads_have_the_fields_of_the_ports():
    design = component(MESH, "tuser")
    assert design.sink_payload == data.StructLayout({"data": 32, "last": 1, "dest": 2, "user": 3})
    assert design.source_payload == data.StructLayout({"data": 32, "last": 1, "id": 2, "user": 1})
    assert design.signature.members["sources"].dimensions == (3,)
    assert stream.Signature(design.source_payload).is_compliant(design.sources[2])


def test_networks_without_multicast_have_no_user_field():
    design = component(*NETWORKS["several inputs"])
    assert list(design.sink_payload.members) == ["data", "last", "dest"]
    assert list(design.source_payload.members) == ["data", "last", "id"]


def test_other_outputs_of_an_ejector_are_arrays():
    hexagonal = {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "packet_flits": 4, "reception": "vote"}
    design = component(hexagonal, "tuser")
    flags = {name for name, member in design.signature.members.items() if member.dimensions == (7,)}
    assert flags == {"sinks", "sources", "error", "refused", "undecided"}


def test_other_ports_keep_their_names():
    ports = dict(component({**MESH, "counters": True, "tables": "loadable"}, "tuser").signature.members)
    assert {"moved", "counters_address", "tables_load", "errors_discarded"} <= set(ports)
    assert ports["counters_address"].flow == In
    assert ports["counters_data"].flow == Out


class Echo(wiring.Component):
    """A node that sends the first word of each packet back to its sender."""

    def __init__(self, network):
        super().__init__(
            {"i": In(stream.Signature(network.source_payload)), "o": Out(stream.Signature(network.sink_payload))}
        )

    def elaborate(self, _platform):
        m = Module()
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.data.eq(self.i.payload.data + 1),
            self.o.payload.dest.eq(self.i.payload.id),
            self.o.payload.last.eq(self.i.payload.last),
            self.i.ready.eq(self.o.ready),
        ]
        return m


def test_streams_are_connected_as_streams():
    design = Module()
    design.submodules.network = network = component(MESH, "tuser")
    design.submodules.echo = echo = Echo(network)
    wiring.connect(design, network.sources[2], echo.i)
    wiring.connect(design, echo.o, network.sinks[2])
    seen = []

    async def testbench(ctx):
        packet, answer = network.sinks[0], network.sources[0]
        ctx.set(packet.payload, {"data": 0xCAFE, "last": 1, "dest": 2, "user": 0})
        ctx.set(packet.valid, 1)
        ctx.set(answer.ready, 1)
        await ctx.tick().until(packet.ready)
        ctx.set(packet.valid, 0)
        seen.append((await ctx.tick().sample(answer.payload).until(answer.valid))[0])

    simulate(design, testbench)
    assert (seen[0].data, seen[0].id, seen[0].last) == (0xCAFF, 2, 1)


def test_a_packet_that_goes_nowhere_is_told_at_its_own_flag():
    design = component(MESH, "tuser")
    flagged = []

    async def testbench(ctx):
        ctx.set(design.sinks[1].payload, {"data": 0, "last": 1, "dest": 1, "user": 0})  # to itself
        ctx.set(design.sinks[1].valid, 1)
        for _ in range(6):
            flagged.append([ctx.get(flag) for flag in design.error])
            await ctx.tick()

    simulate(design, testbench)
    assert [sum(node) > 0 for node in zip(*flagged, strict=True)] == [False, True, False]
