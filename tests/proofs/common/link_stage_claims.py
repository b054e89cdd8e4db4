"""Claims about ``LinkStage``: a stage makes a link a cycle longer."""

from amaranth.hdl import Signal, Value

from rtl.parts.link_stage import LinkStage
from tests.proofs.claims import Claims, started
from tests.proofs.common.links import assume_link_rules, prove_link_rules
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.inside import Inside

FLIT_BITS = 8
STAGE_FLITS = 2


def link_stage(claims: Claims) -> None:
    """Claims about one stage."""
    part = LinkStage(FLIT_BITS)
    claims.free_inputs(part)
    inside = Inside(claims, part)
    assume_link_rules(claims, part.link, "link")
    prove_link_rules(claims, part.onward, "onward")
    entering = claims.named(part.link.valid & part.link.ready, "entering")
    leaving = claims.named(part.onward.valid & part.onward.ready, "leaving")
    queue = ReferenceQueue(claims, STAGE_FLITS, entering, part.link.payload, leaving)
    claims.always("a flit that is in is on the next link", part.onward.valid == (queue.held != 0))
    unaltered = Value.cast(part.onward.payload) == queue.row[0]
    claims.always("flits come out unaltered in order", ~part.onward.valid | unaltered)
    free = (queue.held < STAGE_FLITS) & started(claims)
    claims.always("ready shows whether a place is free", part.link.ready == free)
    refused = Signal()
    claims.m.d.sync += refused.eq(refused | part.onward.valid & ~part.onward.ready)
    claims.always("a link that is always ready is never stalled", refused | part.link.ready | ~started(claims))
    claims.invariant("without refusal one flit is in at most", refused | (queue.held <= 1))
    full = inside.register("full")
    claims.invariant("the spare register is the second place", full == (queue.held == STAGE_FLITS))
    claims.invariant("the spare register holds the second flit", ~full | (inside.register("spare") == queue.row[1]))
    claims.invariant("the stage has room for its flits", queue.held <= STAGE_FLITS)
    claims.possible("both registers are full", queue.held == STAGE_FLITS)
    claims.possible("one flit per cycle", leaving & entering & claims.was(leaving & entering, "streaming"))
