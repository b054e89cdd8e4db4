"""Claims about SPAM routers."""

from itertools import permutations
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.generator.structure import flat_ports
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.selection import concat
from rtl.routed.header_register import HeaderRegister
from rtl.routed.route_unit import RouteUnit
from rtl.spam.ocrq import ConflictQueues, OutputRequestQueues
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.router import SpamRouter
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.links import FLIT_BITS, prove_link_rules
from tests.proofs.route_unit import assume_conflicts, assume_orderly_queueing
from tests.proofs.routed_switch import joined_ports, prove_alone, prove_pair, routed_progress
from tests.proofs.selection import tie_pairs
from topology.common.flits import HeaderFormat

# Order in which requests enqueued, recorded cycle by cycle: the order in the queues of the paper.


class EnqueueOrder:
    """One bit per pair of inputs.

    earlier: ``earlier[i][j]``: both are queued, and i was before j was.
    blocks: ``blocks[i][j]``: moreover they share an output.
    """

    def __init__(self, claims: Claims, queued: Any, request: Any, ports: int):
        self.ports = ports
        self._queued = queued
        self._request = request
        self._stood = claims.was(queued, "queued")
        self.earlier: list[list[Any]] = []
        self.blocks: list[list[Any]] = []
        stood = self._stood
        for i in range(ports):
            self.earlier.append([])
            self.blocks.append([])
            for j in range(ports):
                was_earlier = Signal(name=f"was_earlier_{i}_{j}")
                first = Mux(stood[i] & stood[j], was_earlier, stood[i])
                earlier = claims.named(queued[i] & queued[j] & first, f"earlier_{i}_{j}")
                claims.m.d.sync += was_earlier.eq(earlier)
                self.earlier[i].append(earlier)
                shared = (request[i] & request[j]).any()
                self.blocks[i].append(claims.named(earlier & shared, f"blocks_{i}_{j}"))

    def tie(self, claims: Claims, inside: Inside, instance: str | None = None) -> None:
        """Tie the registers of ``OutputRequestQueues`` to the order."""
        ports = range(self.ports)
        self._tie_order(claims)
        newest = inside.register("newest", instance)
        claims.invariant("the newest was enqueued last", newest == self._queued & ~self._stood)
        older = [Mux(self._queued[i] & ~newest[i], self._request[i], 0) for i in ports]
        claimed = concat(concat(requested[o] for requested in older).any() for o in ports)
        claims.invariant("the older inputs' outputs are noted", inside.register("claimed", instance) == claimed)
        claims.invariant("one enqueues at a time", at_most_one(newest))
        for i, j in permutations(ports, 2):
            held = inside.register(f"wait_{i}_{j}", instance)
            claims.invariant("inputs wait for those ahead of them", held == self.blocks[j][i] & ~newest[i])

    def tie_conflicts(self, claims: Claims, inside: Inside, instance: str | None = None) -> None:
        """Tie the registers of ``ConflictQueues`` to the order."""
        self._tie_order(claims)
        claims.invariant("one enqueues at a time", at_most_one(claims.named(self._queued & ~self._stood, "newest")))
        for i in range(self.ports):
            others = concat(self.blocks[j][i] for j in range(self.ports) if j != i)
            held = inside.register(f"waits_{i}", instance)
            claims.invariant("inputs wait for those ahead of them", held == others)

    def _tie_order(self, claims: Claims) -> None:
        ports = range(self.ports)
        for i, j in permutations(ports, 2):
            both = self._queued[i] & self._queued[j]
            either = self.earlier[i][j] ^ self.earlier[j][i]
            claims.invariant("of two queued inputs one is earlier", ~both | either)
        for i, j, k in permutations(ports, 3):
            transitive = ~(self.earlier[i][j] & self.earlier[j][k]) | self.earlier[i][k]
            claims.invariant("the queued inputs are in one order", transitive)


# OutputRequestQueues: first come, first served, in all queues at once.


