"""Data of writes between channel W and the network."""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.axi4.ports import axi4_members
from rtl.parts.block_ram import block_ram
from rtl.parts.part import Part
from rtl.parts.ring_pointer import ring_pointer
from topology.axi4.words import MIN_STORED_BEATS, Axi4Format, bits_of

MIN_BEATS = 8
MAX_BURSTS = 7
"""Complete bursts that a store of whole bursts holds."""


class WriteStore(Part):
    """First-in first-out memory of beats.

    Latency 3 cycles; throughput 1 beat per cycle.

    A manager may give the data of a write only after it has read something (a copy by DMA, for instance). If its write
    were in the network by then, the read could not pass. A store of whole bursts sends a burst when it is complete.

    Parameters:
        axi
        beats: Capacity, at least 8. A store of whole bursts must hold one more than the longest burst.
        whole: Bursts are complete before they are sent.
        copies: A burst may be sent several times. Only with ``whole``.

    Members:
        wdata, ..., wready: Channel W. ``wready`` is a register.
        startable (Out(1)): A burst can be sent.
        word (Out), last (Out(1)), valid (Out(1)): First beat, with the fields of a write's data word.
        pop (In(1)): Drop it. Only with ``valid``.
        keep (In(1)): The beat comes again. Constant in a copy of a burst. Only with copies.
        rewind (In(1)): The next beat is the first one that was kept; 3 cycles later at the earliest. Only with
            ``pop`` and ``keep``, and with copies.

    Raises:
        ValueError: If the capacity is too small.
    """

    def __init__(self, axi: Axi4Format, beats: int, *, whole: bool, copies: bool = False):
        least = MIN_STORED_BEATS if whole else MIN_BEATS
        if beats < least:
            raise ValueError(f"Store of writes has {beats!r} beats; it must have at least {least}")
        self.axi = axi
        self.beats = beats
        self.whole = whole
        self.copies = copies
        members: dict[str, Any] = axi4_members(axi, 0, faces_manager=True, only="w")
        members |= {"startable": Out(1), "word": Out(bits_of(axi.write_fields)), "last": Out(1), "valid": Out(1)}
        members |= {"pop": In(1), **({"keep": In(1), "rewind": In(1)} if copies else {})}
        super().__init__(f"axi4_write_store_{beats}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        written = Signal()
        fetched = Signal()
        moved = Signal()
        waits = Signal()  # in block RAM's output
        m.d.comb += [
            written.eq(self.wvalid & self.wready),
            moved.eq(waits & (~self.valid | self.pop)),
        ]
        m.d.sync += [waits.eq(fetched | waits & ~moved), self.valid.eq(moved | self.valid & ~self.pop)]
        if self.copies:
            with m.If(self.rewind):
                m.d.sync += [waits.eq(0), self.valid.eq(0)]
        row = self._keep(m, written, fetched, waits, moved)
        with m.If(moved):
            m.d.sync += [self.word.eq(row[1:]), self.last.eq(row[0])]
        if not self.whole:
            m.d.comb += self.startable.eq(self.valid)
            return m
        bursts: Any = Signal(range(MAX_BURSTS + 1))
        enters, leaves = Signal(), Signal()
        m.d.comb += [enters.eq(written & self.wlast), leaves.eq(self._released & self.last)]
        with m.If(enters != leaves):
            m.d.sync += bursts.eq(Mux(enters, bursts + 1, bursts - 1))
        m.d.comb += self.startable.eq(bursts.any() & self.valid)
        with m.If(bursts >= MAX_BURSTS - 2):
            m.d.sync += self.wready.eq(0)
        return m

    def _keep(self, m: Any, written: Any, fetched: Any, waits: Any, moved: Any) -> Any:
        """Add the memory; return the beat in its output."""
        fields = [getattr(self, f"w{name}") for name, _ in self.axi.write_fields]
        beat = Cat(self.wlast, *fields)
        output, back, front = block_ram(m, "beats", self.beats, beat, written, fetched)
        stored: Any = Signal(range(self.beats + 1))
        if self.copies:
            kept = ring_pointer(m, "kept", self.beats, self._released)
            with m.If(self.rewind):
                m.d.sync += front.eq(kept)
            leaves, exists = self._released, front != back
        else:
            leaves, exists = fetched, stored.any()
        m.d.comb += fetched.eq(exists & (~waits | moved))
        with m.If(written != leaves):
            m.d.sync += stored.eq(Mux(written, stored + 1, stored - 1))
        m.d.sync += self.wready.eq(stored < self.beats - 2)
        return output

    @property
    def _released(self) -> Any:
        """The first beat leaves the store for good."""
        return self.pop & ~self.keep if self.copies else self.pop
