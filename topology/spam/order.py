"""An order of a SPAM network's channels in which the static proofs finish soonest."""

from topology.spam.graph import CROSS, TREE, SpamLabels


def last_first(labels: SpamLabels) -> list[int]:
    """Return the channels in an order where those behind one come before it: tree, cross and then up channels.

    Any other order gives the same result after more rounds.

    Parameters
    ----------
    labels : SpamLabels
    """

    def rank(channel: int) -> tuple[int, int, int]:
        kind, sink = labels.channel_class[channel], labels.network.channels[channel].sink
        if kind in (TREE, CROSS):
            return int(kind == CROSS), -int(labels.level[sink]), -sink
        return 2, int(labels.level[sink]), sink

    return sorted(range(len(labels.network.channels)), key=rank)
