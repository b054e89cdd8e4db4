"""First-in first-out memory between two clocks: each side receives the other's pointer as a Gray code.

A Gray code changes in one bit per step. A synchroniser therefore samples the old or the new pointer, and an old one
only delays a side: the writer still counts words that have left, and the reader does not yet count words that have
arrived.
"""

from typing import Any

from amaranth.hdl import Elaboratable, Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.cdc import FFSynchronizer

DEPTH_BITS = 4
"""A word takes up to 4 cycles across and its slot as many back: with 16 slots a word moves in every cycle."""


def gray(number: Any) -> Any:
    """Return a number as a Gray code."""
    return number ^ (number >> 1)


class GrayFifo(Elaboratable):
    """Sixteen words in LUT RAM, and one in the output register. Its clock domains are ``write`` and ``read``.

    Of all registers a reset clears ``read_valid`` alone: a word from before it must not move on behind it. The others
    are cleared by ``write_clear`` and ``read_clear``.

    Latency from a word's move in to ``read_valid``: 1 cycle of the writer, then 3 to 4 of the reader. Throughput 1 word
    per cycle of the slower clock.

    Parameters:
        bits: Width of a word.

    Members:
        write_open, read_open (Signal(1)): Inputs, in the domain of their side: enable transfers in, and into the output
            register.
        write_clear, read_clear (Signal(1)): Inputs, in the domain of their side: clear all words. Only while neither
            side is open, and both before they open again.
        write_valid, write_ready, write_data: Input stream, domain ``write``. ``write_ready`` depends on registers only.
        read_valid, read_ready, read_data: Output stream, domain ``read``. ``read_valid`` and ``read_data`` are
            registers.
    """

    def __init__(self, bits: int):
        self.write_open = Signal()
        self.write_clear = Signal()
        self.write_valid = Signal()
        self.write_ready = Signal()
        self.write_data = Signal(bits)
        self.read_open = Signal()
        self.read_clear = Signal()
        self.read_valid = Signal()
        self.read_ready = Signal()
        self.read_data = Signal(bits, reset_less=True)
        self._bits = bits

    def elaborate(self, _platform):
        m: Any = Module()
        m.submodules.words = store = memory.Memory(shape=self._bits, depth=1 << DEPTH_BITS, init=[])
        write: Any = store.write_port(domain="write")
        read: Any = store.read_port(domain="comb")
        # one bit more than a place has: a full memory is told from an empty one
        written, dropped, written_code, dropped_code, written_seen, dropped_seen = (
            Signal(DEPTH_BITS + 1, name=f"{name}{suffix}", reset_less=True)
            for suffix in ("", "_code", "_seen")
            for name in ("written", "dropped")
        )
        m.submodules.written_synchronizer = FFSynchronizer(written_code, written_seen, o_domain="read")
        m.submodules.dropped_synchronizer = FFSynchronizer(dropped_code, dropped_seen, o_domain="write")
        moves_in = Signal()
        moves_on = Signal()
        full_code = dropped_seen ^ (3 << DEPTH_BITS - 1)  # of the pointer that is one round ahead
        m.d.comb += [
            self.write_ready.eq(self.write_open & (written_code != full_code)),
            moves_in.eq(self.write_valid & self.write_ready),
            write.en.eq(moves_in),
            write.addr.eq(written[:DEPTH_BITS]),
            write.data.eq(self.write_data),
            moves_on.eq(self.read_open & (written_seen != dropped_code) & (~self.read_valid | self.read_ready)),
            read.addr.eq(dropped[:DEPTH_BITS]),
        ]
        for domain, pointer, code, step, clear in (
            (m.d.write, written, written_code, moves_in, self.write_clear),
            (m.d.read, dropped, dropped_code, moves_on, self.read_clear),
        ):
            following = Signal(DEPTH_BITS + 1, name=f"{pointer.name}_next")
            m.d.comb += following.eq(Mux(clear, 0, pointer + step))
            domain += [pointer.eq(following), code.eq(gray(following))]
        m.d.read += self.read_valid.eq((moves_on | self.read_valid & ~self.read_ready) & ~self.read_clear)
        with m.If(moves_on):
            m.d.read += self.read_data.eq(read.data)
        return m
