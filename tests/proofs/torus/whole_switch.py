"""A whole ``TorusRouter`` in its place in a small network, and the worms on its lanes."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Value

from rtl.parts.selection import concat
from rtl.torus.network import torus_plan
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.vc.followed_switch import FollowedSwitch
from tests.proofs.vc.lane_reference import LaneReference, lanes_of
from tests.proofs.vc.lane_worms import LaneWormsIn, assume_host
from tests.proofs.vc.tagged_lanes import FLIT_BITS
from tests.proofs.vc.worms_in_lanes import LaneIn
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, TorusRouting


class WholeSwitch(FollowedSwitch[LaneReference]):
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
    shape : LaneRouterShape
    """

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
        routing = TorusRouting(TorusNetwork(grid, lanes), FLIT_BITS, lane_rule)
        plan = torus_plan(routing, **settings)
        instance = plan.routers[number]
        part: Any = plan.shapes[instance.shape]()
        self.shape = part.shape
        claims.free_inputs(part, (*joined, *instance.constants))
        for port, value in instance.constants.items():
            claims.m.d.comb += getattr(part, port).eq(value)
        super().__init__(claims, part, name, self.shape.input_lanes, self.shape.output_lanes, self.shape.depth)
        self._key_bits = routing.key_format.bits
        # by lane-port in: candidates of all keys, side by side
        arrivals = routing.network.input_channel[number]
        self._tables = [[routing.candidates(lane, key) for key in range(1 << self._key_bits)] for lane in arrivals]

    def candidates(self, lane: int, flit: Any) -> Value:
        """Lanes out that a head on a lane in may have, by the routing (``TorusRouting.candidates``)."""
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
        link, port, first = self.link_in(i), self.input(i), len(self.lanes_in)
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

    def _asks(self, lane: int) -> Callable[[Any], Value]:
        return lambda flit: self.ports(self.candidates(lane, flit))

    def wanted(self, lane: LaneIn[LaneReference], entry: Any) -> Value:
        """Outputs that the flit of an entry is for."""
        return lane.reference.note(entry).word_select(lane.v, self.shape.outputs)
