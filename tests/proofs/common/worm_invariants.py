"""Ties the inputs and outputs of a whole router to the worms on its links, so that induction closes.

Every input has a queue of reference that holds, with each flit in the buffer, the outputs that it is for. What a router
does between the buffers and the output registers is for its family to tie.
"""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.common.header_decoder import note_layout
from rtl.common.selection import concat
from tests.proofs.claims import Claims, at_most_one, started
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.common.tagged_flits import as_flit, tag_of
from tests.proofs.inside import Inside


class InputState:
    """What is in an input's buffer.

    Members
    -------
    queue : ReferenceQueue
        Flits with their outputs.
    flits, wanted, head, tail : list of Value
        By place.
    begun : Signal
        The head of a worm has left the buffer, its tail has not.
    queued, request : Signal
        The worm's request, as the route unit shows it.
    """

    def __init__(self, claims: Claims, inside: Inside, router: Any, worms: Any, i: int):
        payload = Value.cast(router.inputs[i].payload)
        self.buffer = inside.placed[f"buffer_{i}"]
        entry = concat((payload, worms.wanted))
        self.queue = ReferenceQueue(claims, self.buffer.depth, worms.moves, entry, self.buffer.pop)
        self.flits: list[Any] = [row[: len(payload)] for row in self.queue.row]
        self.wanted: list[Any] = [row[len(payload) :] for row in self.queue.row]
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
        _tie_worm(claims, state, worms_in[i], i)
    return states


def _tie_buffer(claims: Claims, inside: Inside, router: Any, state: InputState, i: int) -> None:
    held, buffer = state.queue.held, state.buffer
    ready = (held < buffer.depth) & started(claims)
    claims.invariant("ready says whether a place is free", router.inputs[i].ready == ready)
    claims.invariant("present says whether a flit is in", buffer.present == (held != 0))
    claims.invariant("buffers count", inside.register("count", f"buffer_{i}") == held)
    claims.invariant("no buffer holds too much", held <= buffer.depth)
    for k, flit in enumerate(state.flits):
        place = inside.register(f"place_{k}", f"buffer_{i}")
        claims.invariant("places hold their flits", (held <= k) | (place[: len(flit)] == flit))
        note: Any = note_layout(router.parameters)(place[len(flit) :])
        says = Mux(note.candidates.any(), note.candidates, note.branches) == state.wanted[k]
        says = says & at_most_one(note.candidates)
        claims.invariant("notes say where worms go", (held <= k) | ~state.head[k] | says & note.last)


def _tie_worm(claims: Claims, state: InputState, worms: Any, i: int) -> None:
    """The flits in a buffer are worms, and the request is that of the worm in front."""
    held, begun = state.queue.held, state.begun
    claims.invariant("without a complete request nothing is requested", state.queued | (state.request == 0))
    claims.invariant("a worm that has begun is queued", ~begun | state.queued)
    claims.invariant("a worm that has not begun waits with its head", begun | ~state.queued | (held != 0))
    claims.invariant("heads come first", (held == 0) | (state.head[0] == ~begun))
    claims.invariant("with an empty buffer a worm is open or not", (held != 0) | (worms.in_worm == begun))
    for k in range(len(state.flits)):
        last = held == k + 1
        claims.invariant("the last flit leaves the worm open or not", ~last | (worms.in_worm == ~state.tail[k]))
        claims.invariant("the last flit's outputs are those asked for", ~last | (worms.asked == state.wanted[k]))
        claims.invariant("every flit is for some output", (held <= k) | state.wanted[k].any())
        from_here = tag_of(as_flit(state.flits[k])) == i
        claims.invariant("flits carry the number of their input", (held <= k) | from_here)
        if k:
            follows = (held <= k) | (state.head[k] == state.tail[k - 1])
            claims.invariant("a head follows a tail", follows)
            same = (held <= k) | state.tail[k - 1] | (state.wanted[k] == state.wanted[k - 1])
            claims.invariant("a worm's flits are for the same outputs", same)
    wanted = Mux(held == 0, worms.asked, state.wanted[0])
    claims.invariant("the request is that of the worm in front", ~state.queued | (state.request == wanted))
    claims.invariant("an empty buffer in a worm knows its outputs", ~begun | wanted.any())


def tie_output(claims: Claims, router: Any, o: int, opened: list[Any], worms: Any) -> None:
    """An output's worm is open as long as it has begun at its input.

    Parameters
    ----------
    claims : Claims
    router : Part
    o : int
    opened : list of Value
        Outputs that have got the head of an input's worm, and not its tail, per input.
    worms : WormsOut
    """
    link = router.outputs[o]
    begun = claims.named(concat(outputs[o] for outputs in opened), f"begun_for_{o}")
    after = Mux(link.valid, ~link.payload.tail, worms.in_worm)
    claims.invariant("a worm is open at both ends", after == begun.any())
    owner = Mux(link.valid, tag_of(link.payload), worms.owner)
    for i in range(len(opened)):
        claims.invariant("a worm's owner is its input", ~begun[i] | (owner == i))


def tie_tracked(claims: Claims, states: list[InputState], tracked: Any, got: list[Any] | None = None) -> None:
    """Flits that entered and have not come out are in the buffer or in the output's register.

    Parameters
    ----------
    claims : Claims
    states : list of InputState
    tracked : TrackedFlit
    got : list of Value or None
        Outputs that have got the first flit in the buffer already, per input. None if none ever has.
    """
    places = len(states[0].flits)
    held = Array(state.queue.held for state in states)[tracked.i]
    on_output = tracked.on_output
    before: Any = on_output
    distance = claims.named(tracked.number - tracked.left, "flits_before_the_tracked_one")[: len(tracked.left)]
    pending = claims.named(tracked.entered - tracked.left, "flits_inside")[: len(tracked.left)]
    inside = distance < pending
    at_output = inside & on_output & (distance == 0)
    claims.invariant("the tracked flit is on the output", ~at_output | (tracked.shown == tracked.flit))
    for k in range(places):
        flit = Value.cast(Array(state.flits[k] for state in states)[tracked.i])
        wanted = Value.cast(Array(state.wanted[k] for state in states)[tracked.i])
        if got and k == 0:
            wanted = wanted & ~Value.cast(Array(got)[tracked.i])
        counts = claims.named((held > k) & wanted.bit_select(tracked.o, 1), f"place_{k}_counts")
        here = inside & counts & (distance == before)
        claims.invariant("the tracked flit is in its place", ~here | (flit == tracked.flit))
        before = before + counts
    claims.always("what entered and has not come out is inside", pending == before)
