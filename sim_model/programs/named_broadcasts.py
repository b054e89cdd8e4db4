"""Broadcasts of a program by another algorithm than one message."""

from collections import defaultdict

from sim_model.programs.collectives import ScheduleOf, add_operation
from sim_model.programs.program import Need, Operation, Program

BROADCAST = "broadcast"


def replace_broadcasts(program: Program, schedule_of: ScheduleOf) -> None:
    """Replace each message to several ranks by the messages of a schedule, in place.

    A member forwards a message when it has arrived, whatever else its rank does. What needs the message needs the end
    of the broadcast at its own rank instead.

    Parameters:
        program
        schedule_of: Schedules; none of the collective plane.
    """
    operations = program.operations
    behind: dict[int, list[int]] = defaultdict(list)  # operations that need each message
    for position, operation in enumerate(operations):
        for need in operation.needs:
            if not need.started:
                behind[need.operation].append(position)
    for position in [number for number, operation in enumerate(operations) if len(operation.destinations) > 1]:
        sent = operations[position]
        ranks = sorted({sent.rank, *sent.destinations})
        first = len(operations)
        operations += [Operation(rank, f"{sent.name} at rank {rank}", line=sent.line) for rank in (*ranks, *ranks)]
        begins = [position if rank == sent.rank else first + member for member, rank in enumerate(ranks)]
        end_of = {rank: first + len(ranks) + member for member, rank in enumerate(ranks)}
        schedule = schedule_of(BROADCAST, ranks, ranks.index(sent.rank), sent.size_bytes)
        for number in behind[position]:
            own = operations[number]
            own.needs = [Need(end_of[own.rank]) if need == Need(position) else need for need in own.needs]
        size_bytes, sent.destinations, sent.size_bytes = sent.size_bytes, (), 0
        add_operation(operations, BROADCAST, schedule, size_bytes, ranks, begins, list(end_of.values()))
