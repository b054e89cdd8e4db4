"""A deep ring of flits in block RAM, with a short front in LUT RAM that can be read within the cycle.

Block RAM reads take a cycle, and the next slot that a buffer reads depends on its latest signal. Readable flits are
therefore in a front of LUT RAM, and block RAM stores only those for which the front has no room.

=========  =================================================================================================
cycle      what happens
=========  =================================================================================================
t          a flit is written: into the front if it has room and block RAM is empty, or else into block RAM
t          flits wait in block RAM, and the front has room: the first of them is read
t + 1      it is written into the front; a flit that arrives now, with block RAM empty, is written next to it
=========  =================================================================================================

The two flits of a cycle have consecutive slots, so the front has two memories, of even and of odd slots.

While flits wait in block RAM, one of them is read whenever the front has room, and at most one leaves per cycle. At
most 2 slots are therefore without their flit: one that has just become free, and one whose flit is in block RAM's
output. All others are readable at once, as if the whole ring were in LUT RAM.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part

MAX_LUT_RAM_FLITS = 32
"""A ring of more slots is a deep one."""
MISSING_FLITS = 2


def front_slots(readable: int) -> int:
    """Return the slots of a front in which ``readable`` flits, if present, can always be read; a power of two."""
    return max(MAX_LUT_RAM_FLITS, 1 << (readable + MISSING_FLITS - 1).bit_length())


class DeepRing(Part):
    """First-in first-out memory whose first flits can be read in any order.

    Latency 1 cycle from ``write`` to ``read``; throughput 1 flit per cycle.

    Parameters:
        bits: Bits stored per flit.
        depth: Capacity in flits; more than ``slots``.
        slots: Places of the front, a power of two, at least 8.

    Members:
        write (In(1)), entry (In(bits)): Store a flit. Only if there are fewer than ``depth``.
        pop (In(1)): Drop the first flit. Only if there is one.
        position (In): Slot to be read. Flits take slots one after the other from 0 on, modulo ``slots``.
        read (Out(bits)): The flit in that slot, if it is one of the first ``slots`` - 2. Combinational.
    """

    def __init__(self, bits: int, depth: int, slots: int):
        if slots < 8 or slots & (slots - 1):
            raise ValueError(f"Front must have a power of two of slots, at least 8, not {slots!r}")
        if depth <= slots:
            raise ValueError(f"Deep ring must hold more than the {slots} flits of its front, not {depth!r}")
        self.bits = bits
        self.depth = depth
        self.slots = slots
        super().__init__(
            f"deep_ring_{bits}x{depth}",
            {
                "write": In(1),
                "entry": In(bits),
                "pop": In(1),
                "position": In(range(slots)),
                "read": Out(bits),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        near: Any = Signal(range(self.slots + 1))  # in the front, or about to be
        far: Any = Signal(range(self.depth - self.slots + 2))
        has_room, waiting, direct, fetch, enters = (Signal() for _ in range(5))
        fetched = Signal()
        m.d.comb += [
            has_room.eq(near != self.slots),
            waiting.eq(far != 0),
            direct.eq(self.write & has_room & ~waiting),
            fetch.eq(has_room & waiting),
            enters.eq(direct | fetch),
        ]
        m.d.sync += fetched.eq(fetch)
        # pop is late in the cycle
        with m.If(enters != self.pop):
            m.d.sync += near.eq(Mux(enters, near + 1, near - 1))
        stored = Signal()
        m.d.comb += stored.eq(self.write & ~direct)
        with m.If(stored != fetch):
            m.d.sync += far.eq(Mux(stored, far + 1, far - 1))
        self._keep_near(m, direct, fetched, self._keep_far(m, stored, fetch))
        return m

    def _keep_far(self, m, stored, fetch) -> Any:
        """Add the block RAM; return the flit that was fetched in the cycle before."""
        slots = 1 << (self.depth - self.slots).bit_length()
        m.submodules.far_slots = store = memory.Memory(shape=self.bits, depth=slots, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port()
        for port, step, name in ((write, stored, "far_back"), (read, fetch, "far_front")):
            pointer: Any = Signal(range(slots), name=name)
            with m.If(step):
                m.d.sync += pointer.eq(pointer + 1)
            m.d.comb += [port.addr.eq(pointer), port.en.eq(step)]
        m.d.comb += write.data.eq(self.entry)
        return read.data

    def _keep_near(self, m, direct, fetched, far_entry):
        """Add the LUT RAM: a memory for even and one for odd slots."""
        filled: Any = Signal(range(self.slots))  # next slot to be written
        slot: Any = Signal(range(self.slots))  # of the flit that comes straight from the link
        m.d.comb += slot.eq(filled + fetched)
        m.d.sync += filled.eq(slot + direct)
        rows = []
        for parity in range(2):
            store = memory.Memory(shape=self.bits, depth=self.slots // 2, init=[])
            m.submodules[f"slots_{parity}"] = store
            write: Any = store.write_port()
            read: Any = store.read_port(domain="comb")
            lands = Signal(name=f"lands_{parity}")
            m.d.comb += [
                lands.eq(fetched & (filled[0] == parity)),
                write.en.eq(lands | direct & (slot[0] == parity)),
                write.addr.eq(Mux(lands, filled[1:], slot[1:])),
                write.data.eq(Mux(lands, far_entry, self.entry)),
                read.addr.eq(self.position[1:]),
            ]
            rows.append(read.data)
        m.d.comb += self.read.eq(Mux(self.position[0], rows[1], rows[0]))
