"""What a route unit promises to the queues behind it; its own proof (``route_unit_claims``) shows that it keeps it."""

from typing import Any

from tests.proofs.claims import Claims, at_most_one


def assume_orderly_queueing(claims: Claims, route_unit: Any, release: Any, inputs: int) -> None:
    """Take the contract of the route unit for granted.

    One input at most is completed, not a queued one; it is queued from the next cycle until its release, and nobody
    else is. As long as it is queued it requests the same outputs, or none if there is no way for its worm.
    """
    queued, completed = route_unit.queued, route_unit.completed
    claims.assume(at_most_one(completed))
    claims.assume(~(completed & queued).any())
    stays = claims.was(queued & ~release, "stays_queued")
    claims.assume(queued == stays | claims.was(completed, "completed"))
    for i in range(inputs):
        request = claims.was(route_unit.request[i], f"request_{i}")
        claims.assume(~stays[i] | (route_unit.request[i] == request))
