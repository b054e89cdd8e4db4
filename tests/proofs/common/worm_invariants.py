"""Ties the inputs and outputs of a whole router to the worms on its links, so that induction closes.

Every input has a queue of reference that holds, with each flit in the buffer, the outputs that it is for. What a router
does between the buffers and the output registers is for its family to tie.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.parts.selection import concat
from rtl.routed.header_decoder import decoded_layout
from tests.proofs.claims import Claims, at_most_one, started
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.common.tagged_flits import as_flit, tag_of
from tests.proofs.inside import Inside


class InputState:
    """Content of an input's buffer.

    Members
    -------
    queue : ReferenceQueue
        Flits with their outputs.
    flits, wanted, beyond, head, tail : list of Value
        By place; ``beyond`` are the outputs of the next router that it is for.
    begun : Signal
        The head of a worm has left the buffer, its tail has not.
    queued, request : Signal
        The worm's request, as the route unit shows it.
    tag, way : Signal
        Where the worm in front has come from, and its outputs of the next router.
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
    for k, flit in enumerate(state.flits):
        place = inside.register(f"slot_{k}", f"buffer_{i}")
        claims.invariant("places hold their flits", (held <= k) | (place[: len(flit)] == flit))
        decoded: Any = decoded_layout(router.parameters)(place[len(flit) :])
        says = Mux(decoded.candidates.any(), decoded.candidates, decoded.branches) == state.wanted[k]
        says = says & at_most_one(decoded.candidates)
        claims.invariant(
            "decoded headers match the routes of worms", (held <= k) | ~state.head[k] | says & decoded.last
        )


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
    """An output's worm is open as long as it has begun at its input.

    Parameters
    ----------
    claims : Claims
    router : Part
    o : int
    opened : list of Value
        Outputs that have got the head of an input's worm, and not its tail, per input.
    states : list of InputState
    worms : WormsOut
    """
    link = router.outputs[o]
    begun = claims.named(concat(outputs[o] for outputs in opened), f"begun_for_{o}")
    after = Mux(link.valid, ~link.payload.tail, worms.in_worm)
    claims.invariant("a worm is open at both ends", after == begun.any())
    owner = Mux(link.valid, tag_of(link.payload), worms.owner)
    for i, state in enumerate(states):
        claims.invariant("a worm's owner is its input", ~begun[i] | (owner == state.tag))


def in_buffer(state: InputState, o: Any, got: Any = 0) -> Iterator[tuple[Any, Any]]:
    """Places of an input's buffer, the front first: whether a flit for an output is there, and the flit.

    Parameters
    ----------
    state : InputState
    o : Value
        The output.
    got : Value
        Outputs that have got the first flit already.
    """
    for k, flit in enumerate(state.flits):
        wanted = state.wanted[k] & ~got if k == 0 else state.wanted[k]
        yield (state.queue.held > k) & Value.cast(wanted).bit_select(o, 1), flit


def in_any_buffer(states: list[InputState], i: Any, o: Any, got: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The same of input i."""
    rows = [list(in_buffer(state, o, outputs)) for state, outputs in zip(states, got, strict=True)]
    for place in zip(*rows, strict=True):
        yield Value.cast(Array(there for there, _ in place)[i]), Value.cast(Array(flit for _, flit in place)[i])
