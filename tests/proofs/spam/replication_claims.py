"""Claims about the copy rule of ``SpamRouter``: grants, replication, release.

Only the queues, the crossbar and the logic between them are part of the proof. The route unit and the buffers are
left out and may do anything that their own proofs allow.
"""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.generator.structure import flat_ports
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.selection import concat
from rtl.routed.route_unit import RouteUnit
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.router import SpamRouter
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.enqueue_contract import assume_orderly_queueing
from tests.proofs.common.links import prove_link_rules
from tests.proofs.inside import Inside
from tests.proofs.spam.enqueue_order import EnqueueOrder
from topology.common.flits import HeaderFormat

NARROW_HEADER = HeaderFormat((("lca", 2),), 3, 8)


class Copier:
    """A router without route unit and buffers.

    Members
    -------
    router, route_unit : Part, interface
    ports : int
    inside : Inside
    buffers : list of interface
    request : list of Signal
        Requested outputs per input.
    copies : list of list of Signal
        ``copies[i][o]``: input i puts a flit into output o in this cycle.
    """

    def __init__(self, claims: Claims, ports: int):
        parameters = SpamRouterParameters(ports=ports, vertices=4, header=NARROW_HEADER)
        self.ports = ports
        self.router = SpamRouter(parameters)
        claims.free_inputs(self.router)
        self.inside = Inside(claims, self.router, left_out=(RouteUnit, InputBuffer))
        self.route_unit = self.inside.placed["route_unit"]
        self.buffers = [self.inside.placed[f"buffer_{i}"] for i in range(ports)]
        self._drive_what_is_left_out(claims)
        self.request = [self.route_unit.request[i] for i in range(ports)]
        self.copies = [
            [claims.named(self.buffers[i].pop & self.request[i][o], f"copies_{i}_{o}") for o in range(ports)]
            for i in range(ports)
        ]

    def _drive_what_is_left_out(self, claims: Claims) -> None:
        for part in (self.route_unit, *self.buffers):
            for _, is_input, value in flat_ports(part):
                if not is_input:
                    claims.anything(value)


def replication(ports: int) -> Describe:
    """Claims about the copy rule of a router with some number of ports."""

    def describe(claims: Claims) -> None:
        copier = Copier(claims, ports)
        unit = copier.route_unit
        assume_orderly_queueing(claims, unit, unit.release, ports)
        order = EnqueueOrder(claims, unit.queued, copier.request, ports)
        order.tie(claims, copier.inside, "queues")
        for o in range(ports):
            _prove_output(claims, copier, o)
        for i in range(ports):
            _prove_input(claims, copier, order, i)
        _prove_worms_apart(claims, copier, order)
        three = claims.named(copier.copies[0][0] & copier.copies[0][1] & copier.copies[0][2], "three_copies")
        claims.possible("a flit goes to three outputs", three)
        claims.possible("three flits of one worm in a row", three & claims.was(three & claims.was(three, "two"), "one"))
        blocked = unit.queued[1] & copier.buffers[1].present & ~copier.buffers[1].pop
        claims.possible("a worm passes another one that waits", blocked & copier.buffers[2].pop & unit.queued[0])

    return describe


def _prove_output(claims: Claims, copier: Copier, o: int) -> None:
    """An output shows the flit copied to it, until it moves."""
    link = copier.router.outputs[o]
    inputs = range(copier.ports)
    prove_link_rules(claims, link, f"output_{o}")
    loaded = concat(copier.copies[i][o] for i in inputs).any()
    occupied: Any = Signal(name=f"reference_occupied_{o}")
    claims.m.d.sync += occupied.eq(loaded | occupied & ~link.ready)
    claims.always("valid is high from a copy until the flit moves, and never else", link.valid == occupied)
    full = link.valid & ~link.ready
    for i in inputs:
        copies = copier.copies[i][o]
        claims.always("no flit is copied onto one that waits", ~(copies & full))
        flit = claims.was(Value.cast(copier.buffers[i].flit), f"flit_{i}_{o}")
        copied = claims.was(copies, f"copies_{i}_{o}")
        claims.always("each requested output gets the flit unaltered", ~copied | (Value.cast(link.payload) == flit))
        for j in range(i):
            claims.always("an output gets one flit at a time", ~(copies & copier.copies[j][o]))


def _prove_input(claims: Claims, copier: Copier, order: EnqueueOrder, i: int) -> None:
    """A flit leaves as soon as it may, to all its outputs at once."""
    router, buffer, unit = copier.router, copier.buffers[i], copier.route_unit
    outputs = range(copier.ports)
    claims.always("only flits that are there are copied", ~buffer.pop | buffer.present & unit.queued[i])
    claims.always("the release is the copy of the tail", unit.release[i] == buffer.pop & buffer.flit.tail)
    ahead = concat(order.blocks[j][i] for j in outputs if j != i).any()
    first = claims.named(unit.queued[i] & ~ahead, f"first_{i}")
    full = concat(router.outputs[o].valid & ~router.outputs[o].ready for o in outputs)
    free = claims.named(~(copier.request[i] & full).any(), f"all_free_{i}")
    claims.always("a worm that is first waits only for full outputs", ~(first & buffer.present & free) | buffer.pop)
    claims.always("no request overtakes another one in a queue", ~buffer.pop | first)


def _prove_worms_apart(claims: Claims, copier: Copier, order: EnqueueOrder) -> None:
    """From the first copy of a worm to its tail, no other worm gets its outputs."""
    unit = copier.route_unit
    inputs = range(copier.ports)
    begun: list[Any] = [Signal(name=f"begun_{i}") for i in inputs]
    for i in inputs:
        buffer = copier.buffers[i]
        claims.m.d.sync += begun[i].eq(Mux(buffer.pop, ~buffer.flit.tail, begun[i]))
        claims.invariant("a worm that has begun is queued", ~begun[i] | unit.queued[i])
        for j in inputs:
            if i == j:
                continue
            shared = (copier.request[i] & copier.request[j]).any()
            claims.always("worms never mix on an output", ~(begun[i] & copier.buffers[j].pop & shared))
            claims.invariant("a worm that has begun is first", ~begun[i] | ~order.blocks[j][i])
