"""Output channel request queues with atomic enqueue (Sec. 3.2).

In the paper every output has a queue of requests. A header enters all its queues in one step, so any two headers have
the same order in every queue that they share. One bit per pair of inputs therefore represents all queues: whether one
waits for the other. A request stays in its queues until the tail has left, so "first in all queues" and "all channels
free" are one condition: it waits for no other input.

The bits of a request are set one cycle after it was enqueued. In that first cycle all others are older, and their
outputs together, kept in a register, determine whether one of them conflicts. ``ConflictQueues`` instead gets the
conflicts of a request with its enqueue.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Member, Out

from rtl.parts.arbiter import check_count
from rtl.parts.part import Part
from rtl.parts.selection import concat


def queue_members(ports: int, *events: str) -> dict[str, Member]:
    """Return the members that request queues of any kind have, see ``OutputRequestQueues``.

    Parameters:
        ports: Ports of the router, at least 1.
        events: Names of more inputs, a bit per port.
    """
    check_count("Number of ports", ports)
    return {
        **{event: In(ports) for event in events},
        "queued": In(ports),
        "request": In(ports).array(ports),
        "granted": Out(ports),
        "first": Out(ports).array(ports),
    }


def pairs_of_requests(m: Any, request: Sequence[Any]) -> Iterator[tuple[int, int, Signal]]:
    """Yield any two inputs, younger and older, and whether they request one of the same outputs."""
    for i in range(len(request)):
        for j in range(i + 1, len(request)):
            shared = Signal(name=f"shared_{i}_{j}")
            m.d.comb += shared.eq((request[i] & request[j]).any())
            yield from ((i, j, shared), (j, i, shared))


def claimed_by_older(m: Any, queues: Any) -> Signal:
    """Return the outputs requested by inputs that were queued in the cycle before and have not left since."""
    ports = range(queues.ports)
    claimed = Signal(queues.ports)
    staying = [Signal(queues.ports, name=f"staying_{i}") for i in ports]
    for i, stays in enumerate(staying):
        m.d.comb += stays.eq(Mux(queues.queued[i] & ~queues.release[i], queues.request[i], 0))
    m.d.sync += claimed.eq(concat(concat(stays[o] for stays in staying).any() for o in ports))
    return claimed


def grant_requests(m: Any, queues: Any, eligible: Sequence[Any], newest: Any, claimed: Any, waits: Any) -> None:
    """Grant inputs that wait for no other one.

    Parameters:
        queues (Part): With ``queue_members``.
        eligible: Per input: whether it may be granted in this cycle.
        newest, claimed: The input that was enqueued last, and the outputs that those ahead of it request.
        waits (list of list): Per input: whether it waits for each other one, but for the newest.
    """
    inputs = range(queues.ports)
    firsts = [Signal(queues.ports, name=f"first_of_{i}") for i in inputs]
    for i in inputs:
        free = Signal(queues.ports, name=f"free_for_{i}")
        unhindered = Signal(name=f"unhindered_{i}")
        m.d.comb += [
            free.eq(~Mux(newest[i], claimed, 0)),
            unhindered.eq(eligible[i] & ~concat((*waits[i], 0)).any()),
            queues.granted[i].eq(unhindered & ~(queues.request[i] & ~free).any()),
            firsts[i].eq(Mux(unhindered, queues.request[i] & free, 0)),
        ]
    join_firsts(m, queues, firsts)


def join_firsts(m: Any, queues: Any, firsts: Sequence[Any]) -> None:
    """Connect ``first`` of queues: per output the inputs that may be granted it."""
    for o in range(queues.ports):
        m.d.comb += queues.first[o].eq(concat(first[o] for first in firsts))


class OutputRequestQueues(Part):
    """Grants an input when it is first in all its queues.

    A request that is complete after cycle t can be granted from t+1 on. Combinational from ``queued`` and ``request``
    to ``granted`` and ``first``.

    Parameters:
        ports: Ports of the router, at least 1.

    Members:
        completed (In(ports)): The input that is enqueued: it is ``queued`` from the next cycle on. At most one bit.
        release (In(ports)): Granted inputs that leave their queues: no longer ``queued`` from the next cycle on.
        queued (In(ports)): Inputs whose requests are in the queues, those in service included.
        request (In(ports).array(ports)): Requested outputs per input. Constant while the input is queued.
        granted (Out(ports)): Inputs that own all the outputs they request, until they are released.
        first (Out(ports).array(ports)): Per output at most one input that may be granted it in this cycle; it includes
            every actual grant. It is earlier in the cycle than ``granted``.
    """

    def __init__(self, ports: int):
        self.ports = ports
        super().__init__(f"spam_queues_{ports}", queue_members(ports, "completed", "release"))

    def elaborate(self, _platform):
        m: Any = Module()
        newest = Signal(self.ports)
        m.d.sync += newest.eq(self.completed)
        claimed = claimed_by_older(m, self)
        grant_requests(m, self, list(self.queued), newest, claimed, self._waits(m, newest))
        return m

    def _waits(self, m, newest) -> list[list[Any]]:
        """Return for each input whether it waits for each other one."""
        waits: list[list[Any]] = [[] for _ in range(self.ports)]
        for younger, older, shared in pairs_of_requests(m, self.request):
            wait = Signal(name=f"wait_{younger}_{older}")
            begins = newest[younger] & self.queued[older] & shared
            m.d.sync += wait.eq((wait | begins) & ~self.release[older])
            waits[younger].append(wait)
        return waits


class ConflictQueues(Part):
    """Queues for requests whose conflicts are known when they are enqueued: a grant depends on registers alone.

    Grants are the same as those of ``OutputRequestQueues``.

    Parameters:
        ports: Ports of the router, at least 1.

    Members:
        conflicts (In(ports - 1).array(ports)): Per input that is enqueued the others, lowest first, that request one
            of its outputs; 0 for other inputs. Absent with one port.
        request (In(ports).array(ports)): Requested outputs per input; 0 if it is not queued.
        release, queued (In), granted, first (Out): See ``OutputRequestQueues``.
    """

    def __init__(self, ports: int):
        members = queue_members(ports, "release")
        conflicts = {"conflicts": In(ports - 1).array(ports)} if ports > 1 else {}
        self.ports = ports
        super().__init__(f"spam_conflict_queues_{ports}", conflicts | members)

    def elaborate(self, _platform):
        m: Any = Module()
        ports = range(self.ports)
        firsts = []
        for i in ports:
            waits = Signal(self.ports - 1, name=f"waits_{i}")
            if self.ports > 1:
                released = concat(self.release[j] for j in ports if j != i)
                m.d.sync += waits.eq((waits | self.conflicts[i]) & ~released)
            clear = Signal(name=f"clear_{i}")
            m.d.comb += [clear.eq(~waits.any()), self.granted[i].eq(self.queued[i] & clear)]
            firsts.append(self.request[i] & clear.replicate(self.ports))
        join_firsts(m, self, firsts)
        return m
