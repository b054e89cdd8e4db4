"""Output queues of a switch that serves each branch of a message independently (Sec. 2.2).

A header enters the queues of all its outputs in one step, so one order of the inputs represents all queues. An output
belongs to the first input in its queue until that input's tail has been copied into it; other branches may still be
waiting.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import check_count
from rtl.parts.part import Part
from rtl.parts.selection import concat


class BranchQueues(Part):
    """Grants outputs to inputs.

    A request that enters in cycle t may be served from t+1 on. Combinational from ``request`` to ``owed`` and ``may``.

    Parameters:
        inputs, outputs (int): Ports of the switch, at least 1 each.

    Members:
        enter (In(inputs)): Inputs whose requests enter the queues: two at most.
        enters_first (In(inputs - 1)): Whether an input, the last excepted, is the older one if two enter; only with two
            inputs or more.
        leave (In(inputs)): Inputs that have copied a tail into all their outputs.
        request (In(outputs).array(inputs)): Requested outputs per input, from the cycle after ``enter`` up to
            ``leave``.
        finished (In(outputs).array(inputs)): Outputs into which the tail is copied in this cycle.
        owed (Out(outputs).array(inputs)): Outputs without the tail; 0 for inputs that are not in the queues.
        standing (Out(inputs)): Inputs that are in the queues. A register.
        first (Out(outputs).array(inputs)): Of these, the outputs in whose queues the input is first.
    """

    def __init__(self, inputs: int, outputs: int):
        check_count("Number of inputs", inputs)
        check_count("Number of outputs", outputs)
        self.inputs = inputs
        self.outputs = outputs
        per_input = In(outputs).array(inputs)
        super().__init__(
            f"branch_queues_{inputs}x{outputs}",
            {
                **{name: In(inputs) for name in ("enter", "leave")},
                **({"enters_first": In(inputs - 1)} if inputs > 1 else {}),
                "request": per_input,
                "finished": per_input,
                "owed": Out(outputs).array(inputs),
                "standing": Out(inputs),
                "first": Out(outputs).array(inputs),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        inputs = range(self.inputs)
        standing = self.standing
        m.d.sync += standing.eq((standing | self.enter) & ~self.leave)
        for i in inputs:
            done = Signal(self.outputs, name=f"done_{i}")
            m.d.sync += done.eq(Mux(standing[i], done | self.finished[i], 0))
            m.d.comb += self.owed[i].eq(Mux(standing[i], self.request[i] & ~done, 0))
        older = self._order(m, standing)
        for i in inputs:
            taken = Signal(self.outputs, name=f"taken_for_{i}")
            others = [Mux(older[j, i], self.owed[j], 0) for j in inputs if j != i]
            m.d.comb += taken.eq(
                concat(concat((0, *(other[o] for other in others))).any() for o in range(self.outputs))
            )
            m.d.comb += self.first[i].eq(self.owed[i] & ~taken)
        return m

    def _order(self, m, standing) -> dict[tuple[int, int], Any]:
        """Keep ``[i, j]``: i entered before j; one register per pair, undefined while one of them is outside.

        An input outside counts as younger than all inside, so only simultaneous entries need a decision.
        """
        older = {}
        for i in range(self.inputs):
            for j in range(i + 1, self.inputs):
                before = Signal(name=f"older_{i}_{j}")
                outside = Mux(standing[i], 1, self.enters_first[i])
                m.d.sync += before.eq(Mux(standing[j], standing[i] & before, outside))
                older[i, j], older[j, i] = before, ~before
        return older
