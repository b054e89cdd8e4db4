"""Claims about inputs and outputs of adaptive switches."""

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.hypercube.adaptive_input import AdaptiveInput
from rtl.hypercube.adaptive_output import AdaptiveOutput
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.selection import concat, lowest_one
from tests.proofs.claims import Claims, Describe, Inside, at_most_one, started
from tests.proofs.links import assume_link_rules
from tests.proofs.vc_orders import CyclePhases, first_of_the_cycle, tie_one_after_the_other
from tests.proofs.vc_orders import bound_phases_waited as bound_waiting
from tests.proofs.vc_references import BufferedVc, tie_buffer
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting

# Route candidates of a head that enters a switch, as tables made with topology: not the hardware's logic.


@lru_cache
def _masks(p: HypercubeRouterParameters, port: int, node: int) -> list[int]:
    """VCs out that heads on an input may have, escapes included, by the dimensions that remain."""
    network = HypercubeNetwork(p.dimensions, p.vcs, p.injection_channels)
    routing = HypercubeRouting(network, p.flit_bits, p.rule)
    vc = network.input_channel[node][p.spans[port][0]]
    candidates, escapes = routing.masks(vc)
    return [int(mask) for mask in candidates | escapes]


def remaining(p: HypercubeRouterParameters, flit: Any, node: Any) -> Value:
    """The dimensions that remain to a head."""
    return Value.cast(flit.data[: p.dimensions] ^ node)


def vcs_out(p: HypercubeRouterParameters, port: int, flit: Any, node: Any) -> Value:
    """Mask of the VCs out that a head on an input may have; odd and even switches differ in the rule."""
    outputs, rest = sum(p.output_vcs), remaining(p, flit, node)
    even, odd = (sum(mask << outputs * row for row, mask in enumerate(_masks(p, port, number))) for number in (0, 1))
    table = Mux(Value.cast(node).xor(), odd, even) if odd != even else Const(even, outputs << p.dimensions)
    return Value.cast(table).word_select(rest, outputs)


def is_routable(p: HypercubeRouterParameters, port: int, flit: Any, node: Any) -> Value:
    """True if there is a VC out for a head on an input."""
    return vcs_out(p, port, flit, node).any()


def outputs_for(p: HypercubeRouterParameters, flit: Any, node: Any) -> Value:
    """The outputs that a routable head can use: the dimensions that remain, or else delivery."""
    rest = remaining(p, flit, node)
    return concat((rest, ~rest.any()))


# One-hot numbers of VCs on wires that leave the last VC out.


def or_the_last(others: Iterable[Any]) -> Value:
    """A bit for each VC: one of the others, or the last one if it is none of them."""
    bits = list(others)
    return concat((*bits, ~concat(bits).any()))


# Assumptions of the allocator about waiting heads; proved of an input.

CONTRACT = "heads ask before they wait, for outputs that there are, and keep to them until they have a VC"


def sound_heads(
    claims: Claims,
    p: HypercubeRouterParameters,
    port: int,
    head: tuple[Any, Any, Any, Any],
    name: str,
    *,
    shared: bool = False,
) -> Iterator[Value]:
    """Assumptions about the heads on a VC into an input; on a shared one a head may wait as soon as it asks."""
    asking, waiting, wanted, granted = head
    asked = claims.was(asking, f"{name}_asking")
    asked_before = claims.was(asked, f"{name}_asked")
    last, got = claims.was(wanted, f"{name}_wanted"), claims.was(granted, f"{name}_granted")
    yield ~waiting | asking & (asked | ~asked_before if shared else asked) & ~got
    yield ~waiting | wanted.any()
    yield ~waiting | ~wanted[p.delivery] | ~wanted[: p.dimensions].any()
    yield ~waiting | ~asked_before | (wanted == last)
    for output in range(len(p.output_vcs)):
        if not p.reaches(port, output):
            yield ~wanted[output]


# Content of an input's virtual channels and the worm in front, from ports alone (docs/look_up/timing_hypercube.md).


def is_granted(port: Any) -> Any:
    """True if the request of an input is granted: no other one comes first."""
    return port.requests.any() & ~(port.requests & port.beaten).any()


def is_shared(p: HypercubeRouterParameters, port: int, v: int) -> bool:
    """True if the buffer of a VC into an input may hold flits of several worms, as VC reallocation is not atomic."""
    return not p.is_host_input(port) and v >= p.unshared_vcs


