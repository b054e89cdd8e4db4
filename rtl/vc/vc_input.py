"""Input with virtual channels: buffers, and the request of one of them (docs/look_up/timing_torus.md).

======================  =============================================================================
cycle                   what happens to the flit of an active worm
======================  =============================================================================
t                       on the link; its VC is selected as it arrives
t + 1                   the request is in its register, and granted; the flit is read
t + 2                   on the next link; the credit for its slot is on the wire
======================  =============================================================================
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.part import Part
from rtl.parts.selection import concat, either, lowest_one
from rtl.vc.front_flit import FrontFlit
from rtl.vc.link import vc_link_signature
from rtl.vc.parameters import InputShape
from rtl.vc.round_robin_selector import RoundRobinSelector
from rtl.vc.vc_buffer import VcBuffer, store_flits


class VcInput(Part):
    """The virtual channels of one input port.

    ``lost``, which is late in a cycle, only enables registers; their inputs do not depend on it. Flits are not counted:
    their number follows from the pointers.

    Members:
        link (In): The link that ends here: with virtual channels, or from a processor with ``valid`` and ``ready``.
        ways (In(ways)): Route candidates of the flit on the link: output VCs, output by output.
        has_credit (In(ways)): Output VCs with credits.
        can_start (In(ways)): Output VCs that a head may take.
        may_send, may_start (In(ways)): Likewise, with a credit that is on the wire in this cycle.
        requests (Out(outputs)): The requested output: one bit at most. Registers.
        good (Out(ways)): The requested output VC, if the request is good: one bit at most. Unspecified without a
            request.
        lost (In(outputs)): Whether the request loses arbitration there. Otherwise it is granted if it is good, and
            dropped if not.
        flit (Out(flit_layout)): The flit of the request.
        credits (Out(vcs)): Bit v: a flit left the buffer of VC v in the last cycle. Registers. Absent if the link is
            from a processor.
        discarding (Out(vcs)): Bit v: the head of an unroutable worm left VC v in the last cycle. Registers.
    """

    def __init__(self, shape: InputShape):
        s = self.shape = shape
        link = link_signature(s.flit_bits) if s.from_host else vc_link_signature(s.flit_bits, s.vcs)
        super().__init__(
            f"lane_input_{s.name}",
            {
                "link": In(link),
                "ways": In(s.ways),
                "has_credit": In(s.ways),
                "can_start": In(s.ways),
                "may_send": In(s.ways),
                "may_start": In(s.ways),
                "requests": Out(len(s.outputs)),
                "good": Out(s.ways),
                "lost": In(len(s.outputs)),
                "flit": Out(flit_layout(s.flit_bits)),
                **({} if s.from_host else {"credits": Out(s.vcs)}),
                "discarding": Out(s.vcs),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        s = self.shape
        arriving, popped = Signal(s.vcs), Signal(s.vcs)
        m.d.comb += arriving.eq(self.link.valid & self.link.ready if s.from_host else self.link.valid)
        request = _Request(s)
        vcs = [_Vc(m, self, v, arriving[v], popped[v], request) for v in range(s.vcs)]
        # all buffers in one memory: written from the link, read for the request
        buffers = [vc.buffer for vc in vcs]
        m.d.comb += self.flit.eq(store_flits(m, buffers, arriving, self.link.payload, request.vc))
        self._offer(m, request)
        self._choose(m, vcs, request)
        leaves = Signal()
        m.d.comb += [
            request.nowhere.eq(~request.outputs.any()),
            leaves.eq((self.good.any() | request.nowhere) & ~self.lost.any()),
            popped.eq(Mux(leaves, request.vc, 0)),
        ]
        m.d.sync += self.discarding.eq(Mux(request.nowhere & request.is_head, request.vc, 0))
        if s.from_host:
            m.d.sync += self.link.ready.eq(popped.any() | ~vcs[0].buffer.fills())
        else:
            m.d.sync += self.credits.eq(popped)
        return m

    def _offer(self, m, request):
        """Connect the request to the outputs."""
        usable = Mux(request.is_head, self.can_start, self.has_credit)
        m.d.comb += [self.requests.eq(request.outputs), self.good.eq(request.way & usable)]

    def _choose(self, m, vcs, request):
        """Select the request of the next cycle, unless the present one has lost arbitration."""
        renewed = Signal()
        m.d.comb += renewed.eq(~self.lost.any())
        turns = RoundRobinSelector(m, [vc.eligible for vc in vcs], "lane", renewed)
        with m.If(renewed):
            m.d.sync += [
                request.vc.eq(concat(turns.chosen)),
                request.outputs.eq(
                    either([Mux(bit, vc.outputs, 0) for bit, vc in zip(turns.chosen, vcs, strict=True)])
                ),
                request.way.eq(turns.select([vc.picked for vc in vcs])),
                request.is_head.eq(turns.select([~vc.active for vc in vcs])),
            ]


class _Request:
    """Registers of the request: the flit at the front of an input VC, and its output VC.

    Without a request ``vc`` and ``outputs`` are 0, and the others are unspecified.
    """

    def __init__(self, s: InputShape):
        self.vc: Any = Signal(s.vcs, name="request_lane")  # one-hot
        self.outputs: Any = Signal(len(s.outputs), name="request_outputs")  # one-hot: the output of ``way``
        self.way: Any = Signal(s.ways, name="request_way")  # one-hot
        self.is_head: Any = Signal(name="request_is_head")
        self.nowhere: Any = Signal(name="request_nowhere")  # of an unroutable worm


class _Vc:
    """Registers of one virtual channel, and whether it may make the next request."""

    def __init__(self, m: Any, part: VcInput, number: int, arriving: Any, popped: Any, request: _Request):
        s = part.shape
        self._m, self._part, self._shape, self._number = m, part, s, number
        self._arriving, self._popped, self._request = arriving, popped, request
        self._picks: list[Any] = []
        self.active: Any = self._signal(1, "active")
        self.ways: Any = self._signal(s.ways, "ways")
        self.buffer = VcBuffer(m, number, s.depth, arriving, popped)
        self.present, self.several = self.buffer.present, self.buffer.several
        self.nowhere: Any = self._signal(1, "nowhere")
        self._keep_ways()
        with m.If(popped):
            m.d.sync += self.active.eq(~self.is_tail)
        self._find_eligible()

    def _signal(self, bits: int, name: str) -> Any:
        return Signal(bits, name=f"{name}_{self._number}")

    def _keep_ways(self):
        """Keep for the flit at the front: its route candidates if it is a head, and whether it is a tail."""
        m, s, request, part = self._m, self._shape, self._request, self._part
        front = FrontFlit(
            m,
            self._number,
            self.buffer,
            self._arriving,
            self._popped,
            self.active,
            part.ways,
            part.link.payload.tail,
        )
        self.is_tail, self.starts, self._comes_first = front.is_tail, front.starts, front.comes_first
        with m.If(self._comes_first):
            m.d.sync += [self.ways.eq(front.following), self.nowhere.eq(~front.following.any())]
        if s.several_candidates:
            with m.Elif(self._popped & request.is_head):
                m.d.sync += self.ways.eq(request.way)

    def _promising(self) -> Any:
        """Return whether this VC's request is eligible, if nothing else is granted in this cycle."""
        part = self._part
        return self.nowhere | (self.ways & Mux(self.active, part.may_send, part.may_start)).any()

    def _find_eligible(self):
        m, s, request = self._m, self._shape, self._request
        self.eligible: Any = self._signal(1, "eligible")
        asks = request.vc[self._number]
        behind = self.active & ~self.is_tail & (self.several | self._arriving)
        other = self.present & self._delay_over() | self.active & (self.present | self._arriving)
        starts: Any = self.starts if s.routing_cycles == 1 else Const(0)
        # the late term, the eligibility without other grants, passes one gate
        m.d.comb += self.eligible.eq((self._promising() | starts) & (Mux(asks, behind, other) | starts))
        self.picked: Any = self._pick(self.ways)
        if s.routing_cycles == 1:
            self.picked = Mux(self.starts, self._pick(self._part.ways), self.picked)
        self.outputs: Any = concat(self.picked[low:high].any() for low, high in s.spans)

    def _delay_over(self) -> Any:
        """Return whether the routing delay of a head at the front is over."""
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
        """Return the output VC to request: the worm's own, or else the lowest eligible one, or else the lowest."""
        if not self._shape.several_candidates:
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
