"""An input with lanes: their buffers, and the request that one of them makes (docs/timing.md, "Router with lanes").

======================  =============================================================================
cycle                   what happens to the flit of an active worm
======================  =============================================================================
t                       on the link; its lane is chosen as it arrives
t + 1                   the request is in its register, and granted; the flit is read
t + 2                   on the next link; the credit for its slot is on the wire
======================  =============================================================================
"""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.common.flit import flit_layout, link_signature
from rtl.common.part import Part
from rtl.common.selection import concat, either, lowest_one
from rtl.common.vc.link import lane_link_signature
from rtl.common.vc.parameters import InputShape
from rtl.common.vc.turn_order import TurnOrder


class LaneInput(Part):
    """The lanes of one input port.

    What comes late in a cycle, ``granted``, decides only whether registers are loaded, and not with what.

    Parameters
    ----------
    shape : InputShape

    Members
    -------
    link : In
        The link that ends here: with lanes, or from a processor with ``valid`` and ``ready``.
    ways : In(ways)
        What routing gives for the flit on the link: output lanes, output by output.
    has_credit : In(ways)
        Output lanes that have credits.
    can_start : In(ways)
        Output lanes that a head may have.
    may_send, may_start : In(ways)
        The same, with a credit that is on the wire in this cycle.
    requests : Out(ways)
        The output lane that the request is for, if it is good: one bit at most.
    granted, lost : In(outputs)
        Whether the request is granted, and whether it lost to another one.
    flit : Out(flit_layout)
        The flit that the request is for.
    credits : Out(lanes)
        Bit v: a flit left the buffer of lane v in the last cycle. Registers. Not there if the link is from a processor.
    discarding : Out(lanes)
        Bit v: the head of a worm without a way left lane v in the last cycle. Registers.
    """

    def __init__(self, shape: InputShape):
        s = self.shape = shape
        link = link_signature(s.flit_bits) if s.from_host else lane_link_signature(s.flit_bits, s.lanes)
        super().__init__(
            f"lane_input_{s.name}",
            {
                "link": In(link),
                "ways": In(s.ways),
                "has_credit": In(s.ways),
                "can_start": In(s.ways),
                "may_send": In(s.ways),
                "may_start": In(s.ways),
                "requests": Out(s.ways),
                "granted": In(len(s.outputs)),
                "lost": In(len(s.outputs)),
                "flit": Out(flit_layout(s.flit_bits)),
                **({} if s.from_host else {"credits": Out(s.lanes)}),
                "discarding": Out(s.lanes),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        s = self.shape
        arriving, popped = Signal(s.lanes), Signal(s.lanes)
        m.d.comb += arriving.eq(self.link.valid & self.link.ready if s.from_host else self.link.valid)
        request = _Request(s)
        lanes = [_Lane(m, self, v, arriving[v], popped[v], request) for v in range(s.lanes)]
        self._store(m, lanes, arriving, request)
        self._offer(m, request)
        self._choose(m, lanes, request)
        leaves = Signal()
        m.d.comb += [
            leaves.eq(self.granted.any() | request.nowhere),
            popped.eq(Mux(leaves, request.lane, 0)),
        ]
        m.d.sync += self.discarding.eq(Mux(request.nowhere & request.is_head, request.lane, 0))
        if s.from_host:
            m.d.sync += self.link.ready.eq(popped.any() | ~lanes[0].fills)
        else:
            m.d.sync += self.credits.eq(popped)
        return m

    def _store(self, m, lanes, arriving, request):
        """All buffers in one memory: written from the link, read for the request."""
        s = self.shape
        m.submodules.flits = store = memory.Memory(shape=self.link.payload.shape(), depth=s.lanes * s.slots, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(arriving.any()),
            write.data.eq(self.link.payload),
            write.addr.eq(_address(arriving, [lane.back for lane in lanes])),
            read.addr.eq(_address(request.lane, [lane.front for lane in lanes])),
            self.flit.eq(read.data),
            request.is_tail.eq(read.data.tail),
        ]

    def _offer(self, m, request):
        """The request as outputs see it, if it is good."""
        usable = Mux(request.is_head, self.can_start, self.has_credit)
        m.d.comb += self.requests.eq(request.way & usable)

    def _choose(self, m, lanes, request):
        """The request of the next cycle, unless the present one is good and lost."""
        renewed = Signal()
        m.d.comb += renewed.eq(~self.lost.any())
        turns = TurnOrder(m, [lane.eligible for lane in lanes], "lane", renewed)
        chosen = turns.chosen
        with m.If(renewed):
            m.d.sync += [
                request.lane.eq(concat(chosen)),
                request.way.eq(either([Mux(bit, lane.picked, 0) for bit, lane in zip(chosen, lanes, strict=True)])),
                request.is_head.eq(either([bit & ~lane.active for bit, lane in zip(chosen, lanes, strict=True)])),
                request.nowhere.eq(either([bit & lane.nowhere for bit, lane in zip(chosen, lanes, strict=True)])),
            ]


class _Request:
    """Registers of the request: the flit at the front of a lane, for a lane of an output."""

    def __init__(self, s: InputShape):
        self.lane: Any = Signal(s.lanes, name="request_lane")  # one-hot; 0 for no request
        self.way: Any = Signal(s.ways, name="request_way")  # one-hot
        self.is_head: Any = Signal(name="request_is_head")
        self.nowhere: Any = Signal(name="request_nowhere")  # of a worm without a way
        self.is_tail: Any = Signal(name="request_is_tail")  # combinational, late: read from the memory


class _Lane:
    """Registers of one lane, and whether it may make the next request."""

    def __init__(self, m: Any, part: LaneInput, number: int, arriving: Any, popped: Any, request: _Request):
        s = part.shape
        self._m, self._part, self._shape, self._number = m, part, s, number
        self._arriving, self._popped, self._request = arriving, popped, request
        self._picks: list[Any] = []
        self.active: Any = self._signal(1, "active")
        self.ways: Any = self._signal(s.ways, "ways")
        self._count()
        self.back: Any = self._pointer("back", arriving)
        self.front: Any = self._pointer("front", popped)
        self.nowhere: Any = self._signal(1, "nowhere")
        self._keep_ways()
        with m.If(popped):
            m.d.sync += self.active.eq(~request.is_tail)
        self._find_eligible()

    def _signal(self, bits: int, name: str) -> Any:
        return Signal(bits, name=f"{name}_{self._number}")

    def _count(self):
        """Flits in the buffer: how many, and whether there are any, two or more."""
        m, s, arriving, popped = self._m, self._shape, self._arriving, self._popped
        count: Any = Signal(range(s.depth + 1), name=f"count_{self._number}")
        with m.If(arriving != popped):
            m.d.sync += count.eq(Mux(arriving, count + 1, count - 1))
        self.present: Any = self._signal(1, "present")
        self.several: Any = self._signal(1, "several")
        m.d.comb += self.several.eq(count[1:].any() if s.depth > 1 else 0)
        m.d.sync += self.present.eq(arriving | Mux(popped, self.several, self.present))
        self.fills: Any = self._signal(1, "fills")
        m.d.comb += self.fills.eq((count == s.depth) | (count == s.depth - 1) & arriving)

    def _pointer(self, name: str, step: Any) -> Any:
        if self._shape.slots == 1:
            return Const(0, 0)
        pointer: Any = Signal(range(self._shape.slots), name=f"{name}_{self._number}")
        with self._m.If(step):
            self._m.d.sync += pointer.eq(pointer + 1)
        return pointer

    def _keep_ways(self):
        """The ways of the head at the front. Those of heads behind it are kept in a small memory."""
        m, s, request = self._m, self._shape, self._request
        self.starts: Any = self._signal(1, "starts")  # a head arrives at the front
        follows = self._signal(1, "follows")  # one comes to the front because a tail leaves
        m.d.comb += [
            self.starts.eq(self._arriving & ~self.present & ~self.active),
            follows.eq(self._popped & request.is_tail),
        ]
        next_ways: Any = self._part.ways
        if s.depth > 1:
            next_ways = Mux(self.several, self._stored_ways(), self._part.ways)
        with m.If(self.starts | follows):
            m.d.sync += [self.ways.eq(next_ways), self.nowhere.eq(~next_ways.any())]
        if s.several_ways:
            with m.Elif(self._popped & request.is_head):
                m.d.sync += self.ways.eq(request.way)
        self._comes_first: Any = self.starts | self._popped & (request.is_tail | request.is_head)

    def _stored_ways(self) -> Any:
        """The ways of the flit behind the front."""
        m, s = self._m, self._shape
        store = memory.Memory(shape=s.ways, depth=s.slots, init=[])
        m.submodules[f"ways_{self._number}"] = store
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self._arriving),
            write.addr.eq(self.back),
            write.data.eq(self._part.ways),
            read.addr.eq(self.front + 1),
        ]
        return read.data

    def _promising(self) -> Any:
        """Whether the request of this lane would be good, if nothing else is granted in this cycle."""
        part = self._part
        return self.nowhere | (self.ways & Mux(self.active, part.may_send, part.may_start)).any()

    def _find_eligible(self):
        m, s, request = self._m, self._shape, self._request
        self.eligible: Any = self._signal(1, "eligible")
        asks = request.lane[self._number]
        behind = self.active & ~request.is_tail & (self.several | self._arriving)
        other = self.present & self._delay_over() | self.active & (self.present | self._arriving)
        eligible = self._promising() & Mux(asks, behind, other)
        self.picked: Any = self._pick(self.ways)
        if s.routing_cycles == 1:
            eligible = eligible | self.starts
            nowhere = self._signal(1, "nowhere_now")
            m.d.comb += nowhere.eq(Mux(self.starts, ~self._part.ways.any(), self.nowhere))
            self.picked = Mux(self.starts, self._pick(self._part.ways), self.picked)
            self.nowhere = nowhere
        m.d.comb += self.eligible.eq(eligible)

    def _delay_over(self) -> Any:
        """Whether a head at the front has waited long enough for routing."""
        m, most = self._m, self._shape.routing_cycles - 2
        if most < 1:
            return Const(1)
        delay: Any = Signal(range(most + 1), name=f"delay_{self._number}")
        with m.If(self._comes_first):
            m.d.sync += delay.eq(0)
        with m.Elif(delay != most):
            m.d.sync += delay.eq(delay + 1)
        return delay == most

    def _pick(self, ways: Any) -> Any:
        """The output lane to ask for: the worm's own, or else the lowest that can be had, or else the lowest."""
        if not self._shape.several_ways:
            return ways
        bits, number = self._shape.ways, f"{self._number}_{len(self._picks)}"
        usable, picked = Signal(bits, name=f"usable_{number}"), Signal(bits, name=f"picked_{number}")
        self._picks.append(picked)
        held = Signal(bits, name=f"candidates_{number}")
        self._m.d.comb += [
            held.eq(ways),
            usable.eq(held & self._part.may_start),
            picked.eq(Mux(usable.any(), lowest_one(usable), lowest_one(held))),
        ]
        return Mux(self.active, held, picked)


def _address(one_hot: Any, pointers: Any) -> Any:
    """Address in the memory of all lanes."""
    pointer: Any = either([Mux(one_hot[v], pointer, 0) for v, pointer in enumerate(pointers)])
    bits = (len(one_hot) - 1).bit_length()
    lane = [concat(one_hot[v] for v in range(len(one_hot)) if v >> bit & 1).any() for bit in range(bits)]
    return Cat(pointer[: len(pointers[0])], *lane)
