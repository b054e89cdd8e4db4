# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Stored packets and the outputs that they wait for: one bit per page and output.

Selection takes two cycles. Two slots before its own, an output's column of bits is read, and each packet's level and
page are compared with the required ones; in the slot before its own, the first eligible packet is selected. No event in
between affects that output. A packet's row is written when its tail has arrived; the network processor makes it visible
to the outputs in the last slot of the frame.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.harts.parameters import PORTS, HartsNodeParameters
from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, first_at_or_after
from topology.harts.frame import PROCESSOR_SLOT, SLOT_BITS

# Slots from reading an output's column to its own slot.
CHOICE_SLOTS = 2


class PageQueues(Part):
    """Waiting packets by output, and the next one of each output.

    Members:
        slot (In(3))
        enter (In(1), entered_page, entered_outputs), entered_level (In): A packet is complete; it waits for these
            outputs, at least one.
        in_turn (In(1)): For the output of the next slot: packets of all levels take turns; otherwise those that
            ``wish`` entitles.
        wish (In(level_bits)): For the output of the slot after the next: level for which the page ahead is kept.
        turn (In(page_bits)): Likewise: the page with the highest priority.
        found (Out(1)), chosen (Out(page_bits)): Whether a packet waits for the output of this slot, and the next one.
            Registers.
        level (Out(level_bits)): Highest level of the waiting packets. Combinational from registers.
        start (In(1)): The selected packet is being sent and no longer waits.
        waiting (Out(7)): Whether any packet waits for each output. Combinational from registers.
        page (In(page_bits)), owed (Out(1)): Whether the packet in a page waits for any output. Combinational.
    """

    def __init__(self, parameters: HartsNodeParameters):
        p = self.parameters = parameters
        super().__init__(
            f"harts_page_queues_{p.name}_{p.pages}_{p.relay_frames}",
            {
                "slot": In(SLOT_BITS),
                "enter": In(1),
                "entered_page": In(p.page_bits),
                "entered_outputs": In(PORTS),
                "entered_level": In(p.level_bits),
                "in_turn": In(1),
                "wish": In(p.level_bits),
                "turn": In(p.page_bits),
                "found": Out(1),
                "chosen": Out(p.page_bits),
                "level": Out(p.level_bits),
                "start": In(1),
                "waiting": Out(PORTS),
                "page": In(p.page_bits),
                "owed": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        pages = self.parameters.pages
        rows = [Signal(PORTS, name=f"row_{page}") for page in range(pages)]
        levels: list[Any] = [Signal(self.parameters.level_bits, name=f"level_{page}") for page in range(pages)]
        frames = [self._frames(m, page) for page in range(pages)]
        shown = [Signal(PORTS, name=f"shown_{page}") for page in range(pages)]
        ahead: Any = Signal(SLOT_BITS, name="slot_ahead")
        output: Any = Signal(PORTS)
        m.d.comb += [ahead.eq(self.slot + CHOICE_SLOTS), output.eq(1 << ahead)]
        column: Any = Signal(pages)
        entitled: Any = Signal(pages)
        picked: Any = Signal(pages)
        newcomer_waits, newcomer_entitled = self._newcomer(m, output)
        for page, row in enumerate(rows):
            entered = Signal(name=f"entered_{page}")
            waits = self._will_be_seen(frames[page]) & (row & output).any()
            m.d.comb += [
                shown[page].eq(Mux(frames[page] == 0, row, 0)),
                entered.eq(self.enter & (self.entered_page == page)),
            ]
            m.d.sync += [
                column[page].eq(Mux(entered, newcomer_waits, waits)),
                entitled[page].eq(Mux(entered, newcomer_entitled, levels[page] + 1 >= self.wish)),
            ]
            with m.If(entered):
                m.d.sync += [row.eq(self.entered_outputs), levels[page].eq(self.entered_level)]
            with m.Elif(self.start & picked[page]):
                m.d.sync += row.eq(row & ~(1 << self.slot)[:PORTS])
        m.d.comb += [
            self.waiting.eq(concat(concat(row[output] for row in shown).any() for output in range(PORTS))),
            self.owed.eq(concat(row.any() & (self.page == page) for page, row in enumerate(rows)).any()),
        ]
        m.d.sync += self.found.eq(column.any())
        self._choose(m, column, entitled, picked)
        self._find_level(m, column, levels)
        return m

    def _will_be_seen(self, frames) -> Any:
        """Return whether the network processor will be done with a page when the slot after the next begins."""
        return (frames == 0) | (self.slot > PROCESSOR_SLOT - CHOICE_SLOTS) & (frames == 1)

    def _newcomer(self, m, output) -> tuple[Any, Any]:
        """Return whether the entering packet will be seen waiting for the output, and whether the wish entitles it.

        Its row is not written yet. It is visible in time only if the network processor's slot comes in between.
        """
        waits = Signal(name="newcomer_waits")
        entitled = Signal(name="newcomer_entitled")
        soon = (self.slot + 1 == PROCESSOR_SLOT) if self.parameters.relay_frames == 1 else 0
        m.d.comb += [
            waits.eq(soon & (self.entered_outputs & output).any()),
            entitled.eq(self.entered_level + 1 >= self.wish),
        ]
        return waits, entitled

    def _frames(self, m, page: int) -> Any:
        """Return the number of frames until the network processor is done with a page."""
        frames: Any = Signal(range(self.parameters.relay_frames + 1), name=f"frames_{page}")
        with m.If(self.enter & (self.entered_page == page)):
            m.d.sync += frames.eq(self.parameters.relay_frames)
        with m.Elif((self.slot == PROCESSOR_SLOT) & (frames != 0)):
            m.d.sync += frames.eq(frames - 1)
        return frames

    def _find_level(self, m, column, levels):
        """Find the highest level: half of the comparison tree in the slot before the output's own, half in its own."""
        bits = self.parameters.level_bits
        candidates = [Mux(waits, level, 0) for waits, level in zip(column, levels, strict=True)]
        quarters: list[Any] = []
        for quarter in range(4):
            highest: Any = Signal(bits, name=f"highest_of_{quarter}")
            m.d.sync += highest.eq(_largest(m, candidates[quarter::4], bits, f"larger_of_{quarter}"))
            quarters.append(highest)
        m.d.comb += self.level.eq(_largest(m, quarters, bits, "larger"))

    def _choose(self, m, column, entitled, picked):
        pages = self.parameters.pages
        next_picked: Any = Signal(pages)
        eligible: Any = Signal(pages)
        after = Signal(pages)
        m.d.comb += eligible.eq(Mux(self.in_turn, column, column & entitled))
        m.d.sync += after.eq(concat(page >= self.turn for page in range(pages)))
        m.d.comb += next_picked.eq(first_at_or_after(m, eligible, after, "eligible"))
        m.d.sync += [
            picked.eq(next_picked),
            self.chosen.eq(concat(encoded(next_picked, range(pages), self.parameters.page_bits))),
        ]


def _largest(m: Any, values: list[Any], bits: int, name: str) -> Any:
    """Return the largest of some numbers, as a balanced tree."""
    rank = 0
    while len(values) > 1:
        following = []
        for i in range(0, len(values), 2):
            if i + 1 == len(values):
                following.append(values[i])
                continue
            larger: Any = Signal(bits, name=f"{name}_{rank}_{i}")
            m.d.comb += larger.eq(Mux(values[i] > values[i + 1], values[i], values[i + 1]))
            following.append(larger)
        values, rank = following, rank + 1
    return values[0]
