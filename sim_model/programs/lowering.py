"""From a program to dependent messages.

Work of a rank between messages takes time but no hardware, so it is folded into the waits: every operation starts at
the latest of some events, each with a delay, and of a cycle that is known; local operations add their durations, and a
message waits for exactly those messages that it needs through local operations alone. Operations of a rank that do not
need each other run side by side. Ranks may share a node; messages between them take no time.
"""

import heapq
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from sim_model.messages.messages import Message
from sim_model.programs.program import Operation, Program, ProgramError, named

MAX_SHOWN = 8
"""Operations of a circle that a message names."""


def runnable_order(program: Program) -> list[int]:
    """Return positions of all operations, each behind what it needs, and otherwise in the order of the file.

    Raises:
        ProgramError: If operations wait for each other in a circle.
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


class Moment(NamedTuple):
    """The latest of a cycle, if one is known, and of events of messages and contributions, each with a delay.

    Members:
        cycle
        delays (mapping of int to int): Cycles after the event of each message; never changed once made. Contribution c
            has the key ``~c``, which is negative.
    """

    cycle: int | None
    delays: dict[int, int]

    def later(self, cycles: int) -> "Moment":
        """Return the moment some cycles later."""
        if cycles == 0:
            return self
        cycle = None if self.cycle is None else self.cycle + cycles
        return Moment(cycle, {message: delay + cycles for message, delay in self.delays.items()})

    @property
    def messages(self) -> dict[int, int]:
        """Delays by message."""
        return {event: delay for event, delay in self.delays.items() if event >= 0}

    @property
    def contributions(self) -> dict[int, int]:
        """Delays by contribution."""
        return {~event: delay for event, delay in self.delays.items() if event < 0}


class Lowered(NamedTuple):
    """The messages of a program.

    Members:
        records: Each behind those that it waits for.
        operations: The operation that sends each of them.
        positions: Position in the program of each of these operations.
        ends: Moments at which the marked operations end, by position.
        contributions: Position in the program of each contribution.
        starts: Moment at which each contribution starts.
        held: Contributions that messages wait for, by message, with the delay after the end of each result.
    """

    records: list[Message]
    operations: list[Operation]
    positions: list[int]
    ends: dict[int, Moment]
    contributions: list[int]
    starts: list[Moment]
    held: dict[int, dict[int, int]]


def _latest(moments: Sequence[Moment]) -> Moment:
    if len(moments) == 1:
        return moments[0]
    delays: dict[int, int] = {}
    for moment in moments:
        for message, delay in moment.delays.items():
            delays[message] = max(delay, delays.get(message, 0))
    return Moment(max((moment.cycle for moment in moments if moment.cycle is not None), default=None), delays)


def lowered(
    program: Program,
    node_of: Sequence[int],
    flits_of: Callable[[int, Sequence[int]], int],
    cycles_per_unit: float = 1.0,
    marks: Collection[int] = (),
) -> Lowered:
    """Return the messages of a program.

    Parameters:
        node_of: Processor of each rank.
        flits_of: Length of a message, from its bytes and its destinations.
        cycles_per_unit: Cycles in the file's unit of time; durations are rounded to whole cycles.
        marks: Positions of local operations whose ends are returned.

    Raises:
        ProgramError: If operations wait for each other in a circle, or one for a message that its rank neither gets nor
            sends.
    """
    lowering = _Lowering(program, node_of, flits_of, cycles_per_unit)
    for position in runnable_order(program):
        lowering.add(position)
    lowering.result.ends.update((position, lowering.end_of(position)) for position in marks)
    return lowering.result


class _Lowering:
    """Operations added one by one, each behind what it needs."""

    def __init__(self, program: Program, node_of: Sequence[int], flits_of, cycles_per_unit: float):
        self._operations, self._node_of, self._flits_of = program.operations, node_of, flits_of
        self._cycles_per_unit = cycles_per_unit
        self._start: dict[int, Moment] = {}
        self._end: dict[int, Moment] = {}
        self._message: dict[int, int] = {}  # number of the message that an operation sends
        self.result = Lowered([], [], [], {}, [], [], {})

    def add(self, position: int) -> None:
        operation = self._operations[position]
        start = self._start[position] = self._start_of(operation)
        if operation.contributes:
            self._end[position] = Moment(None, {~len(self.result.contributions): 0})
            self.result.contributions.append(position)
            self.result.starts.append(start)
            return
        source = self._node_of[operation.rank]
        nodes = sorted({self._node_of[rank] for rank in operation.destinations} - {source})
        if nodes:
            self._message[position] = number = len(self.result.records)
            if start.contributions:
                self.result.held[number] = start.contributions
            self.result.records.append(self._message_of(operation, source, nodes, start))
            self.result.operations.append(operation)
            self.result.positions.append(position)
        else:
            self._end[position] = start.later(self._cycles(operation.duration))

    def end_of(self, position: int) -> Moment:
        """Return the end of a local operation that is added."""
        return self._end[position]

    def _cycles(self, units: int) -> int:
        return round(units * self._cycles_per_unit)

    def _message_of(self, operation: Operation, source: int, nodes: list[int], start: Moment) -> Message:
        parents = sorted(start.messages)
        return Message(
            source,
            tuple(nodes),
            self._flits_of(operation.size_bytes, nodes),
            start_cycle=start.cycle or 0,
            parents=tuple(parents),
            delay_cycles=tuple(start.delays[parent] for parent in parents),
        )

    def _start_of(self, operation: Operation) -> Moment:
        moments = [
            self._start[need.operation] if need.started else self._end_for(operation, need.operation)
            for need in operation.needs
        ]
        if operation.earliest or not moments:
            moments.append(Moment(self._cycles(operation.earliest), {}))
        return _latest(moments)

    def _end_for(self, operation: Operation, needed: int) -> Moment:
        """Return the moment when a needed operation has ended for the rank of another one."""
        if needed in self._end:
            return self._end[needed]
        node, rank = self._node_of[operation.rank], operation.rank
        sender = self._operations[needed]
        if rank != sender.rank and rank not in sender.destinations:
            text = f"{operation.name} must wait for what its rank gets or sends, not for {sender.name}"
            raise ProgramError(text, operation.line)
        if rank != sender.rank and node == self._node_of[sender.rank]:
            return self._start[needed]  # within a node nothing is sent
        return Moment(None, {self._message[needed]: 0})
