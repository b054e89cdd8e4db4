"""An input with lanes whose heads get their output lanes from the allocator (docs/timing.md).

======================  =============================================================================
cycle                   what happens to the flit of an active worm
======================  =============================================================================
t                       on the link; its lane is chosen as it arrives
t + 1                   the request is in its register, and granted; the flit is read
t + 2                   on the next link; the credit for its slot is on the wire
======================  =============================================================================

A lane has an output lane only when the buffer behind that is empty, so it counts the credits itself: there are as many
as the buffer holds when the worm begins, and what comes back belongs to it.
"""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.common.flit import flit_layout, link_signature
from rtl.common.part import Part
from rtl.common.ring_pointer import ring_pointer
from rtl.common.selection import concat, either, encoded
from rtl.common.vc.link import lane_link_signature
from rtl.common.vc.turn_order import TurnOrder
from rtl.hypercube.parameters import HypercubeRouterParameters


class AdaptiveInput(Part):
    """The lanes of one input port.

    Parameters
    ----------
    parameters : HypercubeRouterParameters
    port : int
        Which input.

    Members
    -------
    link : In
        The link that ends here: with lanes, or from a processor with ``valid`` and ``ready``.
    node : In(dimensions)
        The switch's number.
    asking : Out(lanes)
        A head waits or arrives.
    waiting : Out(lanes)
        A head waits, and ``wanted`` is valid.
    wanted : Out(outputs).array(lanes)
        The outputs that it can use. Registers.
    granted : In(lanes)
        The head gets a lane of the output in ``row``.
    row : In(outputs)
        One-hot or 0.
    lane : In(lanes of a channel)
        Which lane of that output, one-hot. Of one lane, nothing is said.
    credited : In(lanes of a channel).array(dimensions)
        Credits on the wires behind each output.
    room : In(1)
        There is room in the delivery buffer.
    requests : Out(outputs that it reaches)
        The output that the request is for: one bit at most. Registers.
    target : Out(lanes of a channel)
        Which lane of it. Registers.
    beaten : In(outputs that it reaches)
        Whether another request comes first there. Otherwise this one is granted.
    flit : Out(flit_layout)
        The flit that the request is for.
    credits : Out(lanes)
        Bit v: a flit left the buffer of lane v in the last cycle. Registers. Not there if the link is from a processor.
    releases : Out(lanes)
        Bit v: it was a tail, and the buffer is empty. Registers. Likewise.
    discarding : Out(lanes)
        Bit v: a worm without a way began to be drained in the last cycle. Registers.
    """

    def __init__(self, parameters: HypercubeRouterParameters, port: int):
        p = self.parameters = parameters
        self.port, self.lanes, self.host = port, p.input_lanes[port], p.is_host_input(port)
        self.slots = 1 << (p.buffer_flits - 1).bit_length()
        outputs = len(p.output_lanes)
        link = link_signature(p.flit_bits) if self.host else lane_link_signature(p.flit_bits, self.lanes)
        back = {} if self.host else {"credits": Out(self.lanes), "releases": Out(self.lanes)}
        super().__init__(
            f"adaptive_input_{p.name}_{'host' if self.host else port}",
            {
                "link": In(link),
                "node": In(p.dimensions),
                "asking": Out(self.lanes),
                "waiting": Out(self.lanes),
                "wanted": Out(outputs).array(self.lanes),
                "granted": In(self.lanes),
                "row": In(outputs),
                "lane": In(p.lanes),
                "credited": In(p.lanes).array(p.dimensions),
                "room": In(1),
                "requests": Out(len(p.outputs_of(port))),
                "target": Out(p.lanes),
                "beaten": In(len(p.outputs_of(port))),
                "flit": Out(flit_layout(p.flit_bits)),
                **back,
                "discarding": Out(self.lanes),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        arriving, popped = Signal(self.lanes), Signal(self.lanes)
        m.d.comb += arriving.eq(self.link.valid & self.link.ready if self.host else self.link.valid)
        asked: Any = Signal(self.lanes)
        requests, target = Signal(len(self.requests)), Signal(len(self.target))
        reached = self.parameters.outputs_of(self.port)
        lanes = [_Lane(m, self, v, arriving[v], popped[v], asked[v]) for v in range(self.lanes)]
        self._store(m, lanes, arriving, asked)
        for lane in lanes:
            lane.route()
        kept = Signal()  # what comes late decides only whether registers are loaded
        m.d.comb += [
            kept.eq((requests & self.beaten).any()),
            popped.eq(Mux(kept, 0, asked) | concat(lane.drains for lane in lanes)),
            self.requests.eq(requests),
            self.target.eq(target),
        ]
        turns = TurnOrder(m, [lane.eligible for lane in lanes], "lane", ~kept)
        with m.If(~kept):
            m.d.sync += [
                asked.eq(concat(turns.chosen)),
                requests.eq(
                    either(
                        [
                            Mux(bit, concat(lane.output[o] for o in reached), 0)
                            for bit, lane in zip(turns.chosen, lanes, strict=True)
                        ]
                    )
                ),
                target.eq(turns.select([lane.target for lane in lanes])),
            ]
        if self.host:
            m.d.sync += self.link.ready.eq(popped.any() | ~lanes[0].fills())
        else:
            m.d.sync += [self.credits.eq(popped), self.releases.eq(popped & concat(lane.is_tail for lane in lanes))]
        return m

    def _store(self, m, lanes, arriving, asked):
        """All buffers in one memory: written from the link, read for the request. From a processor: the front."""
        m.submodules.flits = store = memory.Memory(
            shape=self.link.payload.shape(), depth=self.lanes * self.slots, init=[]
        )
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(arriving.any()),
            write.data.eq(self.link.payload),
            write.addr.eq(_address(arriving, [lane.back for lane in lanes])),
            read.addr.eq(lanes[0].front if self.host else _address(asked, [lane.front for lane in lanes])),
            self.flit.eq(read.data),
        ]


class _Lane:
    """Registers of one lane, and whether it may make the next request."""

    def __init__(self, m: Any, part: AdaptiveInput, number: int, arriving: Any, popped: Any, asks: Any):
        self._m, self._part, self._number = m, part, number
        self._arriving, self._popped, self._asks = arriving, popped, asks
        self.back: Any = ring_pointer(m, f"back_{number}", part.slots, arriving)
        self.front: Any = ring_pointer(m, f"front_{number}", part.slots, popped)
        self.present: Any = self._signal(1, "present")
        self.several: Any = self._signal(1, "several")
        if part.slots > 1:
            self._counted: Any = self._signal(range(part.slots), "count")  # modulo slots
            m.d.comb += [self._counted.eq(self.back - self.front), self.several.eq(self.present & (self._counted != 1))]
        m.d.sync += self.present.eq(arriving | Mux(popped, self.several, self.present))
        self.active: Any = self._signal(1, "active")
        self.nowhere: Any = self._signal(1, "nowhere")
        self.output: Any = self._signal(len(part.row), "output")
        self.target: Any = self._signal(len(part.lane), "target")
        self.drains: Any = self._signal(1, "drains")
        self.is_tail: Any = self._signal(1, "is_tail")
        self.eligible: Any = self._signal(1, "eligible")

    def _signal(self, shape: Any, name: str) -> Any:
        return Signal(shape, name=f"{name}_{self._number}")

    def fills(self) -> Any:
        """Whether the buffer is full at the end of a cycle in which nothing leaves."""
        depth = self._part.parameters.buffer_flits
        if self._part.slots == 1:
            return self.present | self._arriving
        return self._holds(depth) | self._holds(depth - 1) & self._arriving

    def _holds(self, flits: int) -> Any:
        """Whether there are so many flits, at least one."""
        return self.present & (self._counted == flits % self._part.slots)

    def route(self):
        """From a head to requests."""
        m, part, v = self._m, self._part, self._number
        ready: Any = self.present  # whether what is wanted is in its register
        if part.host:
            # a worm may stand behind another one: its head is read when it has come to the front
            read = self._signal(1, "read")
            m.d.sync += read.eq(self.present & ~self.active & ~part.granted[v])
            m.d.comb += self.is_tail.eq(part.flit.tail)
            ready, starts, asks = read, self.present & ~self.active, self.present & ~self.active
        else:
            # the buffer holds flits of one worm
            ended = self._signal(1, "ended")
            with m.If(self._arriving):
                m.d.sync += ended.eq(part.link.payload.tail)
            m.d.comb += self.is_tail.eq(ended & ~self.several)
            starts = self._arriving & ~self.present & ~self.active
            asks = (self.present | self._arriving) & ~self.active
        wanted = self._signal(len(part.row), "wanted")
        with m.If(starts):
            m.d.sync += [wanted.eq(self._wanted()), self.nowhere.eq(self._strays())]
        drained = self._signal(1, "drained")
        m.d.comb += [
            part.wanted[v].eq(wanted),
            part.asking[v].eq(asks),
            part.waiting[v].eq(ready & ~self.active & ~self.nowhere),
            drained.eq(ready & ~self.active & self.nowhere),
            self.drains.eq(self.active & self.nowhere & self.present),
        ]
        m.d.sync += part.discarding[v].eq(drained)
        self._own(drained)
        self._make_eligible()

    def _remaining(self) -> Any:
        """The dimensions that remain to the head that comes to the front."""
        part = self._part
        flit = part.flit if part.host else part.link.payload
        return flit.data[: part.parameters.dimensions] ^ part.node

    def _wanted(self) -> Any:
        p, remaining = self._part.parameters, self._remaining()
        ways = [remaining[d] if p.reaches(self._part.port, d) else Const(0) for d in range(p.dimensions)]
        return Cat(*ways, Const(0) if self._part.host else ~remaining.any())

    def _strays(self) -> Any:
        """Whether there is no way: back to the host, or back over the dimension that the head came by."""
        remaining = self._remaining()
        return ~remaining.any() if self._part.host else remaining[self._part.port]

    def _own(self, drained):
        """Which output lane the worm has, and since when. Before that, the registers follow what may be granted.

        What is drained asks for none, whatever they say.
        """
        m, part, v = self._m, self._part, self._number
        with m.If(part.granted[v] | drained):
            m.d.sync += self.active.eq(1)
        # from a link the next worm comes long after this one, and the register of the tail is early enough
        with m.Elif(self._popped & self.is_tail if part.host else part.releases[v]):
            m.d.sync += self.active.eq(0)
        with m.If(~self.active):
            m.d.sync += [self.output.eq(part.row), self.target.eq(part.lane)]

    def _make_eligible(self):
        m, part, depth = self._m, self._part, self._part.parameters.buffer_flits
        credits: Any = self._signal(
            range(max(depth, 2) + 1), "credits"
        )  # without those of flits that left in the last cycle
        credited, left, enough = (self._signal(1, name) for name in ("credited", "left", "enough"))
        dimensions = range(part.parameters.dimensions)
        m.d.comb += credited.eq(
            concat(self.output[d] & (part.credited[d] & self.target).any() for d in dimensions).any()
        )
        m.d.sync += left.eq(self._popped)
        with m.If(~self.active):
            m.d.sync += credits.eq(depth)
        with m.Elif(left != credited):
            m.d.sync += credits.eq(Mux(credited, credits + 1, credits - 1))
        goes_on = Mux(self.output[part.parameters.delivery], part.room, enough | credited) & ~self.nowhere
        behind = ~self.is_tail & (self.several | self._arriving)
        m.d.comb += [
            enough.eq(credits > self._asks + left),
            self.eligible.eq(self.active & goes_on & Mux(self._asks, behind, self.present | self._arriving)),
        ]


def _address(one_hot: Any, pointers: Any) -> Any:
    """Address in the memory of all lanes."""
    pointer: Any = either([Mux(one_hot[v], pointer, 0) for v, pointer in enumerate(pointers)])
    lanes = range(len(one_hot))
    return Cat(pointer[: len(pointers[0])], *encoded(one_hot, lanes, (len(one_hot) - 1).bit_length()))
