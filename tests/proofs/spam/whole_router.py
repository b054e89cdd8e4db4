"""A whole ``SpamRouter`` with three or two ports, and invariants that tie its registers to the worms on links."""

from itertools import permutations
from typing import Any

from amaranth.hdl import Const, Mux

from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.router import SpamRouter
from tests.proofs.claims import Claims
from tests.proofs.common.tagged_flits import FLIT_BITS
from tests.proofs.inside import Inside
from tests.proofs.spam.enqueue_order import EnqueueOrder
from topology.common.flits import HeaderFormat

VERTICES = 4
HEADER = HeaderFormat((("lca", 2),), 3, FLIT_BITS)


class WholeRouter:
    """A router, with 8-bit flits and headers of one flit.

    Parameters
    ----------
    claims : Claims
    ports : int
    name, joined
        See ``Inside`` and ``Claims.free_inputs``.
    settings
        ``buffer_flits`` and ``routing_cycles`` as in ``SpamRouterParameters``.

    Members
    -------
    part : SpamRouter
    inside : Inside
    """

    def __init__(
        self, claims: Claims, ports: int, *, name: str = "part", joined: tuple[str, ...] = (), **settings: Any
    ):
        self.part: Any = SpamRouter(SpamRouterParameters(ports=ports, vertices=VERTICES, header=HEADER, **settings))
        claims.free_inputs(self.part, joined)
        self.inside = Inside(claims, self.part, name=name)

    def tie(self, claims: Claims, states: list[Any]) -> tuple[list[Any], list[Any]]:
        """Adds the invariants of the queues.

        Returns
        -------
        two lists of Value
            By input: outputs that have got the head of its worm and not the tail; outputs that have got the flit in
            front.
        """
        queued = self.inside.placed["route_unit"].queued
        order = EnqueueOrder(claims, queued, [state.request for state in states], len(states))
        order.tie(claims, self.inside, "queues")
        for i, j in permutations(range(len(states)), 2):
            claims.invariant("a worm that has begun is first", ~states[i].begun | ~order.blocks[j][i])
        return [Mux(state.begun, state.request, 0) for state in states], [Const(0, len(states))] * len(states)
