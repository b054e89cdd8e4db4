"""Evidence for a torus or mesh: its virtual channels in an order in which every wait rises."""

from typing import Any

from topology.common.channel_order import NoOrder, rising_order
from topology.torus.deadlock import torus_dependencies
from topology.torus.routing import TorusRouting


def torus_evidence(routing: TorusRouting) -> dict[str, Any]:
    """Return fields of the certificate.

    Returns:
        dict: ``order``: names of all VCs.

    Raises:
        NoOrder: If there is none.
    """
    path, dead_ends = torus_dependencies(routing)
    if dead_ends:
        raise NoOrder("some headers are unroutable")
    vcs = routing.network.channels
    return {"order": [vcs[vc].name for vc in rising_order(range(len(vcs)), path.edges)]}
