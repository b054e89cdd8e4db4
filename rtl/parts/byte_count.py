"""Bytes of words that are not full: `tkeep` on its way through a network that knows whole words only.

A word goes through the network with one bit more: whether it is full. Of one that is not, the highest byte is free, and
says how many bytes it has. So nothing has to be known before, nothing is added behind, and no word depends on another.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, lowest_one

BYTE_BITS = 8


def kept_bytes(flit_bits: int) -> int:
    """Return bytes of a word in flits of so many bits.

    Raises
    ------
    ValueError
        If a flit has not one bit more than whole bytes.
    """
    count, left = divmod(flit_bits, BYTE_BITS)
    if left != 1:
        nearest = BYTE_BITS * max(1, round((flit_bits - 1) / BYTE_BITS)) + 1
        raise ValueError(f"Flits must have one bit more than whole bytes for tkeep, such as {nearest}, not {flit_bits}")
    return count


class KeepPacker(Part):
    """Puts ``tkeep`` into the word. Combinational.

    Parameters
    ----------
    count : int
        Bytes of a word.

    Members
    -------
    tdata : In(8 * count), tkeep : In(count)
        The bytes that a word has are those below the lowest bit of ``tkeep`` that is 0.
    word : Out(8 * count + 1)
    """

    def __init__(self, count: int):
        self.count = count
        bits = BYTE_BITS * count
        super().__init__(f"keep_packer_{count}", {"tdata": In(bits), "tkeep": In(count), "word": Out(bits + 1)})

    def elaborate(self, _platform):
        m: Any = Module()
        missing = Signal(self.count)
        partial = Signal()
        bytes_there = concat(encoded(lowest_one(missing), range(self.count), BYTE_BITS))
        low, high = self.tdata[:-BYTE_BITS], self.tdata[-BYTE_BITS:]
        m.d.comb += [
            missing.eq(~self.tkeep),
            partial.eq(missing.any()),
            self.word.eq(concat((low, Mux(partial, bytes_there, high), partial))),
        ]
        return m


class KeepUnpacker(Part):
    """Takes ``tkeep`` out of the word again. Combinational.

    Parameters
    ----------
    count : int
        Bytes of a word.

    Members
    -------
    word : In(8 * count + 1)
    tdata : Out(8 * count), tkeep : Out(count)
        Bytes without their bit in ``tkeep`` are unspecified.
    """

    def __init__(self, count: int):
        self.count = count
        bits = BYTE_BITS * count
        super().__init__(f"keep_unpacker_{count}", {"word": In(bits + 1), "tdata": Out(bits), "tkeep": Out(count)})

    def elaborate(self, _platform):
        m: Any = Module()
        bits = BYTE_BITS * self.count
        there: Any = self.word[bits - BYTE_BITS : bits]
        partial = self.word[bits]
        m.d.comb += [
            self.tdata.eq(self.word[:bits]),
            self.tkeep.eq(concat(~partial | (there > Const(i, BYTE_BITS)) for i in range(self.count))),
        ]
        return m
