"""Collective operations of processors, one after the other at each of them, as messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from sim_model.collectives.algorithm import Case
from sim_model.collectives.closed_forms import Form, form_of
from sim_model.collectives.registry import PLANE, schedule_of
from sim_model.collectives.schedule import Schedule
from sim_model.messages.messages import Message
from sim_model.programs.collectives import Call, add_collective
from sim_model.programs.lowering import Moment, lowered
from sim_model.programs.program import Need, Operation, Program, ProgramError

MAX_MESSAGES = 1_000_000
"""Messages and contributions of all operations together; more take gigabytes."""


@dataclass(frozen=True)
class Collective:
    """A collective operation of some processors.

    Members:
        operation: Name.
        algorithm: Name.
        processors: Member m is the m-th one.
        flits: Length of one member's vector.
        root: Member that sends or gets everything, where there is one.
        segments: Parts of the vector in pipelined algorithms.
        times: It is performed so often, each time after the one before.
        compute_cycles_per_flit: Of a host that combines received flits with its own; rounded for each receipt.
        longest: Flits of the longest message without its header; longer transfers are several messages.
        chosen: The algorithm was chosen by size.
    """

    operation: str
    algorithm: str
    processors: tuple[int, ...]
    flits: int = 0
    root: int = 0
    segments: int = 1
    times: int = 1
    compute_cycles_per_flit: float = 0.0
    longest: int | None = None
    chosen: bool = False

    @property
    def case(self) -> Case:
        """Parameters of its schedule."""
        return Case(len(self.processors), self.root, self.segments)

    @property
    def on_plane(self) -> bool:
        """True if the collective plane performs it."""
        return self.algorithm == PLANE

    @property
    def form(self) -> Form:
        """Closed forms of its schedule."""
        return form_of(self.operation, self.algorithm, self.case)

    def combine_cycles(self, flits: int) -> int:
        """Return the cycles in which a host combines received flits with its own."""
        return round(flits * self.compute_cycles_per_flit)


@dataclass(frozen=True)
class Performance:
    """One performance of a collective operation.

    Members:
        collective: Position of the operation among all.
        rounds: Rounds of its schedule.
        messages: Numbers of its messages.
        contributions: Numbers of its contributions to the collective plane, in the order of the members.
        delays (mapping of (int, int) to int): Cycles from the arrival of a message at a processor to the end of the
            computations that follow there, by message and processor; where there are any.
    """

    collective: int
    rounds: int
    messages: Sequence[int]
    contributions: Sequence[int] = ()
    delays: Mapping[tuple[int, int], int] = field(default_factory=dict)


class CollectiveError(ProgramError):
    """A collective operation that cannot be performed.

    Parameters:
        problem: "X is Z; it must be Y".
        collective: Position of the operation among all.
    """

    def __init__(self, problem: str, collective: int):
        super().__init__(problem)
        self.collective = collective


class Performed(NamedTuple):
    """Messages of collective operations, and their contributions to the collective plane.

    Members:
        records: Each behind those that it waits for.
        performances: In the order of the operations and their times.
        starts: Moment at which each contribution starts, without start-up.
        held: Contributions that messages wait for, by message, with the delay after the end of each result.
    """

    records: list[Message]
    performances: list[Performance]
    starts: list[Moment]
    held: dict[int, dict[int, int]]

    def performance_of(self, record: int) -> Performance:
        """Return the performance that a message belongs to."""
        return next(one for one in self.performances if record in one.messages)


class _Span(NamedTuple):
    collective: int
    rounds: int
    first: int
    ends: list[int]


def perform(
    collectives: Sequence[Collective],
    processors: int,
    header_flits: Callable[[Sequence[int]], int],
    channels: int = 1,
    most_messages: int = MAX_MESSAGES,
) -> Performed:
    """Return the messages of collective operations. Those of algorithm ``plane`` are contributions in their place.

    Each processor takes part in its operations in their order, and begins one when its previous one has ended there:
    when what it sends has left and what it gets has come and is combined. Operations without common processors overlap
    in time.

    Parameters:
        collectives
        processors: Number of processors of the network.
        header_flits: Header length in flits for a destination set.
        channels: Injection channels of each processor.
        most_messages: Maximum number of all messages.

    Raises:
        CollectiveError: If there are more.
    """
    operations: list[Operation] = []
    ended: dict[int, int] = {}  # operation at which each processor has ended
    spans, messages = [], 0
    for number, collective in enumerate(collectives):
        if collective.on_plane:
            messages += collective.times * len(collective.processors)
            _check_count(messages, most_messages, number)
            for _ in range(collective.times):
                spans.append(_contribute(operations, collective, number, ended))
            continue
        _check_count(messages + collective.times * collective.form.messages, most_messages, number)
        schedule = schedule_of(collective.operation, collective.algorithm, collective.case)
        sizes = schedule.sizes(collective.flits)
        messages += collective.times * _messages(schedule, sizes, collective.longest)
        _check_count(messages, most_messages, number)
        names = [f"{collective.operation} of processor {processor}" for processor in collective.processors]
        for _ in range(collective.times):
            first, size = len(operations), len(collective.processors)
            begins, ends = list(range(first, first + size)), list(range(first + size, first + 2 * size))
            for processor, name in zip(collective.processors, names, strict=True):
                needs = [Need(ended[processor])] if processor in ended else []
                operations.append(Operation(processor, name, needs=needs))
            operations += [
                Operation(processor, name) for processor, name in zip(collective.processors, names, strict=True)
            ]
            call = Call(
                names,
                schedule,
                sizes,
                collective.processors,
                begins,
                ends,
                longest=collective.longest,
                duration_of=collective.combine_cycles,
                channels=channels,
            )
            add_collective(operations, call)
            ended.update(zip(collective.processors, ends, strict=True))
            spans.append(_Span(number, schedule.rounds, first, ends))
    return _performed(operations, spans, processors, header_flits)


def _contribute(operations: list[Operation], collective: Collective, number: int, ended: dict[int, int]) -> _Span:
    """Add one performance on the plane: a contribution of each member."""
    first = len(operations)
    ends = list(range(first, first + len(collective.processors)))
    for processor in collective.processors:
        needs = [Need(ended[processor])] if processor in ended else []
        name = f"{collective.operation} of processor {processor}"
        operations.append(Operation(processor, name, needs=needs, contributes=True))
    ended.update(zip(collective.processors, ends, strict=True))
    return _Span(number, 1, first, ends)


def _check_count(messages: int, most: int, collective: int) -> None:
    if messages > most:
        text = f"Number of messages up to this operation is {messages:,}; it must be at most {most:,}"
        raise CollectiveError(text, collective)


def _messages(schedule: Schedule, sizes: Sequence[int], longest: int | None) -> int:
    """Return the number of messages of a schedule."""
    if longest is None:
        return len(schedule.transfers)
    lengths = (sum(sizes[part] for part in transfer.parts) for transfer in schedule.transfers)
    return sum(max(1, -(-length // longest)) for length in lengths)


def _performed(
    operations: list[Operation], spans: list[_Span], processors: int, header_flits: Callable[[Sequence[int]], int]
) -> Performed:
    def flits_of(body_flits: int, nodes: Sequence[int]) -> int:
        return header_flits(nodes) + body_flits

    marks = [end for span in spans for end in span.ends]
    found = lowered(Program(processors, operations), range(processors), flits_of, marks=marks)
    span_at = [number for number, size in enumerate(_sizes(spans, len(operations))) for _ in range(size)]
    messages: list[list[int]] = [[] for _ in spans]
    for message, position in enumerate(found.positions):
        messages[span_at[position]].append(message)
    contributions: list[list[int]] = [[] for _ in spans]
    for position, contribution in sorted((place, number) for number, place in enumerate(found.contributions)):
        contributions[span_at[position]].append(contribution)
    performances = [
        Performance(span.collective, span.rounds, sent, given, _delays(operations, span, found.ends, found.records))
        for span, sent, given in zip(spans, messages, contributions, strict=True)
    ]
    return Performed(found.records, performances, found.starts, found.held)


def _sizes(spans: list[_Span], operations: int) -> list[int]:
    """Return the number of operations of each performance."""
    firsts = [*(span.first for span in spans), operations]
    return [last - first for first, last in pairwise(firsts)]


def _delays(
    operations: list[Operation], span: _Span, ends: Mapping[int, Moment], records: Sequence[Message]
) -> dict[tuple[int, int], int]:
    """Return the delays behind the arrivals of a performance's messages."""
    found = {}
    for end in span.ends:
        processor = operations[end].rank
        for message, delay in ends[end].messages.items():
            if delay and records[message].source != processor:
                found[message, processor] = delay
    return found
