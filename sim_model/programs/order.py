"""The order in which the operations of a program can run, or the circle in which they wait for each other."""

import heapq
from collections.abc import Sequence

from sim_model.programs.program import Operation, Program, ProgramError, named

MAX_SHOWN = 8
"""Operations of a circle that a message names."""


def runnable_order(program: Program) -> list[int]:
    """Return positions of all operations, each behind what it needs, and otherwise in the order of the file.

    Raises
    ------
    ProgramError
        If operations wait for each other in a circle.
    """
    operations = program.operations
    missing = [len(operation.needs) for operation in operations]
    waiting: list[list[int]] = [[] for _ in operations]
    for position, operation in enumerate(operations):
        for need in operation.needs:
            waiting[need.operation].append(position)
    ready = [position for position, count in enumerate(missing) if count == 0]
    order = []
    while ready:
        position = heapq.heappop(ready)
        order.append(position)
        for follower in waiting[position]:
            missing[follower] -= 1
            if missing[follower] == 0:
                heapq.heappush(ready, follower)
    if len(order) < len(operations):
        raise _circle(operations, {position for position, count in enumerate(missing) if count > 0})
    return order


def _circle(operations: Sequence[Operation], stuck: set[int]) -> ProgramError:
    """Return the error for operations of which each waits for another one of them."""
    walked: dict[int, int] = {}
    position = min(stuck)
    while position not in walked:
        walked[position] = len(walked)
        position = next(need.operation for need in operations[position].needs if need.operation in stuck)
    circle = [operations[number] for number, step in walked.items() if step >= walked[position]]
    text = named(circle[:MAX_SHOWN]) + (" -> ..." if len(circle) > MAX_SHOWN else f" -> {circle[0].name}")
    return ProgramError(f"Operations wait for each other in a circle: {text}", circle[0].line)
