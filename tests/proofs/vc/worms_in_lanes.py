"""Ties the content of lanes and delivery buffer to the worms on the links, so that induction closes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from amaranth.hdl import Array, Mux, Value

from tests.proofs.claims import Claims
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.vc.buffered_lane import BufferedLane
from tests.proofs.vc.lane_worms import LaneWormsIn, LaneWormsOut
from tests.proofs.vc.tagged_lanes import as_flit, tag_of

Reference = TypeVar("Reference", bound=BufferedLane)


class LaneIn(Generic[Reference]):
    """A lane into a switch.

    Members
    -------
    i, v : int
        Its input, and its number there.
    worms : LaneWormsIn
    reference : BufferedLane
        What is in it; each flit is accompanied by its outputs.
    """

    def __init__(self, i: int, v: int, worms: LaneWormsIn, reference: Reference):
        self.i = i
        self.v = v
        self.worms = worms
        self.reference = reference


def tie_worms_in_lane(
    claims: Claims, worms: LaneWormsIn, reference: BufferedLane, wanted: Callable[[Any], Value]
) -> None:
    """The flits of a lane are worms, up to those on its link.

    Parameters
    ----------
    claims : Claims
    worms : LaneWormsIn
    reference : BufferedLane
    wanted : function
        Of an entry: the outputs that its flit is for.
    """
    queue = reference.queue
    claims.invariant("with an empty lane a worm is open or not", (queue.held != 0) | (worms.in_worm == reference.begun))
    claims.invariant(
        "heads come first in a lane", (queue.held == 0) | (reference.flit(queue.row[0]).head == ~reference.begun)
    )
    for k, row in enumerate(queue.row):
        flit, away, outputs = reference.flit(row), queue.held <= k, wanted(row)
        last = queue.held == k + 1
        known = (worms.in_worm == ~flit.tail) & (worms.asked == outputs) & (worms.tag == tag_of(flit))
        claims.invariant("the last flit is as it entered", ~last | known)
        if worms.only_tag is not None:
            claims.invariant("flits carry the number of their lane", away | (tag_of(flit) == worms.only_tag))
        if k:
            before = reference.flit(queue.row[k - 1])
            claims.invariant("a head follows a tail", away | (flit.head == before.tail))
            same = (outputs == wanted(queue.row[k - 1])) & (tag_of(flit) == tag_of(before))
            claims.invariant("a worm's flits are alike", away | before.tail | same)
    if worms.only_tag is not None:
        claims.invariant("worms carry the number of their lane", ~worms.in_worm | (worms.tag == worms.only_tag))


def front_tag(lane: LaneIn[Any]) -> Any:
    """Origin of the worm in front of a lane, or else of the last one."""
    reference = lane.reference
    return Mux(reference.held_now == 0, lane.worms.tag, tag_of(reference.flit(reference.now[0])))


def places_of(
    lanes: Sequence[LaneIn[Any]], wanted: Callable[[LaneIn[Any], Any], Value], o: Any, lane: Any, depth: int
) -> Iterator[tuple[Any, Any]]:
    """Places of the buffer of a lane in, the front first: whether a flit for an output is there, and the flit."""
    for k in range(depth):
        there, flits = [], []
        for entering in lanes:
            reference = entering.reference
            there.append((reference.held_now > k) & wanted(entering, reference.now[k]).bit_select(o, 1))
            flits.append(Value.cast(reference.flit(reference.now[k])))
        yield Value.cast(Array(there)[lane]), Value.cast(Array(flits)[lane])


def delivered(queue: ReferenceQueue, link: Any, waiting: Any, tag: Any) -> Iterator[tuple[Any, Any]]:
    """Places of the delivery buffer, the front first: whether a flit from a lane is there, and the flit.

    Parameters
    ----------
    queue : ReferenceQueue
        Flits in the buffer and on the link.
    link : link
    waiting : Value
        How many of them are in the buffer.
    tag : Value
        Of the lane.
    """
    for k in range(len(queue.row) - 1):
        flit = Mux(link.valid, queue.row[k + 1], queue.row[k])
        yield (waiting > k) & (tag_of(as_flit(flit)) == tag), flit


def tie_delivered_worms(
    claims: Claims, queue: ReferenceQueue, worms: LaneWormsOut, right: Callable[[Any], Value]
) -> tuple[Any, Any]:
    """The flits for the host are worms, from the link back to the buffer's end.

    Parameters
    ----------
    claims : Claims
    queue : ReferenceQueue
        Flits in the buffer and on the link.
    worms : LaneWormsOut
        On the link.
    right : function
        Of a flit: whether its header may go there.

    Returns
    -------
    after : Value
        The head of a worm has gone in, its tail has not.
    last : Value
        Where the last flit came from.
    """
    held, open_, owner = queue.held, worms.in_worm, worms.owner
    after, last = Mux(held == 0, open_, 0), Mux(held == 0, owner, 0)
    for k, flit in enumerate(map(as_flit, queue.row)):
        there = held > k
        claims.invariant("heads for the host come first", ~there | (flit.head == ~open_))
        claims.invariant("worms for the host do not mix", ~there | ~open_ | (tag_of(flit) == owner))
        claims.invariant("heads for the host may go there", ~there | ~flit.head | right(flit))
        open_, owner = ~flit.tail, tag_of(flit)
        after, last = after | (held == k + 1) & open_, last | Mux(held == k + 1, owner, 0)
    return after, last
