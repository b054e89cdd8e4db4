"""Contract between a route unit and the queues behind it; proved of the route unit in ``route_unit_claims``."""

from typing import Any

from tests.proofs.claims import Claims, at_most_one


def assume_orderly_queueing(claims: Claims, route_unit: Any, release: Any, inputs: int) -> None:
    """Assume the contract of the route unit.

    At most one input is completed, never a queued one. It is queued from the next cycle until its release, and no
    other input is. While it is queued it requests the same outputs, or none if its worm is unroutable.
    """
    queued, completed = route_unit.queued, route_unit.completed
    claims.assume(at_most_one(completed))
    claims.assume(~(completed & queued).any())
    stays = claims.was(queued & ~release, "stays_queued")
    claims.assume(queued == stays | claims.was(completed, "completed"))
    for i in range(inputs):
        request = claims.was(route_unit.request[i], f"request_{i}")
        claims.assume(~stays[i] | (route_unit.request[i] == request))
