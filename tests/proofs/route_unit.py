"""Claims about the route unit, and the contract that other proofs assume of it."""

from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.selection import concat, lowest_one
from rtl.routed.header_decoder import decoded_layout
from rtl.routed.route_unit import RouteUnit
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.selection import bound_waiting, reference_turn, tie_turn
from topology.common.flits import HeaderFormat
from topology.common.part_headers import PartsFormat

# What the route unit decodes of header flits on their way in: they agree with the tables.

MEANING = "a header flit is decoded as the tables say"


class ArrivingHeader:
    """Follows the flits of a link.

    position: Number of the flit on the link within its message; the header's length for flits behind the header.
    key: The routing key, if this flit is its last one.
    moves: Where decoders rely on whole worms, a flit is there only if it moves.
    in_worm: There, whether a worm is open.
    """

    def __init__(self, claims: Claims, unit: Any, i: int):
        p = unit.parameters
        flits, key_flits = p.header_flits, p.header.key_flits
        self.position: Any = Signal(range(flits + 1), name=f"position_{i}")
        self.following: Any = Signal(range(flits + 1), name=f"following_{i}", init=flits)
        self.earlier: Any = Signal((key_flits - 1) * p.flit_bits, name=f"earlier_{i}")
        data = unit.arriving[i]
        if flits > 1:
            claims.m.d.comb += self.position.eq(Mux(unit.arriving_head[i], 0, self.following))
            with claims.m.If(unit.arriving_valid[i]):
                behind = self.position + (self.position < flits)
                claims.m.d.sync += [
                    self.following.eq(behind),
                    self.earlier.eq(concat((self.earlier, data))[p.flit_bits :]),
                ]
        self.key = claims.named(concat((self.earlier, data))[: p.key_bits], f"key_{i}")
        self.moves: Any = Const(1)
        self.in_worm: Any = Signal(name=f"in_worm_{i}")
        if flits > 1 and p.registers_headers:
            self.moves = unit.arriving_valid[i]
            with claims.m.If(self.moves):
                claims.m.d.sync += self.in_worm.eq(~unit.arriving_tail[i])
            claims.assume(~self.moves | (unit.arriving_head[i] == ~self.in_worm))


def prove_decoded(claims: Claims, inside: Inside, unit: Any) -> None:
    """Adds the claims for all inputs."""
    p = unit.parameters
    for i in range(p.inputs):
        header = ArrivingHeader(claims, unit, i)
        decoded: Any = decoded_layout(p)(unit.arriving_decoded[i])
        ends_key = header.position == p.header.key_flits - 1
        first_of_set = p.header.unicast_flits if p.header.part_processors else p.header.key_flits - 1
        in_split_part = (header.position >= first_of_set) & (header.position < p.header_flits)
        row = Mux(header.key < p.keys, _table_row(unit, i, header.key), 0)
        splits = (header.key >= p.multicast_keys.start) & (header.key < p.multicast_keys.stop)
        candidates = claims.named(Mux(ends_key, row, 0), f"candidates_{i}")
        ended = unit.arriving_tail[i] if p.header_flits > 1 else 0
        last = (header.position == p.header_flits - 1) | candidates.any() | ended | ends_key & ~splits
        if p.header.part_processors:
            last = last | in_split_part & unit.arriving[i][p.header.last_bit]
        known = claims.named(header.moves & (header.position < p.header_flits), f"known_{i}")
        reached = _reached(unit, unit.arriving[i], header.position)
        branches = Mux(in_split_part & (~ends_key | splits), reached, 0)
        if p.registers_headers:
            branches = Mux(candidates.any(), 0, branches)
        claims.always(MEANING, ~known | (decoded.candidates == candidates))
        claims.always(MEANING, ~known | (decoded.last == last))
        claims.always(MEANING, ~known | (decoded.branches == branches))
        _tie_decoder(claims, inside, p, header, f"decoder_{i}")


def _tie_decoder(claims: Claims, inside: Inside, p: Any, header: ArrivingHeader, instance: str) -> None:
    if p.header_flits > 1 and p.registers_headers:
        position = inside.register("position", instance)
        largest = (1 << len(position)) - 1
        within = Mux(header.following > largest, largest, header.following)
        claims.invariant("header flits are counted", position == Mux(header.in_worm, within, 0))
        claims.invariant("a header has its length", header.following <= p.header_flits)
    elif p.header_flits > 1:
        behind = header.following == p.header_flits
        counted = inside.register("following", instance) == header.following
        claims.invariant("header flits are counted", behind | counted)
        claims.invariant("a header has its length", header.following <= p.header_flits)
    if p.header.key_flits > 1:
        kept = inside.register("earlier_key_flits", instance) == header.earlier
        claims.invariant("the key's first flits are kept", kept)


