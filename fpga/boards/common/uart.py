"""A serial line: 8 data bits, no parity, 1 stop bit."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import stream_of
from rtl.parts.part import Part
from rtl.parts.selection import concat

DATA_BITS = 8
FRAME_BITS = DATA_BITS + 2


class UartTransmitter(Part):
    """Sends bytes. Throughput one byte per ten bits.

    Parameters
    ----------
    cycles_per_bit : int
        At least 2.

    Members
    -------
    characters : In(stream of 8 bits)
    tx : Out(1)
        The line, a register; high when idle.
    """

    def __init__(self, cycles_per_bit: int):
        self.cycles_per_bit = cycles_per_bit
        super().__init__("uart_transmitter", {"characters": In(stream_of(DATA_BITS)), "tx": Out(1, init=1)})

    def elaborate(self, _platform):
        m: Any = Module()
        frame = Signal(FRAME_BITS)
        bits_left = Signal(range(FRAME_BITS + 1))
        cycle = Signal(range(self.cycles_per_bit))
        m.d.comb += self.characters.ready.eq(bits_left == 0)
        with m.If(self.characters.ready & self.characters.valid):
            m.d.sync += [
                frame.eq(concat((0, self.characters.payload, 1))),
                bits_left.eq(FRAME_BITS),
                cycle.eq(self.cycles_per_bit - 1),
            ]
        with m.Elif(bits_left != 0):
            m.d.sync += [self.tx.eq(frame[0]), cycle.eq(cycle - 1)]
            with m.If(cycle == 0):
                m.d.sync += [frame.eq(frame >> 1), bits_left.eq(bits_left - 1), cycle.eq(self.cycles_per_bit - 1)]
        return m
