"""Claims about a whole ``MinRouter``: what goes in comes out of the right outputs, once, in order, worms unmixed.

Nothing is left out and nothing taken for granted but the link rules and sound messages. The token may arrive at any
time, and never: what comes out is right whatever the ring does.
"""

from typing import Any

from amaranth.hdl import Mux

from tests.proofs.claims import Claims, Describe
from tests.proofs.common.worm_invariants import tie_inputs, tie_output, tie_tracked
from tests.proofs.common.worms import TrackedFlit, WormsIn, WormsOut, assume_tables
from tests.proofs.min.bare_switch import BareSwitch


def switch(inputs: int, outputs: int, *, token: bool, **settings: Any) -> Describe:
    """Claims about a switch of some size, with 8-bit flits and headers of one flit, on a token ring or not.

    Parameters
    ----------
    inputs, outputs : int
        Up to three each.
    token : bool
    settings
        ``buffer_flits`` and ``routing_cycles`` as in ``MinRouterParameters``; buffers of up to two.
    """

    def describe(claims: Claims) -> None:
        whole = BareSwitch(claims, inputs, outputs, token, whole=True, **settings)
        part = whole.switch
        assume_tables(claims, part)
        worms_in = [WormsIn(claims, part, i) for i in range(inputs)]
        worms_out = [WormsOut(claims, part, o) for o in range(outputs)]
        tracked = TrackedFlit(claims, part, worms_in)
        ahead = whole.got[0][0] & ~whole.got[0][1] & whole.request[0][1]
        claims.possible("a branch is ahead as the followed flit comes out", ahead & tracked.comes_out)
        states = tie_inputs(claims, whole.inside, part, worms_in)
        for i, state in enumerate(states):
            claims.invariant("a worm that has begun is in the queues", ~state.begun | whole.use.standing[i])
        opened = [_open(whole, state, i) for i, state in enumerate(states)]
        for o in range(outputs):
            tie_output(claims, part, o, opened, worms_out[o])
            for i in range(inputs):
                mine = ~opened[i][o] | whole.use.first_at(i, o)
                claims.invariant("a worm that has begun is first", mine)
        tie_tracked(claims, states, tracked, whole.got)

    return describe


def _open(whole: BareSwitch, state: Any, i: int) -> Any:
    """Outputs that have got the head of the worm in front of an input, and not its tail."""
    use = whole.use
    begun = Mux(state.begun, state.request, whole.got[i]) & ~use.given[i]
    return whole.claims.named(Mux(use.standing[i], begun, 0), f"open_from_{i}")
