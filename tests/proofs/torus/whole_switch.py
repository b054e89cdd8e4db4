"""A whole ``TorusRouter`` in its place in a small network, and the worms on its lanes."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Value

from rtl.common.selection import concat
from rtl.torus.network import torus_plan
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.inside import Inside
from tests.proofs.vc.lane_reference import LaneReference, lanes_of
from tests.proofs.vc.lane_worms import LaneWormsIn, LaneWormsOut, Outstanding, assume_host
from tests.proofs.vc.tagged_lanes import FLIT_BITS, tag_of
from tests.proofs.vc.worms_in_lanes import LaneIn
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, TorusRouting


class WholeSwitch:
    """A switch of a small torus or mesh with 10-bit flits.

    Parameters
    ----------
    claims : Claims
    grid : Grid
    number : int
        Which switch.
    lanes : int
    name, joined
        See ``Inside`` and ``Claims.free_inputs``.
    lane_rule : str
        See ``TorusRouting``.
    settings
        ``buffer_flits``, ``routing_cycles``, ``lane_reuse`` and ``injection_priority`` as in ``torus_plan``.

    Members
    -------
    name : str
    part : TorusRouter
    shape : LaneRouterShape
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
        self,
        claims: Claims,
        grid: Grid,
        number: int,
        lanes: int,
        *,
        name: str = "part",
        joined: tuple[str, ...] = (),
        lane_rule: str = DALLY_SEITZ,
        **settings: Any,
    ):
        self.name = name
        routing = TorusRouting(TorusNetwork(grid, lanes), FLIT_BITS, lane_rule)
        plan = torus_plan(routing, **settings)
        instance = plan.routers[number]
        self.part: Any = plan.shapes[instance.shape]()
        self.shape = self.part.shape
        claims.free_inputs(self.part, (*joined, *instance.constants))
        for port, value in instance.constants.items():
            claims.m.d.comb += getattr(self.part, port).eq(value)
        self.inside = Inside(claims, self.part, name=name)
        self._key_bits = routing.key_format.bits
        # by lane-port in: candidates of all keys, side by side
        arrivals = routing.network.input_channel[number]
        self._tables = [[routing.candidates(lane, key) for key in range(1 << self._key_bits)] for lane in arrivals]
        self.lanes_in: list[LaneIn[LaneReference]] = []
        self.lanes_out: list[LaneWormsOut] = []
        self.outstanding: list[Outstanding] = []

    @property
    def outputs(self) -> int:
        """Lanes out, those of the host included."""
        return sum(self.shape.output_lanes)

    def link_in(self, i: int) -> Any:
        """The link into an input."""
        return getattr(self.part, f"inputs__{i}")

    def link_out(self, o: int) -> Any:
        """The link out of an output."""
        return getattr(self.part, f"outputs__{o}")

    def credits(self, i: int) -> Any:
        """Credits that an input gives back."""
        return getattr(self.part, f"credits_{i}")

    def credited(self, o: int) -> Any:
        """Credits that come back to an output."""
        return getattr(self.part, f"credited_{o}")

    def candidates(self, lane: int, flit: Any) -> Value:
        """Lanes out that a head on a lane in may have, as routing says it (``TorusRouting.candidates``)."""
        key = flit.data[: self._key_bits]
        packed = sum(mask << (self.outputs * row) for row, mask in enumerate(self._tables[lane]))
        return Value.cast(Const(packed, self.outputs << self._key_bits).word_select(key, self.outputs))

    def ports(self, mask: Any) -> Value:
        """Outputs of which a mask has lanes."""
        return concat(mask[low:high].any() for low, high in self._output_ranges())

    def everywhere(self, i: int, ways: Any) -> Value:
        """The ways of an input as a mask of all lanes out."""
        spans = dict(zip(self.shape.reaches[i], self.shape.input_shape(i).spans, strict=True))
        lanes_out = enumerate(self.shape.output_lanes)
        return concat(ways[slice(*spans[o])] if o in spans else Const(0, lanes) for o, lanes in lanes_out)

    def _output_ranges(self) -> list[tuple[int, int]]:
        lanes = self.shape.output_lanes
        return [(sum(lanes[:o]), sum(lanes[: o + 1])) for o in range(len(lanes))]

    def enter(self, claims: Claims, i: int, tags: Callable[[int], int] | None) -> None:
        """Follow the lanes into an input; inputs one after the other.

        Parameters
        ----------
        claims : Claims
        i : int
        tags : function or None
            The tag of all flits of a lane, by its number in the input. They are assumed to be sound worms; with None
            nothing is assumed.
        """
        link, port, first = self.link_in(i), self.inside.placed[f"input_{i}"], len(self.lanes_in)
        worms = []
        for v in range(self.shape.input_lanes[i]):
            host = self.shape.is_host_input(i)
            valid = link.valid if host else link.valid[v]
            moves = link.valid & link.ready if host else valid
            lane, name = first + v, f"{self.name}_in_{i}_{v}"
            worms.append(LaneWormsIn(claims, link, valid, moves, self._asks(lane), name))
            if tags:
                worms[v].assume_sound(claims, tags(v))
                if host:
                    assume_host(claims, link)
        wanted = concat(lane.wanted for lane in worms)
        rows = lanes_of(claims, self.inside, port, f"{self.name}_lane_{i}", f"input_{i}", [wanted])
        if tags and not self.shape.is_host_input(i):
            claims.assume(at_most_one(link.valid))
            for row in rows:
                row.assume_room(claims)
        self.lanes_in += [LaneIn(i, v, worms[v], row) for v, row in enumerate(rows)]

    def enter_tagged(self, claims: Claims, i: int, first: int) -> int:
        """Follow sound worms into an input, with tags from a number on; gives the number after the last one."""
        after = first + self.shape.input_lanes[i]
        self.enter(claims, i, range(first, after).__getitem__)
        return after

    def enter_all(self, claims: Claims) -> int:
        """Follow sound worms into all inputs; tags are the numbers of the lanes. Gives their number."""
        first = 0
        for i in range(self.shape.inputs):
            first = self.enter_tagged(claims, i, first)
        return first

    def _asks(self, lane: int) -> Callable[[Any], Value]:
        return lambda flit: self.ports(self.candidates(lane, flit))

    def wanted(self, lane: LaneIn[LaneReference], entry: Any) -> Value:
        """Outputs that the flit of an entry is for."""
        return lane.reference.note(entry).word_select(lane.v, self.shape.outputs)

    def leave(self, claims: Claims, allowed: Callable[[Any], Value], *, joined: int | None = None) -> None:
        """Follow the lanes out.

        Parameters
        ----------
        claims : Claims
        allowed : function
            Of a flit: lanes out that its header may leave by.
        joined : int or None
            Output that leads to another switch under proof: its credits are not assumed to be right.
        """
        self.allowed_heads = allowed
        for o, (low, high) in enumerate(self._output_ranges()):
            link, host = self.link_out(o), self.shape.is_host_output(o)
            for w in range(high - low):
                valid = link.valid if host else link.valid[w]
                moves = link.valid & link.ready if host else valid
                name = f"{self.name}_out_{o}_{w}"
                lane = LaneWormsOut(claims, link, valid, moves, _bit(allowed, low + w), name)
                self.lanes_out.append(lane)
                if not host:
                    credited = self.credited(o)[w]
                    without = Outstanding(claims, valid, credited, self.shape.depth, name)
                    self.outstanding.append(without)
                    if o != joined:
                        claims.assume(~credited | (without.count != 0))

    def allowed(self, flit: Any) -> Value:
        """Lanes out that a header may leave by, if it has the tag of a lane in."""
        found: Any = Const(0, self.outputs)
        for number, lane in enumerate(self.lanes_in):
            tag = lane.worms.only_tag
            if tag is not None:
                found = found | concat((tag_of(flit) == tag) & bit for bit in self.candidates(number, flit))
        return found


def _bit(allowed: Callable[[Any], Value], lane: int) -> Callable[[Any], Value]:
    return lambda flit: Value.cast(allowed(flit)[lane])
