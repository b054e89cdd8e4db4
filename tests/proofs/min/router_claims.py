"""Claims about a whole ``MinRouter``: flits appear on the right outputs, once, in order, worms unmixed.

The whole part is included, and only the link rules and sound messages are assumed. The token may arrive at any
time, and never: what comes out is right whatever the ring does.
"""

from typing import Any

from amaranth.hdl import Mux

from tests.proofs.claims import Claims, Describe
from tests.proofs.common.pair_claims import joined_ports, prove_pair
from tests.proofs.common.progress import routed_progress
from tests.proofs.common.whole_claims import prove_alone
from tests.proofs.min.bare_switch import BareSwitch


class WholeSwitch(BareSwitch):
    """A complete switch, see ``WholeRouter`` of SPAM."""

    def __init__(self, claims: Claims, inputs: int, outputs: int, token: bool, **settings: Any):
        super().__init__(claims, inputs, outputs, token, whole=True, **settings)
        self.part = self.switch

    def tie(self, claims: Claims, states: list[Any]) -> tuple[list[Any], list[Any]]:
        """Adds the invariants of the queues.

        Returns
        -------
        two lists of Value
            By input: outputs that have got the head of its worm and not the tail; outputs that have got the flit in
            front.
        """
        use, opened = self.use, []
        for i, state in enumerate(states):
            claims.invariant("a worm that has begun is in the queues", ~state.begun | use.standing[i])
            begun = Mux(state.begun, state.request, self.got[i]) & ~use.given[i]
            opened.append(claims.named(Mux(use.standing[i], begun, 0), f"open_from_{i}"))
            for o in range(self.outputs):
                claims.invariant("a worm that has begun is first", ~opened[i][o] | use.first_at(i, o))
        return opened, self.got


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
        whole = WholeSwitch(claims, inputs, outputs, token, **settings)
        tracked = prove_alone(claims, whole)
        ahead = whole.got[0][0] & ~whole.got[0][1] & whole.request[0][1]
        claims.possible("a branch is ahead as the followed flit comes out", ahead & tracked.comes_out)

    return describe


def progress(cycles: int, **settings: Any) -> Describe:
    """Claims about a switch of 3x3 without token, with ready outputs, which stalls for at most ``cycles`` cycles."""
    return routed_progress(lambda claims: WholeSwitch(claims, 3, 3, False, **settings), cycles)


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
