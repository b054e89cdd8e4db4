"""Claims about multistage switches."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.generator.structure import flat_ports
from rtl.min.branch_queues import BranchQueues
from rtl.min.parameters import MinRouterParameters
from rtl.min.router import MinRouter
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.selection import concat
from rtl.routed.route_unit import RouteUnit
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.links import prove_link_rules
from tests.proofs.min_token import TokenUse, holder_in
from tests.proofs.route_unit import assume_orderly_queueing
from tests.proofs.routed_switch import joined_ports, prove_alone, prove_pair, routed_progress
from topology.common.flits import HeaderFormat

# Use of the branch queues by a switch: assumed for the queues, and proved of the switch (tree_operations).

MAX_AT_ONCE = 2


class BranchUse:
    """Inputs in the queues, their order, and the outputs that have got the tail, recorded cycle by cycle.

    standing: Inputs in the queues.
    given: Outputs that have got the tail, per input.
    owed: Outputs that have to get it, per input in the queues.
    earlier: ``earlier[i, j]``: both are in the queues, and i came before j.
    """

    def __init__(self, claims: Claims, queues: Any, inputs: int, outputs: int):
        self.queues, self.inputs, self.outputs = queues, inputs, outputs
        m, everyone = claims.m, range(inputs)
        self._claims = claims
        self.standing: Any = Signal(inputs, name="standing_reference")
        m.d.sync += self.standing.eq((self.standing | queues.enter) & ~queues.leave)
        self.given: list[Any] = [Signal(outputs, name=f"given_{i}") for i in everyone]
        self.owed: list[Any] = []
        for i, given in enumerate(self.given):
            m.d.sync += given.eq(Mux(queues.enter[i], 0, given | queues.finished[i]))
            owed = Mux(self.standing[i], queues.request[i] & ~given, 0)
            self.owed.append(claims.named(owed, f"owed_reference_{i}"))
        self.earlier: dict[tuple[int, int], Any] = {}
        self._stood = claims.was(self.standing, "standing")
        self._first: Any = claims.was(queues.enters_first, "enters_first")
        for i, j in permutations(everyone, 2):
            self.earlier[i, j] = self._came_before(i, j)

    def _came_before(self, i: int, j: int) -> Signal:
        """Of two that have entered in one step, ``enters_first`` is high if the lower one is the older."""
        claims, stood = self._claims, self._stood
        was_earlier: Any = Signal(name=f"was_earlier_{i}_{j}")
        together = self._first[i] if i < j else ~self._first[j]
        entered = Mux(stood[i] == stood[j], together, stood[i])
        first = Mux(stood[i] & stood[j], was_earlier, entered)
        earlier = claims.named(self.standing[i] & self.standing[j] & first, f"earlier_{i}_{j}")
        claims.m.d.sync += was_earlier.eq(earlier)
        return earlier

    def first_at(self, i: int, o: int) -> Any:
        """True if no input before input i is owed an output."""
        others = (j for j in range(self.inputs) if j != i)
        return ~concat((0, *(self.earlier[j, i] & self.owed[j][o] for j in others))).any()

    def contract(self) -> Iterator[tuple[str, Any]]:
        """Conditions by name."""
        claims, queues, standing = self._claims, self.queues, self.standing
        entering: Any = sum((queues.enter[i] for i in range(self.inputs)), Const(0))
        yield "two inputs at most enter the queues at once", entering <= MAX_AT_ONCE
        yield "no input enters the queues while it stands in them", ~(queues.enter & standing).any()
        stays = claims.was(standing & ~queues.leave, "standing_and_stays")
        for i in range(self.inputs):
            request, finished = queues.request[i], queues.finished[i]
            changed = request != claims.was(request, f"standing_request_{i}")
            yield "a request in the queues does not change", ~(standing[i] & stays[i] & changed)
            yield "an output gets the tail from its owner", ~(finished & ~queues.first[i]).any()
            through = standing[i] & ~(self.owed[i] & ~finished).any()
            yield "an input that leaves the queues has given all its outputs the tail", ~queues.leave[i] | through

    def tie(self, inside: Inside, instance: str | None = None) -> None:
        """Tie the registers of ``BranchQueues`` to the reference model."""
        claims, everyone = self._claims, range(self.inputs)
        claims.invariant("those in the queues are noted", inside.register("standing", instance) == self.standing)
        for i in everyone:
            done = inside.register(f"done_{i}", instance)
            claims.invariant("outputs that have got the tail are noted", ~self.standing[i] | (done == self.given[i]))
        for i, j in permutations(everyone, 2):
            both = self.standing[i] & self.standing[j]
            earlier = self.earlier[i, j]
            if i < j:
                older = inside.register(f"older_{i}_{j}", instance)
                claims.invariant("the order of the inputs is noted", ~both | (older == earlier))
            claims.invariant("of two inputs in the queues one is earlier", ~both | (earlier ^ self.earlier[j, i]))
        for i, j, k in permutations(everyone, 3):
            transitive = ~(self.earlier[i, j] & self.earlier[j, k]) | self.earlier[i, k]
            claims.invariant("the inputs in the queues are in one order", transitive)


# A multistage switch, alone or without route unit and buffers, whose outputs are any that their own proofs allow.

HEADER = HeaderFormat((("key", 2),), 3, 8)
MAX_RELEASE_FLITS = 3


class BareSwitch:
    """Queues, crossbar, token station and the logic between them.

    station: Only with a token.
    token_use: Only with a token.
    copies: Outputs that get the first flit of an input in this cycle, per input.
    got: Outputs that got it before, per input.
    several: Inputs whose request is for two outputs or more.
    """

    def __init__(
        self,
        claims: Claims,
        inputs: int,
        outputs: int,
        token: bool,
        *,
        whole: bool = False,
        name: str = "part",
        joined: tuple[str, ...] = (),
        **settings: Any,
    ):
        self.claims, self.inputs, self.outputs, self.token = claims, inputs, outputs, token
        most = MAX_RELEASE_FLITS if token else 0
        self.switch: Any = MinRouter(MinRouterParameters(inputs, outputs, 4, 1, most, header=HEADER, **settings))
        claims.free_inputs(self.switch, joined)
        self.inside = Inside(claims, self.switch, () if whole else (RouteUnit, InputBuffer), name)
        placed = self.inside.placed
        self.route_unit, self.queues, self.crossbar = placed["route_unit"], placed["queues"], placed["crossbar"]
        self.buffers = [placed[f"buffer_{i}"] for i in range(inputs)]
        if not whole:
            self._let_the_rest_do_anything()
        self.use = BranchUse(claims, self.queues, inputs, outputs)
        self.request = [self.route_unit.request[i] for i in range(inputs)]
        self.several = concat(~at_most_one(request) for request in self.request)
        if token and not whole:
            self._assume_branching()
        self._write_down_copies()
        self._tie()

    def _let_the_rest_do_anything(self) -> None:
        claims, unit = self.claims, self.route_unit
        for part in (unit, *self.buffers):
            for _, is_input, value in flat_ports(part):
                if not is_input:
                    claims.anything(value)
        assume_orderly_queueing(claims, unit, unit.release, self.inputs)
        for i, buffer in enumerate(self.buffers):
            # the front of a buffer stays there until it is popped
            waits = claims.was(buffer.present & ~buffer.pop, f"front_waits_{i}")
            same = Value.cast(buffer.flit) == claims.was(Value.cast(buffer.flit), f"front_{i}")
            claims.assume(~waits | buffer.present & same)

    def _write_down_copies(self) -> None:
        claims, crossbar = self.claims, self.crossbar
        self.copies: list[Any] = []
        self.got: list[Any] = []
        for i, buffer in enumerate(self.buffers):
            loads = concat(crossbar.load[o] & crossbar.select[o][i] for o in range(self.outputs))
            self.copies.append(claims.named(loads, f"copies_of_{i}"))
            self.got.append(Signal(self.outputs, name=f"got_from_{i}"))
            claims.m.d.sync += self.got[i].eq(Mux(buffer.pop, 0, self.got[i] | self.copies[i]))

    def _tie(self) -> None:
        claims, inside, use = self.claims, self.inside, self.use
        use.tie(inside, "queues")
        for i in range(self.inputs):
            copied = inside.register(f"copied_{i}")
            claims.invariant("outputs that have got the flit are noted", copied == self.got[i])
            asked = Mux(use.standing[i], self.request[i], 0)
            claims.invariant("flits are copied to the requested outputs", ~(self.got[i] & ~asked).any())
            in_front = self.buffers[i].present
            claims.invariant("only a flit that is there has been copied", ~self.got[i].any() | in_front)
            tails = Mux(self.buffers[i].flit.tail, self.got[i], 0)
            here = claims.named(Mux(use.standing[i], use.given[i], 0), f"given_now_{i}")
            claims.invariant("tails that have been copied are noted", here == tails)
            is_routable = use.standing[i] & self.request[i].any()
            claims.invariant("a routable worm in the queues owes an output its tail", ~is_routable | use.owed[i].any())
            for o in range(self.outputs):
                mine = ~self.got[i][o] | here[o] | use.first_at(i, o)
                claims.invariant("copies come from the first in the queue", mine)
        queued = self.route_unit.queued
        if self.token:
            self._tie_token(queued)
        else:
            claims.invariant("every complete request is in the queues", use.standing == queued)

    def _tie_token(self, queued: Any) -> None:
        claims, inside, switch = self.claims, self.inside, self.switch
        claims.never_changes(switch.starts_here)
        claims.never_changes(switch.release_flits)
        claims.assume(switch.release_flits != 0)
        self.station = station = inside.placed["station"]
        popped = concat(buffer.pop for buffer in self.buffers)
        tail = concat(buffer.flit.tail for buffer in self.buffers)
        self.token_use = token_use = TokenUse(
            claims, station.tree, station.granted, popped, tail, switch.release_flits, "here"
        )
        holding, asking = token_use.holding, token_use.asking
        claims.invariant("those that wait are noted", inside.register("seeking", "station") == asking)
        claims.invariant("the holder is noted", holder_in(inside, "station") == holding)
        left = switch.release_flits - token_use.flits
        counted = (inside.register("left", "station") == left) & (left > 0)
        claims.invariant("flits are counted down", ~holding.any() | counted)
        claims.invariant(
            "a complete request waits for the token or is in the queues", queued == self.use.standing | asking
        )
        claims.invariant("an input that waits is not in the queues", ~(self.use.standing & asking).any())
        claims.invariant("an input that waits has a tree operation", ~(asking & ~self.several).any())

    def _assume_branching(self) -> None:
        """Contract of the route unit: ``branching`` announces the kind of a request one cycle ahead."""
        claims, unit = self.claims, self.route_unit
        completed = claims.was(unit.completed, "completed_for_branching")
        branching = claims.was(unit.branching, "branching")
        claims.assume(~(completed & (branching ^ self.several)).any())


# BranchQueues: branches enter at once, each output serves its queue in order, none is forgotten.


def branch_queues(inputs: int, outputs: int) -> Describe:
    """Claims about the queues of a switch of some size."""

    def describe(claims: Claims) -> None:
        queues = BranchQueues(inputs, outputs)
        claims.free_inputs(queues)
        inside = Inside(claims, queues)
        use = BranchUse(claims, queues, inputs, outputs)
        for _, condition in use.contract():
            claims.assume(condition)
        use.tie(inside)
        for i in range(inputs):
            _prove_input(claims, use, i)
        for o in range(outputs):
            _prove_output(claims, use, o)
        _bound_overtaking(claims, use)
        claims.possible("one uses an output while another one has the rest", _shares(use))
        claims.possible("everybody is in the queues", use.standing.all())

    return describe


def _prove_input(claims: Claims, use: BranchUse, i: int) -> None:
    queues = use.queues
    request, owed, first = queues.request[i], queues.owed[i], queues.first[i]
    entered = claims.was(queues.enter[i], f"entered_{i}")
    claims.always("all outputs of a request enter in one step", ~entered | (owed == request))
    claims.always("an output is owed until it has got the tail", owed == use.owed[i])
    claims.always("an input only uses what it is owed", ~(first & ~owed).any())
    twice = (queues.finished[i] & use.given[i]).any()
    claims.always("no output gets a tail twice", ~(use.standing[i] & twice))
    lasts = claims.was(first & ~queues.finished[i], f"lasting_{i}")
    claims.always("an output that an input has got stays its own until the tail", ~(lasts & ~first).any())


def _prove_output(claims: Claims, use: BranchUse, o: int) -> None:
    queues, inputs = use.queues, range(use.inputs)
    users = claims.named(concat(queues.first[i][o] for i in inputs), f"users_{o}")
    claims.always("an output belongs to one input at most", at_most_one(users))
    owed = concat(use.owed[i][o] for i in inputs)
    claims.always("an output that is owed belongs to an input", users.any() == owed.any())
    for i in inputs:
        first = use.owed[i][o] & use.first_at(i, o)
        claims.always("an output belongs to the earliest that is owed it", users[i] == first)


def _bound_overtaking(claims: Claims, use: BranchUse) -> None:
    """Tails that any one output gets from others while any one input waits for it."""
    inputs, others = range(use.inputs), use.inputs - 1
    me: Any = claims.constant(others.bit_length(), "any_input")
    my_output: Any = claims.constant(max(1, (use.outputs - 1).bit_length()), "any_output")
    claims.assume((me <= others) & (my_output < use.outputs))

    def at_mine(per_input: Any) -> list[Any]:
        return [Value.cast(per_input[i]).bit_select(my_output, 1) for i in inputs]

    owed, first, finished = at_mine(use.owed), at_mine(use.queues.first), at_mine(use.queues.finished)
    waiting = claims.named(Array(owed)[me] & ~Value.cast(Array(first)[me]), "i_wait")
    gone = claims.named(concat(finished).any(), "a_tail_for_my_output")
    served: Any = Signal(range(others + 3), name="served_before_me")
    claims.m.d.sync += served.eq(Mux(waiting, served + gone, 0))
    claims.always(
        "at most inputs - 1 tails of others before the first of one's own", ~waiting | (served + gone <= others)
    )
    ahead: Any = 0
    for j in inputs:
        before_me = Array(use.earlier[j, i] if i != j else 0 for i in inputs)[me]
        ahead = ahead + (owed[j] & Value.cast(before_me))
    bounded = ~Value.cast(Array(owed)[me]) | (served + ahead <= others)
    claims.invariant("requests served and requests ahead are different", bounded)


def _shares(use: BranchUse) -> Any:
    """Inputs 0 and 1 request the same two outputs; the first one has given the tail to one of them already."""
    first, second = use.queues.first[0], use.queues.first[1]
    same = (use.queues.request[0] & 3 == 3) & (use.queues.request[1] & 3 == 3)
    return same & first[1] & second[0]


# The copy rule of MinRouter: every branch takes each flit once, in order, as soon as it can.


def branch_copies(inputs: int, outputs: int, *, token: bool) -> Describe:
    """Claims about a switch of some size, on a token ring or not."""

    def describe(claims: Claims) -> None:
        bare = BareSwitch(claims, inputs, outputs, token)
        for o in range(outputs):
            _prove_output_copy(claims, bare, o)
        for i in range(inputs):
            _prove_input_copy(claims, bare, i)
        _prove_worms_apart(claims, bare)
        first, second = bare.copies[0], bare.copies[1]
        claims.possible("a flit goes to all outputs at once", first.all())
        ahead = bare.got[0][0] & ~bare.got[0][1] & bare.request[0][1]
        claims.possible("a branch is ahead of another one", ahead & claims.was(ahead, "ahead"))
        behind = bare.use.given[0][0] & bare.use.owed[0][1] & bare.use.owed[1][1]
        claims.possible("a worm follows another one on one branch and waits on the other", behind & second[0])

    return describe


def _prove_output_copy(claims: Claims, bare: BareSwitch, o: int) -> None:
    """An output shows the flit copied to it, until it moves."""
    link = bare.switch.outputs[o]
    prove_link_rules(claims, link, f"output_{o}")
    sources = claims.named(concat(copies[o] for copies in bare.copies), f"sources_{o}")
    loaded = bare.crossbar.load[o]
    claims.always("an output gets its flit from one input", at_most_one(sources) & (loaded == sources.any()))
    occupied: Any = Signal(name=f"reference_occupied_{o}")
    claims.m.d.sync += occupied.eq(loaded | occupied & ~link.ready)
    claims.always("valid is high from a copy until the flit moves, and never else", link.valid == occupied)
    for i, buffer in enumerate(bare.buffers):
        flit = claims.was(Value.cast(buffer.flit), f"flit_{i}_{o}")
        copied = claims.was(sources[i], f"copied_{i}_{o}")
        claims.always("each requested output gets the flit unaltered", ~copied | (Value.cast(link.payload) == flit))


def _prove_input_copy(claims: Claims, bare: BareSwitch, i: int) -> None:
    """Every output takes each flit once, and the flit leaves when all have it."""
    use, buffer, unit = bare.use, bare.buffers[i], bare.route_unit
    copies, got, request = bare.copies[i], bare.got[i], bare.request[i]
    there = claims.named(buffer.present & use.standing[i], f"there_{i}")
    claims.always("no output gets a flit twice", ~(copies & got).any())
    everywhere = ~(request & ~(got | copies)).any()
    claims.always("a flit leaves when all its outputs have it", buffer.pop == there & everywhere)
    claims.always("the release is the pop of the tail", unit.release[i] == buffer.pop & buffer.flit.tail)
    left = claims.named(Mux(there, request & ~got, 0), f"left_to_copy_{i}")
    for o in range(bare.outputs):
        link = bare.switch.outputs[o]
        goes = left[o] & use.first_at(i, o) & ~(link.valid & ~link.ready)
        claims.always("a branch takes a flit as soon as it is first and its output has room", copies[o] == goes)


def _prove_worms_apart(claims: Claims, bare: BareSwitch) -> None:
    """From the first copy of a worm on an output to its tail, no other worm gets the output."""
    inputs = range(bare.inputs)
    begun: list[Any] = [Signal(bare.outputs, name=f"begun_{i}") for i in inputs]
    for i in inputs:
        copies, tail = bare.copies[i], bare.buffers[i].flit.tail
        claims.m.d.sync += begun[i].eq(Mux(tail, begun[i] & ~copies, begun[i] | copies))
        claims.invariant("a worm that has begun is owed its outputs", ~(begun[i] & ~bare.use.owed[i]).any())
        for o in range(bare.outputs):
            first = bare.use.first_at(i, o)
            claims.invariant("a worm that has begun is first", ~begun[i][o] | first)
        for j in inputs:
            if i != j:
                claims.always("worms never mix on an output", ~(begun[i] & bare.copies[j]).any())


# Tree operations in MinRouter: none without the token, and the parts' contracts are kept.


def tree_operations(inputs: int, outputs: int) -> Describe:
    """Claims about a switch of some size on a token ring."""

    def describe(claims: Claims) -> None:
        bare = BareSwitch(claims, inputs, outputs, token=True)
        for name, condition in bare.token_use.contract():
            claims.always(name, condition)
        for name, condition in bare.use.contract():
            claims.always(name, condition)
        _prove_entry(claims, bare)
        _prove_holding(claims, bare)
        use, holding = bare.use, bare.token_use.holding
        behind = use.standing[1] & bare.several[1] & ~holding[1]
        claims.possible("a second tree operation starts before the first one has ended", holding[0] & behind)
        claims.possible("a tree operation and another message enter at once", bare.queues.enter[:2].all())
        last = bare.token_use.releases & ~(bare.queues.leave & holding).any()
        claims.possible("the token goes on before the tail", last)

    return describe


def _prove_entry(claims: Claims, bare: BareSwitch) -> None:
    """A request is known to be for several outputs in the cycle after it has entered."""
    queues, use, granted = bare.queues, bare.use, bare.station.granted
    entered = claims.was(queues.enter, "entered")
    with_token = claims.was(granted, "with_token")
    claims.always("an input that gets the token enters the queues in that cycle", ~(granted & ~queues.enter).any())
    trees = claims.named(bare.several, "requests_for_several")
    claims.always("a request for several outputs enters only with the token", ~(entered & trees & ~with_token).any())
    completed = claims.was(bare.route_unit.completed, "completed_before")
    alone = ~(with_token & ~trees).any() & ~(completed & ~trees & ~entered).any()
    claims.always("a request for one output enters when it is complete, without the token", alone)
    allowed: Any = Signal(bare.inputs, name="has_had_the_token")
    claims.m.d.sync += allowed.eq((allowed | granted) & ~queues.leave)
    for i in range(bare.inputs):
        early = bare.copies[i].any() & trees[i] & ~allowed[i]
        claims.always("no flit of a tree operation is copied before it gets the token", ~early)
        for j in range(bare.inputs):
            if i != j:
                together = with_token[i] & entered[j]
                claims.always(
                    "a tree operation is older than an input that enters with it", ~together | use.earlier[i, j]
                )
    claims.invariant("a tree operation in the queues has had the token", ~(use.standing & trees & ~allowed).any())


def _prove_holding(claims: Claims, bare: BareSwitch) -> None:
    """From the grant to the last flit to wait for, or the tail."""
    use, switch, granted = bare.use, bare.switch, bare.station.granted
    holding = bare.token_use.holding
    held = claims.named(holding.any(), "held")
    claims.always("one tree operation at most has the token", at_most_one(holding))
    claims.always("a tree operation that has the token is in the queues", ~(holding & ~use.standing).any())
    claims.always("no input gets the token while a tree operation has it", ~(held & granted.any()))
    claims.always("the token stays here while a tree operation has it", ~held | switch.here & ~switch.token_out)


# A whole MinRouter: flits appear on the right outputs, once, in order, worms unmixed.


class WholeSwitch(BareSwitch):
    """A complete switch, see ``WholeRouter`` of SPAM."""

    def __init__(self, claims: Claims, inputs: int, outputs: int, token: bool, **settings: Any):
        super().__init__(claims, inputs, outputs, token, whole=True, **settings)
        self.part = self.switch

    def tie(self, claims: Claims, states: list[Any]) -> tuple[list[Any], list[Any]]:
        """Adds the invariants of the queues."""
        use, opened = self.use, []
        for i, state in enumerate(states):
            claims.invariant("a worm that has begun is in the queues", ~state.begun | use.standing[i])
            begun = Mux(state.begun, state.request, self.got[i]) & ~use.given[i]
            opened.append(claims.named(Mux(use.standing[i], begun, 0), f"open_from_{i}"))
            for o in range(self.outputs):
                claims.invariant("a worm that has begun is first", ~opened[i][o] | use.first_at(i, o))
        return opened, self.got


def switch(inputs: int, outputs: int, *, token: bool, **settings: Any) -> Describe:
    """Claims about a switch of some size, with 8-bit flits and headers of one flit, on a token ring or not."""

    def describe(claims: Claims) -> None:
        whole = WholeSwitch(claims, inputs, outputs, token, **settings)
        tracked = prove_alone(claims, whole)
        ahead = whole.got[0][0] & ~whole.got[0][1] & whole.request[0][1]
        claims.possible("a branch is ahead as the followed flit comes out", ahead & tracked.comes_out)

    return describe


def progress(cycles: int, inputs: int, outputs: int, *, token: bool, **settings: Any) -> Describe:
    """Claims about a switch with ready outputs, which stalls for at most ``cycles`` cycles.

    With a token it may rest while all its headers wait for the token, and this is in another switch.
    """

    def make(claims: Claims) -> WholeSwitch:
        whole = WholeSwitch(claims, inputs, outputs, token, **settings)
        if token:
            with claims.proved_elsewhere():
                _prove_holding(claims, whole)
        return whole

    return routed_progress(make, cycles, _may_go if token else None)


def _may_go(whole: WholeSwitch, there: Any) -> Any:
    """A flit is there that does not wait for the token, or the token is."""
    use = whole.token_use
    has_token = use.holding.any() | whole.switch.token_in
    return (there & (~use.asking | has_token.replicate(whole.inputs))).any()


def switch_pair(inputs: int, outputs: int, *, token: bool) -> Describe:
    """Claims about two switches of some size that are joined by a link."""

    def describe(claims: Claims) -> None:
        out, entry = joined_ports(outputs - 1)
        first = WholeSwitch(claims, inputs, outputs, token, name="first", joined=out)
        second = WholeSwitch(claims, inputs, outputs, token, name="second", joined=entry)
        tracked = prove_pair(claims, first, second)
        ahead = first.got[0][outputs - 1] & ~first.got[0][0] & first.request[0][0]
        claims.possible("a branch is ahead as the followed flit has crossed", ahead & tracked.comes_out)

    return describe
