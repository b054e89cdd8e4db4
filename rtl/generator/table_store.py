"""Registers for the tables of one switch, loaded word by word through a chain of all such stores."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.common.table_chain import TABLE_WORD_BITS, table_words


class TableStore(Part):
    """A shift register that shifts by one word in each cycle with ``load``. Reset does not change it.

    Parameters
    ----------
    bits : int
        Bits of all tables of the switch.

    Members
    -------
    load : In(1)
    data : In(8)
        The word that is shifted in.
    following : Out(8)
        The word that is shifted on to the next store. A register.
    table : Out(bits)
        Registers; all zero at power-up, which routes nothing: every message is discarded.
    """

    def __init__(self, bits: int):
        self.bits = bits
        word = TABLE_WORD_BITS
        members = {"load": In(1), "data": In(word), "following": Out(word), "table": Out(bits)}
        super().__init__(f"table_store_{bits}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        words = [Signal(TABLE_WORD_BITS, name=f"word_{i}", reset_less=True) for i in range(table_words(self.bits))]
        with m.If(self.load):
            for word, before in zip(words, (self.data, *words[:-1]), strict=True):
                m.d.sync += word.eq(before)
        m.d.comb += [self.following.eq(words[-1]), self.table.eq(concat(words)[: self.bits])]
        return m
