"""Claims about inputs and outputs of routers with virtual channels."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.parts.selection import concat
from rtl.vc.delivery_buffer import DeliveryBuffer
from rtl.vc.parameters import InputShape
from rtl.vc.vc_input import VcInput
from rtl.vc.vc_output import VcOutput
from tests.proofs.claims import Claims, Describe, Inside, at_most_one, started
from tests.proofs.links import ReferenceQueue, assume_link_rules, prove_link_rules
from tests.proofs.vc_orders import (
    FIRST,
    bound_waiting_of_others,
    first_from,
    reference_turn,
    rivals_of,
    tie_one_after_the_other,
    tie_order,
)
from tests.proofs.vc_references import LastCycle, VcReference, pops, tie_vcs, vcs_of
from topology.common.virtual_channels import ROOM_FLITS

# VcInput: flits leave a VC once, in order, and only for the VC of their worm.

FLIT_BITS = 8
ONE_CREDIT = "every grant gives one credit back"


def vc_input(
    vcs: int, depth: int, routing_cycles: int = 1, *, from_host: bool = False, several_candidates: bool = True
) -> Describe:
    """Claims about an input that leads to an output with two VCs and to one with one VC."""

    def describe(claims: Claims) -> None:
        shape = InputShape(FLIT_BITS, vcs, depth, routing_cycles, from_host, several_candidates, (2, 1))
        part = VcInput(shape)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        _assume_neighbours(claims, part)
        last = LastCycle(claims, part, "last")
        rows = vcs_of(claims, inside, part)
        left = claims.named(concat(row.left for row in rows), "left")
        claims.always(ONE_CREDIT, at_most_one(left) & (~last.granted | left.any()))
        requests = claims.named(part.requests.any(), "has_a_request")
        claims.always("a request is for one output VC at most", ~requests | at_most_one(part.good))
        for (low, high), asked in zip(shape.spans, part.requests, strict=True):
            elsewhere = requests & ~asked
            claims.always("a request for a VC is one for its output", ~elsewhere | ~part.good[low:high].any())
        claims.always("a request is for one output at most", at_most_one(part.requests))
        lost = claims.was(part.lost.any(), "has_lost")
        way = inside.register("request_way")
        kept = (part.requests == claims.was(part.requests, "last_requests")) & (way == claims.was(way, "last_way"))
        same = (Value.cast(part.flit) == last.flit) & kept
        claims.always("a request that has lost stays", ~lost | same)
        dropped = claims.was(part.requests.any() & ~part.good.any() & ~part.lost.any(), "is_dropped")
        claims.possible("a request is dropped, and another VC requests", dropped & (part.requests != 0))
        for v, row in enumerate(rows):
            _prove_vc(claims, part, row, last, v)
        if from_host:
            assume_link_rules(claims, part.link, "link")
            ready = (rows[0].held_now < depth) & started(claims)
            claims.always("ready shows whether a place is free", part.link.ready == ready)
        tie_vcs(claims, inside, part, rows)
        _bound_waiting(claims, inside, part, rows)
        claims.possible("all VCs are full", concat(row.queue.held == depth for row in rows).all())
        claims.possible("a flit behind the head is granted", last.granted & rows[0].left & rows[0].begun)

    return describe


def _assume_neighbours(claims: Claims, part: Any) -> None:
    """Only a request loses; a link carries one flit at a time."""
    claims.assume(~(part.lost & ~part.requests).any())
    claims.assume(at_most_one(part.link.valid))
    if not part.shape.several_candidates:
        claims.assume(at_most_one(part.ways))


def _prove_vc(claims: Claims, part: Any, row: VcReference, last: LastCycle, v: int) -> None:
    if not part.shape.from_host:
        row.assume_room(claims)
    claims.always("a credit comes back only for a flit that is there", ~row.left | (row.queue.held != 0))
    first = row.queue.row[0]
    moved = claims.named(row.left & last.granted, f"moved_{v}")
    unaltered = last.flit == Value.cast(row.flit(first))
    claims.always("flits leave unaltered in the order of their VC", ~moved | unaltered)
    allowed = row.ways(first) & last.can_start
    claims.always(
        "a head requests only an available route candidate", ~moved | row.begun | ~(last.good & ~allowed).any()
    )
    goes_on = (last.good == row.own) & ~(last.good & ~last.has_credit).any()
    claims.always("a flit behind the head requests the VC of its worm", ~moved | ~row.begun | goes_on)
    claims.always("a worm is drained if and only if it is unroutable", ~row.left | (last.granted == ~row.nowhere))
    dropped = row.left & ~row.begun & row.nowhere
    claims.always("discarding marks unroutable heads", part.discarding[v] == dropped)
    claims.possible("an unroutable worm is drained", dropped & ~row.flit(first).tail)


def _bound_waiting(claims: Claims, inside: Inside, part: Any, rows: list[VcReference]) -> None:
    """With free output VCs and no rivals flits leave after one cycle, or as soon as the head may request."""
    routing_cycles = part.shape.routing_cycles
    most = max(1, routing_cycles - 1)
    popped = claims.named(pops(inside, part), "popped")
    there = concat(row.held_now != 0 for row in rows).any()
    usable = concat((part.has_credit, part.can_start, part.may_send, part.may_start)).all()
    good = usable & ~part.lost.any()
    vain = claims.named(there & good & ~popped, "waits_in_vain")
    waited: Any = Signal(range(most + 2), name="waited_cycles")
    claims.m.d.sync += waited.eq(Mux(vain, waited + (waited <= most), 0))
    claims.always("a flit that could leave does so after one cycle, or after routing", ~vain | (waited < most))
    claims.possible("the longest wait", ~vain & (waited == most))
    _tie_waiting(claims, inside, rows, waited, most, routing_cycles - 2)


def _tie_waiting(claims: Claims, inside: Inside, rows: list[VcReference], waited: Any, most: int, delay: int) -> None:
    ready = []
    for v, row in enumerate(rows):
        counted: Any = 1
        if delay > 0:
            passed = inside.register(f"delay_{v}")
            claims.invariant("the delay ends", passed <= delay)
            counted = passed >= Mux(waited < delay, waited, delay)
        may = row.begun_now | counted
        ready.append((row.held_now != 0) & may)
    claims.invariant("waiting brings a VC nearer to asking", (waited == 0) | concat(ready).any())
    asks = inside.register("request_lane").any()
    claims.invariant("a VC requests in the end", (waited < most) | asks)
    tie_one_after_the_other(claims, inside, "lane", len(rows))


# VcOutput: grants, one owner per VC, and the count of credits.

OVERFLOW = "no VC gets more flits than its buffer holds"


def vc_output(inputs: int, vcs: int, depth: int, *, reuse_empty: bool = False, yielding: int = 0) -> Describe:
    """Claims about an output of some shape, see ``VcOutput``."""

    def describe(claims: Claims) -> None:
        part = VcOutput(FLIT_BITS, inputs, vcs, depth, reuse_empty=reuse_empty, yielding=yielding)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        good = [part.requests[i].replicate(vcs) & part.good.word_select(i, vcs) for i in range(inputs)]
        rows = [claims.named(row, f"lanes_of_{i}") for i, row in enumerate(good)]
        # a request is granted if it is good, and has not lost
        granted = claims.named(concat(row.any() & ~part.lost[i] for i, row in enumerate(rows)), "granted")
        turn = _prove_grants(claims, part, granted, rows)
        tie_order(claims, inside, "input", turn, inputs, yielding)
        for w in range(vcs):
            _prove_output_vc(claims, inside, part, granted, rows, w)
        for row in rows:
            claims.assume(at_most_one(row))
        claims.possible("all inputs request one VC", concat(row[0] for row in rows).all())
        claims.possible("a VC has no credit, and worms in it", ~part.has_credit[0] & ~part.can_start[0])

    return describe


def _prove_grants(claims: Claims, part: Any, granted: Any, rows: list[Any]) -> Any:
    """Gives the turn."""
    requests = part.requests
    step = claims.named(granted.any(), "somebody_is_granted")
    rivals = rivals_of(claims, requests, part.yielding)
    turn = reference_turn(claims, rivals, step, part.inputs)
    first = claims.named(concat(first_from(claims, rivals, turn)), "first")
    claims.always(FIRST, part.lost == (requests & ~first))
    for i, row in enumerate(rows):
        mine = (part.load == row) & (Value.cast(part.flit) == Value.cast(part.flits[i]))
        claims.always("exactly the granted flit leaves", ~granted[i] | mine)
    claims.always("exactly the granted flit leaves", granted.any() | ~part.load.any())
    unbeaten = claims.named(requests & ~part.lost, "unbeaten")
    bound_waiting_of_others(claims, requests, unbeaten, turn, step, part.yielding)
    claims.possible("a first request is not good as another one is", ~step & concat(row.any() for row in rows).any())
    return turn


def _prove_output_vc(claims: Claims, inside: Inside, part: Any, granted: Any, rows: list[Any], w: int) -> None:
    """One VC: flits for which the credit has not come back, and the worm in it."""
    depth, m = part.depth, claims.m
    out: Any = Signal(range(depth + 2), name=f"out_{w}")
    begun, owner = Signal(name=f"begun_{w}"), Signal(range(part.inputs), name=f"owner_{w}")
    load, credited = part.load[w], part.credited[w]
    sender = sum((Mux(granted[i], i, 0) for i in range(part.inputs)), start=Value.cast(0))
    m.d.sync += out.eq(out + load - credited)
    with m.If(load):
        m.d.sync += [begun.eq(~part.flit.tail), owner.eq(sender)]
    claims.assume(~credited | (out != 0))
    for i, row in enumerate(rows):
        goes_on = begun & (owner == i) & part.has_credit[w]
        claims.assume(~row[w] | goes_on | part.can_start[w])
    has_credit = out < depth
    claims.always("has credit shows whether there are credits", part.has_credit[w] == has_credit)
    claims.always("no flit leaves without a credit", ~load | has_credit)
    claims.always(OVERFLOW, out <= depth)
    start = ~begun & (out == 0 if part.reuse_empty else has_credit)
    claims.always("a head may have a VC if no worm is in it and it has credits", part.can_start[w] == start)
    back = part.credited[w]
    claims.always("a credit on the wire may be used", part.may_send[w] == (has_credit | back))
    soon = ~begun & (out == back if part.reuse_empty else has_credit | back)
    claims.always("a head may soon have a VC with a credit on the wire", part.may_start[w] == soon)
    claims.always("a VC with a worm in it carries that worm alone", ~load | ~begun | (sender == owner))
    claims.invariant("the counter counts", inside.register(f"credits_{w}") == (depth - out)[: len(out)])
    claims.invariant("a VC is free if no worm is in it", inside.register(f"free_{w}") == ~begun)
    if not part.reuse_empty:
        claims.possible("the worm in a VC goes on while another VC is requested", load & begun & (rows[0] != rows[1]))


# DeliveryBuffer: flits and credits come out once each, in order; or it reports its room.

SAYS_ROOM = "room shows whether there were places for three flits in the last cycle"
FINDS_A_PLACE = "a flit that comes by what room said finds a place"


def delivery_buffer(depth: int, *, tells_room: bool = False) -> Describe:
    """Claims about a buffer of some depth, see ``DeliveryBuffer``."""

    def describe(claims: Claims) -> None:
        part = DeliveryBuffer(FLIT_BITS, depth, tells_room=tells_room)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        link: Any = part.link
        prove_link_rules(claims, link, "link")
        leaving = claims.named(link.valid & link.ready, "leaving")
        # the last place is that of the output register
        queue = ReferenceQueue(claims, depth + 1, part.write, part.flit, leaving)
        waiting = claims.named(queue.held - link.valid, "waiting")
        (_prove_room if tells_room else _prove_credits)(claims, part, waiting)
        claims.always("only flits that entered come out", ~link.valid | (queue.held != 0))
        claims.always("flits come out unaltered in order", ~link.valid | (Value.cast(link.payload) == queue.row[0]))
        free = claims.was((~link.valid | link.ready) & (waiting != 0), "could_go")
        claims.always("a flit in the buffer waits for the register alone", ~free | link.valid)
        tie_delivery(claims, inside, depth, queue.row, link, waiting)
        claims.possible("the buffer and the register are full", queue.held == depth + 1)
        if depth > 2:  # a credit is counted in the third cycle
            streaming = leaving & part.write & (part.room if tells_room else part.credit)
            claims.possible("one flit per cycle", streaming & claims.was(streaming, "streaming"))

    return describe


def _prove_credits(claims: Claims, part: Any, waiting: Any) -> None:
    """Flits are written with credits, which come back."""
    depth, out = part.depth, Signal(range(part.depth + 2), name="without_credit")
    claims.m.d.sync += out.eq(out + part.write - part.credit)
    claims.assume(~part.write | (out < depth))
    claims.always("a flit has its credit on the wire or is in the buffer", out == waiting + part.credit)


def _prove_room(claims: Claims, part: Any, waiting: Any) -> None:
    """Flits are written only in the cycle after one with ``room``."""
    claims.assume(~part.write | claims.was(part.room, "had_room"))
    room = claims.was(waiting + ROOM_FLITS <= part.depth, "three_places") & started(claims)
    claims.always(SAYS_ROOM, part.room == room)
    claims.always(FINDS_A_PLACE, ~part.write | (waiting < part.depth))
    tie_room(claims, part, waiting)


def tie_room(claims: Claims, part: Any, waiting: Any) -> None:
    """Adds the invariants of a buffer with ``room``: the writes that are possible since it was high."""
    claims.invariant("room is for two flits", ~part.room | (waiting + 2 <= part.depth))
    claims.invariant("a cycle later it is for one", ~claims.was(part.room, "told_room") | (waiting < part.depth))


def tie_delivery(
    claims: Claims, inside: Inside, depth: int, row: list[Any], link: Any, waiting: Any, where: str | None = None
) -> None:
    """Flits in the buffer are those of the reference row, behind the flit in the output register."""
    place = f"{where}/" if where else ""
    claims.invariant("the register holds the first one", ~link.valid | (Value.cast(link.payload) == row[0]))
    claims.invariant("the buffer counts", inside.register("count", where) == waiting)
    claims.invariant(
        "present says whether a flit is in the buffer", inside.register("present", where) == (waiting != 0)
    )
    claims.invariant("the buffer has room for its flits", waiting <= depth)
    slots = 1 << (depth - 1).bit_length()
    front: Any = inside.register("front", where) if slots > 1 else 0
    if slots > 1:
        back = inside.register("back", where)
        claims.invariant("the back is behind the last flit", back == (front + waiting)[: len(back)])
    rows = Array(Value.cast(inside.memory_row(k, f"{place}flits")) for k in range(slots))
    for k in range(depth):
        held = Value.cast(rows[(front + k)[: len(front)] if slots > 1 else 0])
        behind = Value.cast(Array([row[k], row[k + 1]])[link.valid])
        claims.invariant("slots hold their flits", (waiting <= k) | (held == behind))