def _table_row(unit: Any, i: int, key: Any) -> Value:
    """Candidate outputs for a routing key, by the class of input i."""
    p = unit.parameters
    rows = [unit.routes.word_select(k, p.outputs) for k in range(p.classes * p.keys)]
    kind = unit.port_class.word_select(i, p.class_bits) if p.class_bits else 0
    return Value.cast(Array(rows)[kind * p.keys + key[: (p.keys - 1).bit_length()]])


def _names(header: HeaderFormat, data: Any, position: Any, processor: int) -> Value:
    """True if a flit names a processor; only flits of destination sets can."""
    if isinstance(header, PartsFormat):
        part, bit = divmod(processor, header.part_processors)
        return (data[header.part_position] == part) & data[bit]
    number, bit = divmod(header.fixed_bits + processor, header.flit_bits)
    return (position == number) & data[bit]


def _reached(unit: Any, data: Any, position: Any) -> Value:
    """Outputs behind which a flit names a destination, one destination bit after the other."""
    p = unit.parameters
    hits: list[list[Any]] = [[] for _ in range(p.outputs)]
    for processor in range(p.processors):
        named = _names(p.header, data, position, processor)
        for o in range(p.outputs):
            hits[o].append(named & unit.reach[o * p.processors + processor])
    return concat(concat(of_output).any() for of_output in hits)


# RouteUnit: enqueues are atomic, every input gets its turn, requests follow the headers.

HEADERS = {
    "one-flit": HeaderFormat((("key", 2),), 3, 8),
    "three-flit": HeaderFormat((("key", 2), ("source", 2)), 17, 8),
    "spare-keys": HeaderFormat((("key", 3),), 3, 8),
    "two-flit-key": HeaderFormat((("key", 10), ("source", 2)), 10, 8),
    "parts": PartsFormat((("key", 4), ("source", 2)), 13, 8),
    "parts-two-flit-key": PartsFormat((("key", 10), ("source", 8)), 7, 8),
}
"""Header formats by their special property."""


class ReferenceScanner:
    """Collects the outputs for the worm at one input, from the header flits that the route unit processes.

    there: Whether there is a flit to look at: in the buffer, or on its way in.
    looked_at, last: The route unit looks at it; it is the last one of a header.
    requested: The outputs that are then requested.
    queued, request: Expected content of the queues.
    """

    def __init__(self, claims: Claims, unit: Any, i: int, busy: Any):
        m, p = claims.m, unit.parameters
        self.queued: Any = Signal(name=f"reference_queued_{i}")
        self.request: Any = Signal(p.outputs, name=f"reference_request_{i}")
        arriving = unit.arriving_valid[i] if p.looks_ahead else Const(0)
        self.there = claims.named(unit.buffered_valid[i] | arriving, f"there_{i}")
        self.looked_at = unit.looked_at[i]
        packed = Mux(unit.buffered_valid[i], unit.buffered_decoded[i], unit.arriving_decoded[i])
        decoded: Any = decoded_layout(p)(claims.named(packed, f"decoded_{i}"))
        self.last = decoded.last
        unused = claims.named(decoded.candidates & ~busy, f"unused_{i}")
        port = Mux(unused.any(), lowest_one(unused), lowest_one(decoded.candidates))
        split = self.request | decoded.branches
        self.requested: Any = claims.named(Mux(decoded.candidates.any(), port, split), f"requested_{i}")
        if p.registers_headers:
            claims.assume(~(unit.buffered_valid[i] & unit.queued[i]))
            # a header ends with its key and candidates, or with its length
            searches = self.there & decoded.candidates.any()
            claims.assume(~searches | decoded.last & ~split.any())
            claims.assume(~self.there | decoded.last | (p.header_flits > 1))
        with m.If(self.looked_at):
            m.d.sync += [self.request.eq(self.requested), self.queued.eq(self.last)]
        with m.If(unit.release[i]):
            m.d.sync += [self.request.eq(0), self.queued.eq(0)]


def route_unit(parameters: RouterParameters) -> Describe:
    """Claims about the route unit of a router of some shape."""

    def describe(claims: Claims) -> None:
        p = parameters
        unit: Any = RouteUnit(p)
        claims.free_inputs(unit)
        inside = Inside(claims, unit)
        _assume_tables(claims, unit)
        claims.assume(~(unit.release & ~unit.queued).any())
        busy = claims.named(_requested_by_the_queued(unit), "requested_by_the_queued")
        scanners = [ReferenceScanner(claims, unit, i, busy) for i in range(p.inputs)]
        _prove_enqueues(claims, inside, unit, scanners)
        if p.registers_headers:
            _prove_conflicts(claims, unit, scanners)
        if p.tells_branching:
            _prove_branching(claims, unit, scanners)
        _prove_fairness(claims, inside, unit, scanners)
        prove_decoded(claims, inside, unit)
        claims.possible("all inputs are queued", unit.queued.all())
        claims.possible("an unroutable header is queued", unit.queued[0] & ~unit.request[0].any())
        claims.possible("a multicast to two outputs", unit.queued[0] & unit.request[0][:2].all())

    return describe


