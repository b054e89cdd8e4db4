"""Ties the registers of a whole switch to the worms on its lanes, so that induction closes."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.hypercube.allocator_contract import promises
from tests.proofs.hypercube.input_invariants import tie_input
from tests.proofs.hypercube.whole_switch import HOME, Lane, WholeSwitch
from tests.proofs.vc.cycle_reference import CyclePhases
from tests.proofs.vc.delivery_claims import tie_delivery, tie_room
from tests.proofs.vc.tagged_lanes import tag_of
from tests.proofs.vc.worms_in_lanes import (
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
    owned : list of Value
        By lane in: the lane out that its worm has, from the grant until the tail has left, one-hot or 0.
    """

    def __init__(self, claims: Claims, switch: WholeSwitch):
        self._switch, p = switch, switch.p
        self._tie_orders(claims)
        for i in range(len(p.input_lanes)):
            rows = [lane.reference for lane in switch.lanes_in if lane.i == i]
            tie_input(claims, switch.inside, switch.input(i), rows, f"input_{i}")
        for name, condition in promises(claims, switch.inside.placed["allocator"], f"{switch.name}_lane"):
            claims.invariant(name, condition)
        self.owned = [_tie_worms(claims, switch, lane) for lane in switch.lanes_in]
        link, port = switch.link_out(p.delivery), switch.inside.placed["delivery"]
        self.delivery = ReferenceQueue(claims, p.delivery_flits + 1, port.write, port.flit, link.valid & link.ready)
        waiting = self.delivery.held - link.valid
        self.waiting: Any = claims.named(waiting, f"{switch.name}_waiting")[: len(self.delivery.held)]
        tie_delivery(claims, switch.inside, p.delivery_flits, self.delivery.row, link, self.waiting, "delivery")
        tie_room(claims, port, self.waiting)
        self._tie_outputs(claims)

    def _tie_orders(self, claims: Claims) -> None:
        inside, p = self._switch.inside, self._switch.p
        sizes = {"order": p.order_size, **({"lane_order": p.lane_order_size} if p.lanes > 1 else {})}
        phases = CyclePhases(claims, list(sizes.values()))
        for name, size in sizes.items():
            phases.tie(claims, inside, size, name)

    def _tie_outputs(self, claims: Claims) -> None:
        switch, number = self._switch, 0
        for o, lanes in enumerate(switch.p.output_lanes):
            for w in range(lanes):
                owners = claims.named(concat(owned[number] for owned in self.owned), f"{switch.name}_owners_{number}")
                claims.invariant("a lane has one owner", at_most_one(owners))
                owned = switch.inside.register(f"owned_{w}", f"output_{o}")
                if o == switch.p.delivery:
                    claims.invariant("delivery is one worm's up to its tail", owned == owners.any())
                    right = _last_bit(switch)
                    after, last = tie_delivered_worms(claims, self.delivery, switch.lanes_out[number], right)
                    self._tie_owner(claims, owners, after, last)
                else:
                    self._tie_lane_out(claims, owners, owned, number)
                number += 1

    def _tie_lane_out(self, claims: Claims, owners: Any, owned: Any, number: int) -> None:
        """The worm on a lane, and the flits of it for which no credit has come back."""
        worms, without = self._switch.lanes_out[number], self._switch.outstanding[number].count
        flit = worms.link.payload
        after = Mux(worms.valid, ~flit.tail, worms.in_worm)
        self._tie_owner(claims, owners, after, Mux(worms.valid, tag_of(flit), worms.owner))
        behind = (without != 0) | worms.valid
        claims.invariant("a lane is owned until its tail has its credit", owned == (owners.any() | behind))
        for i, lane in enumerate(self._switch.lanes_in):
            row = lane.reference
            begun = row.begun_now
            clean = ~behind & (row.spent == 0) & ~row.left
            claims.invariant("a worm begins on a clean lane", ~owners[i] | begun | clean)
            same = (row.spent == without) & (row.left == worms.valid)
            claims.invariant("both ends count the same flits", ~owners[i] | ~begun | same)

    def _tie_owner(self, claims: Claims, owners: Any, after: Any, owner: Any) -> None:
        lanes = self._switch.lanes_in
        begun: Any = concat(owners[i] & lane.reference.begun_now for i, lane in enumerate(lanes))
        claims.invariant("a worm is open at both ends", after == begun.any())
        for i, lane in enumerate(lanes):
            claims.invariant("a worm's owner is its lane", ~begun[i] | (owner == front_tag(lane)))

    def in_delivery(self, way: Any, tag: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the delivery buffer, the front first: valid bit of a direction and a lane."""
        link = self._switch.link_out(self._switch.p.delivery)
        for there, flit in delivered(self.delivery, link, self.waiting, tag):
            yield there & (way == HOME), flit

    def in_lanes(self, way: Any, lane: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the buffer of a lane in, the front first: valid bit of a direction, and the flit."""
        yield from places_of(self._switch.lanes_in, self._switch.wanted, way, lane, self._switch.p.buffer_flits)


def _last_bit(switch: WholeSwitch) -> Any:
    return lambda flit: Value.cast(switch.allowed_heads(flit)[-1])


def _tie_worms(claims: Claims, switch: WholeSwitch, lane: Lane) -> Any:
    """The flits of a lane are worms; gives the lane out that the worm in front has, until its tail has left."""
    row, number = lane.reference, switch.lanes_in.index(lane)
    tie_worms_in_lane(claims, lane.worms, row, lambda entry: switch.wanted(lane, entry))
    for k, entry in enumerate(row.queue.row):
        flit = row.flit(entry)
        right = switch.wanted(lane, entry) == switch.ways(switch.candidates(number, flit))
        claims.invariant("heads take their route candidates", (row.queue.held <= k) | ~flit.head | right)
    ended = row.left & row.flit(row.queue.row[0]).tail
    goes_on = claims.named(row.active & ~ended, f"{switch.name}_goes_on_{number}")
    claims.invariant("a worm that has begun is active", ~row.begun_now | row.active)
    claims.invariant("a worm that is active has its head in front, or has begun", ~goes_on | row.begun_now | row.there)
    own: Any = claims.named(
        Mux(goes_on & ~row.nowhere, _lane_out(switch, row), Const(0, switch.outputs)), f"{switch.name}_owns_{number}"
    )
    may: Any = switch.candidates(number, row.front)
    claims.invariant("a head has a lane that it may have", row.begun_now | ~(own & ~may).any())
    wanted = Mux(row.there, switch.wanted(lane, row.now[0]), lane.worms.asked)
    claims.invariant("a worm leaves by the output that it requested", ~goes_on | (switch.ways(own) == wanted))
    return own


def _lane_out(switch: WholeSwitch, row: Any) -> Value:
    """The lane out of a worm as a mask of all."""
    p = switch.p
    lanes = [row.target & row.output[d].replicate(p.lanes) for d in range(p.dimensions)]
    return concat((*lanes, row.output[p.delivery]))
