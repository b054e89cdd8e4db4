"""Sets of messages in column arrays: the traffic of a network's hosts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from topology.common.errors import FieldError
from topology.common.flits import MAX_MESSAGE_FLITS


@dataclass(frozen=True)
class Message:
    """One message as a record, before it is checked.

    Parameters:
        source: Processor.
        destinations: Processors, in any order; the source and repeats are dropped.
        flits: Length of the whole message, header included.
        start_cycle: It does not start before.
        parents: Numbers of earlier messages that it waits for. Of one that is delivered to this source the tail (of the
            last copy) must have arrived there; of one that this source sends itself the tail must have left the
            injector.
        delay_cycles: Cycles from that event to the earliest start: for all parents alike, or one number for each of
            them.
        group: Logical multicast to which the message belongs; None for one of its own.
        operation: Operation of the network, by the family's own numbers; 0 in families with one operation.
        copies (mapping of int to int, or None): Copies that each destination is to get, where that is not one.
        injection: Over which of its source's injection channels it is sent: the port of the source, 0 if it has only
            one. None: over any of them, see ``spread_unicasts``; the first one without a choice.
    """

    source: int
    destinations: Sequence[int]
    flits: int
    start_cycle: int = 0
    parents: Sequence[int] = ()
    delay_cycles: int | Sequence[int] = 0
    group: int | None = None
    operation: int = 0
    copies: Mapping[int, int] | None = None
    injection: int | None = None

    @property
    def delays(self) -> Sequence[int]:
        """``delay_cycles`` as one number for each parent."""
        return (self.delay_cycles,) * len(self.parents) if isinstance(self.delay_cycles, int) else self.delay_cycles


class MessageError(ValueError):
    """A record that breaks a rule.

    Parameters:
        number: Position of the record.
        problem: "X is Z; it must be Y".
        field: Member of ``Message`` that is wrong; empty if it is none alone.
    """

    def __init__(self, number: int, problem: str, field: str = ""):
        super().__init__(f"Message {number}: {problem}")
        self.number = number
        self.problem = problem
        self.field = field

    @classmethod
    def of(cls, number: int, error: ValueError) -> "MessageError":
        """Return the error of a record, from an error of one of its values.

        Parameters:
            number
            error: Perhaps a FieldError.

        Returns:
            MessageError
        """
        return cls(number, str(error), getattr(error, "field", ""))


@dataclass(frozen=True)
class Messages:
    """M checked messages in columns, with W waits for parents; a message's number is its position.

    Members:
        source (int32[M]): Processor.
        offsets (int64[M + 1]): Message m goes to ``destinations[offsets[m]:offsets[m + 1]]``.
        destinations (int32): Processors, sorted within a message, without its source.
        flits (int32[M]): Whole message, header included.
        start_cycle (int64[M]): The start of a message without parents; others do not start before.
        parent_offsets (int64[M + 1]): Message m waits for ``parents[parent_offsets[m]:parent_offsets[m + 1]]``, see
            ``Message``.
        parents (int32[W]): Earlier messages.
        delay_cycles (int64[W]): From the parent's arrival, or from its tail's leaving the injector, to the earliest
            start.
        group (int32[M]): Messages of one logical multicast share a group.
        operation (int32[M]): See ``Message``.
        injection (int32[M]): Port of the source through which it is sent.
        copies (int32): By position in ``destinations``.
    """

    source: np.ndarray
    offsets: np.ndarray
    destinations: np.ndarray
    flits: np.ndarray
    start_cycle: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray
    delay_cycles: np.ndarray
    group: np.ndarray
    operation: np.ndarray
    injection: np.ndarray
    copies: np.ndarray

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        """Return counts in place of the arrays."""
        flits = int(self.flits.sum())
        return f"<Messages: {len(self):,} to {len(self.destinations):,} destinations, {flits:,} flits>"

    def destinations_of(self, message: int) -> np.ndarray:
        """Return the destinations of one message, sorted.

        Parameters:
            message: Its number, 0 to M - 1.

        Returns:
            int32 array: Processors.
        """
        return self.destinations[self.offsets[message] : self.offsets[message + 1]]

    def parents_of(self, message: int) -> np.ndarray:
        """Return the messages that one message waits for.

        Parameters:
            message: Its number, 0 to M - 1.

        Returns:
            int32 array: Numbers of earlier messages.
        """
        return self.parents[self.parent_offsets[message] : self.parent_offsets[message + 1]]

    @property
    def destination_counts(self) -> np.ndarray:
        """Number of destinations of each message, int64[M]; 1 is a unicast."""
        return np.diff(self.offsets)

    @property
    def message_of_destination(self) -> np.ndarray:
        """Message of each entry of ``destinations``, int64."""
        return np.repeat(np.arange(len(self)), self.destination_counts)

    @property
    def parent_counts(self) -> np.ndarray:
        """Number of parents of each message, int64[M]; 0 if its start is given."""
        return np.diff(self.parent_offsets)

    @classmethod
    def build(
        cls,
        records: Iterable[Message],
        *,
        processors: int,
        header_flits: Callable[[Sequence[int]], int],
        injection_channels: int = 1,
    ) -> "Messages":
        """Return the records in columns, checked.

        Parameters:
            records
            processors: Number of processors of the network.
            header_flits: Header length in flits for a destination set, such as ``SpamRouting.header_flits``.
            injection_channels: Injection channels of each processor.

        Raises:
            MessageError: "Message 3: X is Z; it must be Y" (a ValueError) for the first record that breaks a rule.
        """
        columns = _Columns()
        for number, record in enumerate(records):
            try:
                columns.add(number, record, processors, header_flits)
                _check_injection(record.injection or 0, injection_channels)
            except ValueError as error:
                raise MessageError.of(number, error) from None
        return columns.messages()


@dataclass
class _Columns:
    """Rows under construction."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    destinations: list[tuple[int, ...]] = field(default_factory=list)
    parents: list[Sequence[int]] = field(default_factory=list)
    delays: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)

    def add(self, number: int, record: Message, processors: int, header_flits) -> None:
        destinations = checked_destinations(record, processors)
        _check_length(record.flits, header_flits(destinations))
        if record.start_cycle < 0:
            raise FieldError("start_cycle", f"Start cycle is {record.start_cycle!r}; it must be at least 0")
        self._add_parents(number, record)
        group = number if record.group is None else record.group
        start, injection = record.start_cycle, record.injection or 0
        self.rows.append((record.source, record.flits, start, group, record.operation, injection))
        self.destinations.append(destinations)
        wanted = record.copies or {}
        self.copies += [wanted.get(destination, 1) for destination in destinations]

    def _add_parents(self, number: int, record: Message) -> None:
        delays = record.delays
        if len(delays) != len(record.parents):
            text = f"Number of delays is {len(delays)}; it must be {len(record.parents)}, that of the parents"
            raise FieldError("delay_cycles", text)
        for parent, delay in zip(record.parents, delays, strict=True):
            self._check_parent(number, record.source, parent)
            if delay < 0:
                raise FieldError("delay_cycles", f"Delay is {delay!r}; it must be at least 0 cycles")
        self.parents.append(record.parents)
        self.delays += delays

    def _check_parent(self, number: int, source: int, parent: int) -> None:
        if not 0 <= parent < number:
            raise FieldError("parents", f"Parent is {parent!r}; it must be an earlier message")
        if source != self.rows[parent][0] and source not in self.destinations[parent]:
            text = f"Parent is {parent!r}; it must be a message that processor {source} gets or sends"
            raise FieldError("parents", text)

    def messages(self) -> Messages:
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * 6
        source, flits, start, group, operation, injection = columns
        offsets, destinations = _flattened(self.destinations)
        parent_offsets, parents = _flattened(self.parents)
        return Messages(
            source=np.array(source, dtype=np.int32),
            offsets=offsets,
            destinations=destinations,
            flits=np.array(flits, dtype=np.int32),
            start_cycle=np.array(start, dtype=np.int64),
            parent_offsets=parent_offsets,
            parents=parents,
            delay_cycles=np.array(self.delays, dtype=np.int64),
            group=np.array(group, dtype=np.int32),
            operation=np.array(operation, dtype=np.int32),
            injection=np.array(injection, dtype=np.int32),
            copies=np.array(self.copies, dtype=np.int32),
        )


