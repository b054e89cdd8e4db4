"""An output whose lanes are given to heads by the allocator: who is granted, and which lanes are free."""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.common.flit import flit_layout
from rtl.common.part import Part
from rtl.common.selection import concat, either, lowest_one
from rtl.common.vc.cycle_order import FirstOf, pairs
from rtl.hypercube.parameters import HypercubeRouterParameters


class AdaptiveOutput(Part):
    """The lanes of one output port. Latency 0 cycles from ``requests`` to ``load``; the register is the user's.

    Whoever requests has the lane and the credit, so the first request is always granted.

    Parameters
    ----------
    parameters : HypercubeRouterParameters
    port : int
        Which output.

    Members
    -------
    requests : In(inputs)
        Inputs that have a request for this output.
    targets : In(lanes).array(inputs)
        The lane that it is for, one-hot.
    flits : In(flit_layout).array(inputs)
        The flit that it is for.
    before : In(pairs of inputs)
        By position in ``pairs``: which of its inputs comes before which other one. Not of a single input.
    beaten : Out(inputs)
        Whether another request comes first.
    load : Out(lanes)
        The lane whose flit is granted, one-hot. Combinational.
    flit : Out(flit_layout)
        That flit; 0 if none is granted. Combinational.
    releases : In(lanes)
        The buffer of a lane behind has become empty behind a tail. Not of the output to the processor.
    free : Out(1)
        There is a free lane for any head. Only if it has such lanes, like the next two.
    free_lane : Out(those lanes)
        The lowest of them, one-hot.
    taken : In(1)
        It is taken.
    free_escape : Out(1), taken_escape : In(1)
        The same for the escape lane. Only if there is one.
    """

    def __init__(self, parameters: HypercubeRouterParameters, port: int):
        p = self.parameters = parameters
        self.port, self.lanes, self.delivers = port, p.output_lanes[port], port == p.delivery
        self.has_escape = p.has_escapes and not self.delivers
        self.adaptive = self.lanes - self.has_escape
        layout, inputs = flit_layout(p.flit_bits), len(p.inputs_of(port))
        super().__init__(
            f"adaptive_output_{p.name}_{'host' if self.delivers else port}",
            {
                "requests": In(inputs),
                "targets": In(self.lanes).array(inputs),
                "flits": In(layout).array(inputs),
                **({"before": In(len(pairs(inputs)))} if inputs > 1 else {}),
                "beaten": Out(inputs),
                "load": Out(self.lanes),
                "flit": Out(layout),
                **({} if self.delivers else {"releases": In(self.lanes)}),
                **({"free": Out(1), "free_lane": Out(self.adaptive), "taken": In(1)} if self.adaptive else {}),
                **({"free_escape": Out(1), "taken_escape": In(1)} if self.has_escape else {}),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        inputs = len(self.requests)
        first = FirstOf(m, list(self.requests), range(inputs), self.before if inputs > 1 else (), "input")
        chosen = first.chosen
        flits = [Value.cast(flit) for flit in self.flits]
        m.d.comb += [
            self.beaten.eq(concat(first.beaten)),
            self.load.eq(either([lane & chosen[x].replicate(self.lanes) for x, lane in enumerate(self.targets)])),
            Value.cast(self.flit).eq(either([flit & chosen[x].replicate(len(flit)) for x, flit in enumerate(flits)])),
        ]
        free = [~self._owned(m, lane) for lane in range(self.lanes)]
        if self.adaptive:
            adaptive: Any = concat(free[: self.adaptive])
            m.d.comb += [self.free.eq(adaptive.any()), self.free_lane.eq(lowest_one(adaptive))]
        if self.has_escape:
            m.d.comb += self.free_escape.eq(free[-1])
        return m

    def _owned(self, m, lane) -> Any:
        """Whether a worm has a lane, or flits of one are in the buffer behind."""
        owned = Signal(name=f"owned_{lane}")
        left = self.load[lane] & self.flit.tail if self.delivers else self.releases[lane]
        taken = self.taken_escape if lane == self.adaptive else self.taken & self.free_lane[lane]
        with m.If(taken):
            m.d.sync += owned.eq(1)
        with m.Elif(left):
            m.d.sync += owned.eq(0)
        return owned
