"""Ties the registers of an ``AdaptiveInput`` to the content of its lanes, so that induction closes."""

from typing import Any

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.hypercube.adaptive_lane import AdaptiveLane, asked_lane
from tests.proofs.inside import Inside
from tests.proofs.vc.buffered_lane import tie_buffer
from tests.proofs.vc.turn_order_claims import tie_one_after_the_other


def tie_input(claims: Claims, inside: Inside, port: Any, rows: list[AdaptiveLane], where: str | None = None) -> None:
    """Adds the invariants of an input.

    Parameters
    ----------
    claims : Claims
    inside : Inside
    port : AdaptiveInput
    rows : list of AdaptiveLane
        Its lanes.
    where : str or None
        Its instance name.
    """
    host = port.parameters.is_host_input(port.port)
    for row in rows:
        for _ in tie_buffer(claims, inside, row, port.slots, row.v, where, gray=True):
            pass
        _tie_worm(claims, inside, row, where)
        _tie_head(claims, inside, row, host, where)
        if not host:
            _tie_only_worm(claims, inside, row, where)
    _tie_request(claims, inside, port, rows, where)
    tie_one_after_the_other(claims, inside, "lane", len(rows), where)


def _tie_worm(claims: Claims, inside: Inside, row: AdaptiveLane, where: str | None) -> None:
    """The worm that is active."""
    names = ("active", "nowhere", "output", "target", "credits", "left")
    active, nowhere, output, target, credits, left = (inside.register(f"{name}_{row.v}", where) for name in names)
    claims.invariant("a lane is active while its worm goes on", active == row.active)
    claims.invariant("the register shows whether the worm is routable", ~active | (nowhere == row.nowhere))
    has_lane = row.active & ~row.nowhere
    claims.invariant("the output is that of the worm", ~has_lane | (output == row.output))
    claims.invariant("the lane is that of the worm", ~has_lane | (target == row.target))
    one = at_most_one(row.output) & at_most_one(row.target) & (row.delivers | row.target.any())
    claims.invariant("a worm has one output lane", ~has_lane | one & row.reached().any())
    spends = has_lane & ~row.delivers
    claims.invariant("credits are counted", ~spends | (credits + row.spent == row.depth))
    claims.invariant("credits are spent once", ~spends | (row.spent + row.left <= row.depth))
    claims.invariant("the lane that a flit left in the last cycle is recorded", left == row.left)


def _tie_head(claims: Claims, inside: Inside, row: AdaptiveLane, host: bool, where: str | None) -> None:
    """Invariants of a waiting head."""
    known: Any = row.there & ~row.active & row.settled
    wanted, nowhere = (inside.register(f"{name}_{row.v}", where) for name in ("wanted", "nowhere"))
    if host:
        read = inside.register(f"read_{row.v}", where)
        claims.invariant("the read of the head is recorded", read == row.settled)
        claims.invariant("a head that has been read is there", ~row.settled | row.there)
    claims.invariant("the head's route candidates are recorded", ~known | row.strays | (wanted == row.wanted))
    claims.invariant("the register shows whether the head is routable", ~known | (nowhere == row.strays))


def _tie_only_worm(claims: Claims, inside: Inside, row: AdaptiveLane, where: str | None) -> None:
    """The buffer of a lane from a link holds flits of one worm."""
    ended = inside.register(f"ended_{row.v}", where)
    flits = [row.flit(entry) for entry in row.now]
    for k, flit in enumerate(flits):
        last = row.held_now == k + 1
        claims.invariant("only the last flit is a tail", (row.held_now <= k) | last | ~flit.tail)
        claims.invariant("the register shows whether the last flit is a tail", ~last | (ended == flit.tail))
        claims.invariant("the tail has arrived or has not", ~last | (row.pending == flit.tail))
    gone = row.left & row.flit(row.queue.row[0]).tail
    claims.invariant("a tail that has gone was the last", ~gone | (row.queue.held == 1) & row.pending)
    claims.invariant("no flit follows a tail", row.there | ~row.pending | gone)
    claims.invariant("a worm is active to its end", ~gone | row.active)


def _tie_request(claims: Claims, inside: Inside, port: Any, rows: list[AdaptiveLane], where: str | None) -> None:
    asked = inside.register("asked", where)
    claims.invariant("at most one lane requests", at_most_one(asked))
    claims.invariant("without a requesting lane there is no request", asked.any() == port.requests.any())
    room = claims.was(port.room, f"{where or 'input'}_has_had_room")
    for row in rows:
        asks = asked[row.v]
        right = (port.requests == row.reached()) & (row.delivers | (asked_lane(port) == row.target))
        claims.invariant("a request is that of the worm", ~asks | row.active & ~row.nowhere & row.there & right)
        allowed = row.delivers & room | ~row.delivers & (row.spent + row.left < row.depth)
        claims.invariant("a request has its credit, or room", ~asks | allowed)
    claims.invariant("a request is for one output", at_most_one(concat(port.requests)))
