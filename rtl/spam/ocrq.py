# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Output channel request queues with atomic enqueue (paper 3.2).

The paper gives every output a queue of requests. A header enters all its queues in one step, so any two headers stand
in the same order in every queue that they share: one age matrix of the inputs is all the queues at once. A request
stays in its queues until the tail has left, so "first in all queues" and "all channels free" are one condition: no
older queued input shares an output.
"""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.common.arbiter import AgeMatrix, check_count
from rtl.common.part import Part, place
from rtl.common.selection import concat


class OutputRequestQueues(Part):
    """Decides which inputs are first in all their queues.

    A request that is complete after cycle t can be granted from t+1 on. Combinational from ``queued`` and ``request``
    to ``granted``.

    Parameters
    ----------
    ports : int
        Ports of the router, at least 1.

    Members
    -------
    looked_at : In(ports)
        The input that has the route unit in this cycle; at most one bit. If its request is complete, it is queued from
        the next cycle on. If not, its age does not matter yet, so the queues need not know, which is faster.
    queued : In(ports)
        Inputs whose requests stand in the queues, those in service included.
    request : In(ports).array(ports)
        Requested outputs per input.
    granted : Out(ports)
        Inputs that hold all the outputs they request, until ``queued`` goes low.
    """

    def __init__(self, ports: int):
        check_count("Number of ports", ports)
        self.ports = ports
        super().__init__(
            f"spam_queues_{ports}",
            {
                "looked_at": In(ports),
                "queued": In(ports),
                "request": In(ports).array(ports),
                "granted": Out(ports),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        ages = place(m, platform, "ages", AgeMatrix(self.ports))
        m.d.comb += ages.enter.eq(self.looked_at)
        blockers: list[list[Any]] = [[] for _ in range(self.ports)]
        for i in range(self.ports):
            for j in range(i + 1, self.ports):
                conflict = Signal(name=f"conflict_{i}_{j}")
                shared = (self.request[i] & self.request[j]).any()
                m.d.comb += conflict.eq(shared & self.queued[i] & self.queued[j])
                blockers[i].append(conflict & ages.older[j][i])
                blockers[j].append(conflict & ages.older[i][j])
            m.d.comb += self.granted[i].eq(self.queued[i] & ~concat(blockers[i]).any())
        return m
