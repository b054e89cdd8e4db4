# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Buffer of packets between an ejector and its user, so that a receiver that stalls does not hold their worms."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.block_ram import block_ram
from rtl.parts.flit import stream_of
from rtl.parts.part import Part

MIN_BEATS, MAX_BEATS = 4, 65_536


class PacketBuffer(Part):
    """First-in first-out memory of beats in block RAM.

    Latency 2 cycles; throughput 1 beat per cycle.

    Parameters:
        bits: Width of a beat.
        beats: Capacity, 4 to 65,536.

    Members:
        i (In(stream.Signature(bits))): From the ejector. ``ready`` is a register.
        o (Out(stream.Signature(bits))): To the user. ``valid`` is a register, ``payload`` the memory's output.

    Raises:
        ValueError: If the capacity is out of range.
    """

    def __init__(self, bits: int, beats: int):
        if not MIN_BEATS <= beats <= MAX_BEATS:
            raise ValueError(f"Packet buffer has {beats!r} flits; it must have {MIN_BEATS} to {MAX_BEATS}")
        self.bits = bits
        self.beats = beats
        super().__init__(f"packet_buffer_{bits}x{beats}", {"i": In(stream_of(bits)), "o": Out(stream_of(bits))})

    def elaborate(self, _platform):
        m: Any = Module()
        stored: Any = Signal(range(self.beats + 1))
        written, fetched, full = Signal(), Signal(), Signal()
        m.d.comb += [
            written.eq(self.i.valid & self.i.ready),
            fetched.eq(stored.any() & (~self.o.valid | self.o.ready)),
            full.eq((stored == self.beats) | (stored == self.beats - 1) & written),
        ]
        output, _, _ = block_ram(m, "beats", self.beats, self.i.payload, written, fetched)
        m.d.comb += self.o.payload.eq(output)
        m.d.sync += [
            self.i.ready.eq(~full),  # 0 in reset: beats that move in reset would be lost
            self.o.valid.eq(fetched | self.o.valid & ~self.o.ready),
        ]
        with m.If(written != fetched):
            m.d.sync += stored.eq(Mux(written, stored + 1, stored - 1))
        return m
