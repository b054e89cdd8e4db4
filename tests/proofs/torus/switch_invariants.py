"""Ties the registers of a whole switch to the worms on its lanes, so that induction closes."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.torus.whole_switch import WholeSwitch
from tests.proofs.vc.delivery_claims import tie_delivery
from tests.proofs.vc.lane_reference import LaneReference, tie_lanes
from tests.proofs.vc.tagged_lanes import tag_of
from tests.proofs.vc.turn_order_claims import tie_one_after_the_other
from tests.proofs.vc.worms_in_lanes import (
    LaneIn,
    delivered,
    front_tag,
    places_of,
    tie_delivered_worms,
    tie_worms_in_lane,
)


class SwitchInvariants:
    """Adds the invariants of a switch.

    Parameters
    ----------
    claims : Claims
    switch : WholeSwitch

    Members
    -------
    delivery : ReferenceQueue
        Flits that go to the host, in the buffer and on the link.
    waiting : Signal
        How many of them are in the buffer.
    """

    def __init__(self, claims: Claims, switch: WholeSwitch):
        self._switch = switch
        shape = switch.shape
        for i in range(shape.inputs):
            rows = [lane.reference for lane in switch.lanes_in if lane.i == i]
            tie_lanes(claims, switch.inside, switch.inside.placed[f"input_{i}"], rows, f"input_{i}")
        self._owned = [_tie_worms(claims, switch, lane) for lane in switch.lanes_in]
        link = switch.link_out(shape.outputs - 1)
        buffer = f"delivery_{shape.outputs - 1}"
        port = switch.inside.placed[buffer]
        self.delivery = ReferenceQueue(claims, shape.depth + 1, port.write, port.flit, link.valid & link.ready)
        waiting = self.delivery.held - link.valid
        self.waiting: Any = claims.named(waiting, f"{switch.name}_waiting")[: len(self.delivery.held)]
        tie_delivery(claims, switch.inside, shape.depth, self.delivery.row, link, self.waiting, buffer)
        self._credit = port.credit
        self._tie_outputs(claims)

    def _tie_outputs(self, claims: Claims) -> None:
        switch, lane = self._switch, 0
        for o, lanes in enumerate(switch.shape.output_lanes):
            turning = len(switch.shape.inputs_of(o)) - switch.shape.yielding_inputs(o)
            tie_one_after_the_other(claims, switch.inside, "input", turning, f"output_{o}")
            for w in range(lanes):
                owners = claims.named(concat(owned[lane] for owned in self._owned), f"{switch.name}_owners_{lane}")
                free = switch.inside.register(f"free_{w}", f"output_{o}")
                claims.invariant("a lane has one owner", at_most_one(owners) & (free == ~owners.any()))
                if switch.shape.is_host_output(o):
                    self._tie_delivery(claims, owners, switch.lanes_out[lane], o)
                else:
                    self._tie_lane_out(claims, owners, o, w, lane)
                lane += 1

    def _tie_lane_out(self, claims: Claims, owners: Any, o: int, w: int, lane: int) -> None:
        switch, worms = self._switch, self._switch.lanes_out[lane]
        flit = worms.link.payload
        after = Mux(worms.valid, ~flit.tail, worms.in_worm)
        owner = Mux(worms.valid, tag_of(flit), worms.owner)
        self._tie_owner(claims, owners, after, owner)
        depth = switch.shape.depth
        credits = switch.inside.register(f"credits_{w}", f"output_{o}")
        claims.invariant("credits are counted", credits + switch.outstanding[lane].count + worms.valid == depth)
        has_credit = switch.inside.register(f"has_credit_{w}", f"output_{o}")
        claims.invariant("has credit shows whether there are credits", has_credit == (credits != 0))

    def _tie_owner(self, claims: Claims, owners: Any, after: Any, owner: Any) -> None:
        claims.invariant("a worm is open at both ends", after == owners.any())
        for i, lane in enumerate(self._switch.lanes_in):
            claims.invariant("a worm's owner is its lane", ~owners[i] | (owner == front_tag(lane)))

    def _tie_delivery(self, claims: Claims, owners: Any, worms: Any, o: int) -> None:
        switch = self._switch
        after, last = tie_delivered_worms(
            claims, self.delivery, worms, lambda flit: Value.cast(switch.allowed_heads(flit)[-1])
        )
        self._tie_owner(claims, owners, after, last)
        credits = switch.inside.register("credits_0", f"output_{o}")
        inside = self.waiting + self._credit
        claims.invariant("credits of the delivery buffer are counted", credits + inside == switch.shape.depth)
        has_credit = switch.inside.register("has_credit_0", f"output_{o}")
        claims.invariant("has credit shows whether there are credits", has_credit == (credits != 0))

    def in_delivery(self, o: Any, tag: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the delivery buffer, the front first: whether a flit for an output from a lane is there."""
        host = self._switch.shape.outputs - 1
        for there, flit in delivered(self.delivery, self._switch.link_out(host), self.waiting, tag):
            yield there & (o == host), flit

    def in_lanes(self, o: Any, lane: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the buffer of a lane in, the front first: whether a flit for an output is there, and the flit."""
        yield from places_of(self._switch.lanes_in, self._switch.wanted, o, lane, self._switch.shape.depth)


def _tie_worms(claims: Claims, switch: WholeSwitch, lane: LaneIn[LaneReference]) -> Any:
    """The flits of a lane are worms, up to those on its link; gives the lane out of the worm that has begun."""
    reference, number = lane.reference, switch.lanes_in.index(lane)
    tie_worms_in_lane(claims, lane.worms, reference, lambda entry: switch.wanted(lane, entry))
    for k, row in enumerate(reference.queue.row):
        flit, wanted = reference.flit(row), switch.wanted(lane, row)
        spec = switch.candidates(number, flit)
        says = (switch.everywhere(lane.i, reference.ways(row)) == spec) & (wanted == switch.ports(spec))
        claims.invariant("the outputs follow the routing", (reference.queue.held <= k) | ~flit.head | says)
    begun = reference.begun_now
    wanted = Mux(reference.held_now == 0, lane.worms.asked, switch.wanted(lane, reference.now[0]))
    own = switch.everywhere(lane.i, reference.own_now)
    claims.invariant("a worm leaves by the output that it requested", ~begun | (switch.ports(own) == wanted))
    return Mux(begun, own, Const(0, switch.outputs))
