"""History of any one transmitter, recorded cycle by cycle: its owner, and the flits that enter its register."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.harts.parameters import PORTS
from tests.proofs.claims import Claims
from tests.proofs.harts.bare_node import BareNode
from topology.harts.frame import SLOT_BITS, SLOTS


class OutputLife:
    """Activity of one output of a bare node. Neighbours may leave a flit in its register for any time.

    Parameters
    ----------
    claims : Claims
    bare : BareNode

    Members
    -------
    output : Signal
        Any output, the same in every cycle.
    valid, ready, payload : Value
        Of its link.
    owned, holder : Signal
        A receiver has it, and the number of that receiver.
    sending, page : Signal
        It sends the packet of a page, and the number of that page.
    given, started : Signal
        In this cycle a receiver gets it; it starts a packet from memory.
    from_bus, from_memory : Signal
        Its register is loaded.
    head, tail : Signal
        The flit loaded is a head, or a tail.
    open : Signal
        A head has been loaded and not yet its tail.
    rested : Signal
        Cycles since a tail was loaded, or ``most_rest``.
    age : Signal
        Cycles that the flit has been in the register before this one, or ``most_rest - 1``.
    """

    def __init__(self, claims: Claims, bare: BareNode):
        self.most_rest = SLOTS * (bare.parameters.gap_frames + 1)
        self.output: Any = claims.constant(SLOT_BITS, "any_output")
        claims.assume(self.output < PORTS)
        links = bare.node.outputs
        self.valid = claims.named(Array(link.valid for link in links)[self.output], "valid")
        self.ready = claims.named(Array(link.ready for link in links)[self.output], "ready")
        payloads: Any = Array(Value.cast(link.payload) for link in links)[self.output]
        self.payload = claims.named(payloads, "payload")
        self._watch_owners(claims, bare)
        self._watch_loads(claims, bare)

    def _watch_owners(self, claims: Claims, bare: BareNode) -> None:
        m, bus, transmitters = claims.m, bare.receivers.bus, bare.transmitters
        self.given = claims.named(transmitters.reserve.bit_select(self.output, 1), "given_here")
        self.started = claims.named(transmitters.start & (bare.slot == self.output), "started_here")
        through = bare.receivers.bus_valid & bus.through & (bus.output == self.output)
        self.from_bus = claims.named(through, "from_bus_here")
        self.from_memory = claims.named(transmitters.sent & (transmitters.sent_for == self.output), "from_memory_here")
        self.owned: Any = Signal(name="owned_reference")
        self.holder: Any = Signal(SLOT_BITS, name="holder_reference")
        self.sending: Any = Signal(name="sending_reference")
        self.page: Any = Signal(bare.parameters.page_bits, name="page_reference")
        with m.If(self.given):
            m.d.sync += [self.owned.eq(1), self.holder.eq(bare.slot)]
        with m.Elif(self.from_bus & bus.word.tail):
            m.d.sync += self.owned.eq(0)
        with m.If(self.started):
            m.d.sync += [self.sending.eq(1), self.page.eq(bare.queues.chosen)]
        with m.Elif(self.from_memory & transmitters.sent_tail):
            m.d.sync += self.sending.eq(0)

    def _watch_loads(self, claims: Claims, bare: BareNode) -> None:
        m, word, transmitters = claims.m, bare.receivers.bus.word, bare.transmitters
        self.loads = claims.named(self.from_bus | self.from_memory, "loads_here")
        self.head = claims.named(Mux(self.from_memory, transmitters.sent_head, word.head), "head_here")
        self.tail = claims.named(Mux(self.from_memory, transmitters.sent_tail, word.tail), "tail_here")
        self.open: Any = Signal(name="open_reference")
        self.rested: Any = Signal(range(self.most_rest + 1), name="rested_reference", init=self.most_rest)
        self.age: Any = Signal(range(self.most_rest), name="age_reference", init=self.most_rest - 1)
        m.d.sync += [
            self.rested.eq(self.rested + (self.rested != self.most_rest)),
            self.age.eq(self.age + (self.age != self.most_rest - 1)),
        ]
        with m.If(self.loads):
            m.d.sync += [self.open.eq(~self.tail), self.age.eq(0)]
            with m.If(self.tail):
                m.d.sync += self.rested.eq(1)
