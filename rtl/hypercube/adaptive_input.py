"""Input whose heads get their output virtual channels from the VC allocator (docs/look_up/timing_hypercube.md).

======================  =============================================================================
cycle                   what happens to the flit of an active worm
======================  =============================================================================
t                       on the link; its VC is selected as it arrives
t + 1                   the request is in its register, and granted; the flit is read
t + 2                   on the next link; the credit for its slot is on the wire
======================  =============================================================================

With atomic reallocation (the buffer behind an output VC is empty before the next worm) the input VC counts the credits:
a worm begins with all of them, and each returning credit is its own. With another ``vc_reallocation`` the credits of
several worms return at a time, and the output counts them.
"""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.vc_heads import ExclusiveVcHead, InjectionHead, SharedVcHead, VcSignals
from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.part import Part
from rtl.parts.selection import concat
from rtl.vc.link import vc_link_signature
from rtl.vc.round_robin_selector import RoundRobinSelector
from rtl.vc.vc_buffer import VcBuffer, store_flits, vc_slots


class AdaptiveInput(Part):
    """The virtual channels of one input port.

    ``beaten``, which is late in a cycle, only enables registers of the request; their inputs do not depend on it.

    Parameters:
        port: Number of the input.

    Members:
        link (In): The link that ends here: with virtual channels, or from a processor with ``valid`` and ``ready``.
        node (In(dimensions)): The switch's number.
        asking (Out(vcs)): A head waits or arrives.
        waiting (Out(vcs)): A head waits, and ``wanted`` is valid.
        wanted (Out(outputs).array(VCs)): The outputs that it can use. Registers. 0 for outputs without a connection to
            this input.
        granted (In(vcs)): The head is granted a virtual channel of the output in ``row``.
        row (In(outputs)): One-hot or 0.
        lane (In(VCs of a channel)): Virtual channel of that output, one-hot. Unspecified with one virtual channel.
        credited (In(VCs of a channel).array(dimensions)): Credits on the wires behind each output.
        some_credit, several_credits (In(VCs of a channel).array(dimensions)): VCs with one credit or more, and two or
            more, without those on the wires. Only if outputs count them.
        room (In(1)): The delivery buffer has room.
        requests (Out(outputs that it reaches)): The requested output: one bit at most. Registers.
        target (Out(VCs of a channel - 1)): Virtual channel of it, one-hot; 0 for the last one. Only if channels have
            several.
        ends (Out(1)): The request is for a tail. Absent on inputs from a processor, which never request the delivery
            output.
        beaten (In(outputs that it reaches)): Whether the request loses arbitration there. Otherwise it is granted.
        flit (Out(flit_layout)): The flit of the request.
        credits (Out(vcs)): Bit v: a flit left the buffer of VC v in the last cycle. Registers. Absent if the link is
            from a processor.
        releases (Out(VCs that are given away empty)): Bit v: it was a tail, and the buffer is empty. Registers. Absent
            likewise.
        discarding (Out(vcs)): Bit v: an unroutable worm began to be drained in the last cycle. Registers.
    """

    def __init__(self, parameters: HypercubeRouterParameters, port: int):
        p = self.parameters = parameters
        self.port, self.vcs, self.host = port, p.input_vcs[port], p.is_host_input(port)
        self.slots = vc_slots(p.buffer_flits)
        outputs = len(p.output_vcs)
        link = link_signature(p.flit_bits) if self.host else vc_link_signature(p.flit_bits, self.vcs)
        back: dict[str, Any] = {} if self.host else {"ends": Out(1), "credits": Out(self.vcs)}
        if not self.host and p.unshared_vcs:
            back["releases"] = Out(p.unshared_vcs)
        counted = ("some_credit", "several_credits") if p.outputs_count_credits else ()
        super().__init__(
            f"adaptive_input_{p.name}_{'host' if self.host else port}",
            {
                "link": In(link),
                "node": In(p.dimensions),
                "asking": Out(self.vcs),
                "waiting": Out(self.vcs),
                "wanted": Out(outputs).array(self.vcs),
                "granted": In(self.vcs),
                "row": In(outputs),
                "lane": In(p.vcs),
                "credited": In(p.vcs).array(p.dimensions),
                **{member: In(p.vcs).array(p.dimensions) for member in counted},
                "room": In(1),
                "requests": Out(len(p.outputs_of(port))),
                **({"target": Out(p.vcs - 1)} if p.vcs > 1 else {}),
                "beaten": In(len(p.outputs_of(port))),
                "flit": Out(flit_layout(p.flit_bits)),
                **back,
                "discarding": Out(self.vcs),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        arriving, popped, kept = Signal(self.vcs), Signal(self.vcs), Signal()
        m.d.comb += arriving.eq(self.link.valid & self.link.ready if self.host else self.link.valid)
        asked: Any = Signal(self.vcs)
        vcs = [_Vc(m, self, v, arriving[v], popped[v], asked[v]) for v in range(self.vcs)]
        # from a processor the front is always read
        reading = None if self.host else asked
        flit = store_flits(m, [vc.buffer for vc in vcs], arriving, self.link.payload, reading)
        m.d.comb += self.flit.eq(flit)
        for vc in vcs:
            vc.route()
        self._request(m, vcs, asked, kept)
        m.d.comb += popped.eq(Mux(kept, 0, asked) | concat(vc.drains for vc in vcs))
        if self.host:
            m.d.sync += self.link.ready.eq(popped.any() | ~vcs[0].buffer.fills())
        else:
            tails: Any = Signal(self.vcs)
            m.d.comb += [tails.eq(concat(vc.is_tail for vc in vcs)), self.ends.eq((asked & tails).any())]
            m.d.sync += self.credits.eq(popped)
            if self.parameters.unshared_vcs:
                m.d.sync += self.releases.eq((popped & tails)[: len(self.releases)])
        return m

    def _request(self, m, vcs, asked, kept):
        """Add the registers of the request, and the virtual channel it is for."""
        requests = Signal(len(self.requests))
        reached = self.parameters.outputs_of(self.port)
        turns = RoundRobinSelector(m, [vc.eligible for vc in vcs], "lane", ~kept)
        outputs = [concat(vc.output[o] for o in reached) for vc in vcs]
        outputs[-1] = Mux(vcs[-1].eligible, outputs[-1], 0)  # what is selected if no VC is eligible
        following = turns.select(outputs)
        m.d.comb += [kept.eq((requests & self.beaten).any()), self.requests.eq(requests)]
        with m.If(~kept):
            m.d.sync += [asked.eq(concat(turns.chosen)), requests.eq(following)]
        if self.parameters.vcs > 1:
            bits = range(self.parameters.vcs - 1)
            rows = [concat(asked[v] & vc.target[bit] for v, vc in enumerate(vcs)) for bit in bits]
            m.d.comb += self.target.eq(concat(row.any() for row in rows))


class _Vc:
    """Registers of one virtual channel, and whether it may make the next request."""

    def __init__(self, m: Any, part: AdaptiveInput, number: int, arriving: Any, popped: Any, asks: Any):
        self._m, self._part, self._number = m, part, number
        self._arriving, self._popped, self._asks = arriving, popped, asks
        self._queues: bool = not part.host and number >= part.parameters.unshared_vcs
        self.buffer = VcBuffer(m, number, part.parameters.buffer_flits, arriving, popped, gray=not self._queues)
        self._present: Any = self.buffer.present
        self.active: Any = self._signal(1, "active")
        self.nowhere: Any = self._signal(1, "nowhere")
        self.output: Any = self._signal(len(part.row), "output")
        self.target: Any = self._signal(len(part.lane), "target")
        self.drains: Any = self._signal(1, "drains")
        self.eligible: Any = self._signal(1, "eligible")

    def _signal(self, shape: Any, name: str) -> Any:
        return Signal(shape, name=f"{name}_{self._number}")

    def route(self):
        """Compute the requests from the head."""
        m, part, v = self._m, self._part, self._number
        front = self._front()
        self.is_tail: Any = front.is_tail
        wanted = self._signal(len(part.row), "wanted")
        remaining = front.key ^ part.node
        with m.If(front.starts):
            m.d.sync += [wanted.eq(self._wanted(remaining)), self.nowhere.eq(self._is_unroutable(remaining))]
        drained = self._signal(1, "drained")
        m.d.comb += [
            part.wanted[v].eq(wanted),
            # the next head may wait as soon as an unroutable one is drained: that must not lead in its place
            part.asking[v].eq(front.asks & ~drained if self._queues else front.asks),
            part.waiting[v].eq(front.ready & ~self.active & ~self.nowhere),
            drained.eq(front.ready & ~self.active & self.nowhere),
            self.drains.eq(self.active & self.nowhere & self._present),
        ]
        m.d.sync += part.discarding[v].eq(drained)
        self._own(drained, front.ends)
        self._make_eligible(front.behind)

    def _front(self) -> ExclusiveVcHead | SharedVcHead | InjectionHead:
        """Return the state of the flit at the front."""
        part, v = self._part, self._number
        key_bits = part.parameters.dimensions
        vc = VcSignals(self._m, v, self.buffer, self._arriving, self._popped, self.active, key_bits)
        if part.host:
            return InjectionHead(vc, part.flit, part.granted[v])
        flit = part.link.payload
        return SharedVcHead(vc, flit) if self._queues else ExclusiveVcHead(vc, flit, part.releases[v])

    def _wanted(self, remaining: Any) -> Any:
        """Return the outputs that a head can use, from its remaining dimensions."""
        p = self._part.parameters
        candidates = [remaining[d] if p.reaches(self._part.port, d) else Const(0) for d in range(p.dimensions)]
        return Cat(*candidates, Const(0) if self._part.host else ~remaining.any())

    def _is_unroutable(self, remaining: Any) -> Any:
        """Return whether a head is unroutable: back to the host, or back over the dimension of its arrival."""
        return ~remaining.any() if self._part.host else remaining[self._part.port]

    def _own(self, drained, ends):
        """Keep the worm's output VC, and the time since its allocation. Before that, follow the possible grants.

        A drained worm requests none, whatever their values.
        """
        m, part, v = self._m, self._part, self._number
        with m.If(~self.active | ends):
            m.d.sync += self.active.eq(part.granted[v] | drained)
        with m.If(~self.active):
            m.d.sync += [self.output.eq(part.row), self.target.eq(part.lane)]

    def _make_eligible(self, behind):
        """Compute whether there will be a flit, and a credit for it.

        Parameters:
            behind (Value): If this virtual channel requests: whether a flit of the worm follows the requested one.
        """
        m, part = self._m, self._part
        delivers: Any = self.output[part.parameters.delivery]
        goes_on, enough, credited = (self._signal(1, name) for name in ("goes_on", "enough", "credited"))
        m.d.comb += [
            credited.eq(self._of_own_vc(part.credited)),
            enough.eq(self._has_enough(credited) | delivers),
            goes_on.eq(self.active & ~self.nowhere & (part.room | ~delivers)),
            self.eligible.eq(
                # the credit on the wire is the latest input
                (goes_on & Mux(self._asks, behind, self._present | self._arriving)) & (credited | enough)
            ),
        ]

    def _of_own_vc(self, bits: Any) -> Any:
        """Return the bit of the worm's virtual channel: VC by VC, which takes three levels of logic.

        Parameters:
            bits (sequence of Value): By output, a bit for each virtual channel.
        """
        part = self._part
        candidates = [d for d in range(part.parameters.dimensions) if part.parameters.reaches(part.port, d)]
        rows = [concat(self.output[d] & bits[d][vc] for d in candidates) for vc in range(len(self.target))]
        return concat(bit & row.any() for bit, row in zip(self.target, rows, strict=True)).any()

    def _has_enough(self, credited) -> Any:
        """Return whether a credit is left without the one on the wire and without that of a flit granted now."""
        part = self._part
        if not part.parameters.outputs_count_credits:
            return self._count_credits(credited)
        return Mux(self._asks, self._of_own_vc(part.several_credits), self._of_own_vc(part.some_credit))

    def _count_credits(self, credited) -> Any:
        """Return whether a credit is left, counted from the beginning of the worm."""
        m, depth = self._m, self._part.parameters.buffer_flits
        # without those of flits that left in the last cycle
        credits: Any = self._signal(range(max(depth, 2) + 1), "credits")
        left = self._signal(1, "left")
        m.d.sync += left.eq(self._popped)
        with m.If(~self.active):
            m.d.sync += credits.eq(depth)
        with m.Elif(left != credited):
            m.d.sync += credits.eq(Mux(credited, credits + 1, credits - 1))
        return credits > self._asks + left
