# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Negative control: output request queues that enqueue one request at a time. They deadlock.

The paper's proof depends on the atomic enqueue. Here a serial unit enqueues one (input, output) pair per cycle, so two
headers can be in different order in two queues and wait for each other forever. For tests and studies only.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal

from rtl.parts.arbiter import AgeMatrix, RoundRobinArbiter
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, first_at_or_after
from rtl.spam.ocrq import queue_members


class SplitRequestQueues(Part):
    """Output request queues without atomic enqueue.

    From the cycle after an input's request is complete, round robin over the inputs with pending outputs enqueues one
    output per cycle: the input's first pending one at or after its own port number, cyclically.

    Parameters:
        ports: Ports of the router, at least 1.

    Members:
        queued (In(ports)): Inputs whose requests are complete, those in service included.
        request (In(ports).array(ports)): Requested outputs per input.
        granted (Out(ports)): Inputs that own all the outputs they request, until ``queued`` is low.
        first (Out(ports).array(ports)): Per output the input that is granted it.
    """

    def __init__(self, ports: int):
        self.ports = ports
        super().__init__(f"spam_split_queues_{ports}", queue_members(ports))

    def elaborate(self, platform):
        m: Any = Module()
        ports = range(self.ports)
        entered = [Signal(self.ports, name=f"entered_{i}") for i in ports]
        entering = self._enqueue_one(m, platform, entered)
        blockers: list[list[Any]] = [[] for _ in ports]
        for o in ports:
            ages = instantiate(m, platform, f"ages_{o}", AgeMatrix(self.ports))
            m.d.comb += ages.enter.eq(concat(entering[i][o] for i in ports))
            for i in ports:
                for j in ports:
                    if i != j:
                        ahead = self.queued[j] & entered[j][o] & ages.older[j][i]
                        blockers[i].append(ahead & self.request[i][o])
        for i in ports:
            pending = self.request[i] & ~entered[i]
            m.d.comb += self.granted[i].eq(self.queued[i] & ~pending.any() & ~concat(blockers[i]).any())
        for o in ports:
            m.d.comb += self.first[o].eq(concat(self.granted[i] & self.request[i][o] for i in ports))
        return m

    def _enqueue_one(self, m, platform, entered) -> list[Signal]:
        """Return the pair that enters its queue in this cycle, as one mask of outputs per input."""
        arbiter = instantiate(m, platform, "arbiter", RoundRobinArbiter(self.ports))
        entering = [Signal(self.ports, name=f"entering_{i}") for i in range(self.ports)]
        for i in range(self.ports):
            pending = Signal(self.ports, name=f"pending_{i}")
            m.d.comb += pending.eq(self.request[i] & ~entered[i])
            own_port_on = Const((1 << self.ports) - (1 << i), self.ports)
            output = first_at_or_after(m, pending, own_port_on, f"output_{i}")
            m.d.comb += arbiter.eligible[i].eq(self.queued[i] & pending.any())
            m.d.comb += entering[i].eq(Mux(arbiter.chosen[i], output, 0))
            with m.If(self.queued[i]):
                m.d.sync += entered[i].eq(entered[i] | entering[i])
            with m.Else():
                m.d.sync += entered[i].eq(0)
        return entering
