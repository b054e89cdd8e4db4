"""Claims about ``AdaptiveInput``: flits leave a lane once, in order, with a credit, on the granted lane."""

from typing import Any

from amaranth.hdl import Mux, Value

from rtl.hypercube.adaptive_input import AdaptiveInput
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one, started
from tests.proofs.common.links import assume_link_rules
from tests.proofs.hypercube.adaptive_lane import AdaptiveLane, LastRequest, asked_lane
from tests.proofs.hypercube.head_contract import CONTRACT, sound_heads
from tests.proofs.hypercube.input_invariants import tie_input
from tests.proofs.inside import Inside

FLIT_BITS = 8
ASKS = "a head requests from its arrival on"
WAITS = "a head with a way waits until it has a lane"
WANTS = "a head requests the dimensions that remain, or else delivery"
STAYS = "a request that is beaten stays"
ONE_FLIT = "a grant takes one flit"
IN_ORDER = "flits leave unaltered in the order of their lane"
OWN_LANE = "a worm's flits ask for the lane that it has"
ENDS = "a request for a tail is marked"
CREDIT = "no flit leaves without a credit"
ROOM = "nothing is delivered without room"
DRAINED = "an unroutable worm is drained, a flit per cycle"
DISCARDING = "discarding marks unroutable heads"
RELEASES = "a release comes with the tail's credit, and then the buffer is empty"
PROMPT = "a flit that could leave does so after one cycle"
READY = "ready shows whether a place is free"


def adaptive_input(dimensions: int, lanes: int, depth: int, *, from_host: bool = False) -> Describe:
    """Claims about the last input from a link, or the one from a processor, of a switch of any number."""

    def describe(claims: Claims) -> None:
        p = HypercubeRouterParameters(FLIT_BITS, dimensions, lanes, depth)
        part: Any = AdaptiveInput(p, dimensions if from_host else dimensions - 1)
        claims.free_inputs(part)
        claims.never_changes(part.node)
        inside = Inside(claims, part)
        last = LastRequest(claims, part, "last")
        rows = [AdaptiveLane(claims, part, v, f"lane_{v}") for v in range(part.lanes)]
        _assume_neighbours(claims, part, rows)
        prove_input(claims, part, rows, last, "input")
        _prove_contract(claims, part)
        _prove_promptness(claims, part, rows)
        tie_input(claims, inside, part, rows)
        claims.possible("all lanes are full", concat(row.queue.held == depth for row in rows).all())
        claims.possible("a flit behind the head is granted", last.granted & rows[0].left & (rows[0].spent != 0))
        claims.possible("an unroutable worm is drained", rows[0].drains & ~rows[0].front.tail)
        claims.possible("a flit leaves with the credit on the wire", rows[0].left & (rows[0].spent == depth - 1))

    return describe


def _assume_neighbours(claims: Claims, part: Any, rows: list[AdaptiveLane]) -> None:
    """Assumptions about the allocator, the outputs, and the switches before and behind."""
    p = part.parameters
    claims.assume(at_most_one(part.granted) & ~(part.granted & ~part.waiting).any())
    claims.assume(~part.granted.any() | at_most_one(part.row) & at_most_one(part.lane))
    claims.assume(~part.granted.any() | part.lane.any() | part.row[p.delivery])
    if p.delivery in p.outputs_of(part.port):
        home = p.outputs_of(part.port).index(p.delivery)
        claims.assume(~(part.requests[home] & part.beaten[home]))  # one worm at a time
    if p.is_host_input(part.port):
        assume_link_rules(claims, part.link, "link")
    else:
        claims.assume(at_most_one(part.link.valid))
    for row in rows:
        claims.assume(~part.granted[row.v] | (part.row & part.wanted[row.v]).any())
        claims.assume(~row.credited | (row.spent != 0))
        if not p.is_host_input(part.port):
            claims.assume(row.keeps_to_links())


def prove_input(claims: Claims, part: Any, rows: list[AdaptiveLane], last: LastRequest, name: str) -> None:
    """Claims about an input in any position."""
    drained = [claims.was(row.drains, f"{name}_{row.v}_drained") for row in rows]
    moved = claims.named(concat(row.left & ~drain for row, drain in zip(rows, drained, strict=True)), f"{name}_moved")
    claims.always(ONE_FLIT, at_most_one(moved) & (moved.any() == last.granted))
    beaten = claims.was((part.requests & part.beaten).any(), f"{name}_was_beaten")
    same = (part.requests == last.requests) & (asked_lane(part) == last.target) & (Value.cast(part.flit) == last.flit)
    claims.always(STAYS, ~beaten | same)
    if not part.parameters.is_host_input(part.port):
        claims.always(ENDS, ~part.requests.any() | (part.ends == part.flit.tail))
    room = claims.was(claims.was(part.room, f"{name}_room"), f"{name}_had_room")
    for row, drain in zip(rows, drained, strict=True):
        gone, first = claims.named(moved[row.v], f"{name}_{row.v}_moved"), row.queue.row[0]
        claims.always(IN_ORDER, ~gone | (row.queue.held != 0) & (last.flit == Value.cast(row.flit(first))))
        own = (last.requests == row.reached()) & (row.delivers | (last.target == row.target))
        claims.always(OWN_LANE, ~gone | own)
        claims.always(CREDIT, ~gone | row.delivers | (row.spent < row.depth))
        claims.always(ROOM, ~gone | ~row.delivers | room)
        claims.always(DRAINED, ~drain | row.left)
        _prove_head(claims, part, row, f"{name}_{row.v}")
        if part.parameters.is_host_input(part.port):
            ready = (row.held_now < row.depth) & started(claims)
            claims.always(READY, part.link.ready == ready)
        else:
            ends = row.left & row.flit(first).tail
            claims.always(RELEASES, (part.releases[row.v] == ends) & (~ends | (row.queue.held == 1)))


def _prove_head(claims: Claims, part: Any, row: AdaptiveLane, name: str) -> None:
    """A head in front of a lane."""
    v, host = row.v, part.parameters.is_host_input(part.port)
    here = row.there if host else row.there | row.arrives
    claims.always(ASKS, part.asking[v] == (here & ~row.active))
    waits = row.there & ~row.active & row.settled & ~row.strays
    claims.always(WAITS, part.waiting[v] == waits)
    claims.always(WANTS, ~waits | (part.wanted[v] == row.wanted))
    claims.always(DISCARDING, part.discarding[v] == claims.was(row.drops, f"{name}_dropped"))


def _prove_contract(claims: Claims, part: Any) -> None:
    for v in range(part.lanes):
        head = (part.asking[v], part.waiting[v], part.wanted[v], part.granted[v])
        for condition in sound_heads(claims, part.parameters, part.port, head, f"head_{v}"):
            claims.always(CONTRACT, condition)


def _prove_promptness(claims: Claims, part: Any, rows: list[AdaptiveLane]) -> None:
    """Without rivals at the outputs, some flit that is ready leaves after one cycle."""
    could = []
    for row in rows:
        credit = row.credited | (row.spent + row.left < row.depth)
        could.append(row.active & ~row.nowhere & row.there & Mux(row.delivers, part.room, credit))
    vain = claims.named(concat(could).any() & ~part.requests.any(), "could_ask_and_does_not")
    claims.always(PROMPT, ~(vain & claims.was(vain, "waited_in_vain")))
    claims.possible("the longest wait", part.requests.any() & claims.was(vain, "did_not_ask"))