def request_queues(ports: int, *, conflicts: bool = False) -> Describe:
    """Claims about the queues of a router with some number of ports."""

    def describe(claims: Claims) -> None:
        queues: Any = ConflictQueues(ports) if conflicts else OutputRequestQueues(ports)
        claims.free_inputs(queues)
        inside = Inside(claims, queues)
        queued, granted = queues.queued, queues.granted
        claims.assume(~(queues.release & ~granted).any())
        completed: Any = claims.anything_of(ports, "completed") if conflicts else queues.completed
        assume_orderly_queueing(claims, queues, queues.release, ports, completed)
        order = EnqueueOrder(claims, queued, queues.request, ports)
        if conflicts:
            assume_conflicts(claims, queues, completed, ports)
            order.tie_conflicts(claims, inside)
        else:
            order.tie(claims, inside)

        claims.always("only the queued are granted", ~(granted & ~queued).any())
        claims.always("a request is granted if any is queued", granted.any() | ~queued.any())
        was_granted = claims.was(granted & ~queues.release, "granted_and_stays")
        claims.always("a grant lasts until the release", ~(was_granted & ~granted).any())
        for i in range(ports):
            first = claims.named(~concat(order.blocks[j][i] for j in range(ports) if j != i).any(), f"first_{i}")
            claims.always("no request is granted before one that enqueued earlier", ~granted[i] | first)
            claims.always("a request that is first in all its queues is granted", granted[i] | ~(queued[i] & first))
            for j in range(i):
                shared = (queues.request[i] & queues.request[j]).any()
                claims.always("two that are granted share no output", ~(granted[i] & granted[j] & shared))
            _bound_overtaking(claims, order, queues, i)
        prove_first(claims, queues)
        claims.possible("all ports wait for one", (granted == 1) & queued.all())
        claims.possible("two are granted at once", (granted == 3) & queued.all())

    return describe


def prove_first(claims: Claims, queues: Any) -> None:
    """The early selection of the crossbar."""
    for o in range(queues.ports):
        first = queues.first[o]
        claims.always("an output has one first input at most", at_most_one(first))
        for i in range(queues.ports):
            holds = queues.granted[i] & queues.request[i][o]
            claims.always("a request that is granted an output is its first", ~holds | first[i])


def _bound_overtaking(claims: Claims, order: EnqueueOrder, queues: Any, i: int) -> None:
    """Counts the releases of outputs that a queued input waits for: one per other input at most."""
    others = [j for j in range(order.ports) if j != i]
    hindered = queues.queued[i] & ~queues.granted[i]
    gone: Any = 0
    ahead: Any = 0
    for j in others:
        gone = gone + (queues.release[j] & (queues.request[i] & queues.request[j]).any())
        ahead = ahead + order.blocks[j][i]
    served: Any = Signal(range(2 * order.ports), name=f"served_before_{i}")
    claims.m.d.sync += served.eq(Mux(hindered, served + gone, 0))
    claims.always("at most ports - 1 releases before the grant", ~hindered | (served + gone <= len(others)))
    bounded = ~queues.queued[i] | (served + ahead <= len(others))
    claims.invariant("requests served and requests ahead are different", bounded)


# The copy rule of SpamRouter: grants, replication, release.

NARROW_HEADER = HeaderFormat((("lca", 2),), 3, 8)


class Copier:
    """A router without route unit and buffers.

    request: Requested outputs per input.
    copies: ``copies[i][o]``: input i puts a flit into output o in this cycle.
    """

    def __init__(self, claims: Claims, ports: int, **settings: Any):
        parameters = SpamRouterParameters(ports=ports, vertices=4, header=NARROW_HEADER, **settings)
        self.ports = ports
        self.router = SpamRouter(parameters)
        claims.free_inputs(self.router)
        self.inside = Inside(claims, self.router, left_out=(RouteUnit, InputBuffer, HeaderRegister))
        self.route_unit = self.inside.placed["route_unit"]
        self.buffers = [self.inside.placed[f"buffer_{i}"] for i in range(ports)]
        self._drive_what_is_left_out(claims)
        self.request = [self.route_unit.request[i] for i in range(ports)]
        self.copies = [
            [claims.named(self.buffers[i].pop & self.request[i][o], f"copies_{i}_{o}") for o in range(ports)]
            for i in range(ports)
        ]

    def _drive_what_is_left_out(self, claims: Claims) -> None:
        registers = [part for name, part in self.inside.placed.items() if name.startswith("header_")]
        for part in (self.route_unit, *self.buffers, *registers):
            for _, is_input, value in flat_ports(part):
                if not is_input:
                    claims.anything(value)


