"""Any one word of the packet in any one page, on its way to any one output, recorded cycle by cycle."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from tests.proofs.claims import Claims
from tests.proofs.harts.bare_node import BareNode
from tests.proofs.harts.page_life import PageLife
from topology.harts.frame import SLOT_BITS
from topology.harts.header import HOST


class WordLife:
    """A word of the page's packet as it was stored, and the words that have left the page for an output.

    Taken for granted: the memory gives what was last written into a row; the output's register is empty or being
    emptied when it is loaded, from the bus or the memory but not both (proved of the transmitters).

    Parameters
    ----------
    claims : Claims
    bare : BareNode
    life : PageLife

    Members
    -------
    place, output : Signal
        Any place in the page, and any output.
    word : Signal
        Data of the flit that went in as the packet's ``place``-th: as its receiver popped it.
    kept : Signal
        Content of the memory in that place.
    owed : Signal
        The packet waited for the output when it was complete.
    count : Signal
        Words that have come out of the page for the output since then.
    comes, goes_through : Signal
        One comes out in this cycle: it is loaded into the output's register; a word on the bus is. No receiver has the
        transmitter of the host (proved of the transmitters).
    popped_number, popped_data : Value
        Of the flit that a receiver popped in the cycle before, so that it is on the bus now.
    read_place, was_read, read_word : Value
        Place that was read in the cycle before, whether it was this one, and what it held.
    link : Value, Value, Value
        Head, tail and data on the output.
    """

    def __init__(self, claims: Claims, bare: BareNode, life: PageLife):
        p = bare.parameters
        self.place: Any = claims.constant(p.position_bits, "any_place")
        self.output: Any = claims.constant(SLOT_BITS, "any_output")
        claims.assume(self.output < len(bare.node.outputs))
        self.owed: Any = Signal(name="owed_reference")
        self.count: Any = Signal(range(p.packet_flits + 2), name="words_out_reference")
        transmitters = bare.transmitters
        here = transmitters.sent & (transmitters.sent_page == bare.page) & (transmitters.sent_for == self.output)
        self.comes: Any = claims.named(here, "comes_out_here")
        bus = bare.receivers.bus
        through = bare.receivers.bus_valid & bus.through & (bus.output == self.output) & (self.output != HOST)
        self.goes_through: Any = claims.named(through, "goes_through_here")
        with claims.m.If(bare.packet.enters):
            entered = bare.queues.entered_outputs.bit_select(self.output, 1)
            claims.m.d.sync += [self.owed.eq(entered), self.count.eq(0)]
        with claims.m.Else():
            claims.m.d.sync += self.count.eq(self.count + self.comes)
        self._watch_entry(claims, bare, life)
        self._watch_memory(claims, bare)
        self._watch_output(claims, bare)

    def _watch_entry(self, claims: Claims, bare: BareNode, life: PageLife) -> None:
        flits: Any = 0
        number: Any = 0
        for port, buffer in enumerate(bare.buffers):
            flits = flits | Mux(bare.popped[port], Value.cast(buffer.flit.data), 0)
            number = number | Mux(bare.popped[port], bare.flits[port], 0)
        self.popped_data: Any = claims.was(flits, "popped_data")
        self.popped_number: Any = claims.was(number, "popped_number")
        self.word: Any = Signal(bare.parameters.flit_bits, name="word_reference")
        with claims.m.If(life.stores & (self.popped_number == self.place)):
            claims.m.d.sync += self.word.eq(self.popped_data)

    def _watch_memory(self, claims: Claims, bare: BareNode) -> None:
        inside, bits = bare.inside, bare.parameters.position_bits
        self.kept: Any = Signal(bare.parameters.flit_bits, name="kept_reference")

        def is_here(address: Any) -> Any:
            return (address[bits:] == bare.page) & (address[:bits] == self.place)

        with claims.m.If(inside.write_enable & is_here(inside.write_address)):
            claims.m.d.sync += self.kept.eq(inside.write_data[: len(self.kept)])
        self.was_read = claims.was(inside.read_enable & is_here(inside.read_address), "word_read_here")
        self.read_word = claims.was(self.kept, "kept")
        claims.assume(~self.was_read | (inside.read_data[: len(self.kept)] == self.read_word))
        self.read_place = claims.was(inside.read_address[:bits], "read_place")

    def _watch_output(self, claims: Claims, bare: BareNode) -> None:
        links = bare.node.outputs
        occupied: Any = Array(link.valid & ~link.ready for link in links)[self.output]
        claims.assume(~((self.comes | self.goes_through) & occupied))
        claims.assume(~(self.goes_through & bare.transmitters.sent & (bare.transmitters.sent_for == self.output)))
        self.valid: Any = claims.named(Array(link.valid for link in links)[self.output], "valid_here")
        payload: Any = claims.named(Array(Value.cast(link.payload) for link in links)[self.output], "payload_here")
        self.data, self.head, self.tail = payload[:-2], payload[-2], payload[-1]
