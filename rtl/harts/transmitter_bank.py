# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The seven transmitters of a node, each in its slot (Sec. 3): their schedule, and the word read for each."""

from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.harts.page_queues import CHOICE_SLOTS
from rtl.harts.parameters import PORTS, HartsNodeParameters
from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.harts.frame import SLOT_BITS, SLOTS
from topology.harts.graph import DIRECTIONS

# A tail is detected a cycle after its slot, and the next packet's head is in the register a cycle later.
TAIL_CYCLES = 2


class TransmitterBank(Part):
    """State of the transmitters, and the choice of the word to be read from the packet memory.

    Members:
        slot (In(3))
        found (In(1)), chosen (In(page_bits)), level (In(level_bits)), waiting (In(6)): See ``PageQueues``.
        in_turn (Out(1)), turn (Out(page_bits)), queue_wish (Out(level_bits)), start (Out(1)): The same.
        ahead (In(7)), ahead_for_any (In(7)): Whether the node behind each output reserves a page for the next packet,
            and whether for any packet.
        blocked (In(7)): Whether each output register contains a flit that does not move in this cycle.
        reserve (In(6)): The transmitter granted to a receiver, if any.
        received_tail (In(1)), received_for (In(3)): The bus carries the tail of a packet that is sent on, and its
            transmitter.
        read (Out(1)), read_page (Out(page_bits)), read_position (Out(position_bits)): Address in the packet memory.
            Combinational.
        sent (Out(1)), sent_head (Out(1)), sent_for (Out(3)): A word was read in the cycle before, whether it is a head,
            and its output. Registers.
        sent_tail (In(1)): It is a tail.
        sent_page (Out(page_bits)), owed (In(1)): Its page, and whether the packet there still waits for any output.
        give (Out(1)): ``sent_page`` is free again. Combinational.
        can_start (Out(6)): Whether an arriving packet may take each transmitter. Combinational from registers and
            ``ahead``.
        wish (Out(level_bits).array(6)): Level of the most urgent packet waiting for a page ahead; 0 if none waits.
            Registers.
    """

    def __init__(self, parameters: HartsNodeParameters):
        p = self.parameters = parameters
        super().__init__(
            f"harts_transmitter_bank_{p.name}_{p.pages}_{p.gap_frames}",
            {
                "slot": In(SLOT_BITS),
                "found": In(1),
                "chosen": In(p.page_bits),
                "level": In(p.level_bits),
                "waiting": In(DIRECTIONS),
                "in_turn": Out(1),
                "turn": Out(p.page_bits),
                "queue_wish": Out(p.level_bits),
                "start": Out(1),
                "ahead": In(PORTS),
                "ahead_for_any": In(PORTS),
                "blocked": In(PORTS),
                "reserve": In(DIRECTIONS),
                "received_tail": In(1),
                "received_for": In(SLOT_BITS),
                "read": Out(1),
                "read_page": Out(p.page_bits),
                "read_position": Out(p.position_bits),
                "sent": Out(1),
                "sent_head": Out(1),
                "sent_for": Out(SLOT_BITS),
                "sent_tail": In(1),
                "sent_page": Out(p.page_bits),
                "owed": In(1),
                "give": Out(1),
                "can_start": Out(DIRECTIONS),
                "wish": Out(p.level_bits).array(DIRECTIONS),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        p = self.parameters
        slot = self.slot
        sending: Any = Signal(PORTS)
        idle = self._idle(m, sending)
        pages = Array(Signal(p.page_bits, name=f"page_{port}") for port in range(PORTS))
        positions = Array(Signal(p.position_bits, name=f"position_{port}") for port in range(PORTS))
        turns = Array(Signal(p.page_bits, name=f"turn_{port}") for port in range(PORTS))
        bit = Signal(PORTS)
        following = Signal(SLOT_BITS)
        ahead: Any = Signal(SLOT_BITS, name="slot_ahead")
        free = Signal()
        m.d.comb += [
            bit.eq(1 << slot),
            free.eq((bit & ~self.blocked).any()),
            following.eq(slot + 1),
            ahead.eq(slot + CHOICE_SLOTS),
            self.in_turn.eq((self.ahead_for_any & (1 << following)).any()),
            self.turn.eq(turns[ahead]),
            self.start.eq(self.found & free & (bit & idle & self.ahead).any()),
            self.read.eq(self.start | free & (bit & sending).any()),
            self.read_page.eq(Mux(self.start, self.chosen, pages[slot])),
            self.read_position.eq(Mux(self.start, 0, positions[slot])),
        ]
        with m.If(self.read):
            m.d.sync += [pages[slot].eq(self.read_page), positions[slot].eq(self.read_position + 1)]
        with m.If(self.start):
            m.d.sync += turns[slot].eq(Mux(self.chosen == p.pages - 1, 0, self.chosen + 1))
        for direction in range(DIRECTIONS):
            with m.If(ahead == direction):
                m.d.comb += self.queue_wish.eq(self.wish[direction])
            with m.If(slot == direction):
                m.d.sync += self.wish[direction].eq(Mux(self.found & ~self.start, self.level + 1, 0))
        m.d.sync += [
            self.sent.eq(self.read),
            self.sent_head.eq(self.start),
            self.sent_for.eq(slot),
            self.sent_page.eq(self.read_page),
        ]
        self._end(m, sending, bit, pages)
        return m

    def _end(self, m, sending, bit, pages):
        """Release the transmitter's page after its tail; the page's last transmitter frees it."""
        ended: Any = Signal(PORTS)
        shared = Signal()
        m.d.comb += [
            ended.eq(Mux(self.sent & self.sent_tail, 1 << self.sent_for, 0)),
            shared.eq(
                concat(sending[port] & ~ended[port] & (pages[port] == self.sent_page) for port in range(PORTS)).any()
            ),
            self.give.eq(ended.any() & ~shared & ~self.owed),
        ]
        m.d.sync += sending.eq((sending | Mux(self.read, bit, 0)) & ~ended)

    def _idle(self, m, sending) -> Any:
        """Return the transmitters that may start a packet: idle, with the gap after the last packet over."""
        gap_cycles = SLOTS * (self.parameters.gap_frames + 1) - TAIL_CYCLES
        owned: Any = Signal(PORTS)
        idle: Any = Signal(PORTS)
        given = Signal(PORTS)
        received = Signal(PORTS)
        m.d.comb += [
            given.eq(self.reserve),
            received.eq(Mux(self.received_tail, 1 << self.received_for, 0)),
        ]
        m.d.sync += owned.eq((owned | given) & ~received)
        for port in range(PORTS):
            left: Any = Signal(range(gap_cycles + 1), name=f"gap_{port}")
            # the gap does not end while the neighbour leaves the tail waiting: a receiver may load without looking
            waits = self.blocked[port] if port < DIRECTIONS else Const(0)
            with m.If(received[port] | self.sent & self.sent_tail & (self.sent_for == port)):
                m.d.sync += left.eq(gap_cycles)
            with m.Elif((left[1:] != 0) | left[0] & ~waits):
                m.d.sync += left.eq(left - 1)
            m.d.comb += idle[port].eq(~sending[port] & ~owned[port] & (left == 0))
        m.d.comb += self.can_start.eq(idle & ~self.waiting & self.ahead & self.ahead_for_any)
        return idle
