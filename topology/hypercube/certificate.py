"""Evidence for a hypercube: its escape channels, and an order of the virtual channels that headers wait for."""

from typing import Any

from topology.common.channel_order import NoOrder, rising_order
from topology.common.virtual_channels import ATOMIC
from topology.hypercube.deadlock import Waiting
from topology.hypercube.header_paths import HypercubePaths
from topology.hypercube.routing import HypercubeRouting


def hypercube_evidence(routing: HypercubeRouting, vc_reallocation: str, buffer_flits: int) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters:
        vc_reallocation: One of ``HYPERCUBE_REALLOCATION``.
        buffer_flits: Flits that the buffer of a VC holds; with one, VCs are free at the same time by any rule.

    Returns:
        dict: ``escapes``: names of the VCs that some header is given as its escape. ``order``: of all VCs that headers
            wait for or that are shared (``topology/hypercube/deadlock.py``), so that all that may be waited for behind
            a VC comes after it.

    Raises:
        NoOrder: If there is none, or some headers have no escape.
    """
    paths, network = HypercubePaths(routing), routing.network
    waiting = Waiting(paths, ATOMIC if buffer_flits == 1 else vc_reallocation)
    if waiting.lost or waiting.unescaped:
        raise NoOrder("some headers are unroutable, or have no escape")
    # VCs that differ by a shift are adjacent: dependencies lead from all that one VC represents to later ones
    alike = rising_order(waiting.graph, waiting.graph.edges)
    vcs = [paths.shifted(vc, shift) for vc in alike for shift in paths.shifts]
    escapes = sorted(paths.shifted(vc, shift) for vc in waiting.escape_vcs for shift in paths.shifts)
    return {
        "escapes": [network.channels[vc].name for vc in escapes],
        "order": [network.channels[vc].name for vc in vcs],
    }
