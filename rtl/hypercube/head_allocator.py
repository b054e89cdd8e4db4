# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Which waiting heads get which output lanes (docs/timing.md, "Router with adaptive routing").

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       a head that waits, or arrives, is elected leader
t + 1                   the leader picks one of the outputs that it can have, at random
t + 2                   that fixes a diagonal: with its number d, input i looks at output i ^ d, and gets a
                        lane of it if it wants one and one is free (``topology.hypercube.diagonals``)
======================  =============================================================================

In every cycle there is another leader. On a diagonal no two inputs look at one output, so nothing has to be decided
between them, and others get lanes beside the leader.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.common.part import Part, instantiate
from rtl.common.selection import concat, either, encoded, lowest_one
from rtl.common.vc.cycle_order import FirstOf, pairs
from rtl.common.vc.random_order import RandomOrder
from rtl.hypercube.parameters import HypercubeRouterParameters
from topology.hypercube.routing import WRONG_ESCAPE


class HeadAllocator(Part):
    """See above. All input lanes stand side by side, input by input.

    Parameters
    ----------
    parameters : HypercubeRouterParameters

    Members
    -------
    asking : In(input lanes)
        Whether a head waits or arrives.
    waiting : In(input lanes)
        Whether a head waits.
    wanted : In(outputs).array(input lanes)
        The outputs that it can use. It may be late by a cycle behind ``asking``, but not behind ``waiting``.
    free : In(adaptive outputs)
        Which of the outputs with lanes for any head have a free one.
    free_escapes : In(dimensions)
        Outputs whose escape lane is free. Only if there are escapes.
    before, lane_before : In(pairs)
        ``CycleOrder.before`` for inputs, and for the lanes of each, if there are several.
    odd : In(1)
        Whether the switch has an odd number of ones in its number: escapes are then the highest dimension. Only for
        the rule that does this.
    granted : Out(input lanes)
        Whether the head gets a lane.
    rows : Out(outputs).array(inputs)
        The output at which each input looks, one bit at most. What is granted is a lane of it.
    escapes : Out(inputs)
        Whether that is the escape lane.
    taken : Out(adaptive outputs)
        It is taken.
    taken_escapes : Out(dimensions)
        The escape lane is taken. Only if there are escapes.
    """

    def __init__(self, parameters: HypercubeRouterParameters):
        p = self.parameters = parameters
        lanes, outputs = sum(p.input_lanes), len(p.output_lanes)
        escapes = {"free_escapes": In(p.dimensions), "taken_escapes": Out(p.dimensions)} if p.has_escapes else {}
        super().__init__(
            f"head_allocator_{p.name}",
            {
                "asking": In(lanes),
                "waiting": In(lanes),
                "wanted": In(outputs).array(lanes),
                "free": In(len(p.adaptive_outputs)),
                "before": In(len(pairs(len(p.input_lanes)))),
                **({"lane_before": In(len(pairs(p.lanes)))} if p.lanes > 1 else {}),
                **({"odd": In(1)} if p.rule == WRONG_ESCAPE else {}),
                "granted": Out(lanes),
                "rows": Out(outputs).array(len(p.input_lanes)),
                "escapes": Out(len(p.input_lanes)),
                "taken": Out(len(p.adaptive_outputs)),
                **escapes,
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        leader = self._elect(m)
        self._examine(m, *self._pick(m, platform, leader))
        return m

    def _elect(self, m) -> Any:
        """The leader, as a register: the first lane of the cycle of the first input of the cycle."""
        asking = [self.asking[low:high] for low, high in self.parameters.spans]
        ports = FirstOf(m, [lanes.any() for lanes in asking], range(len(asking)), self.before, "input")
        leader: Any = Signal(len(self.asking))
        for (low, high), lanes, chosen in zip(self.parameters.spans, asking, ports.chosen, strict=True):
            before = self.lane_before if len(lanes) > 1 else ()
            first = FirstOf(m, list(lanes), range(len(lanes)), before, f"lane_{low}")
            m.d.sync += leader[low:high].eq(concat(bit & chosen for bit in first.chosen))
        return leader

    def _pick(self, m, platform, leader):
        """The diagonal, who may look along it, and the escape that the leader takes instead; all registers."""
        p, lanes = self.parameters, len(self.asking)
        outputs, dimensions = len(p.output_lanes), p.dimensions
        wanted: Any = Signal(outputs)
        usable: Any = Signal(outputs)
        m.d.comb += [
            wanted.eq(either([row & leader[lane].replicate(outputs) for lane, row in enumerate(self.wanted)])),
            usable.eq(wanted & self._free()),
        ]
        random = self._random_order(m, platform, usable[:dimensions])
        escape = self._escape_of(wanted[:dimensions])
        adaptive: Any = Signal()
        m.d.comb += adaptive.eq(usable.any() if p.has_escapes else 1)
        leads = [leader[low:high].any() for low, high in p.spans]
        codes = (
            encoded(concat((*random.chosen, usable[p.delivery])), range(outputs), p.code_bits),
            encoded(escape, range(dimensions), p.code_bits),
            encoded(concat(leads), p.input_codes, p.code_bits),
        )
        diagonal, may_take = Signal(p.code_bits), Signal(lanes)
        taken_escape, takes_escape = Signal(dimensions), Signal(lanes)
        m.d.sync += [
            diagonal.eq(concat(Mux(adaptive, a, b) ^ c for a, b, c in zip(*codes, strict=True))),
            may_take.eq(
                concat(
                    ~leads[port] | leader[lane] & adaptive
                    for port, (low, high) in enumerate(p.spans)
                    for lane in range(low, high)
                )
            ),
        ]
        if p.has_escapes:
            m.d.sync += [taken_escape.eq(escape), takes_escape.eq(leader & ~adaptive.replicate(lanes))]
        return diagonal, may_take, taken_escape, takes_escape

    def _random_order(self, m, platform, usable) -> FirstOf:
        """The first of some dimensions in the random order."""
        if len(usable) == 1:
            return FirstOf(m, list(usable), range(1), (), "random")
        order = instantiate(m, platform, "order", RandomOrder(len(usable)))
        chose = Signal()
        m.d.sync += chose.eq(usable.any())
        m.d.comb += order.step.eq(chose)  # one cycle late: what is decided late needs a register
        return FirstOf(m, list(usable), range(len(usable)), order.before, "random")

    def _escape_of(self, wanted) -> Any:
        """The dimension whose escape lane a head may have, one-hot."""
        if not self.parameters.has_escapes:
            return Const(0, len(wanted))
        lowest: Any = lowest_one(wanted)
        if self.parameters.rule != WRONG_ESCAPE:
            return lowest
        return Mux(self.odd, Value.cast(lowest_one(wanted[::-1]))[::-1], lowest)

    def _examine(self, m, diagonal, may_take, taken_escape, takes_escape):
        """All inputs look along the diagonal, and the leader at its escape lane, if that is what it picked."""
        p = self.parameters
        lines = [Signal(name=f"diagonal_{number}") for number in range(1 << p.code_bits)]
        m.d.comb += [line.eq(diagonal == number) for number, line in enumerate(lines)]
        has_escape = Signal()
        if p.has_escapes:
            m.d.comb += [
                has_escape.eq((taken_escape & self.free_escapes).any()),
                self.taken_escapes.eq(Mux((takes_escape & self.waiting).any(), taken_escape & self.free_escapes, 0)),
            ]
        tries = []
        for port, (low, high) in enumerate(p.spans):
            row = concat(
                lines[output ^ p.input_codes[port]] if p.reaches(port, output) else Const(0)
                for output in range(len(p.output_lanes))
            )
            wants: Any = Signal(high - low, name=f"wants_{port}")
            free = Signal(name=f"free_{port}")
            m.d.comb += [
                self.rows[port].eq(row),
                self.escapes[port].eq(takes_escape[low:high].any()),
                free.eq((row & self._free()).any()),
                wants.eq(
                    concat(
                        self.waiting[lane] & may_take[lane] & (self.wanted[lane] & row).any()
                        for lane in range(low, high)
                    )
                ),
                self.granted[low:high].eq(
                    Mux(free, lowest_one(wants), 0)
                    | Mux(has_escape, takes_escape[low:high] & self.waiting[low:high], 0)
                ),
            ]
            tries.append(wants.any())
        for number, output in enumerate(p.adaptive_outputs):
            takers = [lines[output ^ p.input_codes[port]] & tries[port] for port in p.inputs_of(output)]
            m.d.comb += self.taken[number].eq(concat(takers).any() & self.free[number])

    def _free(self) -> Any:
        """By output, whether it has a free lane for any head."""
        outputs = self.parameters.adaptive_outputs
        bits = {output: self.free[number] for number, output in enumerate(outputs)}
        return concat(bits.get(output, Const(0)) for output in range(len(self.parameters.output_lanes)))