def asked_vc(port: Any) -> Value:
    """The VC out that the request of an input is for, one-hot."""
    return or_the_last(port.target if port.parameters.vcs > 1 else ())


class LastRequest:
    """The request of an input in the last cycle, and its grant.

    granted, requests, target, flit: ``target`` is the VC out, one-hot.
    """

    def __init__(self, claims: Claims, port: Any, name: str):
        self.granted: Any = claims.was(is_granted(port), f"{name}_granted")
        self.requests: Any = claims.was(port.requests, f"{name}_requests")
        self.target: Any = claims.was(asked_vc(port), f"{name}_target")
        self.flit: Any = claims.was(Value.cast(port.flit), f"{name}_flit")


class AdaptiveVc(BufferedVc):
    """One VC. Its entries are flit and note.

    shared: The buffer may hold flits of several worms, as with non-atomic reallocation.
    active: The worm in front has an output VC, or is drained.
    nowhere: The worm that is active is drained.
    output, target: The output VC that it has, one-hot each.
    spent: Flits of it that have left, and whose credits have not come back; without one that left in the last cycle.
    pending: A tail has arrived on a link, and its release has not been on the wire. Not of a shared one.
    there: A flit is in the buffer.
    settled: A head in front may wait: one from a processor only from the second cycle on.
    strays: A head in front would be unroutable.
    drops, drains: An unroutable head begins to be drained; a flit leaves so.
    credited: A credit for the worm is on the wire.
    """

    def __init__(self, claims: Claims, port: Any, v: int, name: str, note: Any = ()):
        self.port, self.v, self.parameters = port, v, port.parameters
        p, host = self.parameters, self.parameters.is_host_input(port.port)
        self.shared: bool = is_shared(p, port.port, v)
        bits = {"active": 1, "nowhere": 1, "output": len(port.row), "target": len(port.lane), "pending": 1, "drains": 1}
        registers = {key: Signal(size, name=f"{name}_{key}") for key, size in bits.items()}
        self.active: Any = registers["active"]
        self.nowhere: Any = registers["nowhere"]
        self.output: Any = registers["output"]
        self.target: Any = registers["target"]
        self.pending: Any = registers["pending"]
        self.drains: Any = registers["drains"]
        self.spent: Any = Signal(range(p.buffer_flits + 2), name=f"{name}_spent")
        pops: Any = claims.named(self._is_granted() | self.drains, f"{name}_pops") if host or self.shared else None
        left = claims.was(pops, f"{name}_pops") if host else port.credits[v]
        arrives = port.link.valid & port.link.ready if host else port.link.valid[v]
        entry = concat((port.link.payload, *note))
        super().__init__(claims, p.flit_bits, p.buffer_flits, arrives, left, entry, name)
        self.there: Any = claims.named(self.held_now != 0, f"{name}_is_there")
        waits = claims.named(self.there & ~self.active, f"{name}_waits")
        self.settled: Any = claims.was(waits & ~port.granted[v], f"{name}_has_waited") if host else Const(1)
        self.front: Any = self.flit(self.now[0])
        self.strays: Any = claims.named(~is_routable(p, port.port, self.front, port.node), f"{name}_strays")
        self.drops: Any = claims.named(waits & self.settled & self.strays, f"{name}_drops")
        claims.m.d.comb += self.drains.eq(self.active & self.nowhere & self.there)
        ends = pops & self.front.tail if host or self.shared else self.left & self.flit(self.queue.row[0]).tail
        self._follow_worm(claims, ends, name)
        if not host and not self.shared:
            with claims.m.If(self.arrives & port.link.payload.tail):
                claims.m.d.sync += self.pending.eq(1)
            with claims.m.Elif(port.releases[v]):
                claims.m.d.sync += self.pending.eq(0)

    def _is_granted(self) -> Value:
        """True if the request of the input is that of this worm, and granted."""
        own = (self.port.requests == self.reached()) & (self.delivers | (asked_vc(self.port) == self.target))
        return Value.cast(is_granted(self.port) & self.active & ~self.nowhere & own)

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

    @property
    def has_credit(self) -> Value:
        """True if the worm has a credit that is not on the wire."""
        if not self.parameters.outputs_count_credits:
            return Value.cast(self.spent + self.left < self.depth)
        rows = [self.output[d] & (row & self.target).any() for d, row in enumerate(self.port.some_credit)]
        return Value.cast(concat(rows).any())

    def keeps_to_links(self) -> Value:
        """Guarantee of the switch before: a flit comes only with a credit, a worm only as reallocation allows."""
        return ~self.arrives | (self.queue.held < self.depth) & (int(self.shared) | ~self.pending)


