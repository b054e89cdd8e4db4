"""Claims about ``BranchQueues``: branches enter at once, each output serves its queue in order, none is forgotten."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.min.branch_queues import BranchQueues
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.inside import Inside
from tests.proofs.min.branch_use import BranchUse


def branch_queues(inputs: int, outputs: int) -> Describe:
    """Claims about the queues of a switch of some size."""

    def describe(claims: Claims) -> None:
        queues = BranchQueues(inputs, outputs)
        claims.free_inputs(queues)
        inside = Inside(claims, queues)
        use = BranchUse(claims, queues, inputs, outputs)
        for _, condition in use.contract():
            claims.assume(condition)
        use.tie(inside)
        for i in range(inputs):
            _prove_input(claims, use, i)
        for o in range(outputs):
            _prove_output(claims, use, o)
        _bound_overtaking(claims, use)
        claims.possible("one uses an output while another one has the rest", _shares(use))
        claims.possible("everybody is in the queues", use.standing.all())

    return describe


def _prove_input(claims: Claims, use: BranchUse, i: int) -> None:
    queues = use.queues
    request, owed, first = queues.request[i], queues.owed[i], queues.first[i]
    entered = claims.was(queues.enter[i], f"entered_{i}")
    claims.always("all outputs of a request enter in one step", ~entered | (owed == request))
    claims.always("an output is owed until it has got the tail", owed == use.owed[i])
    claims.always("an input only uses what it is owed", ~(first & ~owed).any())
    twice = (queues.finished[i] & use.given[i]).any()
    claims.always("no output gets a tail twice", ~(use.standing[i] & twice))
    lasts = claims.was(first & ~queues.finished[i], f"lasting_{i}")
    claims.always("an output that an input has got stays its own until the tail", ~(lasts & ~first).any())


def _prove_output(claims: Claims, use: BranchUse, o: int) -> None:
    queues, inputs = use.queues, range(use.inputs)
    users = claims.named(concat(queues.first[i][o] for i in inputs), f"users_{o}")
    claims.always("an output belongs to one input at most", at_most_one(users))
    owed = concat(use.owed[i][o] for i in inputs)
    claims.always("an output that is owed belongs to an input", users.any() == owed.any())
    for i in inputs:
        first = use.owed[i][o] & use.first_at(i, o)
        claims.always("an output belongs to the earliest that is owed it", users[i] == first)


def _bound_overtaking(claims: Claims, use: BranchUse) -> None:
    """Tails that any one output gets from others while any one input waits for it."""
    inputs, others = range(use.inputs), use.inputs - 1
    me: Any = claims.constant(others.bit_length(), "any_input")
    my_output: Any = claims.constant(max(1, (use.outputs - 1).bit_length()), "any_output")
    claims.assume((me <= others) & (my_output < use.outputs))

    def at_mine(per_input: Any) -> list[Any]:
        return [Value.cast(per_input[i]).bit_select(my_output, 1) for i in inputs]

    owed, first, finished = at_mine(use.owed), at_mine(use.queues.first), at_mine(use.queues.finished)
    waiting = claims.named(Array(owed)[me] & ~Value.cast(Array(first)[me]), "i_wait")
    gone = claims.named(concat(finished).any(), "a_tail_for_my_output")
    served: Any = Signal(range(others + 3), name="served_before_me")
    claims.m.d.sync += served.eq(Mux(waiting, served + gone, 0))
    claims.always(
        "at most inputs - 1 tails of others before the first of one's own", ~waiting | (served + gone <= others)
    )
    ahead: Any = 0
    for j in inputs:
        before_me = Array(use.earlier[j, i] if i != j else 0 for i in inputs)[me]
        ahead = ahead + (owed[j] & Value.cast(before_me))
    bounded = ~Value.cast(Array(owed)[me]) | (served + ahead <= others)
    claims.invariant("requests served and requests ahead are different", bounded)


def _shares(use: BranchUse) -> Any:
    """Inputs 0 and 1 request the same two outputs; the first one has given the tail to one of them already."""
    first, second = use.queues.first[0], use.queues.first[1]
    same = (use.queues.request[0] & 3 == 3) & (use.queues.request[1] & 3 == 3)
    return same & first[1] & second[0]
