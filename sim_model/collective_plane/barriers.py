"""Planes for barriers alone: without operators, each group has a plane of its own, so groups never wait for others.

Links then have one valid wire per group and no other. Buffers have room for all operations under way, so credits never
run out.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sim_model.collective_plane.contributions import COLUMNS, NO_CONTRIBUTION, Contribution, Contributions
from sim_model.collective_plane.model import CollectivePlane
from sim_model.collective_plane.parameters import Event, Flush, PlaneParameters
from topology.collectives.tables import Group, PlaneTables
from topology.common.errors import FieldError
from topology.common.host_pattern import EAGER, HostBehaviour


def barrier_planes(
    tables: PlaneTables,
    parameters: PlaneParameters,
    contributions: Contributions | Iterable[Contribution] = (),
    *,
    hosts: HostBehaviour = EAGER,
    events: Iterable[Event] = (),
) -> tuple[CollectivePlane, ...]:
    """Return one plane per group, whose only group has number 0.

    A switch's mask of timeouts is the union of those of all planes.

    Parameters:
        tables
        parameters: Window, cycles of links and of timeouts are used; buffers have the words of the window, at least 2.
        contributions (Contributions or iterable of Contribution): Barriers.
        hosts: Pauses of sources.
        events (iterable of Flush, Reset and ClearErrors)

    Raises:
        FieldError: If a contribution has words, or a value is out of range.
    """
    given = contributions if isinstance(contributions, Contributions) else Contributions.of(contributions)
    listed = tuple(events)
    if len(given.words):
        raise FieldError("words", "A contribution to a plane without operators has words; it must have none")
    if (given.after != NO_CONTRIBUTION).any():
        raise FieldError("after", "A contribution waits for another one; it must not in planes of single groups")
    return tuple(
        CollectivePlane(
            PlaneTables(tables.tree, (Group(0, group.members),)),
            parameters.for_barriers,
            _barriers_of(given, group.number),
            hosts=hosts,
            events=[
                replace(event, group=0) if isinstance(event, Flush) else event
                for event in listed
                if not isinstance(event, Flush) or event.group == group.number
            ],
        )
        for group in tables.groups
    )


def _barriers_of(given: Contributions, group: int) -> Contributions:
    """Return the barriers of a group as those of group 0."""
    chosen = given.group == group
    columns = {name: getattr(given, name)[chosen] for name in COLUMNS}
    none = np.zeros(int(chosen.sum()), dtype=np.int64)
    return replace(given, **{**columns, "group": none}, offsets=np.zeros(len(none) + 1, dtype=np.int64))