def _assume_tables(claims: Claims, unit: Any) -> None:
    """Any constant tables; an input's class is one of those that there are."""
    p = unit.parameters
    for table in (unit.routes, unit.reach):
        claims.never_changes(table)
    if p.class_bits:
        claims.never_changes(unit.port_class)
        for i in range(p.inputs):
            claims.assume(unit.port_class.word_select(i, p.class_bits) < p.classes)


def _requested_by_the_queued(unit: Any) -> Any:
    requested: Any = 0
    for i in range(unit.parameters.inputs):
        requested = requested | Mux(unit.queued[i], unit.request[i], 0)
    return requested


def _prove_enqueues(claims: Claims, inside: Inside, unit: Any, scanners: list[ReferenceScanner]) -> None:
    claims.always("one header flit is looked at per cycle", at_most_one(unit.looked_at))
    claims.always("one header enqueues per cycle", at_most_one(unit.completed))
    for i, scanner in enumerate(scanners):
        claims.always("only a flit that is there is looked at", ~scanner.looked_at | scanner.there & ~unit.queued[i])
        complete = scanner.looked_at & scanner.last
        claims.always("a request is complete with the last header flit", unit.completed[i] == complete)
        claims.always("a request is stable from its completion to its release", unit.queued[i] == scanner.queued)
        claims.always("all outputs of a header enqueue at once", ~unit.queued[i] | (unit.request[i] == scanner.request))
        collected: Any = unit.request[i]
        if unit.parameters.registers_headers:
            nothing = unit.queued[i] | ~unit.request[i].any()
            claims.invariant("only the queued request outputs", nothing)
            several = unit.parameters.header_flits > 1
            collected = inside.register("collected", f"scanner_{i}") if several else Const(0, unit.parameters.outputs)
            collected = Mux(unit.queued[i], unit.request[i], collected)
        claims.invariant("outputs are collected as in the reference", collected == scanner.request)


def _prove_conflicts(claims: Claims, unit: Any, scanners: list[ReferenceScanner]) -> None:
    for i, scanner in enumerate(scanners):
        others = [unit.request[j] for j in range(len(scanners)) if j != i]
        shared = concat((scanner.requested & other).any() for other in others)
        conflicts = Mux(unit.completed[i], shared, 0)
        claims.always("conflicts mark the requests for one of the same outputs", unit.conflicts[i] == conflicts)


def _prove_branching(claims: Claims, unit: Any, scanners: list[ReferenceScanner]) -> None:
    for i, scanner in enumerate(scanners):
        told = unit.branching[i] == ~at_most_one(scanner.requested)
        claims.always("branching marks a request with several outputs", ~unit.completed[i] | told)


def _prove_fairness(claims: Claims, inside: Inside, unit: Any, scanners: list[ReferenceScanner]) -> None:
    waiting = concat(scanner.there & ~unit.queued[i] for i, scanner in enumerate(scanners))
    eligible = claims.named(waiting, "eligible")
    turn = reference_turn(claims, eligible, len(scanners))
    tie_turn(claims, inside, turn, len(scanners), "arbiter", pairwise=unit.parameters.registers_headers)
    bound_waiting(claims, eligible, unit.looked_at, turn)


# Contract between a route unit and the queues behind it; proved in route_unit.


def assume_orderly_queueing(claims: Claims, route_unit: Any, release: Any, inputs: int, completed: Any = None) -> None:
    """Assume the contract of the route unit.

    At most one input is completed, never a queued one. It is queued from the next cycle until its release, and no
    other input is. While it is queued it requests the same outputs, or none if its worm is unroutable.
    """
    queued = route_unit.queued
    completed = route_unit.completed if completed is None else completed
    claims.assume(at_most_one(completed))
    claims.assume(~(completed & queued).any())
    stays = claims.was(queued & ~release, "stays_queued")
    claims.assume(queued == stays | claims.was(completed, "completed"))
    for i in range(inputs):
        request = claims.was(route_unit.request[i], f"request_{i}")
        claims.assume(~stays[i] | (route_unit.request[i] == request))


def assume_conflicts(claims: Claims, route_unit: Any, completed: Any, inputs: int) -> None:
    """Assume the contract of a route unit with headers in registers.

    Inputs that are not queued request nothing. With the completion of a request there are its conflicts: the queued
    inputs that request one of its outputs.
    """
    for i in range(inputs):
        claims.assume(route_unit.queued[i] | ~route_unit.request[i].any())
        others = [route_unit.request[j] for j in range(inputs) if j != i]
        was_completed = claims.was(completed[i], f"completed_{i}")
        for k, other in enumerate(others):
            shared = (route_unit.request[i] & claims.was(other, f"other_{i}_{k}")).any()
            claims.assume(claims.was(route_unit.conflicts[i][k], f"conflict_{i}_{k}") == was_completed & shared)
