"""Input buffer: a FIFO with a cursor, so that a router can read a whole header before it moves the first flit.

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       a flit moves on the link (``link.valid`` and ``link.ready``)
t + 1                   it can be read: ``present`` and ``flit``, if the cursor is there
t + n, ``advance``      the cursor goes on to the next flit; nothing leaves the buffer
t + n, ``rewind``       the cursor goes back to the front
t + n, ``pop``          the front leaves; ``link.ready`` shows the free place from t + n + 1 on
======================  =============================================================================

One read port is enough: a header is read before its first flit leaves, and never while flits leave.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.common.arbiter import check_count
from rtl.common.flit import flit_layout, link_signature
from rtl.common.part import Part

MOST_REGISTER_FLITS = 2


class InputBuffer(Part):
    """FIFO at the sink of a link, with a registered ``ready`` and a read cursor.

    Up to two flits are kept in registers, the front in the first; more, or a buffer with a cursor, in a ring in a
    memory with one asynchronous read port. Both behave the same in every cycle.

    Latency 1 cycle from link to ``flit``. Throughput 1 flit per cycle from depth 2 on; a depth of 1 halves the rate.

    Parameters
    ----------
    flit_bits : int
        Data bits of a flit.
    depth : int
        Flits that the buffer holds, at least 1.
    header_flits : int
        Flits of the longest header, at most ``depth``. With 1 the cursor never leaves the front and costs nothing.

    Members
    -------
    link : In(link_signature)
        The link that ends here. ``ready`` is a register that equals "fewer than ``depth`` flits in the buffer".
    flit : Out(flit_layout)
        The flit at the cursor. Unspecified unless ``present``.
    present : Out(1)
        Whether the flit at the cursor is in the buffer. A register.
    advance, rewind : In(1)
        Move the cursor to the next flit or to the front, from the next cycle on; not both, and not with ``pop``.
        Allowed also when the flit at the cursor is only just moving in on the link. Not there if ``header_flits`` is
        1.
    pop : In(1)
        Drop the front. Only while the cursor is at the front and ``present``.
    """

    def __init__(self, flit_bits: int, depth: int, header_flits: int = 1):
        check_count("Buffer depth", depth)
        check_count("Header length", header_flits)
        if header_flits > depth:
            raise ValueError(f"Buffer depth must be at least the header length of {header_flits} flits, not {depth!r}")
        self.flit_bits = flit_bits
        self.depth = depth
        self.header_flits = header_flits
        cursor = {"advance": In(1), "rewind": In(1)} if header_flits > 1 else {}
        super().__init__(
            f"input_buffer_{depth}_{header_flits}",
            {
                "link": In(link_signature(flit_bits)),
                "flit": Out(flit_layout(flit_bits)),
                "present": Out(1),
                **cursor,
                "pop": In(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        arriving = Signal()
        m.d.comb += arriving.eq(self.link.valid & self.link.ready)
        count = self._counter(m, "count", arriving, self.pop)
        self._register_ready(m, count, arriving)
        if self.header_flits > 1:
            self._register_present_at_cursor(m, count, arriving)
        else:
            self._register_present_at_front(m, count, arriving)
        if self.header_flits == 1 and self.depth <= MOST_REGISTER_FLITS:
            self._keep_in_registers(m, count, arriving)
        else:
            self._keep_in_ring(m, arriving)
        return m

    def _counter(self, m, name, up, down) -> Signal:
        count = Signal(range(self.depth + 1), name=name)
        with m.If(up != down):
            m.d.sync += count.eq(Mux(up, count + 1, count - 1))
        return count

    def _register_ready(self, m, count, arriving):
        # pop comes late in the cycle: it is one gate away from the register
        ready = Signal(init=1)
        fills = Signal()
        m.d.comb += fills.eq((count == self.depth) | (count == self.depth - 1) & arriving)
        m.d.sync += ready.eq(self.pop | ~fills)
        m.d.comb += self.link.ready.eq(ready)

    def _register_present_at_front(self, m, count, arriving):
        with m.If(self.pop):
            m.d.sync += self.present.eq(arriving | count[1:].any())
        with m.Elif(arriving):
            m.d.sync += self.present.eq(1)

    def _register_present_at_cursor(self, m, count, arriving):
        """Like at the front, but counting only the flits from the cursor on."""
        unread: Any = Signal(range(self.depth + 1))
        consumed = Signal()
        m.d.comb += consumed.eq(self.pop | self.advance)
        with m.If(self.rewind):
            m.d.sync += [unread.eq(count + arriving), self.present.eq(1)]
        with m.Elif(consumed):
            m.d.sync += [unread.eq(unread + arriving - 1), self.present.eq(unread[1:].any() | unread[0] & arriving)]
        with m.Elif(arriving):
            m.d.sync += [unread.eq(unread + 1), self.present.eq(1)]

    def _keep_in_registers(self, m, count, arriving):
        places = [Signal(self.flit.shape().size, name=f"place_{i}") for i in range(self.depth)]
        m.d.comb += self.flit.eq(places[0])
        if self.depth == 1:
            with m.If(arriving):
                m.d.sync += places[0].eq(self.link.payload)
            return
        # when two flits are in, ready is low: the link can only fill the front if the front is or becomes free
        with m.If(self.pop | ~self.present):
            m.d.sync += places[0].eq(Mux(count == self.depth, places[1], self.link.payload))
        with m.If(arriving):
            m.d.sync += places[1].eq(self.link.payload)

    def _keep_in_ring(self, m, arriving):
        # a power of two, so that pointers wrap by themselves; ready alone bounds the fill
        places = 1 << (self.depth - 1).bit_length()
        m.submodules.places = store = memory.Memory(shape=self.flit.shape(), depth=places, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        back = self._pointer(m, "back", places, arriving)
        front = self._pointer(m, "front", places, self.pop)
        cursor = front
        if self.header_flits > 1:
            cursor = self._pointer(m, "cursor", places, self.pop | self.advance)
            with m.If(self.rewind):
                m.d.sync += cursor.eq(front)
        m.d.comb += [
            write.addr.eq(back),
            write.data.eq(self.link.payload),
            write.en.eq(arriving),
            read.addr.eq(cursor),
            self.flit.eq(read.data),
        ]

    @staticmethod
    def _pointer(m, name, places, step):
        if places == 1:
            return Const(0, 0)
        pointer = Signal(range(places), name=name)
        with m.If(step):
            m.d.sync += pointer.eq(pointer + 1)
        return pointer
