"""Evidence for a multistage network: its channels in order, and the switches that share a token."""

from typing import Any

from topology.common.channel_order import NoOrder, rising_order
from topology.min.deadlock import branches_of, check_min_deadlock, min_dependencies
from topology.min.groups import EXACT
from topology.min.routing import MinRouting
from topology.min.side_wires import token_rings


def min_evidence(
    routing: MinRouting, buffer_depth_flits: int, token: str = EXACT, link_cycles: int = 1
) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters
    ----------
    routing : MinRouting
    buffer_depth_flits : int
        Flits that an input buffer holds.
    token : str
        Token rule, or ``none``.
    link_cycles : int
        Cycles of a link between switches.

    Returns
    -------
    dict
        ``order``: names of all channels; those into switches that share a token come before the branches there.
        ``tokens``: names of the switches that share each token.

    Raises
    ------
    NoOrder
        If there is no such order, or tokens do not keep worms apart.
    """
    verdict = check_min_deadlock(routing, buffer_depth_flits, token, link_cycles)
    if not verdict.free:
        raise NoOrder(verdict.reason)
    network = routing.network
    path, _ = min_dependencies(routing)
    rings = sorted(sorted(group.switches) for group in token_rings(routing.groups, token))
    asking = (
        (held, network.output_channel[branching][port])
        for ring in rings
        for waiting in ring
        for held in network.input_channel[waiting]
        for branching in ring
        for port in branches_of(routing, branching)
    )
    order = rising_order(range(len(network.channels)), [*path.edges, *asking])
    return {
        "order": [network.channels[channel].name for channel in order],
        "tokens": [[network.switch_names[switch] for switch in ring] for ring in rings],
    }
