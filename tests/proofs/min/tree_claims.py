"""Claims about tree operations in ``MinRouter``: none without the token, and the parts' contracts are kept.

The token may arrive at any time, even while it is here: what the ring does is not needed.
"""

from typing import Any

from amaranth.hdl import Signal

from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.min.bare_switch import BareSwitch


def tree_operations(inputs: int, outputs: int) -> Describe:
    """Claims about a switch of some size on a token ring."""

    def describe(claims: Claims) -> None:
        bare = BareSwitch(claims, inputs, outputs, token=True)
        for name, condition in bare.token_use.contract():
            claims.always(name, condition)
        for name, condition in bare.use.contract():
            claims.always(name, condition)
        _prove_entry(claims, bare)
        _prove_holding(claims, bare)
        use, holding = bare.use, bare.token_use.holding
        behind = use.standing[1] & bare.several[1] & ~holding[1]
        claims.possible("a second tree operation starts before the first one has ended", holding[0] & behind)
        claims.possible("a tree operation and another message enter at once", bare.queues.enter[:2].all())
        last = bare.token_use.releases & ~(bare.queues.leave & holding).any()
        claims.possible("the token goes on before the tail", last)

    return describe


def _prove_entry(claims: Claims, bare: BareSwitch) -> None:
    """A request is known to be for several outputs in the cycle after it has entered."""
    queues, use, granted = bare.queues, bare.use, bare.station.granted
    entered = claims.was(queues.enter, "entered")
    with_token = claims.was(granted, "with_token")
    claims.always("an input that gets the token enters the queues in that cycle", ~(granted & ~queues.enter).any())
    trees = claims.named(bare.several, "requests_for_several")
    claims.always("a request for several outputs enters only with the token", ~(entered & trees & ~with_token).any())
    completed = claims.was(bare.route_unit.completed, "completed_before")
    alone = ~(with_token & ~trees).any() & ~(completed & ~trees & ~entered).any()
    claims.always("a request for one output enters when it is complete, without the token", alone)
    allowed: Any = Signal(bare.inputs, name="has_had_the_token")
    claims.m.d.sync += allowed.eq((allowed | granted) & ~queues.leave)
    for i in range(bare.inputs):
        early = bare.copies[i].any() & trees[i] & ~allowed[i]
        claims.always("no flit of a tree operation is copied before it gets the token", ~early)
        for j in range(bare.inputs):
            if i != j:
                together = with_token[i] & entered[j]
                claims.always(
                    "a tree operation is older than an input that enters with it", ~together | use.earlier[i, j]
                )
    claims.invariant("a tree operation in the queues has had the token", ~(use.standing & trees & ~allowed).any())


def _prove_holding(claims: Claims, bare: BareSwitch) -> None:
    """From the grant to the last flit to wait for, or the tail."""
    use, switch, granted = bare.use, bare.switch, bare.station.granted
    holding = bare.token_use.holding
    held = claims.named(holding.any(), "held")
    claims.always("one tree operation at most has the token", at_most_one(holding))
    claims.always("a tree operation that has the token is in the queues", ~(holding & ~use.standing).any())
    claims.always("no input gets the token while a tree operation has it", ~(held & granted.any()))
    claims.always("the token stays here while a tree operation has it", ~held | switch.here & ~switch.token_out)
