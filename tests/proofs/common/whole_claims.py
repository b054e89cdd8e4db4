"""Claims about a whole router, or two that are joined: flits appear on the requested outputs, once, in order.

The whole part is included, and only the link rules and sound messages are assumed.
"""

from typing import Any, Protocol

from tests.proofs.claims import Claims
from tests.proofs.common.worm_invariants import InputState, in_any_buffer, tie_inputs, tie_output
from tests.proofs.common.worms import TrackedFlit, WormsOut, assume_tables, assume_worms
from tests.proofs.inside import Inside


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
