"""Multi-node multicast: many sources at once, each with many destinations, some of them common to all."""

import numpy as np

from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Message
from topology.common.errors import FieldError


def multinode_workload(
    nodes: int, *, sources: int, destinations: int, hot_spot: float, flits: int, seed: int
) -> list[Message]:
    """Return multicasts of random sources to random destinations, all from cycle 0 on, in order of the sources' choice.

    Parameters:
        nodes: Nodes of the network.
        sources: m, distinct nodes.
        destinations: |D| of each multicast, distinct and without its source.
        hot_spot: p: so large a share of |D|, rounded, is common to all multicasts. A source that is itself among these
            nodes has another destination in its place.
        flits: Length of the message.
        seed: Same seed, same multicasts, on any machine.

    Raises:
        ValueError: "X is Z; it must be Y".
    """
    return list(
        multinode_columns(nodes, sources=sources, destinations=destinations, hot_spot=hot_spot, flits=flits, seed=seed)
    )


def multinode_columns(
    nodes: int, *, sources: int, destinations: int, hot_spot: float, flits: int, seed: int
) -> MessageColumns:
    """Return the multicasts of ``multinode_workload`` in columns; it has equal parameters and errors."""
    if not 1 <= sources <= nodes:
        raise FieldError("sources", f"Number of sources is {sources!r}; it must be 1 to {nodes}")
    if not 1 <= destinations < nodes:
        raise FieldError("destinations", f"Number of destinations is {destinations!r}; it must be 1 to {nodes - 1}")
    if not 0 <= hot_spot <= 1:
        raise FieldError("hot_spot", f"Hot-spot factor is {hot_spot!r}; it must be 0 to 1")
    generator = np.random.Generator(np.random.PCG64(seed))
    senders = generator.permutation(nodes)[:sources]
    common = generator.permutation(nodes)[: round(hot_spot * destinations)]
    others = np.stack([generator.permutation(nodes) for _ in range(sources)])
    is_common = np.zeros(nodes, dtype=bool)
    is_common[common] = True
    candidates = np.hstack((np.broadcast_to(common, (sources, len(common))), others))
    usable = candidates != senders[:, np.newaxis]
    usable[:, len(common) :] &= ~is_common[others]
    chosen = usable & (np.cumsum(usable, axis=1) <= destinations)  # the first ``destinations`` ones
    return MessageColumns.of(
        source=senders,
        destinations=np.sort(candidates[chosen].reshape(sources, destinations), axis=1).ravel(),
        counts=np.full(sources, destinations),
        flits=np.full(sources, flits),
        start_cycle=np.zeros(sources, dtype=np.int64),
    )
