"""Collective operations in programs: transfers as sends of ranks, receipts and computations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sim_model.collectives.algorithm import Case
from sim_model.collectives.registry import schedule_of
from sim_model.collectives.schedule import ALL_TO_ALL, BARRIER, Schedule
from sim_model.programs.program import Need, Operation, PlaneCall

ALGORITHMS = {
    "all-reduce": "ring",
    "reduce": "linear",
    "all-gather": "ring",
    "gather": "linear",
    "scatter": "linear",
    "broadcast": "multicast",
    "all-to-all": "linear",
    "reduce-scatter": "ring",
    "reduce-scatter-block": "ring",
    "barrier": "dissemination",
}
"""Algorithms of Chakra's operations by default; the numbers of its types are their positions."""
SYNONYMS = {"reduce-scatter-block": "reduce-scatter"}
"""Operations of Chakra that have another name elsewhere."""


def default_schedule(name: str, ranks: Sequence[int], root: int, _size: int) -> Schedule:
    """Return the schedule of one of Chakra's operations by its default algorithm.

    Parameters:
        name: One of ``ALGORITHMS``.
        ranks: Rank of each member.
        root: Member that sends or gets everything, where there is one.
    """
    return schedule_of(SYNONYMS.get(name, name), ALGORITHMS[name], Case(len(ranks), root))


ScheduleOf = Callable[[str, Sequence[int], int, int], Schedule | None]
"""Schedule of an operation, from its name, the ranks of its members, its root and its bytes; None for an operation on
the collective plane."""


def no_computation(_flits: int) -> int:
    """Return the duration of combining received data where it takes no time."""
    return 0


@dataclass(frozen=True)
class Call:
    """A collective operation in a program.

    Members:
        names: Name of each member's operations, for messages.
        schedule
        sizes: Size of each part by number, see ``Schedule.sizes``.
        ranks: Rank of each member.
        begins: Position of the local operation at which each member begins.
        ends: Position of the local operation at which each member has ended; it must have no other use.
        longest: Longest message; longer transfers are several messages. None: no limit.
        duration_of: Size of received data -> duration of combining it with one's own.
        in_order: A send that waits for receipts waits for the earlier sends of its member too, as in a program that
            exchanges messages in turn. Its beginning need not be repeated then, nor at the end what a send has waited
            for, so that dependencies stay few.
        channels: Injection channels of a host. With one, all sends of a member wait for its earlier ones if they are in
            order: it sends them one after the other anyway.
    """

    names: Sequence[str]
    schedule: Schedule
    sizes: Sequence[int]
    ranks: Sequence[int]
    begins: Sequence[int]
    ends: Sequence[int]
    longest: int | None = None
    duration_of: Callable[[int], int] = no_computation
    in_order: bool = True
    channels: int = 1


def add_collective(operations: list[Operation], call: Call) -> None:
    """Add the operations of a call to a program.

    Combinations of one part at one member follow each other in the order of the schedule; those of different parts are
    side by side.
    """
    added = _Added(operations, call)
    for number in range(len(call.schedule.transfers)):
        added.send(number)
    added.finish()