# Ties the registers of an AdaptiveInput to the content of its VCs, so that induction closes.


def tie_input(claims: Claims, inside: Inside, port: Any, rows: list[AdaptiveVc], where: str | None = None) -> None:
    """Adds the invariants of an input."""
    host = port.parameters.is_host_input(port.port)
    for row in rows:
        places = tie_buffer(claims, inside, row, port.slots, row.v, where, gray=not row.shared)
        if row.shared:
            _tie_flits_behind(claims, inside, row, places, where)
        else:
            deque(places, 0)
        _tie_worm(claims, inside, row, where)
        _tie_head(claims, inside, row, host, where)
        if not host and not row.shared:
            _tie_only_worm(claims, inside, row, where)
    _tie_request(claims, inside, port, rows, where)
    tie_one_after_the_other(claims, inside, "lane", len(rows), where)


def _tie_flits_behind(
    claims: Claims, inside: Inside, row: AdaptiveVc, places: Iterator[tuple[int, Any, Any]], where: str | None
) -> None:
    """The buffer of a shared VC, whose registers and memory show the tails and the keys of heads."""
    memory, bits = f"{where}/beside_{row.v}" if where else f"beside_{row.v}", row.parameters.dimensions
    is_tail = inside.register(f"is_tail_{row.v}", where)
    claims.invariant("the register shows whether the first flit is a tail", ~row.there | (is_tail == row.front.tail))
    for slot, entry, away in places:
        flit = row.flit(entry)
        if row.depth > 1:
            known = inside.memory_row(slot, memory) == concat((flit.data[:bits], flit.tail))
            claims.invariant("slots store the keys and tails of their flits", away | known)


def _tie_worm(claims: Claims, inside: Inside, row: AdaptiveVc, where: str | None) -> None:
    """The worm that is active."""
    names = ("active", "nowhere", "output", "target")
    active, nowhere, output, target = (inside.register(f"{name}_{row.v}", where) for name in names)
    claims.invariant("a VC is active while its worm goes on", active == row.active)
    claims.invariant("the register shows whether the worm is routable", ~active | (nowhere == row.nowhere))
    has_vc = row.active & ~row.nowhere
    claims.invariant("the output is that of the worm", ~has_vc | (output == row.output))
    claims.invariant("the VC is that of the worm", ~has_vc | (target == row.target))
    one = at_most_one(row.output) & at_most_one(row.target) & (row.delivers | row.target.any())
    claims.invariant("a worm has one output VC", ~has_vc | one & row.reached().any())
    if row.parameters.outputs_count_credits:
        return
    credits, left = (inside.register(f"{name}_{row.v}", where) for name in ("credits", "left"))
    spends = has_vc & ~row.delivers
    claims.invariant("credits are counted", ~spends | (credits + row.spent == row.depth))
    claims.invariant("credits are spent once", ~spends | (row.spent + row.left <= row.depth))
    claims.invariant("the VC that a flit left in the last cycle is recorded", left == row.left)


def _tie_head(claims: Claims, inside: Inside, row: AdaptiveVc, host: bool, where: str | None) -> None:
    """Invariants of a waiting head."""
    known: Any = row.there & ~row.active & row.settled
    wanted, nowhere = (inside.register(f"{name}_{row.v}", where) for name in ("wanted", "nowhere"))
    if host:
        read = inside.register(f"read_{row.v}", where)
        claims.invariant("the read of the head is recorded", read == row.settled)
        claims.invariant("a head that has been read is there", ~row.settled | row.there)
    claims.invariant("the head's route candidates are recorded", ~known | row.strays | (wanted == row.wanted))
    claims.invariant("the register shows whether the head is routable", ~known | (nowhere == row.strays))


