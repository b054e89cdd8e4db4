"""References of worms and invariants of routers that pass them on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.parts.selection import concat, either
from rtl.routed.header_decoder import decoded_layout
from tests.proofs.claims import Claims, Inside, at_most_one, started
from tests.proofs.links import ReferenceQueue, as_flit, assume_link_rules, prove_link_rules, tag_of

# Sound worms on the links of a whole router, and any one flit that is tracked through it.

COUNT_BITS = 4


class WormsIn:
    """Sound worms on an input link, one after the other.

    moves: A flit enters.
    in_worm: A head has entered, its tail has not.
    asked: Outputs that the last head requested.
    wanted: Outputs that the flit on the link is for.
    tag: Where the last flit came from.
    asked_beyond, wanted_beyond: As ``asked`` and ``wanted``, for the next router. No bits if there is none.
    only_tag: The tag of all flits here, if they have one.
    """

    only_tag: int | None = None

    def __init__(self, claims: Claims, router: Any, i: int, beyond: Callable[[Any], Value] | None = None):
        self.link: Any = router.inputs[i]
        flit = self.link.payload
        outputs = router.parameters.outputs
        self.moves: Any = claims.named(self.link.valid & self.link.ready, f"enters_{i}")
        self.in_worm: Any = Signal(name=f"in_worm_{i}")
        self.tag: Any = Signal(2, name=f"entered_tag_{i}")
        self.asked: Any = Signal(outputs, name=f"asked_{i}")
        self.wanted: Any = claims.named(Mux(flit.head, outputs_of(router, i, flit), self.asked), f"wanted_{i}")
        further: Any = beyond(flit) if beyond else Const(0, 0)
        self.asked_beyond: Any = Signal(len(further), name=f"asked_beyond_{i}")
        self.wanted_beyond: Any = claims.named(Mux(flit.head, further, self.asked_beyond), f"wanted_beyond_{i}")
        with claims.m.If(self.moves):
            claims.m.d.sync += [
                self.in_worm.eq(~flit.tail),
                self.tag.eq(tag_of(flit)),
                self.asked.eq(self.wanted),
                self.asked_beyond.eq(self.wanted_beyond),
            ]

    def soundness(self) -> Iterator[Value]:
        """Conditions that a router may assume of worms on an input."""
        flit, off = self.link.payload, ~self.link.valid
        yield off | (flit.head == ~self.in_worm)
        yield off | ~self.in_worm | (tag_of(flit) == self.tag)


def assume_worms(claims: Claims, router: Any, i: int, tag: int, beyond: Any = None) -> WormsIn:
    """Sound worms on an input link, whose flits have a tag."""
    worms = WormsIn(claims, router, i, beyond)
    worms.only_tag = tag
    assume_link_rules(claims, worms.link, f"input_{i}")
    for condition in worms.soundness():
        claims.assume(condition)
    claims.assume(~worms.link.valid | (tag_of(worms.link.payload) == tag))
    return worms


class WormsOut:
    """Worms on an output link.

    in_worm: A head has come out, its tail has not.
    owner: The input of that worm.
    """

    def __init__(self, claims: Claims, router: Any, o: int):
        link = router.outputs[o]
        prove_link_rules(claims, link, f"output_{o}")
        self.in_worm: Any = Signal(name=f"out_worm_{o}")
        self.owner: Any = Signal(2, name=f"owner_{o}")
        claims.always("heads come first and only first", ~link.valid | (link.payload.head == ~self.in_worm))
        owned = ~link.valid | ~self.in_worm | (tag_of(link.payload) == self.owner)
        claims.always("worms never mix on an output", owned)
        with claims.m.If(link.valid & link.ready):
            claims.m.d.sync += [self.in_worm.eq(~link.payload.tail), self.owner.eq(tag_of(link.payload))]


class EntersWith(Protocol):
    """Condition on the flits that enter on a link, see ``WormsIn``."""

    link: Any
    moves: Any


class TrackedFlit:
    """Any one flit of any input and output.

    i, o: Input and output.
    number: Its number among the flits from i for o, modulo 16.
    entered, left: Flits from i for o that have entered, and come out, modulo 16.
    flit: The flit, once it has entered.
    on_output: A flit of input i is on output o.
    shown: What is on output o.
    comes_out: It is the flit that is followed.
    """

    def __init__(
        self,
        claims: Claims,
        worms: Sequence[EntersWith],
        links: list[list[Any]],
        wanted: list[Any],
        tag: Callable[[Any], Value] = tag_of,
    ):
        m = claims.m
        self.i = claims.constant(max(2, (len(worms) - 1).bit_length()), "any_input")
        self.o = claims.constant(2, "any_output")
        self.number = claims.constant(COUNT_BITS, "any_number")
        claims.assume((self.i < len(worms)) & (self.o < len(links)))
        entering = Array(
            worm.moves & outputs.bit_select(self.o, 1) for worm, outputs in zip(worms, wanted, strict=True)
        )[self.i]
        entering = claims.named(entering, "entering")
        there = [[link.valid & (tag(link.payload) == self.i) for link in group] for group in links]
        self.on_output: Any = claims.named(Array(concat(bits).any() for bits in there)[self.o], "on_output")
        moving = [
            concat(link.ready & bit for link, bit in zip(*each, strict=True)) for each in zip(links, there, strict=True)
        ]
        leaving = Array(bits.any() for bits in moving)[self.o]
        self.entered: Any = Signal(COUNT_BITS, name="entered")
        self.left: Any = Signal(COUNT_BITS, name="left")
        m.d.sync += [self.entered.eq(self.entered + entering), self.left.eq(self.left + leaving)]
        offered = Value.cast(Array(Value.cast(worm.link.payload) for worm in worms)[self.i])
        self.flit: Any = Signal(len(offered), name="tracked_flit")
        with m.If(entering & (self.entered == self.number)):
            m.d.sync += self.flit.eq(offered)
        shown = [
            either([Mux(bit, Value.cast(link.payload), 0) for link, bit in zip(*each, strict=True)])
            for each in zip(links, there, strict=True)
        ]
        self.shown: Any = Value.cast(Array(shown)[self.o])
        self.comes_out: Any = claims.named(self.on_output & (self.left == self.number), "tracked_flit_comes_out")
        nothing_left = self.left == self.entered
        claims.always("only flits that entered for this output come out", ~(self.on_output & nothing_left))
        claims.always("flits come out unaltered in order", ~self.comes_out | (self.shown == self.flit))
        claims.possible("the fourth flit comes out", self.comes_out & (self.number == 3))

    def tie(self, claims: Claims, stages: Iterable[tuple[Any, Any]]) -> None:
        """Flits that entered and have not come out are at some stage."""
        before: Any = Const(0)
        distance = claims.named(self.number - self.left, "flits_before_the_tracked_one")[:COUNT_BITS]
        pending = claims.named(self.entered - self.left, "flits_inside")[:COUNT_BITS]
        for stage, (there, flit) in enumerate([(self.on_output, self.shown), *stages]):
            counts = claims.named(there, f"stage_{stage}_counts")
            here = (distance < pending) & counts & (distance == before)
            claims.invariant("the tracked flit is in its place", ~here | (flit == self.flit))
            before = before + counts
        claims.always("flits that entered and have not come out are inside", pending == before)


def assume_tables(claims: Claims, router: Any) -> None:
    """Any constant tables in which a search has one candidate."""
    p = router.parameters
    for table in (router.routes, router.reach):
        claims.never_changes(table)
    for row in range(p.classes * p.keys):
        claims.assume(at_most_one(router.routes.word_select(row, p.outputs)))
    if p.class_bits:
        claims.never_changes(router.port_class)
        for i in range(p.inputs):
            claims.assume(router.port_class.word_select(i, p.class_bits) < p.classes)


def outputs_of(router: Any, i: int, flit: Any) -> Value:
    """Outputs that a header of one flit at input i requests."""
    p = router.parameters
    rows = Array(router.routes.word_select(row, p.outputs) for row in range(p.classes * p.keys))
    arrival: Any = router.port_class.word_select(i, p.class_bits) if p.class_bits else Const(0)
    key = flit.data[: p.key_bits]
    candidates = Mux(key < p.keys, Value.cast(rows[arrival * p.keys + key]), 0)
    splits = (key >= p.multicast_keys.start) & (key < p.multicast_keys.stop)
    named = flit.data[p.key_bits : p.key_bits + p.processors]
    reached = concat((named & router.reach.word_select(o, p.processors)).any() for o in range(p.outputs))
    return Value.cast(Mux(candidates.any(), candidates, Mux(splits, reached, 0)))


# Ties the inputs and outputs of a whole router to the worms on its links, so that induction closes.


class InputState:
    """Content of an input's buffer.

    queue: Flits with their outputs.
    flits, wanted, beyond, head, tail: By place; ``beyond`` are the outputs of the next router that it is for.
    begun: The head of a worm has left the buffer, its tail has not.
    queued, request: The worm's request, as the route unit shows it.
    tag, way: Where the worm in front has come from, and its outputs of the next router.
    """

    tag: Any
    way: Any

    def __init__(self, claims: Claims, inside: Inside, router: Any, worms: Any, i: int):
        payload = Value.cast(router.inputs[i].payload)
        self.buffer = inside.placed[f"buffer_{i}"]
        entry = concat((payload, worms.wanted, worms.wanted_beyond))
        behind = len(payload) + len(worms.wanted)
        self.queue = ReferenceQueue(claims, self.buffer.depth, worms.moves, entry, self.buffer.pop)
        self.flits: list[Any] = [row[: len(payload)] for row in self.queue.row]
        self.wanted: list[Any] = [row[len(payload) : behind] for row in self.queue.row]
        self.beyond: list[Any] = [row[behind:] for row in self.queue.row]
        self.head = [as_flit(flit).head for flit in self.flits]
        self.tail = [as_flit(flit).tail for flit in self.flits]
        self.queued = inside.placed["route_unit"].queued[i]
        self.request: Any = inside.placed["route_unit"].request[i]
        self.begun: Any = Signal(name=f"begun_{i}")
        claims.m.d.sync += self.begun.eq(Mux(self.buffer.pop, ~self.tail[0], self.begun))


def tie_inputs(claims: Claims, inside: Inside, router: Any, worms_in: Any) -> list[InputState]:
    """Adds the invariants of all inputs."""
    states = [InputState(claims, inside, router, worms, i) for i, worms in enumerate(worms_in)]
    for i, state in enumerate(states):
        _tie_buffer(claims, inside, router, state, i)
        _tie_worm(claims, state, worms_in[i])
    return states


def _tie_buffer(claims: Claims, inside: Inside, router: Any, state: InputState, i: int) -> None:
    held, buffer = state.queue.held, state.buffer
    ready = (held < buffer.depth) & started(claims)
    claims.invariant("ready shows whether a place is free", router.inputs[i].ready == ready)
    claims.invariant("present shows whether a flit is in", buffer.present == (held != 0))
    claims.invariant("buffers count", inside.register("count", f"buffer_{i}") == held)
    claims.invariant("no buffer holds too much", held <= buffer.depth)
    registered = router.parameters.registers_headers
    for k, flit in enumerate(state.flits):
        place = inside.register(f"slot_{k}", f"buffer_{i}")
        claims.invariant("places hold their flits", (held <= k) | (place[: len(flit)] == flit))
        if not registered:
            _tie_decoded(claims, router, state, k, held > k, place[len(flit) :])
    if registered:
        _tie_header(claims, inside, router, state, i)


def _tie_decoded(claims: Claims, router: Any, state: InputState, k: int, here: Any, bits: Any) -> None:
    """The decoding of the flit in a place, if it is here, is that of its worm."""
    decoded: Any = decoded_layout(router.parameters)(bits)
    says = Mux(decoded.candidates.any(), decoded.candidates, decoded.branches) == state.wanted[k]
    says = says & at_most_one(decoded.candidates)
    if router.parameters.registers_headers:
        says = says & ~(decoded.candidates.any() & decoded.branches.any())
    claims.invariant("decoded headers match the routes of worms", ~here | ~state.head[k] | says & decoded.last)


def _tie_header(claims: Claims, inside: Inside, router: Any, state: InputState, i: int) -> None:
    """The register has the decoding of the front, and the one beside it that of the latest flit."""
    held, header = state.queue.held, f"header_{i}"
    register = inside.placed[header]
    claims.invariant("a front that is not queued is eligible", register.eligible == ~state.queued & (held != 0))
    _tie_decoded(claims, router, state, 0, register.eligible, Value.cast(register.decoded))
    if len(state.flits) == 1:
        return
    latest, back, position = (inside.register(name, header) for name in ("latest", "back", "position"))
    front = (back - held)[: len(back)]
    claims.invariant("the position is behind the front", position == (front + 1)[: len(back)])
    for k in range(len(state.flits)):
        _tie_decoded(claims, router, state, k, held == k + 1, latest)


def _tie_worm(claims: Claims, state: InputState, worms: Any) -> None:
    """The flits in a buffer are worms, and the request is that of the worm in front."""
    held, begun = state.queue.held, state.begun
    claims.invariant("without a complete request no output is requested", state.queued | (state.request == 0))
    claims.invariant("a worm that has begun is queued", ~begun | state.queued)
    claims.invariant("a worm that has not begun waits with its head", begun | ~state.queued | (held != 0))
    claims.invariant("heads come first", (held == 0) | (state.head[0] == ~begun))
    claims.invariant("with an empty buffer a worm is open or not", (held != 0) | (worms.in_worm == begun))
    for k in range(len(state.flits)):
        last = held == k + 1
        claims.invariant("the last flit leaves the worm open or not", ~last | (worms.in_worm == ~state.tail[k]))
        claims.invariant("the last flit's outputs are the requested ones", ~last | (worms.asked == state.wanted[k]))
        from_here = tag_of(as_flit(state.flits[k])) == worms.tag
        claims.invariant("the last flit's tag is recorded", ~last | from_here)
        claims.invariant("the last flit's route is recorded", ~last | (worms.asked_beyond == state.beyond[k]))
        if worms.only_tag is not None:
            tagged = tag_of(as_flit(state.flits[k])) == worms.only_tag
            claims.invariant("flits carry the number of their input", (held <= k) | tagged)
        if k:
            follows = (held <= k) | (state.head[k] == state.tail[k - 1])
            claims.invariant("a head follows a tail", follows)
            same = (state.wanted[k] == state.wanted[k - 1]) & (state.beyond[k] == state.beyond[k - 1])
            alike = same & (tag_of(as_flit(state.flits[k])) == tag_of(as_flit(state.flits[k - 1])))
            claims.invariant("a worm's flits are alike", (held <= k) | state.tail[k - 1] | alike)
    wanted = Mux(held == 0, worms.asked, state.wanted[0])
    state.tag = claims.named(Mux(held == 0, worms.tag, tag_of(as_flit(state.flits[0]))), "front_tag")
    if worms.only_tag is not None:
        claims.invariant("worms carry the number of their input", ~begun | (state.tag == worms.only_tag))
    state.way = claims.named(Mux(held == 0, worms.asked_beyond, state.beyond[0]), "front_way")
    claims.invariant("the request is that of the worm in front", ~state.queued | (state.request == wanted))


def tie_output(claims: Claims, router: Any, o: int, opened: list[Any], states: list[InputState], worms: Any) -> None:
    """An output's worm is open as long as it has begun at its input."""
    link = router.outputs[o]
    begun = claims.named(concat(outputs[o] for outputs in opened), f"begun_for_{o}")
    after = Mux(link.valid, ~link.payload.tail, worms.in_worm)
    claims.invariant("a worm is open at both ends", after == begun.any())
    owner = Mux(link.valid, tag_of(link.payload), worms.owner)
    for i, state in enumerate(states):
        claims.invariant("a worm's owner is its input", ~begun[i] | (owner == state.tag))


def in_buffer(state: InputState, o: Any, got: Any = 0) -> Iterator[tuple[Any, Any]]:
    """Places of an input's buffer, the front first: whether a flit for an output is there, and the flit."""
    for k, flit in enumerate(state.flits):
        wanted = state.wanted[k] & ~got if k == 0 else state.wanted[k]
        yield (state.queue.held > k) & Value.cast(wanted).bit_select(o, 1), flit


def in_any_buffer(states: list[InputState], i: Any, o: Any, got: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The same of input i."""
    rows = [list(in_buffer(state, o, outputs)) for state, outputs in zip(states, got, strict=True)]
    for place in zip(*rows, strict=True):
        yield Value.cast(Array(there for there, _ in place)[i]), Value.cast(Array(flit for _, flit in place)[i])
