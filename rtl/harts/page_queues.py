# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Stored packets and the outputs that they wait for: one bit per page and output.

An output sees its column of bits in the slot before its own, so that there is a whole cycle to choose in: nothing that
happens in that slot changes the column. A packet's row is written when its tail has arrived; the network processor, in
the last slot of the frame, lets the outputs see it.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.common.part import Part
from rtl.common.selection import concat, encoded, first_at_or_after
from rtl.harts.parameters import PORTS, HartsNodeParameters
from topology.harts.frame import PROCESSOR_SLOT, SLOT_BITS


class PageQueues(Part):
    """Which packets wait for which outputs, and which of them is next.

    Parameters
    ----------
    parameters : HartsNodeParameters

    Members
    -------
    slot : In(3)
    enter : In(1), entered_page, entered_outputs, entered_level : In
        A packet is complete; it waits for these outputs, at least one.
    in_turn : In(1)
        For the output of the next slot: packets of all levels take turns; otherwise those that ``wish`` entitles.
    wish : In(level_bits)
        The same: level for which the page ahead is kept.
    turn : In(page_bits)
        The same: page that has first choice.
    found : Out(1), chosen : Out(page_bits)
        Whether a packet waits for the output of this slot, and which is next. Registers.
    level : Out(level_bits)
        Highest level of those that wait. A register.
    start : In(1)
        The chosen packet is being sent and does not wait any more.
    waiting : Out(7)
        Whether any packet waits for each output. Combinational from registers.
    page : In(page_bits), owed : Out(1)
        Whether the packet in a page waits for any output. Combinational.
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
        following: Any = Signal(SLOT_BITS)
        following_bit: Any = Signal(PORTS)
        m.d.comb += [following.eq(self.slot + 1), following_bit.eq(1 << following)]
        column: Any = Signal(pages)
        picked: Any = Signal(pages)
        for page, row in enumerate(rows):
            entered = Signal(name=f"entered_{page}")
            m.d.comb += [
                shown[page].eq(Mux(frames[page] == 0, row, 0)),
                column[page].eq(self._will_be_seen(frames[page]) & (row & following_bit).any()),
                entered.eq(self.enter & (self.entered_page == page)),
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
        self._choose(m, column, levels, picked)
        return m

    def _will_be_seen(self, frames) -> Any:
        """Whether the network processor will have dealt with a page when the next slot comes."""
        return (frames == 0) | (self.slot == PROCESSOR_SLOT) & (frames == 1)

    def _frames(self, m, page: int) -> Any:
        """Frames until the network processor has dealt with a page."""
        frames: Any = Signal(range(self.parameters.relay_frames + 1), name=f"frames_{page}")
        with m.If(self.enter & (self.entered_page == page)):
            m.d.sync += frames.eq(self.parameters.relay_frames)
        with m.Elif((self.slot == PROCESSOR_SLOT) & (frames != 0)):
            m.d.sync += frames.eq(frames - 1)
        return frames

    def _choose(self, m, column, levels, picked):
        pages = self.parameters.pages
        candidates = [Mux(column[page], levels[page], 0) for page in range(pages)]
        highest: Any = Signal(self.parameters.level_bits)
        next_picked: Any = Signal(pages)
        m.d.comb += highest.eq(_largest(m, candidates, self.parameters.level_bits))
        eligible: Any = Signal(pages)
        entitled: Any = Signal(pages)
        after = Signal(pages)
        m.d.comb += [
            entitled.eq(concat(levels[page] + 1 >= self.wish for page in range(pages))),
            eligible.eq(Mux(self.in_turn, column, column & entitled)),
            after.eq(concat(page >= self.turn for page in range(pages))),
        ]
        m.d.comb += next_picked.eq(first_at_or_after(m, eligible, after, "eligible"))
        m.d.sync += [
            self.level.eq(highest),
            picked.eq(next_picked),
            self.chosen.eq(concat(encoded(next_picked, range(pages), self.parameters.page_bits))),
        ]


def _largest(m: Any, values: list[Any], bits: int) -> Any:
    """The largest of some numbers, as a balanced tree."""
    rank = 0
    while len(values) > 1:
        following = []
        for i in range(0, len(values), 2):
            if i + 1 == len(values):
                following.append(values[i])
                continue
            larger: Any = Signal(bits, name=f"larger_{rank}_{i}")
            m.d.comb += larger.eq(Mux(values[i] > values[i + 1], values[i], values[i + 1]))
            following.append(larger)
        values, rank = following, rank + 1
    return values[0]
