"""Evidence for a SPAM network: its channels in order, and the nesting of its branches."""

from typing import Any

from topology.common.channel_order import NoOrder, rising_order
from topology.spam.deadlock import branch_channels, spam_dependencies
from topology.spam.routing import SpamRouting


def spam_evidence(routing: SpamRouting, *, atomic: bool = True) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters
    ----------
    routing : SpamRouting
    atomic : bool
        True if the routers enqueue the requests of a header as one.

    Returns
    -------
    dict
        ``order``: names of all channels. ``nesting``: by name of each channel of the tree that leads down, the one in
        which it is nested, from whose end it starts; None for those of the root.

    Raises
    ------
    NoOrder
        If there is none, or routers do not enqueue as they should.
    """
    dependencies = spam_dependencies(routing, atomic=atomic)
    if dependencies.dead_ends:
        raise NoOrder("some headers are unroutable")
    if not atomic:
        raise NoOrder("branches of a worm are enqueued one by one")
    network = routing.network
    names = [channel.name for channel in network.channels]
    order = rising_order(range(len(names)), dependencies.path.edges)
    branches = branch_channels(routing)
    into = {network.channels[branch].sink: names[branch] for branch in branches}
    return {
        "order": [names[channel] for channel in order],
        "nesting": {names[branch]: into.get(network.channels[branch].source) for branch in branches},
    }
