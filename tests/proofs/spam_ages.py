"""Claims about the request queues of SPAM routers that are sorted by age."""

from itertools import permutations
from typing import Any

from amaranth.hdl import Const, Mux, Signal

from rtl.parts.selection import concat, either
from rtl.spam.aged_queues import AgedRequestQueues
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.route_unit import assume_orderly_queueing
from tests.proofs.spam import prove_first
from topology.common.ages import LAST_AGE, STEP_CYCLES

HOLD = 2


class AgeOrder:
    """The order of all queued inputs, recorded cycle by cycle. The newest one is last in its first cycle.

    serves: Inputs that were granted before this cycle and are still queued.
    younger: Inputs that wait and are younger than the newest one, which overtakes them at the end of the cycle.
    ahead: ``ahead[i][j]``: both are queued, and i is before j; those that serve are before all others.
    blocks: ``blocks[i][j]``: moreover they share an output.
    held: ``held[i][j]``: j waits for i, which has left the queues one cycle before, and two cycles before.
    """

    def __init__(self, claims: Claims, queues: Any):
        inputs = range(queues.ports)
        queued = queues.queued
        self.stood = claims.was(queued, "queued")
        self.serves = claims.was(queues.granted & ~queues.release, "granted")
        self.newest = claims.named(queued & ~self.stood, "reference_newest")
        newest_age = either([Mux(self.newest[i], queues.age[i], 0) for i in inputs])
        entry_age = claims.named(Mux(newest_age == LAST_AGE, LAST_AGE, newest_age + 1), "entry_age")
        self.younger = [
            self.newest.any() & queued[i] & self.stood[i] & ~queues.granted[i] & (queues.age[i] < entry_age)
            for i in inputs
        ]
        self.ahead: list[list[Any]] = [[Const(0) for _ in inputs] for _ in inputs]
        self.blocks: list[list[Any]] = [[Const(0) for _ in inputs] for _ in inputs]
        self.held: list[list[Any]] = [[Const(0, HOLD) for _ in inputs] for _ in inputs]
        for i, j in permutations(inputs, 2):
            was_ahead = Signal(name=f"was_ahead_{i}_{j}")
            stays = Mux(self.serves[i] ^ self.serves[j], self.serves[i], was_ahead)
            ahead = queued[i] & queued[j] & Mux(self.stood[i] & self.stood[j], stays, self.newest[j])
            self.ahead[i][j] = claims.named(ahead, f"ahead_{i}_{j}")
            overtakes = self.newest[i] & self.younger[j]
            after = claims.named((ahead | overtakes) & ~(self.newest[j] & self.younger[i]), f"after_{i}_{j}")
            claims.m.d.sync += was_ahead.eq(after)
            shared = (queues.request[i] & queues.request[j]).any()
            self.blocks[i][j] = claims.named(self.ahead[i][j] & shared, f"blocks_{i}_{j}")
            released = claims.was(queues.release[i] & after & shared, f"held_{i}_{j}")
            self.held[i][j] = concat((released, claims.was(released, f"still_held_{i}_{j}")))

    def tie(self, claims: Claims, queues: Any, inside: Inside) -> None:
        """Tie the registers of the queues to the order."""
        inputs = range(queues.ports)
        claims.invariant("the newest was enqueued last", queues.newest == self.newest)
        claims.invariant("one enqueues at a time", at_most_one(self.newest))
        claimed = either([Mux(queues.queued[i] & self.stood[i], queues.request[i], 0) for i in inputs])
        claims.invariant("outputs are claimed by those before the newest", inside.register("claimed") == claimed)
        left = claims.was(queues.release, "released")
        claims.invariant("releases are noted", inside.register("left_1") == left)
        claims.invariant("an input that leaves is not queued", ~(left & queues.queued).any())
        left_before = claims.was(left, "released_before")
        claims.invariant("releases are noted for two cycles", inside.register("left_2") == left_before)
        claims.invariant("an input leaves at most every second cycle", ~(left & left_before).any())
        claims.invariant(
            "an input is the newest two cycles after its release", ~(left_before & queues.queued & ~self.newest).any()
        )
        for i, j in permutations(inputs, 2):
            behind = inside.register(f"wait_{j}_{i}")
            waits = self.blocks[i][j] & ~self.newest[i] & ~self.newest[j] | self.held[i][j].any()
            claims.invariant("inputs wait for those ahead of them", behind == waits)
            gone = Mux(queues.queued[j] & self.stood[j] & ~self.serves[j], concat((left[i], left_before[i])), 0)
            claims.invariant("those that are waited for have left", ~(self.held[i][j] & ~gone).any())
            both = queues.queued[i] & queues.queued[j]
            claims.invariant("of two queued inputs one is ahead", ~both | (self.ahead[i][j] ^ self.ahead[j][i]))
            claims.invariant(
                "those in service are ahead", ~(both & self.serves[i] & ~self.serves[j]) | self.ahead[i][j]
            )
            waiting = ~(self.serves[i] | self.newest[i] | self.serves[j] | self.newest[j])
            ordered = ~(self.ahead[i][j] & waiting) | (queues.age[i] >= queues.age[j])
            claims.invariant("those that wait are sorted by age", ordered)
            first = ~self.serves[j] | ~self.blocks[i][j]
            claims.invariant("one in service waits for no other", first)
        for i, j, k in permutations(inputs, 3):
            transitive = ~(self.ahead[i][j] & self.ahead[j][k]) | self.ahead[i][k]
            claims.invariant("the queued inputs are in one order", transitive)


