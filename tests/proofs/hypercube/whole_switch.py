"""A whole ``HypercubeRouter``, and the worms on its lanes."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Value

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.hypercube.adaptive_lane import AdaptiveLane
from tests.proofs.hypercube.routing_tables import lanes_out
from tests.proofs.vc.followed_switch import FollowedSwitch
from tests.proofs.vc.lane_worms import LaneWormsIn, assume_host
from tests.proofs.vc.tagged_lanes import FLIT_BITS
from tests.proofs.vc.worms_in_lanes import LaneIn

ONWARD, HOME = WAYS = (0, 1)
"""Direction of a worm: to another switch, on any of its lanes, or to the processor."""

Lane = LaneIn[AdaptiveLane]


class WholeSwitch(FollowedSwitch[AdaptiveLane]):
    """A switch with 10-bit flits, and any number.

    Parameters
    ----------
    claims : Claims
    name, joined
        See ``Inside`` and ``Claims.free_inputs``.
    node : Value or None
        Its number, if it is not to be any.
    settings
        See ``HypercubeRouterParameters``.

    Members
    -------
    p : HypercubeRouterParameters
    node : Signal
    """

    def __init__(
        self, claims: Claims, *, name: str = "part", joined: tuple[str, ...] = (), node: Any = None, **settings: Any
    ):
        self.p = HypercubeRouterParameters(FLIT_BITS, **settings)
        part: Any = HypercubeRouter(self.p)
        claims.free_inputs(part, (*joined, "node"))
        self.node: Any = claims.constant(self.p.dimensions, f"{name}_node") if node is None else node
        claims.m.d.comb += part.node.eq(self.node)
        super().__init__(claims, part, name, self.p.input_lanes, self.p.output_lanes, self.p.buffer_flits)

    def candidates(self, lane: int, flit: Any) -> Value:
        return lanes_out(self.p, self.lanes_in[lane].i, flit, self.node)

    def ways(self, mask: Any) -> Value:
        """Which of ``WAYS`` a mask of lanes out leads to."""
        return concat((mask[:-1].any(), mask[-1]))

    def wanted(self, lane: Lane, entry: Any) -> Value:
        """The way that the flit of an entry goes."""
        return Value.cast(lane.reference.beside(entry))

    def enter(self, claims: Claims, i: int, tags: Callable[[int], int] | None) -> None:
        link, port, host = self.link_in(i), self.input(i), self.p.is_host_input(i)
        for v in range(self.p.input_lanes[i]):
            valid = link.valid if host else link.valid[v]
            moves = link.valid & link.ready if host else valid
            name = f"{self.name}_in_{i}_{v}"
            worms = LaneWormsIn(claims, link, valid, moves, self._asks(i), name)
            reference = AdaptiveLane(claims, port, v, f"{self.name}_lane_{i}_{v}", [worms.wanted])
            if tags:
                worms.assume_sound(claims, tags(v))
                if not host:
                    claims.assume(reference.keeps_to_links())
            self.lanes_in.append(LaneIn(i, v, worms, reference))
        if tags and host:
            assume_host(claims, link)
        elif tags:
            claims.assume(at_most_one(link.valid))

    def _asks(self, i: int) -> Callable[[Any], Value]:
        return lambda flit: self.ways(lanes_out(self.p, i, flit, self.node))

    def assume_back(self, claims: Claims, o: int, w: int) -> None:
        super().assume_back(claims, o, w)
        claims.assume(getattr(self.part, f"released_{o}")[w] == self.tail_is_credited(o, w))

    def tail_is_credited(self, o: int, w: int) -> Value:
        """True if the credit on the wire of a lane out is that of a tail."""
        number = sum(self.p.output_lanes[:o]) + w
        worms, without = self.lanes_out[number], self.outstanding[number]
        last = (without.count == 1) & ~worms.valid & ~worms.in_worm
        return Value.cast(self.credited(o)[w] & last)
