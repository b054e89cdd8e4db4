"""A whole ``HypercubeRouter``, and the worms on its lanes."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Value

from rtl.common.selection import concat
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.hypercube.adaptive_lane import AdaptiveLane
from tests.proofs.hypercube.routing_tables import lanes_out
from tests.proofs.inside import Inside
from tests.proofs.vc.lane_worms import LaneWormsIn, LaneWormsOut, Outstanding, assume_host
from tests.proofs.vc.tagged_lanes import FLIT_BITS, tag_of
from tests.proofs.vc.worms_in_lanes import LaneIn

ONWARD, HOME = WAYS = (0, 1)
"""Where a worm goes: to another switch, whichever of its lanes it gets, or to the processor."""

Lane = LaneIn[AdaptiveLane]


class WholeSwitch:
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
    name : str
    p : HypercubeRouterParameters
    part : HypercubeRouter
    node : Signal
    inside : Inside
    lanes_in : list of LaneIn
    lanes_out : list of LaneWormsOut
    outstanding : list of Outstanding
        By lane out, but for the host's.
    allowed_heads : function
        Of a flit: lanes out that its header may leave by.
    """

    allowed_heads: Callable[[Any], Value]

    def __init__(
        self, claims: Claims, *, name: str = "part", joined: tuple[str, ...] = (), node: Any = None, **settings: Any
    ):
        self.name = name
        self.p = HypercubeRouterParameters(FLIT_BITS, **settings)
        self.part: Any = HypercubeRouter(self.p)
        claims.free_inputs(self.part, (*joined, "node"))
        self.node: Any = claims.constant(self.p.dimensions, f"{name}_node") if node is None else node
        claims.m.d.comb += self.part.node.eq(self.node)
        self.inside = Inside(claims, self.part, name=name)
        self.lanes_in: list[Lane] = []
        self.lanes_out: list[LaneWormsOut] = []
        self.outstanding: list[Outstanding] = []

    @property
    def outputs(self) -> int:
        """Lanes out, that of the host included."""
        return sum(self.p.output_lanes)

    def link_in(self, i: int) -> Any:
        """The link into an input."""
        return getattr(self.part, f"inputs__{i}")

    def link_out(self, o: int) -> Any:
        """The link out of an output."""
        return getattr(self.part, f"outputs__{o}")

    def input(self, i: int) -> Any:
        """The part of an input."""
        return self.inside.placed[f"input_{i}"]

    def lanes_for(self, lane: int, flit: Any) -> Value:
        """Lanes out that a head on a lane in may have, as routing says it."""
        return lanes_out(self.p, self.lanes_in[lane].i, flit, self.node)

    def ways(self, mask: Any) -> Value:
        """Which of ``WAYS`` a mask of lanes out leads to."""
        return concat((mask[:-1].any(), mask[-1]))

    def wanted(self, lane: Lane, entry: Any) -> Value:
        """The way that the flit of an entry goes."""
        return Value.cast(lane.reference.beside(entry))

    def enter(self, claims: Claims, i: int, tags: Callable[[int], int] | None) -> None:
        """Follow the lanes into an input; inputs one after the other.

        Parameters
        ----------
        claims : Claims
        i : int
        tags : function or None
            The tag of all flits of a lane, by its number in the input. They are assumed to be sound worms that have
            room; with None nothing is assumed.
        """
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

    def enter_tagged(self, claims: Claims, i: int, first: int) -> int:
        """Follow sound worms into an input, with tags from a number on; gives the number after the last one."""
        after = first + self.p.input_lanes[i]
        self.enter(claims, i, range(first, after).__getitem__)
        return after

    def enter_all(self, claims: Claims) -> int:
        """Follow sound worms into all inputs; tags are the numbers of the lanes. Gives their number."""
        first = 0
        for i in range(len(self.p.input_lanes)):
            first = self.enter_tagged(claims, i, first)
        return first

    def leave(self, claims: Claims, allowed: Callable[[Any], Value], *, joined: int | None = None) -> None:
        """Follow the lanes out.

        Parameters
        ----------
        claims : Claims
        allowed : function
            Of a flit: lanes out that its header may leave by.
        joined : int or None
            Output that leads to another switch under proof: its credits and releases are not assumed to be right.
        """
        self.allowed_heads = allowed
        for o, lanes in enumerate(self.p.output_lanes):
            link, host = self.link_out(o), o == self.p.delivery
            may: Any = claims.named(allowed(link.payload), f"{self.name}_out_{o}_may")
            for w in range(lanes):
                valid = link.valid if host else link.valid[w]
                moves = link.valid & link.ready if host else valid
                name = f"{self.name}_out_{o}_{w}"
                self.lanes_out.append(LaneWormsOut(claims, link, valid, moves, _bit(may, len(self.lanes_out)), name))
                if not host:
                    self._follow_credits(claims, o, w, name, joined=o == joined)

    def _follow_credits(self, claims: Claims, o: int, w: int, name: str, *, joined: bool) -> None:
        worms, credited = self.lanes_out[-1], getattr(self.part, f"credited_{o}")[w]
        without = Outstanding(claims, worms.valid, credited, self.p.buffer_flits, name)
        self.outstanding.append(without)
        if not joined:
            claims.assume(~credited | (without.count != 0))
            claims.assume(getattr(self.part, f"released_{o}")[w] == self.tail_is_credited(o, w))

    def tail_is_credited(self, o: int, w: int) -> Value:
        """Whether the credit on the wire of a lane out is that of a tail."""
        number = sum(self.p.output_lanes[:o]) + w
        worms, without = self.lanes_out[number], self.outstanding[number]
        last = (without.count == 1) & ~worms.valid & ~worms.in_worm
        return Value.cast(getattr(self.part, f"credited_{o}")[w] & last)

    def allowed(self, flit: Any) -> Value:
        """Lanes out that a header may leave by, if it has the tag of a lane in."""
        found: Any = Const(0, self.outputs)
        for number, lane in enumerate(self.lanes_in):
            tag = lane.worms.only_tag
            if tag is not None:
                found = found | concat((tag_of(flit) == tag) & bit for bit in self.lanes_for(number, flit))
        return found


def _bit(mask: Any, lane: int) -> Callable[[Any], Value]:
    return lambda _flit: Value.cast(mask[lane])
