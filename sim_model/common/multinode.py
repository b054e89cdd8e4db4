"""Multi-node multicast: many sources at once, each with many destinations, some of them common to all."""

import numpy as np

from sim_model.common.messages import Message


def multinode_workload(
    nodes: int, *, sources: int, destinations: int, hot_spot: float, flits: int, seed: int
) -> list[Message]:
    """Multicasts of random sources to random destinations, all from cycle 0 on, in order of the sources' choice.

    Parameters
    ----------
    nodes : int
        Nodes of the network.
    sources : int
        m, distinct nodes.
    destinations : int
        |D| of each multicast, distinct and without its source.
    hot_spot : float
        p: so large a share of |D|, rounded, is common to all multicasts. A source that is itself among these nodes has
        another destination in its place.
    flits : int
        Length of the message.
    seed : int
        Same seed, same multicasts, on any machine.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """
    if not 1 <= sources <= nodes:
        raise ValueError(f"Sources must be 1 to {nodes}, not {sources!r}")
    if not 1 <= destinations < nodes:
        raise ValueError(f"Destinations must be 1 to {nodes - 1}, not {destinations!r}")
    if not 0 <= hot_spot <= 1:
        raise ValueError(f"Hot-spot factor must be 0 to 1, not {hot_spot!r}")
    generator = np.random.Generator(np.random.PCG64(seed))
    senders = generator.permutation(nodes)[:sources].tolist()
    common = generator.permutation(nodes)[: round(hot_spot * destinations)].tolist()
    messages = []
    for sender in senders:
        others = [node for node in generator.permutation(nodes).tolist() if node not in common]
        chosen = [node for node in (*common, *others) if node != sender][:destinations]
        messages.append(Message(sender, tuple(sorted(chosen)), flits))
    return messages
