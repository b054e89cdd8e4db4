"""A fault on request: one wrong bit in one flit."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import stream_of
from rtl.parts.part import Part


class BitFlip(Part):
    """Passes words on; after each rising edge of ``inject`` the lowest bit of one word is inverted.

    It is the word after the next one to move, so that no word changes while it waits. No latency.

    Parameters
    ----------
    flit_bits : int
        Width of a word.

    Members
    -------
    inject : In(1)
    i : In(stream of flit_bits)
    o : Out(stream of flit_bits)
    """

    def __init__(self, flit_bits: int):
        words = stream_of(flit_bits)
        super().__init__("bit_flip", {"inject": In(1), "i": In(words), "o": Out(words)})

    def elaborate(self, _platform):
        m: Any = Module()
        before, armed, flip, moved = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            self.o.payload.eq(self.i.payload ^ flip),
            moved.eq(self.i.valid & self.o.ready),
        ]
        m.d.sync += before.eq(self.inject)
        with m.If(moved):
            m.d.sync += [flip.eq(armed), armed.eq(0)]
        with m.If(self.inject & ~before):
            m.d.sync += armed.eq(1)
        return m
