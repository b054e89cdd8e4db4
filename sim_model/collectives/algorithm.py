"""An algorithm of a collective operation: its builder, and its place in hardware."""

from collections.abc import Callable
from typing import NamedTuple

from sim_model.collectives.schedule import Rounds, Schedule


class Case(NamedTuple):
    """Parameters of a schedule.

    Members:
        members: Number of members, at least 1.
        root: Member that sends or gets everything, where there is one.
        segments: Parts of the vector in pipelined algorithms.
    """

    members: int
    root: int = 0
    segments: int = 1

    @property
    def everyone(self) -> range:
        """All members."""
        return range(self.members)

    @property
    def others(self) -> tuple[int, ...]:
        """All members but the root."""
        return tuple(member for member in self.everyone if member != self.root)

    def at(self, distance: int) -> int:
        """Return the member at a distance from the root, in the order of members and around."""
        return (self.root + distance) % self.members


def one_each(case: Case) -> int:
    """Return the parts of algorithms with a part for each member."""
    return case.members


def whole(_case: Case) -> int:
    """Return the parts of algorithms that never cut the vector: one."""
    return 1


class Algorithm(NamedTuple):
    """An algorithm.

    Members:
        build: Adds all rounds for a case.
        parts: Case -> number of parts of a vector; default one for each member.
        in_hardware: It needs multicasts in hardware.
    """

    build: Callable[[Rounds, Case], None]
    parts: Callable[[Case], int] = one_each
    in_hardware: bool = False

    def schedule(self, operation: str, case: Case) -> Schedule:
        """Return the schedule of an operation; empty for one member."""
        rounds = Rounds(case.members)
        if case.members > 1:
            self.build(rounds, case)
        return Schedule(operation, case.members, case.root, self.parts(case), tuple(rounds.transfers))
