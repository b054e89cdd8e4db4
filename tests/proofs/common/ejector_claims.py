"""Claims about ``MessageEjector``: flits of the delivery channel reach the user in order."""

from amaranth.hdl import Signal, Value

from rtl.parts.ejector import EJECTOR_FLITS, MessageEjector
from tests.proofs.claims import Claims, Describe, started
from tests.proofs.common.links import assume_link_rules, prove_link_rules
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.inside import Inside

FLIT_BITS = 8


def ejector() -> Describe:
    """Claims about an ejector."""

    def describe(claims: Claims) -> None:
        part = MessageEjector(FLIT_BITS)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        assume_link_rules(claims, part.link, "link")
        prove_link_rules(claims, part.user, "user")
        entering = part.link.valid & part.link.ready
        leaving = claims.named(part.user.valid & part.user.ready, "leaving")
        begun = started(claims)
        queue = ReferenceQueue(claims, EJECTOR_FLITS, entering, part.link.payload, leaving)
        claims.always("valid waits for nothing once a flit is in", part.user.valid == (queue.held != 0))
        unaltered = Value.cast(part.user.payload) == queue.row[0]
        claims.always("flits come out unaltered in order", ~part.user.valid | unaltered)
        claims.always("ready shows whether a place is free", part.link.ready == (queue.held < EJECTOR_FLITS) & begun)
        refused = Signal()
        claims.m.d.sync += refused.eq(refused | part.user.valid & ~part.user.ready)
        claims.always("a user that is always ready never stalls the link", refused | part.link.ready | ~begun)
        claims.invariant("without refusal one flit is in at most", refused | (queue.held <= 1))
        claims.invariant("the counter counts", inside.register("count", "buffer") == queue.held)
        claims.invariant("the queue has room for its flits", queue.held <= EJECTOR_FLITS)
        for k, flit in enumerate(queue.row):
            place = inside.register(f"slot_{k}", "buffer")
            claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == flit))
        claims.possible("the link is stalled", part.link.valid & ~part.link.ready)
        claims.possible("one flit per cycle", leaving & entering & claims.was(leaving & entering, "streaming"))

    return describe
