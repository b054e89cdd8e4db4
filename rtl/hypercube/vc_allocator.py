# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""VC allocator: assigns output VCs to waiting heads (docs/look_up/timing_hypercube.md).

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       a waiting or arriving head is elected leader
t + 1                   the leader selects one of its available outputs, at random
t + 2                   that fixes a diagonal: with its number d, input i is paired with output i ^ d, and is granted
                        a free VC of it if requested (``topology.hypercube.diagonals``)
======================  =============================================================================

The leader changes every cycle. On a diagonal no two inputs share an output, so no arbitration is needed, and other
inputs are granted VCs as well.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, encoded, lowest_one
from rtl.vc.cycle_order import FirstOf, number_of_first, pairs
from rtl.vc.random_order import RandomOrder
from topology.hypercube.routing import WRONG_ESCAPE


class VcAllocator(Part):
    """The VC allocator. Input VCs are concatenated, input by input.

    Members:
        asking (In(input VCs)): Whether a head waits or arrives.
        waiting (In(input VCs)): Whether a head waits.
        wanted (In(outputs).array(input VCs)): The outputs that it can use. May lag ``asking`` by a cycle, but not
            ``waiting``.
        free (In(adaptive outputs)): Outputs with a free adaptive virtual channel.
        free_escapes (In(dimensions)): Outputs whose escape channel is free. Only if there are escape channels.
        before, lane_before (In(pairs)): ``CycleOrder.before`` for inputs, and for the virtual channels of each, if
            there are several.
        odd (In(1)): Whether the switch has an odd number of ones in its number: the escape is then the highest
            dimension. Only for the rule with this distinction.
        granted (Out(input VCs)): Whether the head is granted a virtual channel.
        rows (Out(outputs).array(inputs)): The output paired with each input, one bit at most. The grant is for a
            virtual channel of it.
        escapes (Out(inputs)): Whether the grant is for the escape channel.
        taken (Out(adaptive outputs)): It is allocated, if there is one.
        taken_escapes (Out(dimensions)): The escape channel is allocated, if it is free. Only if there are escape
            channels.
    """

    def __init__(self, parameters: HypercubeRouterParameters):
        p = self.parameters = parameters
        vcs, outputs = sum(p.input_vcs), len(p.output_vcs)
        escapes = {"free_escapes": In(p.dimensions), "taken_escapes": Out(p.dimensions)} if p.has_escapes else {}
        super().__init__(
            f"head_allocator_{p.name}",
            {
                "asking": In(vcs),
                "waiting": In(vcs),
                "wanted": In(outputs).array(vcs),
                "free": In(len(p.adaptive_outputs)),
                "before": In(len(pairs(len(p.input_vcs)))),
                **({"lane_before": In(len(pairs(p.vcs)))} if p.vcs > 1 else {}),
                **({"odd": In(1)} if p.rule == WRONG_ESCAPE else {}),
                "granted": Out(vcs),
                "rows": Out(outputs).array(len(p.input_vcs)),
                "escapes": Out(len(p.input_vcs)),
                "taken": Out(len(p.adaptive_outputs)),
                **escapes,
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        picked = _Picked(self.parameters)
        self._pick(m, platform, picked, *self._elect(m))
        self._examine(m, picked)
        return m

    def _elect(self, m) -> tuple[Any, Any]:
        """Return the leader by VC and by input, one-hot registers: the first VC of the cycle's first input."""
        asking = [self.asking[low:high] for low, high in self.parameters.spans]
        ports = FirstOf(m, [vcs.any() for vcs in asking], range(len(asking)), self.before, "input")
        leader: Any = Signal(len(self.asking))
        leads: Any = Signal(len(asking))
        m.d.sync += leads.eq(concat(ports.chosen))
        for (low, high), vcs, chosen in zip(self.parameters.spans, asking, ports.chosen, strict=True):
            before = self.lane_before if len(vcs) > 1 else ()
            first = FirstOf(m, list(vcs), range(len(vcs)), before, f"lane_{low}")
            m.d.sync += leader[low:high].eq(concat(bit & chosen for bit in first.chosen))
        return leader, leads

    def _pick(self, m, platform, picked, leader, leads):
        """Select the leader's output, and from that the diagonal."""
        p = self.parameters
        outputs = range(len(p.output_vcs))
        wanted, usable = Signal(len(outputs)), Signal(len(outputs))
        m.d.comb += [
            wanted.eq(concat(concat(leader[vc] & row[o] for vc, row in self._heads_for(o)).any() for o in outputs)),
            usable.eq(wanted & self._free()),
        ]
        numbers = self._first_dimension(m, platform, usable[: p.dimensions])
        escape = self._escape_of(wanted[: p.dimensions])
        last_resort = encoded(escape, outputs[: p.dimensions], p.code_bits)
        delivery = encoded(usable[p.delivery], [p.delivery], p.code_bits)
        inputs = encoded(leads, p.input_codes, p.code_bits)
        adaptive = usable.any() if p.has_escapes else Const(1)
        codes = zip(numbers, delivery, last_resort, inputs, strict=True)
        m.d.sync += [
            picked.diagonal.eq(concat((a | b | Mux(adaptive, 0, c)) ^ d for a, b, c, d in codes)),
            picked.leads.eq(leads),
            picked.may_take.eq(
                concat(~leads[i].replicate(high - low) | leader[low:high] for i, (low, high) in enumerate(p.spans))
            ),
        ]
        if p.has_escapes:
            m.d.sync += [picked.escape.eq(escape), picked.escapes.eq(~adaptive)]

    def _heads_for(self, output) -> list[tuple[int, Any]]:
        """Return the input VCs with a connection to an output, and their requests there."""
        spans = [self.parameters.spans[port] for port in self.parameters.inputs_of(output)]
        return [(vc, self.wanted[vc]) for low, high in spans for vc in range(low, high)]

    def _first_dimension(self, m, platform, usable) -> list[Value]:
        """Return the number of the first of some dimensions in the random order."""
        bits = self.parameters.code_bits
        if len(usable) == 1:
            return number_of_first(usable, (), bits)
        order = instantiate(m, platform, "order", RandomOrder(len(usable)))
        chose = Signal()
        m.d.sync += chose.eq(usable.any())
        m.d.comb += order.step.eq(chose)  # one cycle late: late signals need a register
        return number_of_first(usable, order.before, bits)

    def _escape_of(self, wanted) -> Any:
        """Return the dimension whose escape channel a head may take, one-hot."""
        if not self.parameters.has_escapes:
            return Const(0, len(wanted))
        lowest: Any = lowest_one(wanted)
        if self.parameters.rule != WRONG_ESCAPE:
            return lowest
        return Mux(self.odd, Value.cast(lowest_one(wanted[::-1]))[::-1], lowest)

    def _examine(self, m, picked):
        """Examine the diagonal for all inputs, and for the leader its escape channel, if that was selected."""
        p = self.parameters
        lines = [Signal(name=f"diagonal_{number}") for number in range(1 << p.code_bits)]
        m.d.comb += [line.eq(picked.diagonal == number) for number, line in enumerate(lines)]
        escape_free = Signal()
        if p.has_escapes:
            m.d.comb += escape_free.eq((picked.escape & self.free_escapes).any())
        tries, escaping = [], []
        for port, (low, high) in enumerate(p.spans):
            candidates = {output: lines[output ^ p.input_codes[port]] for output in p.outputs_of(port)}
            heads, wants = (Signal(high - low, name=f"{name}_{port}") for name in ("heads", "wants"))
            free, escapes = Signal(name=f"free_{port}"), Signal(name=f"escapes_{port}")
            rows = [concat(row[o] & line for o, line in candidates.items()) for row in list(self.wanted)[low:high]]
            m.d.comb += [
                self.rows[port].eq(concat(candidates.get(output, Const(0)) for output in range(len(p.output_vcs)))),
                escapes.eq(picked.leads[port] & picked.escapes),
                self.escapes[port].eq(escapes),
                heads.eq(self.waiting[low:high] & picked.may_take[low:high]),
                wants.eq(heads & concat(row.any() for row in rows)),
                free.eq(concat(self._free()[o] & line for o, line in candidates.items()).any()),
                self.granted[low:high].eq(Mux(escapes, Mux(escape_free, heads, 0), Mux(free, lowest_one(wants), 0))),
            ]
            tries.append(wants.any() & ~escapes)
            escaping.append(heads.any() & escapes)
        for number, output in enumerate(p.adaptive_outputs):
            takers = [lines[output ^ p.input_codes[port]] & tries[port] for port in p.inputs_of(output)]
            m.d.comb += self.taken[number].eq(concat(takers).any())
        if p.has_escapes:
            m.d.comb += self.taken_escapes.eq(Mux(concat(escaping).any(), picked.escape, 0))

    def _free(self) -> Any:
        """Return one bit per output: it has a free virtual channel for any head."""
        outputs = self.parameters.adaptive_outputs
        bits = {output: self.free[number] for number, output in enumerate(outputs)}
        return concat(bits.get(output, Const(0)) for output in range(len(self.parameters.output_vcs)))


class _Picked:
    """Registers of the leader and of its selection."""

    def __init__(self, p: HypercubeRouterParameters):
        self.diagonal: Any = Signal(p.code_bits)
        self.leads: Any = Signal(len(p.input_vcs))  # its input, one-hot
        self.may_take: Any = Signal(sum(p.input_vcs))  # all VCs of other inputs, and of its own input its own
        self.escapes: Any = Signal()  # it has selected an escape channel,
        self.escape: Any = Signal(p.dimensions)  # that of this output, one-hot
