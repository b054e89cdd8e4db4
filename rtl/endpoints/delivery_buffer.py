# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Buffer of packets between an ejector and its user, so that a receiver that stalls does not hold their worms."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import stream_of
from rtl.parts.part import Part

MIN_BEATS, MAX_BEATS = 4, 65_536
NO_COLLISIONS = {"no_rw_check": 1}
"""For Yosys: no slot is read and written in one cycle, so no logic has to keep its former content."""


class DeliveryBuffer(Part):
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
            raise ValueError(f"Delivery buffer has {beats!r} flits; it must have {MIN_BEATS} to {MAX_BEATS}")
        self.bits = bits
        self.beats = beats
        super().__init__(f"delivery_buffer_{bits}x{beats}", {"i": In(stream_of(bits)), "o": Out(stream_of(bits))})

    def elaborate(self, _platform):
        m: Any = Module()
        store = memory.Memory(shape=self.bits, depth=self.beats, init=[], attrs=NO_COLLISIONS)
        m.submodules.beats = store
        write: Any = store.write_port()
        read: Any = store.read_port()
        stored: Any = Signal(range(self.beats + 1))
        written, fetched, full = Signal(), Signal(), Signal()
        m.d.comb += [
            written.eq(self.i.valid & self.i.ready),
            fetched.eq(stored.any() & (~self.o.valid | self.o.ready)),
            full.eq((stored == self.beats) | (stored == self.beats - 1) & written),
            write.data.eq(self.i.payload),
            self.o.payload.eq(Value.cast(read.data)),
        ]
        m.d.sync += [
            self.i.ready.eq(~full),  # 0 in reset: beats that move in reset would be lost
            self.o.valid.eq(fetched | self.o.valid & ~self.o.ready),
        ]
        with m.If(written != fetched):
            m.d.sync += stored.eq(Mux(written, stored + 1, stored - 1))
        for port, step, name in ((write, written, "back"), (read, fetched, "front")):
            pointer: Any = Signal(range(self.beats), name=name)
            with m.If(step):
                m.d.sync += pointer.eq(Mux(pointer == self.beats - 1, 0, pointer + 1))
            m.d.comb += [port.addr.eq(pointer), port.en.eq(step)]
        return m