def replication(ports: int, **settings: Any) -> Describe:
    """Claims about the copy rule of a router with some number of ports."""

    def describe(claims: Claims) -> None:
        copier = Copier(claims, ports, **settings)
        unit = copier.route_unit
        assume_orderly_queueing(claims, unit, unit.release, ports)
        order = EnqueueOrder(claims, unit.queued, copier.request, ports)
        if copier.router.parameters.fast:
            assume_conflicts(claims, unit, unit.completed, ports)
        tie = order.tie_conflicts if copier.router.parameters.fast else order.tie
        tie(claims, copier.inside, "queues")
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


# A whole SpamRouter with three or two ports, and invariants that tie its registers to the worms on links.

VERTICES = 4
HEADER = HeaderFormat((("lca", 2),), 3, FLIT_BITS)


class WholeRouter:
    """A router, with 8-bit flits and headers of one flit."""

    def __init__(
        self, claims: Claims, ports: int, *, name: str = "part", joined: tuple[str, ...] = (), **settings: Any
    ):
        self.part: Any = SpamRouter(SpamRouterParameters(ports=ports, vertices=VERTICES, header=HEADER, **settings))
        claims.free_inputs(self.part, joined)
        self.inside = Inside(claims, self.part, name=name)

    def tie(self, claims: Claims, states: list[Any]) -> tuple[list[Any], list[Any]]:
        """Adds the invariants of the queues."""
        queued = self.inside.placed["route_unit"].queued
        order = EnqueueOrder(claims, queued, [state.request for state in states], len(states))
        tie = order.tie_conflicts if self.part.parameters.fast else order.tie
        tie(claims, self.inside, "queues")
        if self.part.parameters.fast:
            tie_pairs(claims, self.inside, len(states), "arbiter")
        for i, j in permutations(range(len(states)), 2):
            claims.invariant("a worm that has begun is first", ~states[i].begun | ~order.blocks[j][i])
        return [Mux(state.begun, state.request, 0) for state in states], [Const(0, len(states))] * len(states)


# A whole SpamRouter: flits appear on the right outputs, once, in order, worms unmixed.

PORTS = 3


def router(buffer_flits: int, routing_cycles: int, **settings: Any) -> Describe:
    """Claims about a router with three ports, 8-bit flits and headers of one flit."""

    def describe(claims: Claims) -> None:
        whole = WholeRouter(claims, PORTS, buffer_flits=buffer_flits, routing_cycles=routing_cycles, **settings)
        tracked = prove_alone(claims, whole)
        all_valid = concat(link.valid for link in whole.part.outputs).all()
        claims.possible("a flit comes out of all outputs at once", all_valid & tracked.comes_out)

    return describe


def progress(cycles: int, **settings: Any) -> Describe:
    """Claims about a router with three ports and ready outputs that stalls for at most ``cycles`` cycles."""
    return routed_progress(lambda claims: WholeRouter(claims, PORTS, **settings), cycles)


def pair(ports: int, **settings: Any) -> Describe:
    """Claims about two routers with some number of ports that are joined by a link."""

    def describe(claims: Claims) -> None:
        out, entry = joined_ports(ports - 1)
        first = WholeRouter(claims, ports, name="first", joined=out, **settings)
        second = WholeRouter(claims, ports, name="second", joined=entry, **settings)
        tracked = prove_pair(claims, first, second)
        both = concat(link.valid for link in second.part.outputs).all()
        claims.possible("a flit that has crossed comes out of all outputs", both & tracked.comes_out)

    return describe
