# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Output channel request queues in which the oldest message is first (``topology/common/ages.py``).

A request enters all its queues in one step, before the requests that wait and are younger, and behind all others. Ages
keep their order while they are counted, so each queue is sorted by age at any time, equal ages by their entries. All
queues of a router hold one common order, so atomic enqueue prevents deadlocks here as in ``OutputRequestQueues``.

========================  ===========================================================================================
cycle                     what happens
========================  ===========================================================================================
t                         ``completed``
t + 1                     compared with all in the queues; granted if it shares no output with any of them
t + 2                     younger ones that share an output with it, and are not granted, wait for it
u                         ``release``
u + hold + 1              those that waited for it may be granted, unless they have been overtaken since
========================  ===========================================================================================

The next message of an input that is released in cycle u is compared before cycle u + hold + 1, if it has arrived.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, either
from rtl.spam.ocrq import claimed_by_older, grant_requests, pairs_of_requests, queue_members
from topology.common.ages import AGE_BITS, STEP_CYCLES, step_shifts


class AgedRequestQueues(Part):
    """Grants an input when it is first in all its queues, which are sorted by age.

    A request that is complete after cycle t can be granted from t+1 on. Combinational from ``queued`` and ``request``
    to ``granted`` and ``first``.

    Parameters:
        ports: Ports of the router, at least 1.
        hold: Cycles for which inputs keep waiting for a released one, at least 1; see ``hold_cycles``.
        step_cycles: Step of ages, one of ``STEPS_CYCLES``.

    Members:
        arrives (In(ports)): A head moves in on the link.
        arriving_age (In(AGE_BITS).array(ports)): Age in it.
        age (Out(AGE_BITS).array(ports)): Age of the head that arrived last while the input did not wait. Counts while
            the input waits. A register.
        newest (Out(ports)): The input that was enqueued in the cycle before. A register.
        others: As in ``OutputRequestQueues``.
    """

    def __init__(self, ports: int, hold: int, step_cycles: int = STEP_CYCLES):
        members = queue_members(ports, "completed", "release", "arrives")
        ages = {"newest": Out(ports), "arriving_age": In(AGE_BITS).array(ports), "age": Out(AGE_BITS).array(ports)}
        self.ports, self.hold, self.shifts = ports, hold, step_shifts(step_cycles)
        super().__init__(f"spam_aged_queues_{ports}", members | ages)

    def elaborate(self, _platform):
        m: Any = Module()
        inputs = range(self.ports)
        newest: Any = self.newest
        m.d.sync += newest.eq(self.completed)
        claimed = claimed_by_older(m, self)
        waits = [[Signal(name=f"wait_{i}_{j}") for j in inputs] for i in inputs]
        others = [[waits[i][j] for j in inputs if j != i] for i in inputs]
        waiting: Any = Signal(self.ports)
        m.d.comb += waiting.eq(concat(self.queued[i] & concat((*others[i], 0)).any() for i in inputs))
        self._find_order(m, newest, self._count_ages(m, newest, waiting) & waiting, waits)
        grant_requests(m, self, list(self.queued), newest, claimed, others)
        return m

    def _count_ages(self, m: Any, newest: Any, waiting: Any) -> Any:
        """Return the inputs whose ages are less than that of the newest one when it waits, if there is one."""
        newest_age: Any = Signal(AGE_BITS)
        m.d.comb += newest_age.eq(either([Mux(newest[i], self.age[i], 0) for i in range(self.ports)]))
        ticks = self._find_ticks(m)
        short, long = (ticks[shift] for shift in self.shifts)
        younger: Any = Signal(self.ports)
        for i, age in enumerate(self.age):
            last, step = Signal(name=f"last_{i}"), Signal(name=f"step_{i}")
            m.d.comb += [
                last.eq(age.all()),
                younger[i].eq(_at_least(newest_age, age) & ~last),
                step.eq((newest[i] | Mux(age[-2:].all(), long, short) & waiting[i]) & ~last),
            ]
            with m.If(self.arrives[i] & ~waiting[i] & ~newest[i]):
                m.d.sync += age.eq(self.arriving_age[i])
            with m.Elif(step):
                m.d.sync += age.eq(concat(age[k] ^ age[:k].all() for k in range(AGE_BITS)))
        return younger

    def _find_ticks(self, m: Any) -> Any:
        """Return whether this cycle is the first one of a step, per logarithm of the cycles of a step.

        Synthesis removes the bits without use, and maps the queues to 3 % fewer LUTs than with two bits only.
        """
        last_shift = max(self.shifts)
        cycle: Any = Signal(last_shift)
        ticks: Any = Signal(last_shift + 1)
        m.d.sync += [cycle.eq(cycle + 1), ticks.eq(concat(~cycle[:shift].any() for shift in range(last_shift + 1)))]
        return ticks

    def _find_order(self, m: Any, newest: Any, behind: Any, waits: list[list[Any]]) -> None:
        """Register for each input whether it waits for each other one.

        Parameters:
            behind: Inputs that wait, and that the newest one overtakes.
        """
        left: Any = self.release
        for cycle in range(self.hold):
            before, left = left, Signal(self.ports, name=f"left_{cycle + 1}")
            m.d.sync += left.eq(before)
        ahead: Any = Signal(self.ports)
        m.d.comb += ahead.eq(self.queued & ~behind)
        for younger, older, shared in pairs_of_requests(m, self.request):
            wait = waits[younger][older]
            begins = Signal(name=f"begins_{younger}_{older}")
            m.d.comb += begins.eq(Mux(newest[younger], ahead[older], newest[older] & behind[younger]))
            m.d.sync += wait.eq(wait & ~left[older] | begins & shared)


def _at_least(one: Any, other: Any) -> Value:
    """Return whether a number is at least another one, without a carry chain."""
    found: Any = Const(1)
    for a, b in zip(one, other, strict=True):
        found = Mux(a ^ b, a, found)
    return found