def _tie_only_worm(claims: Claims, inside: Inside, row: AdaptiveVc, where: str | None) -> None:
    """The buffer of a VC from a link holds flits of one worm."""
    ended = inside.register(f"ended_{row.v}", where)
    flits = [row.flit(entry) for entry in row.now]
    for k, flit in enumerate(flits):
        last = row.held_now == k + 1
        claims.invariant("only the last flit is a tail", (row.held_now <= k) | last | ~flit.tail)
        claims.invariant("the register shows whether the last flit is a tail", ~last | (ended == flit.tail))
        claims.invariant("the tail has arrived or has not", ~last | (row.pending == flit.tail))
    gone = row.left & row.flit(row.queue.row[0]).tail
    claims.invariant("a tail that has gone was the last", ~gone | (row.queue.held == 1) & row.pending)
    claims.invariant("no flit follows a tail", row.there | ~row.pending | gone)
    claims.invariant("a worm is active to its end", ~gone | row.active)


def _tie_request(claims: Claims, inside: Inside, port: Any, rows: list[AdaptiveVc], where: str | None) -> None:
    asked = inside.register("asked", where)
    claims.invariant("at most one VC requests", at_most_one(asked))
    claims.invariant("without a requesting VC there is no request", asked.any() == port.requests.any())
    room = claims.was(port.room, f"{where or 'input'}_has_had_room")
    for row in rows:
        asks = asked[row.v]
        right = (port.requests == row.reached()) & (row.delivers | (asked_vc(port) == row.target))
        claims.invariant("a request is that of the worm", ~asks | row.active & ~row.nowhere & row.there & right)
        allowed = Mux(row.delivers, room, row.has_credit)
        claims.invariant("a request has its credit, or room", ~asks | allowed)
    claims.invariant("a request is for one output", at_most_one(concat(port.requests)))


# AdaptiveInput: flits leave a VC once, in order, with a credit, on the granted VC.

FLIT_BITS = 8
ASKS = "a head requests from its arrival on"
WAITS = "a head with a way waits until it has a VC"
WANTS = "a head requests the dimensions that remain, or else delivery"
STAYS = "a request that is beaten stays"
ONE_FLIT = "a grant takes one flit"
IN_ORDER = "flits leave unaltered in the order of their VC"
OWN_VC = "a worm's flits ask for the VC that it has"
ENDS = "a request for a tail is marked"
CREDIT = "no flit leaves without a credit"
ROOM = "nothing is delivered without room"
DRAINED = "an unroutable worm is drained, a flit per cycle"
DISCARDING = "discarding marks unroutable heads"
RELEASES = "a release comes with the tail's credit, and then the buffer is empty"
PROMPT = "a flit that could leave does so after one cycle"
READY = "ready shows whether a place is free"


def adaptive_input(dimensions: int, vcs: int, depth: int, *, from_host: bool = False) -> Describe:
    """Claims about the last input from a link, or the one from a processor, of a switch of any number."""

    def describe(claims: Claims) -> None:
        p = HypercubeRouterParameters(FLIT_BITS, dimensions, vcs, depth)
        part: Any = AdaptiveInput(p, dimensions if from_host else dimensions - 1)
        claims.free_inputs(part)
        claims.never_changes(part.node)
        inside = Inside(claims, part)
        last = LastRequest(claims, part, "last")
        rows = [AdaptiveVc(claims, part, v, f"lane_{v}") for v in range(part.vcs)]
        _assume_neighbours(claims, part, rows)
        prove_input(claims, part, rows, last, "input")
        _prove_contract(claims, part)
        _prove_promptness(claims, part, rows)
        tie_input(claims, inside, part, rows)
        claims.possible("all VCs are full", concat(row.queue.held == depth for row in rows).all())
        claims.possible("a flit behind the head is granted", last.granted & rows[0].left & (rows[0].spent != 0))
        claims.possible("an unroutable worm is drained", rows[0].drains & ~rows[0].front.tail)
        claims.possible("a flit leaves with the credit on the wire", rows[0].left & (rows[0].spent == depth - 1))

    return describe


def _assume_neighbours(claims: Claims, part: Any, rows: list[AdaptiveVc]) -> None:
    """Assumptions about the allocator, the outputs, and the switches before and behind."""
    p = part.parameters
    claims.assume(at_most_one(part.granted) & ~(part.granted & ~part.waiting).any())
    claims.assume(~part.granted.any() | at_most_one(part.row) & at_most_one(part.lane))
    claims.assume(~part.granted.any() | part.lane.any() | part.row[p.delivery])
    if p.delivery in p.outputs_of(part.port):
        home = p.outputs_of(part.port).index(p.delivery)
        claims.assume(~(part.requests[home] & part.beaten[home]))  # one worm at a time
    if p.is_host_input(part.port):
        assume_link_rules(claims, part.link, "link")
    else:
        claims.assume(at_most_one(part.link.valid))
    for row in rows:
        claims.assume(~part.granted[row.v] | (part.row & part.wanted[row.v]).any())
        claims.assume(~row.credited | (row.spent != 0))
        if not p.is_host_input(part.port):
            claims.assume(row.keeps_to_links())


