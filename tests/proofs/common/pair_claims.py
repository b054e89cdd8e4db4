"""Claims about two routers that are joined by a link: worms of the first one cross the second one whole.

The last output of the first router is the first input of the second one. What the second router takes for granted of
that input, when it is proved alone, is proved here: link rules and sound worms are what the first router promises.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Array, Mux, Value

from tests.proofs.claims import Claims
from tests.proofs.common.links import prove_link_rules
from tests.proofs.common.tagged_flits import as_flit, tag_of
from tests.proofs.common.whole_claims import Whole, tie_whole
from tests.proofs.common.worm_invariants import InputState, in_any_buffer, in_buffer
from tests.proofs.common.worms import TrackedFlit, WormsIn, WormsOut, assume_tables, assume_worms, outputs_of

LOCAL_TAG = 3
"""Of flits that enter the second router from elsewhere."""
SOUND = "what crosses the link are sound worms"


def joined_ports(link: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Inputs of the two routers that the join drives, see ``Claims.free_inputs``.

    Parameters
    ----------
    link : int
        The last output of the first router.
    """
    return (f"outputs__{link}__",), ("inputs__0__",)


class Crossing:
    """The link between the routers.

    Members
    -------
    number : int
        Output of the first router.
    worms : WormsIn
        What enters the second router.
    way : Signal
        Outputs of the second router that the worm on the link, or else the last one, is for.
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
