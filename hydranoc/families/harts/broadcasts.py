"""Messages of a hexagonal mesh: packets unchanged, broadcasts with all their destinations."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from topology.harts.routing import UNICAST, HartsRouting

if TYPE_CHECKING:
    from sim_model.messages.columns import MessageColumns

MIN_COPIES = 1


def wanted_by_broadcast(routing: HartsRouting, operation: int, source: int) -> dict[int, int]:
    """Return the number of copies that each node awaits of a broadcast, in ascending order of the nodes.

    Parameters:
        operation: Number of the algorithm, see ``HartsRouting.wanted_copies``.
    """
    wanted = routing.wanted_copies(operation, source)
    # nodes that faults leave without a copy count as missing, but not the copies of a forger
    least = MIN_COPIES if routing.faults.claimed_source(source) == source else 0
    return {node: max(least, count) for node, count in wanted.items()}


def broadcast_columns(packet_flits: int, routing: HartsRouting, columns: "MessageColumns") -> "MessageColumns | None":
    """Return the results of ``validate_message`` for all these messages; None if it refuses one of them.

    Broadcasts by the same algorithm from the same node have the same destinations, which are computed once.
    """
    broadcast = columns.operation != UNICAST
    if not _right(packet_flits, routing, columns, broadcast):
        return None
    if not broadcast.any():
        return columns
    senders = np.stack((columns.operation[broadcast], columns.source[broadcast]))
    pairs, of_broadcast = np.unique(senders, axis=1, return_inverse=True)
    wanted = [wanted_by_broadcast(routing, operation, source) for operation, source in pairs.T.tolist()]
    # all lists of destinations one after the other, first those of the packets; each message has a section of them
    packets = columns.destinations[columns.offsets[:-1][~broadcast]]
    lists = [packets, *(np.fromiter(copies, np.int32, len(copies)) for copies in wanted)]
    numbers = [np.ones(len(packets), np.int32)]
    numbers += [np.fromiter(copies.values(), np.int32, len(copies)) for copies in wanted]
    begins = np.cumsum([len(nodes) for nodes in lists])[:-1]
    counts, first = np.ones(len(columns), np.int64), np.zeros(len(columns), np.int64)
    counts[broadcast] = np.array([len(copies) for copies in wanted])[of_broadcast.ravel()]
    first[broadcast] = begins[of_broadcast.ravel()]
    first[~broadcast] = np.arange(len(packets))
    offsets = np.concatenate(([0], np.cumsum(counts)))
    position = np.repeat(first - offsets[:-1], counts) + np.arange(offsets[-1])
    return replace(
        columns,
        offsets=offsets,
        destinations=np.concatenate(lists)[position],
        copies=np.concatenate(numbers)[position],
    )


def _right(packet_flits: int, routing: HartsRouting, columns: "MessageColumns", broadcast: np.ndarray) -> bool:
    """Return True if all messages are valid: each packet has one destination, and no node has failed silently."""
    silent = [node for node in range(routing.mesh.nodes) if routing.faults.is_silent(node)]
    packet = ~broadcast
    return (
        bool((columns.counts[packet] == 1).all())
        and int(columns.flits.max(initial=0)) <= packet_flits
        and int(columns.source.min(initial=0)) >= 0
        and int(columns.source.max(initial=0)) < routing.mesh.nodes
        and not np.isin(columns.source, silent).any()
        and not np.isin(columns.destinations[columns.offsets[:-1][packet]], silent).any()
    )
