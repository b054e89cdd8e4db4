# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Input buffer: a FIFO with a cursor, so that a router can read a whole header before it moves the first flit.

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       a flit moves on the link (``link.valid`` and ``link.ready``), with what was decoded
t + 1                   ``present``: there is a front; ``readable``: there is a flit at the cursor
t + n, ``advance``      the cursor moves to the next flit; no flit leaves the buffer
t + n, ``at_front``     ``flit`` and ``decoded`` are those of the front; the cursor returns there
t + n, ``pop``          the front leaves; ``link.ready`` shows the free slot from t + n + 1 on
======================  =============================================================================

One read port is enough: a header is read before its first flit leaves, and never while flits leave.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, memory
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import check_count
from rtl.parts.deep_ring import DeepRing, front_slots
from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.ring_pointer import ring_pointer

MAX_REGISTER_FLITS = 2


class InputBuffer(Part):
    """FIFO at the sink of a link, with a registered ``ready`` and a read cursor.

    Up to two flits are stored in registers, the front in the first; more, or a buffer with a cursor, in a ring in LUT
    RAM with one asynchronous read port; more than 32, if headers have at most 29 flits, in a ring with its front in LUT
    RAM and the rest in block RAM, see ``DeepRing``. All are cycle-equivalent.

    Latency 1 cycle from link to ``flit``. Throughput 1 flit per cycle from depth 2 on; a depth of 1 halves the rate.

    Parameters:
        flit_bits: Data bits of a flit.
        depth: Capacity in flits, at least 1.
        header_flits: Flits of the longest header, at most ``depth``. With 1 the cursor never leaves the front and costs
            nothing.
        decoded_bits: Bits that the router stores with every flit, such as its decoding while it moved in.

    Members:
        link (In(link_signature)): The link that ends here. ``ready`` is a register that equals "fewer than ``depth``
            flits in the buffer", except in the first cycle after a reset, in which it is 0.
        arriving_decoded (In(decoded_bits)): Decoding of the flit on the link. Absent if ``decoded_bits`` is 0.
        flit (Out(flit_layout)): The flit at the front if ``at_front``, or else at the cursor. Unspecified if there is
            none.
        decoded (Out(decoded_bits)): Its decoding. Absent if ``decoded_bits`` is 0.
        present (Out(1)): Whether there is a flit at the front. A register.
        readable (Out(1)): Whether there is a flit at the cursor. A register. Absent if ``header_flits`` is 1, like the
            next two.
        at_front (In(1)): Read the front, and move the cursor there from the next cycle on.
        advance (In(1)): Move the cursor to the next flit from the next cycle on; not with ``at_front``. Allowed also
            when the flit at the cursor is only just moving in on the link.
        pop (In(1)): Drop the front. Only with ``present`` and ``at_front``.
    """

    def __init__(self, flit_bits: int, depth: int, header_flits: int = 1, decoded_bits: int = 0):
        check_count("Buffer depth", depth)
        check_count("Header length", header_flits)
        if header_flits > depth:
            raise ValueError(
                f"Buffer depth is {depth!r}; it must be at least the header length of {header_flits} flits"
            )
        self.flit_bits = flit_bits
        self.depth = depth
        self.header_flits = header_flits
        self.decoded_bits = decoded_bits
        decoded = {"arriving_decoded": In(decoded_bits), "decoded": Out(decoded_bits)} if decoded_bits else {}
        cursor = {"readable": Out(1), "at_front": In(1), "advance": In(1)} if header_flits > 1 else {}
        super().__init__(
            f"input_buffer_{depth}_{header_flits}_{decoded_bits}",
            {
                "link": In(link_signature(flit_bits)),
                "flit": Out(flit_layout(flit_bits)),
                "present": Out(1),
                "pop": In(1),
                **decoded,
                **cursor,
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        arriving = Signal()
        m.d.comb += arriving.eq(self.link.valid & self.link.ready)
        count = self._count(m, arriving)
        self._register_ready(m, count, arriving)
        with m.If(self.pop):
            m.d.sync += self.present.eq(arriving | count[1:].any())
        with m.Elif(arriving):
            m.d.sync += self.present.eq(1)
        if self.header_flits > 1:
            self._register_readable(m, count, arriving)
        if self.header_flits == 1 and self.depth <= MAX_REGISTER_FLITS:
            self._keep_in_registers(m, count, arriving)
        elif self.depth > front_slots(self.header_flits + 1):
            self._keep_in_deep_ring(m, platform, arriving)
        else:
            self._keep_in_ring(m, arriving)
        return m

    def _count(self, m, arriving) -> Any:
        count: Any = Signal(range(self.depth + 1))
        with m.If(arriving != self.pop):
            m.d.sync += count.eq(Mux(arriving, count + 1, count - 1))
        return count

    def _register_ready(self, m, count, arriving):
        # pop is late in the cycle: it is one gate away from the register
        ready = Signal()  # 0 in reset: flits that move into a buffer in reset would be lost
        fills = Signal()
        m.d.comb += fills.eq((count == self.depth) | (count == self.depth - 1) & arriving)
        m.d.sync += ready.eq(self.pop | ~fills)
        m.d.comb += self.link.ready.eq(ready)

    def _register_readable(self, m, count, arriving):
        """Count the flits from the cursor on."""
        unread = Signal(range(self.depth + 1))
        before: Any = Signal(range(self.depth + 1))
        consumed = Signal()
        m.d.comb += [
            before.eq(Mux(self.at_front, count, unread)),
            consumed.eq(Mux(self.at_front, self.pop, self.advance)),
        ]
        with m.If(consumed):
            m.d.sync += [unread.eq(before + arriving - 1), self.readable.eq(before[1:].any() | before[0] & arriving)]
        with m.Else():
            m.d.sync += [unread.eq(before + arriving), self.readable.eq(before.any() | arriving)]

    def _entry(self, m) -> tuple[data.StructLayout, Any]:
        """Return the stored entry: its layout, and the one on the link."""
        layout = data.StructLayout({"flit": self.flit.shape(), "decoded": self.decoded_bits})
        arriving: Any = Signal(layout, name="arriving_entry")
        m.d.comb += arriving.flit.eq(self.link.payload)
        if self.decoded_bits:
            m.d.comb += arriving.decoded.eq(self.arriving_decoded)
        return layout, arriving

    def _show(self, m, entry):
        m.d.comb += self.flit.eq(entry.flit)
        if self.decoded_bits:
            m.d.comb += self.decoded.eq(entry.decoded)

    def _keep_in_registers(self, m, count, arriving):
        layout, entry = self._entry(m)
        slots = [Signal(layout, name=f"slot_{i}", reset_less=True) for i in range(self.depth)]
        self._show(m, slots[0])
        if self.depth == 1:
            with m.If(arriving):
                m.d.sync += slots[0].eq(entry)
            return
        # when two flits are in, ready is low: the link can only fill the front if the front is or becomes free
        with m.If(self.pop | ~self.present):
            m.d.sync += slots[0].eq(Mux(count == self.depth, Value.cast(slots[1]), Value.cast(entry)))
        with m.If(arriving):
            m.d.sync += slots[1].eq(entry)

    def _keep_in_ring(self, m, arriving):
        # a power of two, so that pointers wrap by themselves; ready alone bounds the fill
        slots = 1 << (self.depth - 1).bit_length()
        layout, entry = self._entry(m)
        m.submodules.slots = store = memory.Memory(shape=layout, depth=slots, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(ring_pointer(m, "back", slots, arriving)),
            write.data.eq(entry),
            write.en.eq(arriving),
            read.addr.eq(self._read_position(m, slots)),
        ]
        self._show(m, read.data)

    def _keep_in_deep_ring(self, m, platform, arriving):
        layout, entry = self._entry(m)
        # the cursor may be behind the longest header
        part = DeepRing(layout.size, self.depth, front_slots(self.header_flits + 1))
        ring = instantiate(m, platform, "ring", part)
        m.d.comb += [
            ring.write.eq(arriving),
            ring.entry.eq(entry),
            ring.pop.eq(self.pop),
            ring.position.eq(self._read_position(m, part.slots)),
        ]
        self._show(m, data.View(layout, ring.read))

    def _read_position(self, m, slots):
        front = ring_pointer(m, "front", slots, self.pop)
        if self.header_flits == 1:
            return front
        cursor = Signal(range(slots))
        position = Signal(range(slots), name="read_position")
        m.d.comb += position.eq(Mux(self.at_front, front, cursor))
        m.d.sync += cursor.eq(position + Mux(self.at_front, self.pop, self.advance))
        return position
