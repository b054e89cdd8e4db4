"""Messages of a hexagonal mesh in columns: packets unchanged, broadcasts with all their destinations."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hydranoc.families.harts.slots import HartsSection, wanted_by_broadcast
from topology.harts.routing import UNICAST, HartsRouting

if TYPE_CHECKING:
    from sim_model.messages.columns import MessageColumns


def complete_columns(
    section: HartsSection, routing: HartsRouting, columns: "MessageColumns"
) -> "MessageColumns | None":
    """Return the results of ``complete`` for all these messages; None if it refuses one of them.

    Broadcasts by the same algorithm from the same node have the same destinations, which are computed once.
    """
    broadcast = columns.operation != UNICAST
    if not _right(section, routing, columns, broadcast):
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


def _right(section: HartsSection, routing: HartsRouting, columns: "MessageColumns", broadcast: np.ndarray) -> bool:
    """Return True if ``complete`` refuses none: each packet has one destination, and no node has failed silently."""
    silent = [node for node in range(routing.mesh.nodes) if routing.faults.is_silent(node)]
    packet = ~broadcast
    return (
        bool((columns.counts[packet] == 1).all())
        and int(columns.flits.max(initial=0)) <= section.packet_flits
        and int(columns.source.min(initial=0)) >= 0
        and int(columns.source.max(initial=0)) < routing.mesh.nodes
        and not np.isin(columns.source, silent).any()
        and not np.isin(columns.destinations[columns.offsets[:-1][packet]], silent).any()
    )
