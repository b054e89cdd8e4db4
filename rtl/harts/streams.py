# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""AXI4-Stream ends of a HARTS node; the ejector merges the copies of a broadcast into one packet."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.endpoints.axi_ejector import SOURCE, AxiStreamEjector
from rtl.endpoints.packet_flits import PacketFlits
from rtl.generator.router_parameters import check_range
from rtl.harts.copy_collector import CopyCollector
from rtl.harts.parameters import MAX_PACKET_FLITS, TAGS
from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, packed, table_row
from topology.common.flits import bits_for
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS
from topology.harts.graph import routing_tags
from topology.harts.header import HOST, ID_BITS
from topology.harts.routing import HartsRouting, operation

TUSER_BITS = bits_for(len(ALGORITHMS) + 1)


class HartsStreamInjector(Part):
    """Sends AXI4-Stream packets of one node into the mesh.

    Throughput 1 word per cycle in the body. ``tready`` depends on registers only: on this part's, and on the register
    behind ``link.ready``. Broadcasts and ordinary packets have an id each that counts up by 1: a receiving host
    distinguishes the broadcasts of a source by it, see ``CopyCollector``, and must not miss any.

    Parameters:
        packet_flits: Flits of the longest packet, header included; at least 2.

    Members:
        node (In): Number of this node, a constant.
        tdata, tvalid, tready, tlast: The AXI4-Stream.
        tdest (In), tuser (In(4)): Sampled with the first beat of a packet only. ``tuser`` is 0 in an ordinary packet to
            node ``tdest``, and in a broadcast the number of its algorithm plus 1.
        error (Out(1)): High for one cycle when a packet begins to be drained, because it goes to the node itself, to a
            node that does not exist, or by an algorithm that the mesh does not have; or when the excess of a packet is
            drained, of which only the words that fit are sent. A register.
        link (Out(link_signature)): The injection channel; ``valid`` and ``payload`` are registers.

    Raises:
        ValueError: If the longest packet has no room for a word.
    """

    def __init__(self, routing: HartsRouting, packet_flits: int):
        check_range("Packet length in flits", packet_flits, 2, MAX_PACKET_FLITS)
        self.routing = routing
        self.packet_flits = packet_flits
        header, nodes = routing.header, routing.mesh.nodes
        super().__init__(
            f"harts_stream_injector_n{nodes}_f{header.flit_bits}_h{header.fixed_bits}_p{packet_flits}",
            {
                "node": In(bits_for(nodes)),
                "tdata": In(header.flit_bits),
                "tvalid": In(1),
                "tready": Out(1),
                "tlast": In(1),
                "tdest": In(bits_for(nodes)),
                "tuser": In(TUSER_BITS),
                "error": Out(1),
                "link": Out(link_signature(header.flit_bits)),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        last, sends_header = Signal(), Signal()
        broadcast: Any = Signal(reset_less=True)
        algorithm: Any = Signal(bits_for(len(ALGORITHMS)), reset_less=True)
        offset: Any = Signal(len(self.tdest), reset_less=True)
        words_left = Signal(range(self.packet_flits))
        m.d.comb += last.eq(self.tlast | (words_left == 1))
        header = self._header(m, sends_header, broadcast, algorithm, offset)
        flits = PacketFlits(m, self, header)
        m.d.sync += self.error.eq(0)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += words_left.eq(self.packet_flits - 1)
                self._look_at_first_beat(m, broadcast, algorithm, offset)
            with m.State("HEADER"):
                flits.offer_header(1)
                with m.If(flits.free):
                    m.d.comb += sends_header.eq(1)
                    m.next = "BODY"
            with m.State("BODY"):
                flits.offer_word(last)
                with m.If(self.tvalid & flits.free):
                    m.d.sync += words_left.eq(words_left - 1)
                    with m.If(self.tlast):
                        m.next = "IDLE"
                    with m.Elif(last):
                        m.d.sync += self.error.eq(1)
                        m.next = "SWALLOW"
            with m.State("SWALLOW"), m.If(flits.swallow()):
                m.next = "IDLE"
        return m

    def _look_at_first_beat(self, m, broadcast, algorithm, offset):
        """Compute the packet's destination; ``offset`` is its distance from this node, round the mesh."""
        nodes = self.routing.mesh.nodes
        allowed = [operation(name) for name in ALGORITHMS if name != ALGORITHM_A or self.routing.algorithm_a]
        ordinary, good = Signal(), Signal()
        m.d.comb += [
            ordinary.eq(~self.tuser.any()),
            good.eq(
                Mux(
                    ordinary,
                    (self.tdest < nodes) & (self.tdest != self.node),
                    concat(self.tuser == number for number in allowed).any(),
                )
            ),
        ]
        m.d.sync += [
            broadcast.eq(~ordinary),
            algorithm.eq(self.tuser - 1),
            offset.eq(self.tdest - self.node + Mux(self.tdest < self.node, nodes, 0)),
        ]
        with m.If(self.tvalid):
            with m.If(good):
                m.next = "HEADER"
            with m.Else():
                m.d.sync += self.error.eq(1)
                m.next = "SWALLOW"

    def _header(self, m, sends_header, broadcast, algorithm, offset) -> Value:
        """Return the one header flit, as `HartsRouting.sent_header` makes it."""
        layout, mesh = self.routing.header, self.routing.mesh
        ids = [Signal(ID_BITS, name=name) for name in ("packet_id", "broadcast_id")]
        for number, is_next in zip(ids, (~broadcast, broadcast), strict=True):
            with m.If(sends_header & is_next):
                m.d.sync += number.eq(number + 1)
        widths = dict(layout.fields)
        step_bits = widths[TAGS[0]]
        mask = (1 << step_bits) - 1
        rows = [
            packed([steps & mask for steps in routing_tags(mesh, 0, node)], step_bits) for node in range(mesh.nodes)
        ]
        row_bits = step_bits * len(TAGS)
        table = Const(packed(rows, row_bits), row_bits * mesh.nodes)
        tags: Any = Signal(row_bits)
        m.d.comb += tags.eq(Mux(broadcast, 0, table_row(m, table, offset, row_bits, "tags")))
        fields = {
            "broadcast": broadcast,
            "algorithm": Mux(broadcast, algorithm, 0),
            "direction": HOST,
            "source": self.node,
            "id": Mux(broadcast, ids[1], ids[0]),
            **{name: tags.word_select(axis, step_bits) for axis, name in enumerate(TAGS)},
        }
        header = [Signal(width, name=f"header_{name}") for name, width in layout.fields]
        m.d.comb += [signal.eq(fields.get(name, 0)) for signal, (name, _) in zip(header, layout.fields, strict=True)]
        return concat(header)


class HartsStreamEjector(Part):
    """Delivers each broadcast to the user once, and ordinary packets as they are.

    Latency of the collector plus 1 cycle.

    Parameters:
        make_collector: Makes the ``CopyCollector``.

    Members:
        link (In(link_signature)): The delivery channel. ``ready`` is a register.
        tdata, tvalid, tready, tlast, tid, tuser: The AXI4-Stream: bodies of packets, see ``AxiStreamEjector``. All
            outputs depend on registers only.
        refused, undecided (Out(1)): See ``CopyCollector``. Registers.
    """

    def __init__(self, make_collector: Callable[[], CopyCollector]):
        self._make_collector = make_collector
        collector = make_collector()
        flit_bits = collector.header.flit_bits
        super().__init__(
            collector.module_name.replace("copy_collector", "stream_ejector"),
            {
                "link": In(link_signature(flit_bits)),
                "tdata": Out(flit_bits),
                "tvalid": Out(1),
                "tready": In(1),
                "tlast": Out(1),
                "tid": Out(dict(collector.header.fields)[SOURCE]),
                "tuser": Out(1),
                "refused": Out(1),
                "undecided": Out(1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        made = self._make_collector()
        collector = instantiate(m, platform, "collector", made)
        ejector = instantiate(m, platform, "ejector", AxiStreamEjector(made.header))
        connect(m, flipped(self.link), collector.i)
        connect(m, collector.o, ejector.link)
        m.d.comb += [
            self.tdata.eq(ejector.tdata),
            self.tvalid.eq(ejector.tvalid),
            self.tlast.eq(ejector.tlast),
            self.tid.eq(ejector.tid),
            self.tuser.eq(ejector.tuser),
            ejector.tready.eq(self.tready),
            self.refused.eq(collector.refused),
            self.undecided.eq(collector.undecided),
        ]
        return m
