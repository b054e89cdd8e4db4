"""Byte counts of partial words: `tkeep` encoded for a network that transports whole words only.

A word is transported with one more bit: whether it is full. The highest byte of a partial word is free and encodes the
number of its bytes. The encoding needs no length in advance, no trailer, and no dependence between words.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, lowest_one

BYTE_BITS = 8


def kept_bytes(flit_bits: int) -> int:
    """Return the bytes of a word in flits of this width.

    Raises:
        ValueError: If a flit does not have one bit more than whole bytes.
    """
    count, left = divmod(flit_bits, BYTE_BITS)
    if left != 1:
        nearest = BYTE_BITS * max(1, round((flit_bits - 1) / BYTE_BITS)) + 1
        raise ValueError(f"Flits must have one bit more than whole bytes for tkeep, such as {nearest}, not {flit_bits}")
    return count


class KeepPacker(Part):
    """Encodes ``tkeep`` in the word. Combinational.

    Parameters:
        count: Bytes of a word.

    Members:
        tdata (In(8 * count)), tkeep (In(count)): The valid bytes are those below the lowest 0 bit of ``tkeep``.
        word (Out(8 * count + 1))
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
    """Decodes ``tkeep`` from the word. Combinational.

    Parameters:
        count: Bytes of a word.

    Members:
        word (In(8 * count + 1))
        tdata (Out(8 * count)), tkeep (Out(count)): Bytes without their bit in ``tkeep`` are unspecified.
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