def prove_input(claims: Claims, part: Any, rows: list[AdaptiveVc], last: LastRequest, name: str) -> None:
    """Claims about an input in any position."""
    drained = [claims.was(row.drains, f"{name}_{row.v}_drained") for row in rows]
    moved = claims.named(concat(row.left & ~drain for row, drain in zip(rows, drained, strict=True)), f"{name}_moved")
    claims.always(ONE_FLIT, at_most_one(moved) & (moved.any() == last.granted))
    beaten = claims.was((part.requests & part.beaten).any(), f"{name}_was_beaten")
    same = (part.requests == last.requests) & (asked_vc(part) == last.target) & (Value.cast(part.flit) == last.flit)
    claims.always(STAYS, ~beaten | same)
    if not part.parameters.is_host_input(part.port):
        claims.always(ENDS, ~part.requests.any() | (part.ends == part.flit.tail))
    room = claims.was(claims.was(part.room, f"{name}_room"), f"{name}_had_room")
    for row, drain in zip(rows, drained, strict=True):
        gone, first = claims.named(moved[row.v], f"{name}_{row.v}_moved"), row.queue.row[0]
        claims.always(IN_ORDER, ~gone | (row.queue.held != 0) & (last.flit == Value.cast(row.flit(first))))
        own = (last.requests == row.reached()) & (row.delivers | (last.target == row.target))
        claims.always(OWN_VC, ~gone | own)
        claims.always(CREDIT, ~gone | row.delivers | (row.spent < row.depth))
        claims.always(ROOM, ~gone | ~row.delivers | room)
        claims.always(DRAINED, ~drain | row.left)
        _prove_head(claims, part, row, f"{name}_{row.v}")
        if part.parameters.is_host_input(part.port):
            ready = (row.held_now < row.depth) & started(claims)
            claims.always(READY, part.link.ready == ready)
        else:
            ends = row.left & row.flit(first).tail
            claims.always(RELEASES, (part.releases[row.v] == ends) & (~ends | (row.queue.held == 1)))


def _prove_head(claims: Claims, part: Any, row: AdaptiveVc, name: str) -> None:
    """A head in front of a VC."""
    v, host = row.v, part.parameters.is_host_input(part.port)
    here = row.there if host else row.there | row.arrives
    claims.always(ASKS, part.asking[v] == (here & ~row.active))
    waits = row.there & ~row.active & row.settled & ~row.strays
    claims.always(WAITS, part.waiting[v] == waits)
    claims.always(WANTS, ~waits | (part.wanted[v] == row.wanted))
    claims.always(DISCARDING, part.discarding[v] == claims.was(row.drops, f"{name}_dropped"))


def _prove_contract(claims: Claims, part: Any) -> None:
    for v in range(part.vcs):
        head = (part.asking[v], part.waiting[v], part.wanted[v], part.granted[v])
        for condition in sound_heads(claims, part.parameters, part.port, head, f"head_{v}"):
            claims.always(CONTRACT, condition)


def _prove_promptness(claims: Claims, part: Any, rows: list[AdaptiveVc]) -> None:
    """Without rivals at the outputs, some flit that is ready leaves after one cycle."""
    could = []
    for row in rows:
        credit = row.credited | row.has_credit
        could.append(row.active & ~row.nowhere & row.there & Mux(row.delivers, part.room, credit))
    vain = claims.named(concat(could).any() & ~part.requests.any(), "could_ask_and_does_not")
    claims.always(PROMPT, ~(vain & claims.was(vain, "waited_in_vain")))
    claims.possible("the longest wait", part.requests.any() & claims.was(vain, "did_not_ask"))


# AdaptiveOutput: grants, and one worm per VC until its release.

