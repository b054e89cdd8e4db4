"""A program: operations of ranks that wait for each other, as Netrace, GOAL, Chakra and MSCCL files all describe one.

An operation is local, such as a computation or the receipt of a message, or sends a message to one or several ranks. A
receipt is a local operation of the receiver that needs the end of the sender's operation. An operation may also be a
contribution to a collective operation in hardware, which ends for its rank with the result.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class ProgramError(ValueError):
    """Something wrong in a program's file.

    Parameters:
        problem: "X is Z; it must be Y"; in files without lines it begins with the place.
        line: Line, counted from 1, in files that have lines.
    """

    def __init__(self, problem: str, line: int | None = None):
        super().__init__(problem if line is None else f"line {line}: {problem}")
        self.problem = problem
        self.line = line


class Need(NamedTuple):
    """A dependency of an operation.

    Members:
        operation: Position of another operation in the program.
        started: It need only have started; else it must have ended. A message ends for its sender when its tail has
            left the injector, and for a receiver when its tail has arrived.
    """

    operation: int
    started: bool = False


@dataclass(slots=True)
class Operation:
    """An action of a rank.

    Members:
        rank
        name: Name in messages, such as ``l3 of rank 2``.
        duration: Of a local operation, in the file's unit of time.
        destinations: Ranks that get the message; empty for a local operation.
        size_bytes: Of the message, headers of the network not counted.
        needs
        earliest: It does not start before, in the file's unit of time.
        line: Line of the operation, in files that have lines.
        contributes: It is a contribution to an operation of the collective plane.
    """

    rank: int
    name: str
    duration: int = 0
    destinations: tuple[int, ...] = ()
    size_bytes: int = 0
    needs: list[Need] = field(default_factory=list)
    earliest: int = 0
    line: int | None = None
    contributes: bool = False


class PlaneCall(NamedTuple):
    """An operation of the collective plane in a program.

    Members:
        operation: Name, such as ``all-reduce``.
        ranks: Rank of each member.
        size_bytes: Of one member's vector.
        contributions: Position of each member's contribution.
    """

    operation: str
    ranks: Sequence[int]
    size_bytes: int
    contributions: Sequence[int]


@dataclass(frozen=True)
class Program:
    """All operations of all ranks.

    Members:
        ranks
        operations: In the order of the file.
        plane_calls: Operations of the collective plane.
    """

    ranks: int
    operations: list[Operation]
    plane_calls: Sequence[PlaneCall] = ()

    @property
    def sends(self) -> int:
        """Operations that send a message."""
        return sum(bool(operation.destinations) for operation in self.operations)

    @property
    def dependencies(self) -> int:
        """Pairs of an operation and another one that it needs."""
        return sum(len(operation.needs) for operation in self.operations)


def check_rank(what: str, rank: int, ranks: int, line: int | None = None) -> None:
    """Refuse a rank that a program does not have.

    Raises:
        ProgramError: "WHAT is 9; it must be a rank, 0 to 7".
    """
    if not 0 <= rank < ranks:
        raise ProgramError(f"{what} is {rank}; it must be a rank, 0 to {ranks - 1}", line)


def named(operations: Iterable[Operation]) -> str:
    """Return operations as text, with their lines where known."""
    return " -> ".join(
        operation.name if operation.line is None else f"{operation.name} (line {operation.line})"
        for operation in operations
    )
