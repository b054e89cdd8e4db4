"""Planes for barriers alone: without operators, each group has a plane of its own, so groups never wait for others.

Links then have one valid wire per group and no other, switches count what has arrived, and there are no endpoints.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sim_model.collective_plane.barrier_loop import run_barriers
from sim_model.collective_plane.closed_forms import lone_barrier_cycles
from sim_model.collective_plane.contributions import COLUMNS, NO_CONTRIBUTION, Contribution, Contributions
from sim_model.collective_plane.model import CollectivePlane
from sim_model.collective_plane.parameters import Event, Flush, PlaneParameters
from sim_model.collective_plane.trace import PlaneTrace
from topology.collectives.tables import Group, PlaneTables
from topology.common.errors import FieldError
from topology.common.host_pattern import EAGER, HostBehaviour


class BarrierPlane(CollectivePlane):
    """A plane for barriers of one group; see ``CollectivePlane``."""

    def _run_loop(self, trace: PlaneTrace, until_cycle: int) -> int:
        return int(run_barriers(self.state, trace, until_cycle) or 0)

    def barrier_cycles(self, up_levels: int, down_levels: int) -> int:
        """Return the cycles of a barrier; see ``CollectivePlane.barrier_cycles``."""
        return lone_barrier_cycles(up_levels, down_levels, self.parameters.link_cycles)

    def due_jobs(self) -> list[int]:
        """Return the jobs of barriers that are over in the next cycle."""
        state, endpoints = self.state, self.state.endpoints
        slot = self.cycle % (self.parameters.link_cycles + 1)
        branches = state.outputs["branches"][slot * state.switch_count + endpoints["home"]].astype(np.int64)
        ends = np.flatnonzero(branches >> endpoints["port"].astype(np.int64) & 1)
        return state.members["arriving"][endpoints["first_member"][ends]].tolist()


def plane_of_group(
    tables: PlaneTables,
    group: Group,
    parameters: PlaneParameters,
    contributions: Contributions | Iterable[Contribution],
    hosts: HostBehaviour = EAGER,
    events: Iterable[Event] = (),
) -> BarrierPlane:
    """Return the plane of one group, which has number 0 in it.

    Parameters:
        tables
        group
        parameters: See ``barrier_planes``.
        contributions (Contributions or iterable of Contribution): To group 0.
        hosts: Pauses of sources.
        events (iterable of Flush, Reset and ClearErrors): Flushes are of group 0.
    """
    own = PlaneTables(tables.tree, (Group(0, group.members),))
    return BarrierPlane(own, parameters.for_barriers, contributions, hosts=hosts, events=events)


def barrier_planes(
    tables: PlaneTables,
    parameters: PlaneParameters,
    contributions: Contributions | Iterable[Contribution] = (),
    *,
    hosts: HostBehaviour = EAGER,
    events: Iterable[Event] = (),
) -> tuple[BarrierPlane, ...]:
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
        plane_of_group(
            tables,
            group,
            parameters,
            _barriers_of(given, group.number),
            hosts,
            [
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
