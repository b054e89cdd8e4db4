# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Register with the next decoded header flit of an input: the route unit reads it without a memory in front.

====================  ============================================================================
cycle                 what happens
====================  ============================================================================
t                     a flit moves on the link, with its decoding
t + 1                 ``eligible``: the decoding is in the register, if no other header flit was
t + n, ``taken``      the route unit processes it; the following one is there from t + n + 1 on
t + n, ``release``    the tail leaves; the head behind it, if it is here, is there from t + n + 1 on
====================  ============================================================================

While a worm is queued, the register loads the decoding behind the front in every cycle: a head as soon as the front is
a tail. So no late signal selects what is loaded.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.deep_ring import DeepRing, front_slots
from rtl.parts.part import Part, instantiate
from rtl.parts.ring_pointer import ring_pointer
from rtl.routed.header_decoder import decoded_layout


class HeaderRegister(Part):
    """Stores the decodings of the flits in an input buffer, and the next one to be processed in a register.

    Decodings are in a ring beside that of the buffer, with a read port of its own. Latency 1 cycle from ``moved`` to
    ``eligible``; throughput 1 flit per cycle.

    Parameters:
        parameters: Of the router; the buffer's depth is at least that of the longest header.

    Members:
        moved (In(1)): A flit moves into the buffer.
        arriving (In(decoded_layout)): Its decoding.
        queued (In(1)): The request of the worm at the front is complete.
        taken (In(1)): The route unit processes the flit. Only if ``eligible``.
        pop (In(1)): The front leaves the buffer. Only with ``queued``.
        release (In(1)): The front is a tail, and leaves.
        decoded (Out(decoded_layout)): Decoding of the next header flit. A register.
        eligible (Out(1)): Whether there is one to process; never with ``queued``. A register.
    """

    def __init__(self, parameters: RouterParameters):
        p = self.parameters = parameters
        self.layout = decoded_layout(p)
        self._near = front_slots(p.header_flits + 1)
        super().__init__(
            f"header_register_{p.depth}_{p.header_flits}_{self.layout.size}",
            {
                "moved": In(1),
                "arriving": In(self.layout),
                **{name: In(1) for name in ("queued", "taken", "pop", "release")},
                "decoded": Out(self.layout),
                "eligible": Out(1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        stored, more, lacks, waiting = (Signal(name=name) for name in ("stored", "more", "lacks", "waiting"))
        following = Signal(self.layout)
        m.d.comb += following.eq(self.arriving)
        if self.parameters.depth > 1:
            self._read_following(m, platform, stored, following)
        ends: Any = self.decoded.last
        m.d.comb += [
            more.eq(stored | self.moved),
            lacks.eq(self.eligible & ~(more & ~ends)),
            waiting.eq(~self.queued & (self.eligible | self.moved)),
        ]
        m.d.sync += self.eligible.eq(self.queued & more & self.release | waiting & ~(lacks & self.taken))
        with m.If(~self.eligible | self.taken):
            m.d.sync += self.decoded.eq(following)
        return m

    def _read_following(self, m, platform, stored, following):
        """Read the decoding behind the one in the register, or behind the front of a queued worm."""
        slots = 1 << (self.parameters.depth - 1).bit_length()
        back = ring_pointer(m, "back", slots, self.moved)
        position = self._position(m, slots)
        read = self._deep_ring if self.parameters.depth > self._near else self._ring
        entry = read(m, platform, back, position)
        m.d.comb += stored.eq((position != back) & (self.queued | self.eligible))
        with m.If(stored):
            m.d.comb += following.eq(entry)

    def _position(self, m, slots) -> Any:
        position: Any = Signal(range(slots), init=1)
        before: Any = position
        if self.parameters.header_flits > 1:
            front = ring_pointer(m, "front", slots, self.pop)
            last: Any = self.decoded.last
            before = Mux(last & ~self.queued, front, position)
        # a header of one flit leaves the position behind the front
        with m.If(self.pop | self.taken if self.parameters.header_flits > 1 else self.pop):
            m.d.sync += position.eq(before + 1)
        return position

    def _ring(self, m, _platform, back, position) -> Any:
        """Keep the latest decoding in a register: a memory behind the decoder would be late in the cycle."""
        latest = Signal(self.layout, reset_less=True)
        with m.If(self.moved):
            m.d.sync += latest.eq(self.arriving)
        if len(back) == 1:  # only the second one of two flits is read
            return latest
        newest: Any = Signal(len(back))
        m.submodules.slots = store = memory.Memory(shape=self.layout.size, depth=1 << len(back), init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        m.d.comb += [
            newest.eq(back - 1),
            write.addr.eq(newest),
            write.data.eq(latest),
            write.en.eq(self.moved),
            read.addr.eq(position),
        ]
        return Mux(position == newest, Value.cast(latest), read.data)

    def _deep_ring(self, m, platform, _back, position) -> Any:
        ring = instantiate(m, platform, "ring", DeepRing(self.layout.size, self.parameters.depth, self._near))
        m.d.comb += [
            ring.write.eq(self.moved),
            ring.entry.eq(self.arriving),
            ring.pop.eq(self.pop),
            ring.position.eq(position),
        ]
        return ring.read
