"""Content of an input's virtual channels and the first worm, derived from ports by docs/look_up/timing_hypercube.md.

A credit shows, a cycle later, that a flit has left a virtual channel from a link; a grant shows it for one from a
processor, which gives no credits.
"""

from typing import Any

from amaranth.hdl import Const, Signal, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from tests.proofs.hypercube.last_lane import or_the_last
from tests.proofs.hypercube.routing_tables import has_way, outputs_for
from tests.proofs.vc.buffered_lane import BufferedLane


def is_granted(port: Any) -> Any:
    """True if the request of an input is granted: no other one comes first."""
    return port.requests.any() & ~(port.requests & port.beaten).any()


def asked_lane(port: Any) -> Value:
    """The lane out that the request of an input is for, one-hot."""
    return or_the_last(port.target if port.parameters.lanes > 1 else ())


class LastRequest:
    """The request of an input in the last cycle, and its grant.

    Members
    -------
    granted, requests, target, flit : Signal
        ``target`` is the lane out, one-hot.
    """

    def __init__(self, claims: Claims, port: Any, name: str):
        self.granted: Any = claims.was(is_granted(port), f"{name}_granted")
        self.requests: Any = claims.was(port.requests, f"{name}_requests")
        self.target: Any = claims.was(asked_lane(port), f"{name}_target")
        self.flit: Any = claims.was(Value.cast(port.flit), f"{name}_flit")


class AdaptiveLane(BufferedLane):
    """One lane. Its entries are flit and note.

    Parameters
    ----------
    claims : Claims
    port : AdaptiveInput
    v : int
    name : str
        Prefix of the names of signals.
    note : Value
        Bits that accompany the flit on the link.

    Members
    -------
    active : Signal
        The worm in front has an output lane, or is drained.
    nowhere : Signal
        The worm that is active is drained.
    output, target : Signal
        The output lane that it has, one-hot each.
    spent : Signal
        Flits of it that have left, and whose credits have not come back; without one that left in the last cycle.
    pending : Signal
        A tail has arrived on a link, and its release has not been on the wire.
    there : Signal
        A flit is in the buffer.
    settled : Value
        A head in front may wait: one from a processor only from the second cycle on.
    strays : Signal
        A head in front would be unroutable.
    drops, drains : Signal
        An unroutable head begins to be drained; a flit leaves so.
    credited : Signal
        A credit for the worm is on the wire.
    """

    def __init__(self, claims: Claims, port: Any, v: int, name: str, note: Any = ()):
        self.port, self.v, self.parameters = port, v, port.parameters
        p, host = self.parameters, self.parameters.is_host_input(port.port)
        bits = {"active": 1, "nowhere": 1, "output": len(port.row), "target": len(port.lane), "pending": 1, "drains": 1}
        registers = {key: Signal(size, name=f"{name}_{key}") for key, size in bits.items()}
        self.active: Any = registers["active"]
        self.nowhere: Any = registers["nowhere"]
        self.output: Any = registers["output"]
        self.target: Any = registers["target"]
        self.pending: Any = registers["pending"]
        self.drains: Any = registers["drains"]
        self.spent: Any = Signal(range(p.buffer_flits + 2), name=f"{name}_spent")
        pops: Any = claims.named(is_granted(port) | self.drains, f"{name}_pops") if host else None
        left = claims.was(pops, f"{name}_pops") if host else port.credits[v]
        arrives = port.link.valid & port.link.ready if host else port.link.valid[v]
        entry = concat((port.link.payload, *note))
        super().__init__(claims, p.flit_bits, p.buffer_flits, arrives, left, entry, name)
        self.there: Any = claims.named(self.held_now != 0, f"{name}_is_there")
        waits = claims.named(self.there & ~self.active, f"{name}_waits")
        self.settled: Any = claims.was(waits & ~port.granted[v], f"{name}_has_waited") if host else Const(1)
        self.front: Any = self.flit(self.now[0])
        self.strays: Any = claims.named(~has_way(p, port.port, self.front, port.node), f"{name}_strays")
        self.drops: Any = claims.named(waits & self.settled & self.strays, f"{name}_drops")
        claims.m.d.comb += self.drains.eq(self.active & self.nowhere & self.there)
        ends = pops & self.front.tail if host else self.left & self.flit(self.queue.row[0]).tail
        self._follow_worm(claims, ends, name)
        if not host:
            with claims.m.If(self.arrives & port.link.payload.tail):
                claims.m.d.sync += self.pending.eq(1)
            with claims.m.Elif(port.releases[v]):
                claims.m.d.sync += self.pending.eq(0)

    def _follow_worm(self, claims: Claims, ends: Any, name: str) -> None:
        """The worm in front from its grant to its tail, and its credits."""
        port, m = self.port, claims.m
        granted = port.granted[self.v]
        credited = [self.output[d] & (row & self.target).any() for d, row in enumerate(port.credited)]
        self.credited: Any = claims.named(concat(credited).any(), f"{name}_credited")
        with m.If(granted | self.drops):
            m.d.sync += [self.active.eq(1), self.nowhere.eq(self.drops)]
        with m.Elif(ends):
            m.d.sync += self.active.eq(0)
        with m.If(granted):
            m.d.sync += [self.output.eq(port.row), self.target.eq(port.lane), self.spent.eq(0)]
        with m.Else():
            m.d.sync += self.spent.eq(self.spent + self.left - self.credited)

    @property
    def delivers(self) -> Value:
        """True if the worm is for the processor."""
        return Value.cast(self.output[self.parameters.delivery])

    @property
    def wanted(self) -> Value:
        """The outputs that the head in front can use."""
        return outputs_for(self.parameters, self.front, self.port.node)

    def reached(self) -> Value:
        """The output of the worm among those that the input reaches."""
        return concat(self.output[o] for o in self.parameters.outputs_of(self.port.port))

    def keeps_to_links(self) -> Value:
        """Guarantee of the switch before: a flit comes only with a credit, a worm only into an empty buffer."""
        return ~self.arrives | (self.queue.held < self.depth) & ~self.pending
