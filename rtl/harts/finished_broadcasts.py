# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Broadcasts already delivered to the host, by source and id."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.harts.header import ID_BITS


class FinishedBroadcasts(Part):
    """Records the delivered broadcasts of every source, until its ids have advanced by half of their range.

    Two ids that differ only in their highest bit share a word, with a bit that marks the last one. The memory has no
    reset, so all words are swept first, one per cycle.

    Parameters:
        source_bits: Width of a source's number.

    Members:
        sweeping (Out(1)): High after reset until the memory is clear: 2 to the power of ``source_bits + ID_BITS - 1``
            cycles. A register.
        source (In(source_bits)), id (In(ID_BITS)): A broadcast.
        finished (Out(1)): Whether the broadcast of two cycles before was delivered; the inputs are stable until then. A
            register.
        write (In(1)): It is delivered in this cycle.
    """

    def __init__(self, source_bits: int):
        self.source_bits = source_bits
        super().__init__(
            f"harts_finished_broadcasts_{source_bits}",
            {
                "sweeping": Out(1, init=1),
                "source": In(source_bits),
                "id": In(ID_BITS),
                "finished": Out(1),
                "write": In(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        place_bits = self.source_bits + ID_BITS - 1
        m.submodules.words = store = memory.Memory(shape=2, depth=1 << place_bits, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port()
        swept: Any = Signal(place_bits)
        place = Signal(place_bits)
        upper = self.id[-1]
        m.d.comb += [
            place.eq(concat((self.id[:-1], self.source))),
            read.addr.eq(place),
            write.addr.eq(Mux(self.sweeping, swept, place)),
            write.data.eq(concat((~upper, upper)) & (~self.sweeping).replicate(2)),
            write.en.eq(self.sweeping | self.write),
        ]
        m.d.sync += self.finished.eq(Mux(upper, read.data[1], read.data[0]))
        with m.If(self.sweeping):
            m.d.sync += [swept.eq(swept + 1), self.sweeping.eq(~swept.all())]
        return m
