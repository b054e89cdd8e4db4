"""Claims about ``OutputRequestQueues``: first come, first served, in all queues at once."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.selection import concat
from rtl.spam.ocrq import OutputRequestQueues
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.enqueue_contract import assume_orderly_queueing
from tests.proofs.inside import Inside
from tests.proofs.spam.enqueue_order import EnqueueOrder


def request_queues(ports: int) -> Describe:
    """Claims about the queues of a router with some number of ports."""

    def describe(claims: Claims) -> None:
        queues = OutputRequestQueues(ports)
        claims.free_inputs(queues)
        inside = Inside(claims, queues)
        queued, granted = queues.queued, queues.granted
        claims.assume(~(queues.release & ~granted).any())
        assume_orderly_queueing(claims, queues, queues.release, ports)
        order = EnqueueOrder(claims, queued, queues.request, ports)
        order.tie(claims, inside)

        claims.always("only the queued are granted", ~(granted & ~queued).any())
        claims.always("a request is granted if any is queued", granted.any() | ~queued.any())
        was_granted = claims.was(granted & ~queues.release, "granted_and_stays")
        claims.always("a grant lasts until the release", ~(was_granted & ~granted).any())
        for i in range(ports):
            first = claims.named(~concat(order.blocks[j][i] for j in range(ports) if j != i).any(), f"first_{i}")
            claims.always("no request is granted before one that enqueued earlier", ~granted[i] | first)
            claims.always("a request that is first in all its queues is granted", granted[i] | ~(queued[i] & first))
            for j in range(i):
                shared = (queues.request[i] & queues.request[j]).any()
                claims.always("two that are granted share no output", ~(granted[i] & granted[j] & shared))
            _bound_overtaking(claims, order, queues, i)
        _prove_first(claims, queues, ports)
        claims.possible("all ports wait for one", (granted == 1) & queued.all())
        claims.possible("two are granted at once", (granted == 3) & queued.all())

    return describe


def _prove_first(claims: Claims, queues: Any, ports: int) -> None:
    """The early selection of the crossbar."""
    for o in range(ports):
        first = queues.first[o]
        claims.always("an output has one first input at most", at_most_one(first))
        for i in range(ports):
            holds = queues.granted[i] & queues.request[i][o]
            claims.always("a request that is granted an output is its first", ~holds | first[i])


def _bound_overtaking(claims: Claims, order: EnqueueOrder, queues: Any, i: int) -> None:
    """Counts the releases of outputs that a queued input waits for: one per other input at most."""
    others = [j for j in range(order.ports) if j != i]
    hindered = queues.queued[i] & ~queues.granted[i]
    gone: Any = 0
    ahead: Any = 0
    for j in others:
        gone = gone + (queues.release[j] & (queues.request[i] & queues.request[j]).any())
        ahead = ahead + order.blocks[j][i]
    served: Any = Signal(range(2 * order.ports), name=f"served_before_{i}")
    claims.m.d.sync += served.eq(Mux(hindered, served + gone, 0))
    claims.always("at most ports - 1 releases before the grant", ~hindered | (served + gone <= len(others)))
    bounded = ~queues.queued[i] | (served + ahead <= len(others))
    claims.invariant("requests served and requests ahead are different", bounded)
