"""Networks as components for Amaranth."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from hydranoc import load

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
