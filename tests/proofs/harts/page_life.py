"""History of any one page, recorded cycle by cycle: free, kept by a receiver, filled by it, full, free again."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.harts.parameters import PORTS
from tests.proofs.claims import Claims
from tests.proofs.harts.bare_node import BareNode
from topology.harts.frame import SLOT_BITS

FREE, KEPT, FILLING, FULL = range(4)


class PageLife:
    """State of the page of a bare node.

    Parameters
    ----------
    claims : Claims
    bare : BareNode

    Members
    -------
    state : Signal
        ``FREE``, ``KEPT``, ``FILLING`` or ``FULL``.
    receiver : Signal
        The receiver that keeps or fills it.
    words : Signal
        Number of words in it.
    tails : Signal
        Places in it that contain a tail.
    senders : Signal
        Outputs that are sending its packet.
    takes, stores, reads, ends, gives : Signal
        In this cycle it is taken; gets a word; is read; one of its senders has read the tail; comes back.
    """

    def __init__(self, claims: Claims, bare: BareNode):
        p, bus, transmitters = bare.parameters, bare.receivers.bus, bare.transmitters
        page, pool = bare.page, bare.pool
        self.state: Any = Signal(2, name="state_reference")
        self.receiver: Any = Signal(SLOT_BITS, name="receiver_reference")
        self.words: Any = Signal(range(p.packet_flits + 2), name="words_reference")
        self.tails: Any = Signal(1 << p.position_bits, name="tails_reference")
        self.senders: Any = Signal(PORTS, name="senders_reference")
        self.takes = claims.named(pool.take & (pool.page == page), "takes_here")
        self.stores: Any = claims.named(bare.receivers.bus_valid & bus.stored & (bus.page == page), "stores_here")
        self.reads = claims.named(transmitters.read & (transmitters.read_page == page), "reads_here")
        sent = transmitters.sent & transmitters.sent_tail
        self.ends = claims.named(sent & (transmitters.sent_page == page), "ends_here")
        self.gives = claims.named(pool.give & (pool.given == page), "gives_here")
        self._step(claims, bare)

    def _step(self, claims: Claims, bare: BareNode) -> None:
        m, bus = claims.m, bare.receivers.bus
        with m.If(self.takes):
            m.d.sync += [self.state.eq(KEPT), self.receiver.eq(bare.slot)]
        with m.Elif(self.stores):
            m.d.sync += [
                self.state.eq(Mux(bus.word.tail, FULL, FILLING)),
                self.words.eq(Mux(bus.word.head, 1, self.words + 1)),
            ]
        with m.Elif(self.gives):
            m.d.sync += self.state.eq(FREE)
        started = Mux(bare.packet.starts, 1 << bare.slot, 0)
        ended = Mux(self.ends, 1 << bare.transmitters.sent_for, 0)
        m.d.sync += self.senders.eq((self.senders | started) & ~ended)
        self._remember_tails(claims, bare)

    def _remember_tails(self, claims: Claims, bare: BareNode) -> None:
        """The packet memory keeps the words written into this page, and the mark of the tail."""
        p, inside = bare.parameters, bare.inside
        places = 1 << p.position_bits
        written = inside.write_enable & (inside.write_address[p.position_bits :] == bare.page)
        for place in range(places):
            with claims.m.If(written & (inside.write_address[: p.position_bits] == place)):
                claims.m.d.sync += self.tails[place].eq(inside.write_data[p.flit_bits])
        read = inside.read_enable & (inside.read_address[p.position_bits :] == bare.page)
        self.was_read = claims.was(read, "read_here")
        self.tail_read = claims.was(self.tails.bit_select(inside.read_address[: p.position_bits], 1), "tail_here")
        claims.assume(~self.was_read | (inside.read_data[p.flit_bits] == self.tail_read))