def aged_queues(ports: int, step_cycles: int = STEP_CYCLES) -> Describe:
    """Claims about the queues of a router with two or three ports."""

    def describe(claims: Claims) -> None:
        queues = AgedRequestQueues(ports, HOLD, step_cycles)
        claims.free_inputs(queues)
        inside = Inside(claims, queues)
        queued, granted = queues.queued, queues.granted
        claims.assume(~(queues.release & ~granted).any())
        assume_orderly_queueing(claims, queues, queues.release, ports)
        order = AgeOrder(claims, queues)
        order.tie(claims, queues, inside)

        claims.always("only the queued are granted", ~(granted & ~queued).any())
        held = concat(order.held[i][j] for i, j in permutations(range(ports), 2)).any()
        claims.always("a request is granted if any is queued and none held", granted.any() | ~queued.any() | held)
        claims.always("a grant lasts until the release", ~(order.serves & ~granted).any())
        for i in range(ports):
            others = [j for j in range(ports) if j != i]
            ahead = concat(order.blocks[j][i] for j in others).any()
            claims.always("no request is granted before one that is ahead", ~(granted[i] & ahead))
            waits = concat(order.held[j][i] for j in others).any()
            claims.always("a request with none ahead is granted", granted[i] | ~queued[i] | ahead | waits)
            for j in range(i):
                shared = (queues.request[i] & queues.request[j]).any()
                claims.always("two that are granted share no output", ~(granted[i] & granted[j] & shared))
            _count_ages(claims, order, queues, i)
            _bound_overtaking(claims, order, queues, i)
        prove_first(claims, queues)
        claims.possible("a request overtakes one that waits", concat(order.younger).any() & ~granted.any())
        claims.possible("all ports wait for one", (granted == 1) & queued.all())

    return describe


def _count_ages(claims: Claims, order: AgeOrder, queues: Any, i: int) -> None:
    """Ages of messages that wait."""
    stays = claims.was(queues.queued[i] & order.stood[i] & ~queues.granted[i], f"stays_{i}")
    age = claims.was(queues.age[i], f"age_{i}")
    grows = (queues.age[i] == age) | (queues.age[i] == age + 1)
    claims.always("an age grows by one at a time", ~stays | grows)


def _bound_overtaking(claims: Claims, order: AgeOrder, queues: Any, i: int) -> None:
    """Counts the releases of outputs that an input of the last age waits for: one per other input at most."""
    others = [j for j in range(queues.ports) if j != i]
    last = queues.queued[i] & ~queues.granted[i] & ~order.newest[i] & (queues.age[i] == LAST_AGE)
    gone: Any = 0
    ahead: Any = 0
    for j in others:
        gone = gone + (queues.release[j] & (queues.request[i] & queues.request[j]).any())
        ahead = ahead + order.blocks[j][i]
    served: Any = Signal(range(2 * queues.ports), name=f"served_before_{i}")
    claims.m.d.sync += served.eq(Mux(last, served + gone, 0))
    claims.always("nothing overtakes a message of the last age", ~last | (served + gone <= len(others)))
    claims.invariant("messages served and messages ahead are different", ~last | (served + ahead <= len(others)))
