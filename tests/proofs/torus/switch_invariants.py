"""Ties the inside of a whole switch to the worms on its lanes, so that induction closes."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Array, Const, Mux, Value

from rtl.common.flit import flit_layout
from rtl.common.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.torus.whole_switch import LaneIn, WholeSwitch
from tests.proofs.vc.delivery_claims import tie_delivery
from tests.proofs.vc.lane_reference import tie_lanes
from tests.proofs.vc.tagged_lanes import FLIT_BITS, tag_of
from tests.proofs.vc.turn_order_claims import tie_one_after_the_other


def as_flit(bits: Any) -> Any:
    """A packed flit with its fields."""
    return flit_layout(FLIT_BITS)(bits)


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
        claims.invariant("has credit tells whether there are credits", has_credit == (credits != 0))

    def _tie_owner(self, claims: Claims, owners: Any, after: Any, owner: Any) -> None:
        claims.invariant("a worm is open at both ends", after == owners.any())
        for i, lane in enumerate(self._switch.lanes_in):
            claims.invariant("a worm's owner is its lane", ~owners[i] | (owner == front_tag(lane)))

    def _tie_delivery(self, claims: Claims, owners: Any, worms: Any, o: int) -> None:
        """The flits for the host are worms, from the link back to the buffer's end."""
        switch, held = self._switch, self.delivery.held
        flits = [as_flit(row) for row in self.delivery.row]
        open_, owner = worms.in_worm, worms.owner
        after, last = Mux(held == 0, open_, 0), Mux(held == 0, owner, 0)
        for k, flit in enumerate(flits):
            there = held > k
            claims.invariant("heads for the host come first", ~there | (flit.head == ~open_))
            claims.invariant("worms for the host do not mix", ~there | ~open_ | (tag_of(flit) == owner))
            right = switch.allowed_heads(flit)[-1]
            claims.invariant("heads for the host may go there", ~there | ~flit.head | right)
            open_, owner = ~flit.tail, tag_of(flit)
            after, last = after | (held == k + 1) & open_, last | Mux(held == k + 1, owner, 0)
        self._tie_owner(claims, owners, after, last)
        credits = switch.inside.register("credits_0", f"output_{o}")
        inside = self.waiting + self._credit
        claims.invariant("credits of the delivery buffer are counted", credits + inside == switch.shape.depth)
        has_credit = switch.inside.register("has_credit_0", f"output_{o}")
        claims.invariant("has credit tells whether there are credits", has_credit == (credits != 0))

    def in_delivery(self, o: Any, tag: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the delivery buffer, the front first: whether a flit for an output from a lane is there."""
        switch = self._switch
        valid = switch.link_out(switch.shape.outputs - 1).valid
        host = switch.shape.outputs - 1
        for k in range(switch.shape.depth):
            flit = Mux(valid, self.delivery.row[k + 1], self.delivery.row[k])
            yield (self.waiting > k) & (o == host) & (tag_of(as_flit(flit)) == tag), flit

    def in_lanes(self, o: Any, lane: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the buffer of a lane in, the front first: whether a flit for an output is there, and the flit."""
        switch = self._switch
        for k in range(switch.shape.depth):
            there, flits = [], []
            for entering in switch.lanes_in:
                reference = entering.reference
                wanted = switch.wanted(entering, reference.now[k])
                there.append((reference.held_now > k) & wanted.bit_select(o, 1))
                flits.append(Value.cast(reference.flit(reference.now[k])))
            yield Value.cast(Array(there)[lane]), Value.cast(Array(flits)[lane])


def front_tag(lane: LaneIn) -> Any:
    """Where the worm in front of a lane, or else the last one, has come from."""
    reference = lane.reference
    return Mux(reference.held_now == 0, lane.worms.tag, tag_of(reference.flit(reference.now[0])))


def _tie_worms(claims: Claims, switch: WholeSwitch, lane: LaneIn) -> Any:
    """The flits of a lane are worms, up to those on its link; gives the lane out of the worm that has begun."""
    worms, reference = lane.worms, lane.reference
    queue, number = reference.queue, switch.lanes_in.index(lane)
    claims.invariant("with an empty lane a worm is open or not", (queue.held != 0) | (worms.in_worm == reference.begun))
    claims.invariant(
        "heads come first in a lane", (queue.held == 0) | (reference.flit(queue.row[0]).head == ~reference.begun)
    )
    for k, row in enumerate(queue.row):
        flit, away = reference.flit(row), queue.held <= k
        wanted = switch.wanted(lane, row)
        last = queue.held == k + 1
        known = (worms.in_worm == ~flit.tail) & (worms.asked == wanted) & (worms.tag == tag_of(flit))
        claims.invariant("the last flit is as it entered", ~last | known)
        if worms.only_tag is not None:
            claims.invariant("flits carry the number of their lane", away | (tag_of(flit) == worms.only_tag))
        spec = switch.candidates(number, flit)
        says = (switch.everywhere(lane.i, reference.ways(row)) == spec) & (wanted == switch.ports(spec))
        claims.invariant("ways are what routing says", away | ~flit.head | says)
        if k:
            before = reference.flit(queue.row[k - 1])
            claims.invariant("a head follows a tail", away | (flit.head == before.tail))
            same = (wanted == switch.wanted(lane, queue.row[k - 1])) & (tag_of(flit) == tag_of(before))
            claims.invariant("a worm's flits are alike", away | before.tail | same)
    begun = reference.begun_now
    wanted = Mux(reference.held_now == 0, worms.asked, switch.wanted(lane, reference.now[0]))
    own = switch.everywhere(lane.i, reference.own_now)
    claims.invariant("a worm leaves where it asked to", ~begun | (switch.ports(own) == wanted))
    if worms.only_tag is not None:
        claims.invariant("worms carry the number of their lane", ~worms.in_worm | (worms.tag == worms.only_tag))
    return Mux(begun, own, Const(0, switch.outputs))
