"""Claims about whole routed switches: one alone, two in a row, and progress."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, Inside
from tests.proofs.links import as_flit, prove_link_rules, tag_of
from tests.proofs.worms import (
    InputState,
    TrackedFlit,
    WormsIn,
    WormsOut,
    assume_tables,
    assume_worms,
    in_any_buffer,
    in_buffer,
    outputs_of,
    tie_inputs,
    tie_output,
)

# A whole router, or two that are joined: flits appear on the requested outputs, once, in order.


class Whole(Protocol):
    """A complete router; ``tie`` adds the family's invariants of its registers, see ``WholeRouter`` of SPAM."""

    part: Any
    inside: Inside

    def tie(self, claims: Claims, states: list[Any]) -> tuple[list[Any], list[Any]]: ...


def prove_alone(claims: Claims, whole: Whole) -> TrackedFlit:
    """Adds the claims about one router."""
    part = whole.part
    assume_tables(claims, part)
    worms_in = [assume_worms(claims, part, i, i) for i in range(part.parameters.inputs)]
    worms_out = [WormsOut(claims, part, o) for o in range(part.parameters.outputs)]
    tracked = TrackedFlit(claims, worms_in, [[link] for link in part.outputs], [worms.wanted for worms in worms_in])
    states, _, got = tie_whole(claims, whole, worms_in, worms_out)
    tracked.tie(claims, in_any_buffer(states, tracked.i, tracked.o, got))
    for i, state in enumerate(states):
        _prove_drain(claims, part, state, i)
    lost = part.discarding[0] & ~states[0].wanted[0].any() & (states[0].queue.held != 0)
    claims.possible("an unroutable worm is drained while the tracked flit comes out", lost & tracked.comes_out)
    return tracked


def tie_whole(
    claims: Claims, whole: Whole, worms_in: list[Any], worms_out: list[Any]
) -> tuple[list[InputState], list[Any], list[Any]]:
    """Adds the invariants of one router; gives the state of its inputs, and what ``tie`` gives."""
    states = tie_inputs(claims, whole.inside, whole.part, worms_in)
    opened, got = whole.tie(claims, states)
    for o, worms in enumerate(worms_out):
        tie_output(claims, whole.part, o, opened, states, worms)
    return states, opened, got


def _prove_drain(claims: Claims, router: Any, state: InputState, i: int) -> None:
    """An unroutable worm leaves the buffer, a flit per cycle; the claims about outputs exclude that it comes out."""
    lost = claims.named(state.queued & ~state.request.any(), f"drains_{i}")
    there = state.queue.held != 0
    claims.always("an unroutable worm never waits", ~(lost & there) | state.buffer.pop)
    right = lost == ~state.wanted[0].any()
    claims.always("a worm is drained if and only if it is unroutable", ~(state.queued & there) | right)
    claims.always("discarding marks the draining inputs", router.discarding[i] == claims.was(lost, f"drained_{i}"))
    goes_on = claims.was(lost & state.buffer.pop & ~state.tail[0], f"drain_goes_on_{i}")
    claims.always("a drain lasts until the tail", ~goes_on | lost)
    ended = claims.was(lost & state.buffer.pop & state.tail[0], f"drain_ended_{i}")
    claims.always("a drain ends with the tail", ~ended | ~state.queued)


# Two routers that are joined by a link: worms of the first one cross the second one whole.

LOCAL_TAG = 3
"""Of flits that enter the second router from elsewhere."""
SOUND = "what crosses the link are sound worms"


