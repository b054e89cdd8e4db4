"""Evidence for a wrapped hexagonal mesh: the levels of pages, in the order in which packets rise."""

from typing import Any

from topology.common.channel_order import NoOrder
from topology.harts.deadlock import check_harts_deadlock
from topology.harts.faults import NO_FAULTS
from topology.harts.routing import HartsRouting


def harts_evidence(routing: HartsRouting, pages: int, *, classed: bool) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters
    ----------
    routing : HartsRouting
    pages : int
        Packets that a node's memory holds.
    classed : bool
        True if pages are given by levels.

    Returns
    -------
    dict
        ``order``: names of the levels, the lowest first.

    Raises
    ------
    NoOrder
        If packets can wait for each other's pages, or something has failed.
    """
    if routing.faults != NO_FAULTS:
        raise NoOrder("nodes or links have failed, so not everything is delivered")
    verdict = check_harts_deadlock(routing, pages, classed=classed)
    if not verdict.free:
        raise NoOrder(verdict.reason)
    return {"order": [f"level {level}" for level in range(routing.levels + 1)]}