def add_operation(
    operations: list[Operation],
    name: str,
    schedule: Schedule | None,
    size_bytes: int,
    ranks: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
) -> PlaneCall | None:
    """Add a named operation to a program.

    Parameters:
        operations
        name: One of ``ALGORITHMS``.
        schedule: None for the collective plane.
        size_bytes: Of one member's vector; parts are rounded up. A barrier has none.
        ranks, begins, ends: See ``Call``.

    Returns:
        The call of the plane; None for an operation by messages.
    """
    size_bytes = 0 if name == BARRIER else size_bytes
    if schedule is None:
        return add_plane_call(operations, SYNONYMS.get(name, name), size_bytes, ranks, begins, ends)
    parts = schedule.parts * (schedule.members if name == ALL_TO_ALL else 1)
    call = Call(
        names=[f"{name} of {operations[begin].name}" for begin in begins],
        schedule=schedule,
        sizes=[-(-size_bytes // schedule.parts)] * parts,
        ranks=ranks,
        begins=begins,
        ends=ends,
        in_order=False,
    )
    add_collective(operations, call)
    return None


def add_plane_call(
    operations: list[Operation],
    operation: str,
    size_bytes: int,
    ranks: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
) -> PlaneCall:
    """Add the contributions of an operation on the collective plane to a program.

    Parameters:
        operations
        operation: Name.
        size_bytes: Of one member's vector.
        ranks, begins, ends: See ``Call``.
    """
    first = len(operations)
    for rank, begin, end in zip(ranks, begins, ends, strict=True):
        operations[end].needs.append(Need(len(operations)))
        name = f"{operation} of {operations[begin].name}"
        operations.append(Operation(rank, name, needs=[Need(begin)], contributes=True))
    return PlaneCall(operation, tuple(ranks), size_bytes, range(first, len(operations)))


class _Added:
    """A call while it is added.

    A receipt is known by its transfer and its receiver. Its needs are positions of operations: the sends of its
    messages, or the computation that combines them.
    """

    def __init__(self, operations: list[Operation], call: Call):
        self._operations, self._call = operations, call
        members = call.schedule.members
        self._receipts: dict[tuple[int, int], list[int]] = {}
        self._combined: dict[tuple[int, int], int] = {}  # last computation by member and part
        self._sent: list[list[int]] = [[] for _ in range(members)]  # sends that no later one has waited for
        self._open: list[dict[int, None]] = [{} for _ in range(members)]  # receipts that no send has waited for

    def send(self, number: int) -> None:
        call = self._call
        transfer = call.schedule.transfers[number]
        sender = transfer.sender
        needed = [position for before in transfer.after for position in self._receipts[before, sender]]
        if call.in_order and self._sent[sender] and (transfer.after or call.channels == 1):
            needed += self._sent[sender]
            self._sent[sender] = []
        else:
            needed.append(call.begins[sender])
        if call.in_order:
            for before in transfer.after:
                self._open[sender].pop(before, None)
        receivers = tuple(call.ranks[receiver] for receiver in transfer.receivers)
        size = sum(call.sizes[part] for part in transfer.parts)
        sends = []
        for part_size in self._message_sizes(size):
            sends.append(len(self._operations))
            needs = [Need(position) for position in dict.fromkeys(needed)]
            self._operations.append(Operation(call.ranks[sender], call.names[sender], 0, receivers, part_size, needs))
        self._sent[sender] += sends
        for receiver in transfer.receivers:
            self._receive(number, receiver, sends)

    def _message_sizes(self, size: int) -> list[int]:
        longest = self._call.longest or max(size, 1)
        return [longest] * ((size - 1) // longest) + [(size - 1) % longest + 1] if size else [0]

    def _receive(self, number: int, receiver: int, sends: list[int]) -> None:
        transfer = self._call.schedule.transfers[number]
        self._receipts[number, receiver] = sends
        self._open[receiver][number] = None
        duration = 0
        if transfer.combines:
            duration = self._call.duration_of(sum(self._call.sizes[part] for part in transfer.parts))
        if duration:
            before = {self._combined.get((receiver, part)): None for part in transfer.parts}
            needs = [Need(position) for position in (*sends, *before) if position is not None]
            position = len(self._operations)
            rank, name = self._call.ranks[receiver], self._call.names[receiver]
            self._operations.append(Operation(rank, name, duration, needs=needs))
            self._receipts[number, receiver] = [position]
            self._combined.update(((receiver, part), position) for part in transfer.parts)

    def finish(self) -> None:
        for member, end in enumerate(self._call.ends):
            needed = [position for receipt in self._open[member] for position in self._receipts[receipt, member]]
            needed += self._sent[member]
            if not (needed or self._operations[end].needs):
                needed = [self._call.begins[member]]
            self._operations[end].needs += [Need(position) for position in needed]