def joined_ports(link: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Inputs of the two routers that the join drives, see ``Claims.free_inputs``."""
    return (f"outputs__{link}__",), ("inputs__0__",)


class Crossing:
    """The link between the routers.

    number: Output of the first router.
    worms: What enters the second router.
    way: Outputs of the second router that the worm on the link, or else the last one, is for.
    """

    def __init__(self, claims: Claims, near: Any, far: Any):
        self.number = near.parameters.outputs - 1
        _join(claims, near.outputs[self.number], far.inputs[0])
        self.worms = WormsIn(claims, far, 0)
        prove_link_rules(claims, self.worms.link, "crossing")
        for condition in self.worms.soundness():
            claims.always(SOUND, condition)
        way = Mux(self.worms.link.valid, self.worms.wanted, self.worms.asked)
        self.way: Any = claims.named(way, "way_on_the_link")

    def tie(self, claims: Claims, near_end: WormsOut, states: list[InputState], opened: list[Any], header: Any) -> None:
        """Adds the first router's invariants of worms on the link; ``header`` gives the outputs of a header."""
        same = (self.worms.in_worm == near_end.in_worm) & (~self.worms.in_worm | (self.worms.tag == near_end.owner))
        claims.invariant("both ends of the link see the same worm", same)
        for state, outputs in zip(states, opened, strict=True):
            known = self.way == state.way
            claims.invariant("a worm on the link goes on as it began", ~outputs[self.number] | known)
            for k, flit in enumerate(state.flits):
                there = (state.queue.held > k) & state.wanted[k][self.number]
                right = ~state.head[k] | (state.beyond[k] == header(as_flit(flit)))
                claims.invariant("worms that will cross have their route", ~there | right)


def prove_pair(claims: Claims, first: Whole, second: Whole) -> TrackedFlit:
    """Adds the claims about two routers."""
    near, far = first.part, second.part
    crossing = Crossing(claims, near, far)
    for part in (near, far):
        assume_tables(claims, part)

    def header(flit: Any) -> Value:
        return outputs_of(far, 0, flit)

    worms_in = [assume_worms(claims, near, i, i, header) for i in range(near.parameters.inputs)]
    across = []
    for i, worms in enumerate(worms_in):
        crosses = worms.wanted[crossing.number]
        across.append(claims.named(Mux(crosses, worms.wanted_beyond, 0), f"across_{i}"))
    others = [assume_worms(claims, far, i, LOCAL_TAG) for i in range(1, far.parameters.inputs)]
    near_out = [WormsOut(claims, near, o) for o in range(near.parameters.outputs)]
    far_out = [WormsOut(claims, far, o) for o in range(far.parameters.outputs)]
    tracked = TrackedFlit(claims, worms_in, [[link] for link in far.outputs], across)
    states, opened, got = tie_whole(claims, first, worms_in, near_out)
    far_states, _, far_got = tie_whole(claims, second, [crossing.worms, *others], far_out)
    crossing.tie(claims, near_out[crossing.number], states, opened, header)
    tracked.tie(claims, _stages(tracked, crossing, states, got, far_states[0], far_got[0]))
    return tracked


def _stages(
    tracked: TrackedFlit, crossing: Crossing, states: list[InputState], got: list[Any], far: InputState, far_got: Any
) -> Iterator[tuple[Any, Any]]:
    """From the second router's buffer over the link back to the first one's."""
    for there, flit in in_buffer(far, tracked.o, far_got):
        yield there & (tag_of(as_flit(flit)) == tracked.i), flit
    link = crossing.worms.link
    mine = link.valid & (tag_of(link.payload) == tracked.i)
    yield mine & crossing.worms.wanted.bit_select(tracked.o, 1), Value.cast(link.payload)
    beyond = [[way.bit_select(tracked.o, 1) for way in state.beyond] for state in states]
    for k, (there, flit) in enumerate(in_any_buffer(states, tracked.i, crossing.number, got)):
        yield there & Value.cast(Array(ways[k] for ways in beyond)[tracked.i]), flit


def _join(claims: Claims, output: Any, entry: Any) -> None:
    claims.m.d.comb += [
        entry.valid.eq(output.valid),
        Value.cast(entry.payload).eq(Value.cast(output.payload)),
        output.ready.eq(entry.ready),
    ]


# Progress of a switch: if a flit may move, some flit moves within a bounded number of cycles.

PROGRESS = "a switch in which a flit may move does not stall for long"


def prove_progress(claims: Claims, may_go: Any, goes: Any, cycles: int, seen_cycles: int | None = None) -> Any:
    """Adds the counter, and the claim that it stays within its bound; gives the counter."""
    still: Any = Signal(range(cycles + 2), name="stands_still")
    waits = claims.named(may_go & ~goes, "waits")
    claims.m.d.sync += still.eq(Mux(waits, Mux(still > cycles, still, still + 1), 0))
    claims.always(PROGRESS, still <= cycles)
    seen = cycles if seen_cycles is None else seen_cycles
    claims.possible("a switch stands still as long as it is said to", still == seen)
    return still


def routed_progress(make: Any, cycles: int, may_go: Callable[[Any, Any], Any] | None = None) -> Describe:
    """Claims about a switch without VCs whose outputs are always ready.

    may_go: Of the switch, and of its inputs with flits: one of these waits for nothing that other switches have.
    """

    def describe(claims: Claims) -> None:
        whole: Whole = make(claims)
        part = whole.part
        with claims.proved_elsewhere():
            assume_tables(claims, part)
            worms_in = [assume_worms(claims, part, i, i) for i in range(part.parameters.inputs)]
            worms_out = [WormsOut(claims, part, o) for o in range(part.parameters.outputs)]
            states, _, _ = tie_whole(claims, whole, worms_in, worms_out)
        claims.assume(concat(link.ready for link in part.outputs).all())
        there = concat(state.queue.held != 0 for state in states)
        # a worm that has begun and whose next flit has not come keeps its outputs: this switch cannot change that
        whole_worms = concat(~state.begun | (state.queue.held != 0) for state in states).all()
        goes = concat(state.buffer.pop for state in states).any() | concat(link.valid for link in part.outputs).any()
        may = may_go(whole, there) if may_go else there.any()
        prove_progress(claims, may & whole_worms, goes, cycles)

    return describe
