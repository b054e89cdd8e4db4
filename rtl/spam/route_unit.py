# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Route unit: looks at one header flit of one input per cycle (paper 3.2).

Because one unit serves all inputs of a router, and a header enqueues all its requests when its last flit has been
looked at, enqueues are atomic: no two headers enqueue in the same cycle.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.common.arbiter import RoundRobinArbiter
from rtl.common.part import Part, place
from rtl.common.selection import concat
from rtl.spam.header_scanner import HeaderScanner
from rtl.spam.parameters import SpamRouterParameters
from topology.spam.graph import CROSS, TREE, UP

CLASSES = 3
CLASS_BITS = 2


class RouteUnit(Part):
    """Header scanners of all inputs and the round robin between them.

    A request whose last header flit is looked at in cycle t stands from t+1 on. Throughput one header flit per cycle.

    Parameters
    ----------
    parameters : SpamRouterParameters

    Members
    -------
    routes : In(3 * vertices * ports)
        Constant. Bits ``(class * vertices + lca) * ports ..``: mask of candidate outputs; 0 means split phase.
    port_class : In(2 * ports)
        Constant. Class of each input channel: up 0, cross 1, tree 2.
    reach : In(ports * processors)
        Constant. Bit ``port * processors + processor``: the output is a tree channel that leads to the processor.
    buffered, buffered_valid, arriving, arriving_valid : In
        Per input, see ``HeaderScanner``.
    looked_at, release, completed, advance, queued, request : per input, see ``HeaderScanner``
        ``looked_at`` is the scanner's ``taken``; it has at most one bit, and so has ``completed``.
    """

    def __init__(self, parameters: SpamRouterParameters):
        p = self.parameters = parameters
        arriving = {"arriving": In(p.scan_bits).array(p.ports), "arriving_valid": In(p.ports)} if p.looks_ahead else {}
        super().__init__(
            f"spam_route_unit_p{p.ports}",
            {
                "routes": In(CLASSES * p.vertices * p.ports),
                "port_class": In(CLASS_BITS * p.ports),
                "reach": In(p.ports * p.processors),
                "buffered": In(p.scan_bits).array(p.ports),
                "buffered_valid": In(p.ports),
                **arriving,
                "release": In(p.ports),
                "looked_at": Out(p.ports),
                "completed": Out(p.ports),
                "advance": Out(p.ports),
                "queued": Out(p.ports),
                "request": Out(p.ports).array(p.ports),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        parameters = self.parameters
        reach = self._reach_by_flit(m)
        busy = Signal(parameters.ports)
        ports = range(parameters.ports)
        scanners = [place(m, platform, f"scanner_{i}", HeaderScanner(parameters)) for i in ports]
        chosen = self._choose(m, platform, concat(scanner.eligible for scanner in scanners))
        for i, scanner in enumerate(scanners):
            m.d.comb += [
                scanner.buffered.eq(self.buffered[i]),
                scanner.buffered_valid.eq(self.buffered_valid[i]),
                scanner.routes.eq(self._routes_of_class(m, i)),
                scanner.reach.eq(reach),
                scanner.busy.eq(busy),
                scanner.taken.eq(chosen[i]),
                scanner.release.eq(self.release[i]),
                self.completed[i].eq(scanner.completed),
                self.advance[i].eq(scanner.advance),
                self.queued[i].eq(scanner.queued),
                self.request[i].eq(scanner.request),
            ]
            if parameters.looks_ahead:
                m.d.comb += scanner.arriving.eq(self.arriving[i])
                m.d.comb += scanner.arriving_valid.eq(self.arriving_valid[i])
        # a request that is still being collected does not count
        standing = [Signal(parameters.ports, name=f"standing_{i}") for i in ports]
        for request, scanner in zip(standing, scanners, strict=True):
            m.d.comb += request.eq(Mux(scanner.queued, scanner.request, 0))
        m.d.comb += self.looked_at.eq(chosen)
        m.d.comb += busy.eq(concat(concat(request[o] for request in standing).any() for o in ports))
        return m

    def _choose(self, m, platform, eligible) -> Any:
        if self.parameters.ports == 1:
            return eligible
        arbiter = place(m, platform, "arbiter", RoundRobinArbiter(self.parameters.ports))
        m.d.comb += arbiter.eligible.eq(eligible)
        return arbiter.chosen

    def _routes_of_class(self, m, i) -> Signal:
        size = self.parameters.vertices * self.parameters.ports
        routes = Signal(size, name=f"routes_{i}")
        up, cross, tree = (self.routes.word_select(kind, size) for kind in (UP, CROSS, TREE))
        is_cross, is_tree = self.port_class.word_select(i, CLASS_BITS)
        m.d.comb += routes.eq(Mux(is_tree, tree, Mux(is_cross, cross, up)))
        return routes

    def _reach_by_flit(self, m) -> Signal:
        """The reach sets cut up like a header: one row per header flit, in it one word per output."""
        parameters, fixed = self.parameters, self.parameters.header.fixed_bits
        words = []
        for flit in range(parameters.header.multicast_flits):
            # processors whose destination bits lie in this flit; its other bits select nothing
            start = flit * parameters.flit_bits - fixed
            first, end = max(start, 0), min(start + parameters.scan_bits, parameters.processors)
            for output in range(parameters.ports):
                if end <= first:
                    words.append(Const(0, parameters.scan_bits))
                    continue
                base = output * parameters.processors
                below, above = first - start, start + parameters.scan_bits - end
                words.append(concat((Const(0, below), self.reach[base + first : base + end], Const(0, above))))
        rows = concat(words)
        reach = Signal(len(rows), name="reach_by_flit")
        m.d.comb += reach.eq(rows)
        return reach
