"""An order of the channels of a SPAM network in which the static proofs come to an end soonest."""

from topology.spam.graph import CROSS, TREE, SpamLabels


def last_first(labels: SpamLabels) -> list[int]:
    """Channels so that in a right network all that lies behind one comes before it: tree, cross and then up channels.

    Any other order comes to the same end, but goes round more often.

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