FIRST = "the first request in the order of the cycle is granted"
LEAVES = "exactly the granted flit leaves"
WAIT_BOUND = "a request that persists is granted before all orders have been"
FREE = "there is a free VC for any head if some VC of these has no worm"
LOWEST = "the lowest VC without a worm is offered"
FREE_ESCAPE = "the escape VC is free if it has no worm"


def adaptive_output(dimensions: int, vcs: int, port: int, channels: int = 1) -> Describe:
    """Claims about an output of a switch of some shape, see ``HypercubeRouterParameters``."""

    def describe(claims: Claims) -> None:
        p = HypercubeRouterParameters(FLIT_BITS, dimensions, vcs, injection_channels=channels)
        part: Any = AdaptiveOutput(p, port)
        claims.free_inputs(part, ("before",))
        inside = Inside(claims, part)
        owned = _follow_owners(claims, part)
        for vc in range(part.vcs):
            register = inside.register(f"owned_{vc}")
            claims.invariant("the register shows whether a worm has the VC", register == owned[vc])
        granted = _prove_grants(claims, part)
        targets = _targets(part)
        asked = [target & part.requests[x].replicate(part.vcs) for x, target in enumerate(targets)]
        for x, target in enumerate(targets):
            claims.assume(~part.requests[x] | at_most_one(target))
            for other in asked[:x]:
                claims.assume(~(other & asked[x]).any())  # a VC is one worm's
        claims.possible("all VCs have worms", owned.all())
        claims.possible("a VC is taken as another flit is granted", granted.any() & _taken(part).any())

    return describe


def _targets(part: Any) -> list[Value]:
    """By input, the requested VC, one-hot."""
    told = part.targets if part.vcs > 1 else [()] * len(part.requests)
    return [or_the_last(target) for target in told]


def _taken(part: Any) -> Any:
    """Bits that an adaptive VC, and the escape channel, is taken."""
    adaptive = part.taken if part.adaptive else Const(0)
    return concat((adaptive, part.taken_escape if part.has_escape else Const(0)))


def _follow_owners(claims: Claims, part: Any) -> Any:
    """By VC, a bit that a worm owns it: from the cycle in which it is taken to its release, or its tail."""
    owned: Any = Signal(part.vcs, name="has_a_worm")
    adaptive: Any = claims.named(~owned[: part.adaptive], "has_no_worm") if part.adaptive else Const(0, 0)
    if part.adaptive:
        claims.always(FREE, part.free == adaptive.any())
        offered = or_the_last(part.free_lane if part.adaptive > 1 else ())
        claims.always(LOWEST, ~adaptive.any() | (offered == lowest_one(adaptive)))
        given = lowest_one(adaptive) & part.taken.replicate(part.adaptive)
    else:
        given = Value.cast(Const(0, 0))
    if part.has_escape:
        claims.always(FREE_ESCAPE, part.free_escape == ~owned[-1])
        given = concat((given, part.taken_escape & part.free_escape))
    if part.delivers:
        for x, flit in enumerate(part.flits):
            claims.assume(~part.requests[x] | (part.ends[x] == flit.tail))
    ended = part.load & part.flit.tail.replicate(part.vcs) if part.delivers else part.releases
    claims.assume(~(ended & ~owned).any())
    claims.m.d.sync += owned.eq((owned & ~ended) | given)
    return owned


def _prove_grants(claims: Claims, part: Any) -> Any:
    p, members = part.parameters, part.parameters.inputs_of(part.port)
    requests = part.requests
    phases = CyclePhases(claims, [p.order_size])
    if part.contested:
        claims.m.d.comb += part.before.eq(phases.before(claims, p.order_size, members, "before"))
    beaten = part.beaten if part.contested else Const(0, len(requests))
    granted = claims.named(requests & ~beaten, "granted")
    first = concat(first_of_the_cycle(phases, p.order_size, members, requests))
    claims.always(FIRST, granted == first)
    for x, target in enumerate(_targets(part)):
        mine = (part.load == target) & (Value.cast(part.flit) == Value.cast(part.flits[x]))
        claims.always(LEAVES, ~granted[x] | mine)
    claims.always(LEAVES, granted.any() | ~part.load.any())
    if part.vcs > 1:  # otherwise no request ever waits
        firsts = phases.first(p.order_size, members)
        most = [phases.passed(lambda phase, i=member: firsts[phase] == i) for member in members]
        claims.possible("the longest wait", bound_waiting(claims, phases, most, requests, granted, WAIT_BOUND))
    return granted