def _flattened(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first index of each list in their concatenation, and the concatenation."""
    offsets = np.concatenate(([0], np.cumsum([len(numbers) for numbers in lists])))
    flat = [number for numbers in lists for number in numbers]
    return offsets.astype(np.int64), np.array(flat, dtype=np.int32)


def checked_destinations(record: Message, processors: int) -> tuple[int, ...]:
    """Return the destinations of a record, sorted, without its source and repeats.

    Raises:
        ValueError: "X is Z; it must be Y" if a processor is not there, or none but the source is named.
    """
    last = processors - 1
    if not 0 <= record.source <= last:
        raise FieldError("source", f"Source is {record.source!r}; it must be a processor, 0 to {last}")
    for destination in record.destinations:
        if not 0 <= destination <= last:
            raise FieldError("destinations", f"Destination is {destination!r}; it must be a processor, 0 to {last}")
    destinations = tuple(sorted(set(record.destinations) - {record.source}))
    if not destinations:
        given = list(record.destinations)
        text = f"Destinations must name a processor other than the source {record.source}, not {given!r}"
        raise FieldError("destinations", text)
    return destinations


def _check_injection(injection: int, injection_channels: int) -> None:
    if not 0 <= injection < injection_channels:
        allowed = "0" if injection_channels == 1 else f"0 to {injection_channels - 1}"
        raise FieldError("injection", f"Injection channel is {injection!r}; it must be {allowed}")


def _check_length(flits: int, header_flits: int) -> None:
    if flits < header_flits:
        raise FieldError("flits", f"Length is {flits!r}; it must be at least the {header_flits} header flits")
    if flits > MAX_MESSAGE_FLITS:
        raise FieldError("flits", f"Length is {flits!r}; it must be at most {MAX_MESSAGE_FLITS} flits")
