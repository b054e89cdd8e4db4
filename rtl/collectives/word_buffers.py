"""Buffers at the sink of a link of the plane: a first-in first-out buffer for each group, in one memory.

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       a word is on the link; ``follows`` shows that it is a front in the next cycle
t + 1                   ``front`` is the word, if ``chosen`` is its group; it is taken with ``pop``
t + 2                   ``credits``
======================  =============================================================================
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.collectives.pointers import Pointers
from rtl.parts.part import Part
from rtl.parts.selection import concat, table_row


class WordBuffers(Part):
    """Buffers of one link. Latency 1 cycle; throughput 1 word per cycle.

    Parameters:
        bits: Bits stored per word.
        groups
        depth: Words per group, at least 2.

    Members:
        valid (In(1)), group (In), entry (In(bits)): Word on the link. Only with a credit. ``group`` is absent if there
            is one group.
        chosen (In): Number of the group whose front is read. Absent if there is one group.
        pop (In(groups)): The front of a group leaves, at most one in a cycle: that of the chosen one.
        flush (In(groups)): Drop the words of a group, the one on the link included.
        present (Out(groups)): There is a front. Registers.
        follows (Out(groups)): There is a front in the next cycle. Combinational.
        front (Out(bits)): Front of the chosen group; unspecified if there is none. Combinational.
        credits (Out(groups)): A word left the buffer in the last cycle. Registers.
    """

    def __init__(self, bits: int, groups: int, depth: int):
        self.bits = bits
        self.groups = groups
        self.depth = depth
        self.pointers = Pointers(depth)
        bits_of_group = (groups - 1).bit_length()
        group = {"group": In(bits_of_group), "chosen": In(bits_of_group)} if groups > 1 else {}
        super().__init__(
            f"word_buffers_{bits}_{groups}x{depth}",
            {
                "valid": In(1),
                **group,
                "entry": In(bits),
                "pop": In(groups),
                "flush": In(groups),
                "present": Out(groups),
                "follows": Out(groups),
                "front": Out(bits),
                "credits": Out(groups),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        groups = range(self.groups)
        arriving: Any = Signal(self.groups)
        m.d.comb += arriving.eq(
            concat(self.valid & (self.group == g) for g in groups) if self.groups > 1 else self.valid
        )
        backs, fronts = zip(*(self._buffer(m, g, arriving[g]) for g in groups), strict=True)
        slots = 1 << self.pointers.code_bits
        m.submodules.words = store = memory.Memory(shape=self.bits, depth=self.groups * slots, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        m.d.comb += [write.en.eq(self.valid), write.data.eq(self.entry), self.front.eq(read.data)]
        if self.groups == 1:
            m.d.comb += [write.addr.eq(backs[0]), read.addr.eq(fronts[0])]
        else:
            m.d.comb += [
                write.addr.eq(self._address(m, self.group, backs, "arriving")),
                read.addr.eq(self._address(m, self.chosen, fronts, "leaving")),
            ]
        m.d.sync += self.credits.eq(self.pop)
        return m

    def _buffer(self, m, g, arriving) -> tuple[Any, Any]:
        """Add pointers of a group; return the codes of the place to be written and of the front."""
        pop, pointers = self.pop[g], self.pointers
        back, front = (pointers.register(f"{name}_{g}") for name in ("back", "front"))
        present, several = self.present[g], Signal(name=f"several_{g}")
        m.d.comb += [
            several.eq(~pointers.is_behind(back, front, 1)),  # given that there is one
            self.follows[g].eq(arriving | Mux(pop, several, present)),
        ]
        with m.If(self.flush[g]):
            m.d.sync += [present.eq(0), back.eq(pointers.first()), front.eq(pointers.first())]
        with m.Else():
            m.d.sync += present.eq(self.follows[g])
            with m.If(arriving):
                m.d.sync += back.eq(pointers.following(back))
            with m.If(pop):
                m.d.sync += front.eq(pointers.following(front))
        return pointers.code(back), pointers.code(front)

    def _address(self, m, group, codes, name) -> Any:
        return Cat(table_row(m, concat(codes), group, len(codes[0]), name), group)
