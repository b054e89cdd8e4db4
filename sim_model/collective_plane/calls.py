"""Calls of members: contributions that wait for results of other calls and for messages of the network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sim_model.collective_plane.barriers import plane_of_group
from sim_model.collective_plane.contributions import Contribution, Contributions
from sim_model.collective_plane.model import CollectivePlane, PlaneResults
from sim_model.collective_plane.parameters import PlaneParameters
from topology.collectives.tables import PlaneTables
from topology.common.host_pattern import EAGER, HostBehaviour

_SPREAD, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
"""Constants of SplitMix64."""


@dataclass(frozen=True)
class Call:
    """A member's call of an operation. It starts in the latest of some cycles.

    Members:
        contribution: Its contribution. ``start_cycle`` is the first of these cycles.
        results (mapping of int to int): Cycles after the end of the results of earlier calls of the same processor, by
            call.
        messages (mapping of int to int): Cycles after the arrival of messages at the processor, or after their tails
            have left it, by message.
    """

    contribution: Contribution
    results: Mapping[int, int] = field(default_factory=dict)
    messages: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PlaneModel:
    """A plane to be run: one golden model, or for barriers alone one for each group.

    Members:
        tables
        parameters
        barriers_only: The plane has no operators.
    """

    tables: PlaneTables
    parameters: PlaneParameters
    barriers_only: bool = False

    def plane_of(self, contribution: Contribution) -> int:
        """Return the position of the golden model that takes a contribution."""
        return contribution.group if self.barriers_only else 0

    def planes(
        self, contributions: Sequence[Sequence[Contribution]], hosts: HostBehaviour = EAGER
    ) -> tuple[CollectivePlane, ...]:
        """Return the golden models before the first cycle.

        Parameters:
            contributions: Of each of them.
            hosts: Pauses of sources and stalls of receivers.
        """
        if not self.barriers_only:
            return (CollectivePlane(self.tables, self.parameters, contributions[0], hosts=hosts),)
        return tuple(
            plane_of_group(
                *(self.tables, group, self.parameters),
                [replace(one, group=0) for one in contributions[group.number]],
                hosts,
            )
            for group in self.tables.groups
        )


def merged_results(
    planes: Sequence[CollectivePlane], places: Sequence[tuple[int, int]], contributions: Sequence[Contribution]
) -> PlaneResults:
    """Return the results of several golden models as those of one plane.

    Parameters:
        planes
        places: Position of the model of each contribution, and of the contribution in it.
        contributions: All contributions.
    """
    if len(planes) == 1:
        return planes[0].results()
    own = [plane.results() for plane in planes]

    def column(name: str) -> np.ndarray:
        found = [getattr(own[plane], name)[position] for plane, position in places]
        return np.array(found, dtype=getattr(own[0], name).dtype)

    names = ("start_cycle", "first_cycle", "done_cycle", "error", "received")
    columns = {name: column(name) for name in names}
    return PlaneResults(contributions=Contributions.of(contributions), words=np.zeros(0, dtype=np.uint64), **columns)


def member_words(operation: int, member: int, words: int, word_bits: int) -> np.ndarray:
    """Return pseudo-random words of a member's contribution, uint64.

    Parameters:
        operation: Position of the operation.
        member: Processor.
        words: Number of words.
        word_bits: Bits of a word.
    """
    if not words:
        return np.zeros(0, dtype=np.uint64)
    first = np.uint64((operation << 40 | member << 20) % (1 << 64))
    mixed = (np.arange(words, dtype=np.uint64) + first) * _SPREAD
    mixed = (mixed ^ mixed >> np.uint64(30)) * _FIRST
    mixed = (mixed ^ mixed >> np.uint64(27)) * _SECOND
    return (mixed ^ mixed >> np.uint64(31)) >> np.uint64(64 - word_bits)
