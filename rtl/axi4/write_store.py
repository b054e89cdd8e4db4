"""Data of writes between channel W and the network."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from rtl.axi4.ports import axi4_members
from rtl.parts.part import Part
from topology.axi4.words import MAX_BEATS, Axi4Format, bits_of

MIN_BEATS = 8


class WriteStore(Part):
    """First-in first-out memory of beats.

    Latency 2 cycles; throughput 1 beat per cycle.

    A manager may give the data of a write only after it has read something (a copy by DMA, for instance). If its write
    were in the network by then, the read could not pass. A store of whole bursts sends a burst when it is complete.

    Parameters:
        axi
        beats: Capacity, at least 8. A store of whole bursts must hold one more than the longest burst.
        whole: Bursts are complete before they are sent.

    Members:
        wdata, ..., wready: Channel W. ``wready`` is a register.
        startable (Out(1)): A burst can be sent.
        word (Out), last (Out(1)), valid (Out(1)): First beat, with the fields of a write's data word.
        pop (In(1)): Drop it. Only with ``valid``.

    Raises:
        ValueError: If the capacity is too small.
    """

    def __init__(self, axi: Axi4Format, beats: int, *, whole: bool):
        least = MAX_BEATS + 2 if whole else MIN_BEATS
        if beats < least:
            raise ValueError(f"Store of writes has {beats!r} beats; it must have at least {least}")
        self.axi = axi
        self.beats = beats
        self.whole = whole
        members: dict[str, Any] = axi4_members(axi, 0, faces_manager=True, only="w")
        members |= {"startable": Out(1), "word": Out(bits_of(axi.write_fields)), "last": Out(1), "valid": Out(1)}
        members["pop"] = In(1)
        super().__init__(f"axi4_write_store_{beats}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        bits = bits_of(self.axi.write_fields)
        m.submodules.beats = beats = SyncFIFOBuffered(width=bits + 1, depth=self.beats)
        fields = [getattr(self, f"w{name}") for name, _ in self.axi.write_fields]
        written = Signal()
        m.d.comb += [
            written.eq(self.wvalid & self.wready),
            beats.w_en.eq(written),
            beats.w_data.eq(Cat(*fields, self.wlast)),
            self.valid.eq(beats.r_rdy),
            self.word.eq(Value.cast(beats.r_data)[:bits]),
            self.last.eq(Value.cast(beats.r_data)[bits]),
            beats.r_en.eq(self.pop),
        ]
        m.d.sync += self.wready.eq(beats.w_level < self.beats - 2)
        if not self.whole:
            m.d.comb += self.startable.eq(self.valid)
            return m
        bursts: Any = Signal(range(self.beats + 1))
        enters, leaves = Signal(), Signal()
        m.d.comb += [enters.eq(written & self.wlast), leaves.eq(self.pop & self.last)]
        m.d.sync += bursts.eq(bursts + enters - leaves)
        m.d.comb += self.startable.eq(bursts.any() & self.valid)
        return m
