"""One order of a program's operations on the collective plane at all ranks.

Ranks run operations side by side that do not need each other, and an endpoint of the plane has one stream for all
groups. If two ranks began two operations in different orders, both would wait for ever. So each rank begins its
operations on the plane in a common order: by the number of operations on the plane that precede them, then by file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sim_model.programs.lowering import runnable_order
from sim_model.programs.program import Need, Operation, PlaneCall, Program


def order_plane_calls(ranks: int, operations: list[Operation], calls: Sequence[PlaneCall]) -> None:
    """Let each rank begin its operations on the plane in the common order, by further needs of its contributions.

    Parameters:
        ranks
        operations: All operations of a program, which are changed.
        calls: Its operations on the plane.

    Raises:
        ProgramError: If operations wait for each other in a circle, since an operation on the plane ends for no member
            before all have begun it.
    """
    call_of = {position: number for number, call in enumerate(calls) for position in call.contributions}
    first = len(operations)

    def with_meetings(needs: Sequence[Need]) -> Iterator[Need]:
        """Yield the needs; the end of a contribution is that of the whole operation."""
        for need in needs:
            yield need
            if not need.started and need.operation in call_of:
                yield Need(first + call_of[need.operation])

    together = [replace(operation, needs=list(with_meetings(operation.needs))) for operation in operations]
    together += [
        Operation(call.ranks[0], call.operation, needs=[Need(position) for position in call.contributions])
        for call in calls
    ]
    preceding = [0] * len(together)
    for position in runnable_order(Program(ranks, together)):
        own = max((preceding[need.operation] for need in together[position].needs), default=0)
        preceding[position] = own + (position >= first)
    last: dict[int, int] = {}
    for number in sorted(range(len(calls)), key=lambda number: preceding[first + number]):
        for rank, position in zip(calls[number].ranks, calls[number].contributions, strict=True):
            if rank in last:
                operations[position].needs.append(Need(last[rank], started=True))
            last[rank] = position
