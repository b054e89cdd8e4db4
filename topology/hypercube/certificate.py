"""Evidence for a hypercube: its escape channels, and an order of the virtual channels that headers wait for."""

from typing import Any

from topology.common.channel_order import NoOrder, rising_order
from topology.common.lanes import REUSE_EMPTY
from topology.hypercube.deadlock import Waiting
from topology.hypercube.routing import HypercubeRouting
from topology.hypercube.ways import Ways


def hypercube_evidence(routing: HypercubeRouting, lane_reuse: str, buffer_flits: int) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters
    ----------
    routing : HypercubeRouting
    lane_reuse : str
        One of ``HYPERCUBE_REUSE``.
    buffer_flits : int
        Flits that the buffer of a VC holds; with one, VCs are free at the same time by any rule.

    Returns
    -------
    dict
        ``escapes``: names of the VCs that some header is given as its escape. ``order``: of all VCs that headers
        wait for or that are shared (``topology/hypercube/deadlock.py``), so that all that may be waited for behind a
        VC comes after it.

    Raises
    ------
    NoOrder
        If there is none, or some headers have no escape.
    """
    ways, network = Ways(routing), routing.network
    waiting = Waiting(ways, REUSE_EMPTY if buffer_flits == 1 else lane_reuse)
    if waiting.lost or waiting.unescaped:
        raise NoOrder("some headers are unroutable, or have no escape")
    # VCs that differ by a shift are adjacent: dependencies lead from all that one VC represents to later ones
    alike = rising_order(waiting.graph, waiting.graph.edges)
    lanes = [ways.shifted(lane, shift) for lane in alike for shift in ways.shifts]
    escapes = sorted(ways.shifted(lane, shift) for lane in waiting.escape_lanes for shift in ways.shifts)
    return {
        "escapes": [network.channels[lane].name for lane in escapes],
        "order": [network.channels[lane].name for lane in lanes],
    }
