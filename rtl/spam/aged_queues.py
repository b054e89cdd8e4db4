# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Output channel request queues in which the oldest message is first (``topology/common/ages.py``).

A request enters all its queues in one step, before the requests that wait and are younger, and behind all others. Ages
keep their order while they are counted, so each queue is sorted by age at any time, equal ages by their entries. All
queues of a router hold one common order, so atomic enqueue prevents deadlocks here as in ``OutputRequestQueues``.

========================  ===========================================================================================
cycle                     what happens
========================  ===========================================================================================
t                         ``completed``, with the age in the header
t + 1                     compared with all in the queues; granted unless it waits for one of them; no younger one is
                          granted in this cycle
t + 2                     younger ones that share an output with it wait for it
u                         ``release``
u + hold + 1              those that waited for it may be granted, unless they have been overtaken since
========================  ===========================================================================================

The next message of an input that is released in cycle u is compared from cycle u + hold + 1 on, if it has arrived.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, either
from rtl.spam.ocrq import grant_requests, pairs_of_requests, queue_members
from topology.common.ages import AGE_BITS, LAST_AGE, TICK_SHIFTS


class AgedRequestQueues(Part):
    """Grants an input when it is first in all its queues, which are sorted by age.

    A request that is complete after cycle t can be granted from t+1 on. Combinational from ``queued`` and ``request``
    to ``granted`` and ``first``.

    Parameters:
        ports: Ports of the router, at least 1.
        hold: Cycles for which inputs keep waiting for a released one, at least 1; see ``hold_cycles``.

    Members:
        entering_age (In(AGE_BITS).array(ports)): Age in the header of the input that is ``completed``.
        newest (Out(ports)): The input that was ``completed`` in the cycle before. A register.
        age (Out(AGE_BITS).array(ports)): Age of the message in the queues, but for the ``newest``. A register.
        others: As in ``OutputRequestQueues``.
    """

    def __init__(self, ports: int, hold: int):
        members = queue_members(ports, "completed", "release")
        self.ports, self.hold = ports, hold
        super().__init__(
            f"spam_aged_queues_{ports}",
            {
                **members,
                "entering_age": In(AGE_BITS).array(ports),
                "newest": Out(ports),
                "age": Out(AGE_BITS).array(ports),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        inputs = range(self.ports)
        m.d.sync += self.newest.eq(self.completed)
        paused = self._find_younger(m)
        ahead: Any = Signal(self.ports)  # of the newest, like the next one
        behind: Any = Signal(self.ports)
        m.d.comb += [ahead.eq(self.queued & ~paused & ~self.newest), behind.eq(self.queued & paused)]
        waits = self._find_order(m, ahead, behind)
        claimed: Any = Signal(self.ports)
        m.d.comb += claimed.eq(either([Mux(ahead[i], self.request[i], 0) for i in inputs]))
        eligible = [self.queued[i] & ~paused[i] for i in inputs]
        grant_requests(m, self, eligible, self.newest, claimed, waits)
        return m

    def _find_younger(self, m: Any) -> Any:
        """Return the inputs that wait and are younger than the newest one, if there is one."""
        entering: Any = Signal(AGE_BITS)  # 0 if there is none; other inputs that wait have ages of at least 1
        m.d.sync += entering.eq(either([Mux(self.completed[i], self.entering_age[i], 0) for i in range(self.ports)]))
        older: Any = Signal(AGE_BITS)
        m.d.comb += older.eq(entering + (entering != LAST_AGE))
        ticks = self._find_ticks(m)
        in_order: Any = Signal(self.ports)  # in service, or the newest
        m.d.sync += in_order.eq(self.granted | self.completed)
        paused: Any = Signal(self.ports)
        for i, age in enumerate(self.age):
            step = Signal(name=f"step_{i}")
            m.d.comb += step.eq(Mux(age[-1], Mux(age[-2], ticks[2] & ~age[:-2].all(), ticks[1]), ticks[0]))
            m.d.sync += age.eq(Mux(self.newest[i], older, age + step))
            m.d.comb += paused[i].eq((entering >= age) & (age != LAST_AGE) & ~in_order[i])
        return paused

    def _find_ticks(self, m: Any) -> Signal:
        """Return for each of ``TICK_SHIFTS`` whether its ages are counted in this cycle."""
        cycle: Any = Signal(max(TICK_SHIFTS))
        ticks: Any = Signal(len(TICK_SHIFTS))
        m.d.sync += [cycle.eq(cycle + 1), ticks.eq(concat(~cycle[:shift].any() for shift in TICK_SHIFTS))]
        return ticks

    def _find_order(self, m: Any, ahead: Signal, behind: Signal) -> list[list[Any]]:
        """Return for each input whether it waits for each other one."""
        left: Any = self.release
        for cycle in range(self.hold):
            before, left = left, Signal(self.ports, name=f"left_{cycle + 1}")
            m.d.sync += left.eq(before)
        waits: list[list[Any]] = [[] for _ in range(self.ports)]
        for younger, older, shared in pairs_of_requests(m, self.request):
            wait = Signal(name=f"wait_{younger}_{older}")
            enters = Signal(name=f"enters_{younger}_{older}")
            overtaken = shared & self.newest[older] & behind[younger]
            m.d.comb += enters.eq(shared & self.newest[younger] & ahead[older])
            m.d.sync += wait.eq(wait & ~left[older] | enters | overtaken)
            waits[younger] += [wait]
        return waits
