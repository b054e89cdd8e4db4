"""Messages as columns before they are checked: the form of drawn traffic, without an object for each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import overload

import numpy as np

from sim_model.messages.header_lengths import header_lengths
from sim_model.messages.messages import Message, Messages
from topology.common.flits import MAX_MESSAGE_FLITS

ANY = -1
"""Injection channel of a message that may take any."""


@dataclass(frozen=True, eq=False)
class MessageColumns(Sequence[Message]):
    """M unchecked messages; as a sequence, a record for each.

    Members:
        source (int32[M]): Processor.
        offsets (int64[M + 1]): Message m goes to ``destinations[offsets[m]:offsets[m + 1]]``.
        destinations (int32): Processors, sorted within a message.
        flits (int32[M]): Whole message, header included.
        start_cycle (int64[M])
        operation (int32[M]): See ``Message``.
        injection (int32[M]): Port of the source through which it is sent, or ``ANY``.
        parent_offsets (int64[M + 1]): Message m waits for ``parents[parent_offsets[m]:parent_offsets[m + 1]]``.
        parents (int32[W]): See ``Message``.
        delay_cycles (int64[W]): By position in ``parents``.
        group (int32[M] or None): See ``Message``; None for one of its own for each.
        copies (int32 or None): By position in ``destinations``: copies that it is to get; None for one each.
    """

    source: np.ndarray
    offsets: np.ndarray
    destinations: np.ndarray
    flits: np.ndarray
    start_cycle: np.ndarray
    operation: np.ndarray
    injection: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray
    delay_cycles: np.ndarray
    group: np.ndarray | None = None
    copies: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        *,
        source: np.ndarray,
        destinations: np.ndarray,
        flits: np.ndarray,
        start_cycle: np.ndarray,
        counts: np.ndarray | None = None,
    ) -> "MessageColumns":
        """Return messages without operations, injection channels and parents.

        Parameters:
            source (int[M]): Processor.
            destinations (int[F]): Of one message after the other, sorted within a message.
            flits (int[M]): Whole message, header included.
            start_cycle (int[M])
            counts (int[M] or None): Destinations of each message, F together; default 1.
        """
        messages = len(source)
        offsets = np.arange(messages + 1) if counts is None else np.concatenate(([0], np.cumsum(counts)))
        return cls(
            source=source.astype(np.int32, copy=False),
            offsets=offsets.astype(np.int64, copy=False),
            destinations=destinations.astype(np.int32, copy=False),
            flits=flits.astype(np.int32, copy=False),
            start_cycle=start_cycle.astype(np.int64, copy=False),
            operation=np.zeros(messages, dtype=np.int32),
            injection=np.full(messages, ANY, dtype=np.int32),
            parent_offsets=np.zeros(messages + 1, dtype=np.int64),
            parents=np.zeros(0, dtype=np.int32),
            delay_cycles=np.zeros(0, dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.source)

    @overload
    def __getitem__(self, number: int) -> Message: ...

    @overload
    def __getitem__(self, number: slice) -> list[Message]: ...

    def __getitem__(self, number: int | slice) -> Message | list[Message]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(f"Number of a message is {number}; it must be 0 to {len(self) - 1}")
        number %= len(self)
        injection = int(self.injection[number])
        waits = slice(int(self.parent_offsets[number]), int(self.parent_offsets[number + 1]))
        goes = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        destinations = tuple(self.destinations[goes].tolist())
        return Message(
            int(self.source[number]),
            destinations,
            int(self.flits[number]),
            start_cycle=int(self.start_cycle[number]),
            parents=tuple(self.parents[waits].tolist()),
            delay_cycles=tuple(self.delay_cycles[waits].tolist()) or 0,
            group=None if self.group is None else int(self.group[number]),
            copies=None if self.copies is None else dict(zip(destinations, self.copies[goes].tolist(), strict=True)),
            operation=int(self.operation[number]),
            injection=None if injection == ANY else injection,
        )

    def __iter__(self) -> Iterator[Message]:
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MessageColumns):
            return NotImplemented
        return all(_equal(ours, theirs) for ours, theirs in zip(self._columns, other._columns, strict=True))

    @property
    def _columns(self) -> tuple[np.ndarray | None, ...]:
        return tuple(vars(self).values())

    @property
    def counts(self) -> np.ndarray:
        """Number of destinations of each message, int64[M]."""
        return np.diff(self.offsets)

    def with_operation(self, operation: int) -> "MessageColumns":
        """Return the messages with another operation for all that have several destinations.

        Parameters:
            operation: By the family's own numbers, see ``Message``.
        """
        return replace(self, operation=np.where(self.counts > 1, np.int32(operation), self.operation))

    def spread(self, channels: int, generator: np.random.Generator) -> "MessageColumns":
        """Return the messages with random injection channels where none is chosen.

        Messages of one node and group take one channel after the other, from a random one on.

        Parameters:
            channels: Injection channels of each processor.
            generator: NumPy's; the only source of chance.
        """
        if self.group is not None:
            return replace(self, injection=self._in_turn(channels, generator.integers(channels, size=len(self))))
        drawn = generator.integers(channels, size=len(self), dtype=np.int32)
        return replace(self, injection=np.where(self.injection == ANY, drawn, self.injection))

    def _in_turn(self, channels: int, drawn: np.ndarray) -> np.ndarray:
        """Return channels where none is chosen: the drawn one for a sender's first message of a group, then the next.

        Chosen channels do not count as turns.
        """
        assert self.group is not None
        free = np.flatnonzero(self.injection == ANY)
        free = free[np.lexsort((free, self.source[free], self.group[free]))]
        begins = np.ones(len(free), dtype=bool)
        begins[1:] = (np.diff(self.group[free]) != 0) | (np.diff(self.source[free]) != 0)
        first = np.flatnonzero(begins)[np.cumsum(begins) - 1]
        injection = self.injection.copy()
        injection[free] = (drawn[free[first]] + np.arange(len(free)) - first) % channels
        return injection

    def checked(
        self, *, processors: int, header_flits: Callable[[Sequence[int]], int], injection_channels: int = 1
    ) -> Messages:
        """Return the messages, checked.

        Parameters:
            processors: Number of processors of the network.
            header_flits: Header length in flits for a destination set, such as ``SpamRouting.header_flits``.
            injection_channels: Injection channels of each processor.

        Raises:
            MessageError: As ``Messages.build`` does.
        """
        if not self._right(processors, header_flits, injection_channels):
            return Messages.build(
                self, processors=processors, header_flits=header_flits, injection_channels=injection_channels
            )
        return Messages(
            source=self.source,
            offsets=self.offsets,
            destinations=self.destinations,
            flits=self.flits,
            start_cycle=self.start_cycle,
            parent_offsets=self.parent_offsets,
            parents=self.parents,
            delay_cycles=self.delay_cycles,
            group=np.arange(len(self), dtype=np.int32) if self.group is None else self.group,
            operation=self.operation,
            injection=np.maximum(self.injection, 0),
            copies=np.ones(len(self.destinations), dtype=np.int32) if self.copies is None else self.copies,
        )

    def _right(self, processors: int, header_flits: Callable[[Sequence[int]], int], injection_channels: int) -> bool:
        """Return whether all messages follow all rules of ``Messages.build``."""
        return (
            self._there(processors)
            and _within(self.counts, 1, processors)
            and _within(self.start_cycle, 0, None)
            and _within(self.injection, ANY, injection_channels - 1)
            and _within(self.flits, 1, MAX_MESSAGE_FLITS)
            and self._sorted_others()
            and bool((self.flits >= header_lengths(self.offsets, self.destinations, header_flits)).all())
            and self._waits_for_earlier()
        )

    def in_order(self, processors: int | None = None) -> bool:
        """Return whether each message is for other processors than its source, in ascending order, without waits.

        Parameters:
            processors: Of the network, if it is to be looked whether they are there.
        """
        return (
            len(self.parents) == 0
            and self.group is None
            and _within(self.counts, 1, None)
            and self._sorted_others()
            and (processors is None or self._there(processors))
        )

    def _there(self, processors: int) -> bool:
        return _within(self.source, 0, processors - 1) and _within(self.destinations, 0, processors - 1)

    def _sorted_others(self) -> bool:
        """Return whether the destinations of each message ascend, and none is its source."""
        if len(self.destinations) == len(self):
            return not (self.destinations == self.source).any()
        ascends = np.diff(self.destinations) > 0
        ascends[self.offsets[1:-1] - 1] = True
        return bool(ascends.all()) and not (self.destinations == np.repeat(self.source, self.counts)).any()

    def _waits_for_earlier(self) -> bool:
        """Return whether all parents are earlier unicasts that the source receives or sends."""
        if len(self.parents) == 0:
            return True
        child = np.repeat(np.arange(len(self)), np.diff(self.parent_offsets))
        if not _within(self.delay_cycles, 0, None) or self.parents.min() < 0 or (self.parents >= child).any():
            return False
        gets = self.destinations[self.offsets[self.parents]] == self.source[child]
        sends = self.source[self.parents] == self.source[child]
        return bool((self.counts[self.parents] == 1).all() and (gets | sends).all())


def checked_messages(
    records: Iterable[Message],
    *,
    processors: int,
    header_flits: Callable[[Sequence[int]], int],
    injection_channels: int = 1,
) -> Messages:
    """Return records or columns, checked; parameters and errors as for ``Messages.build``."""
    check = records.checked if isinstance(records, MessageColumns) else partial(Messages.build, records)
    return check(processors=processors, header_flits=header_flits, injection_channels=injection_channels)


def _equal(ours: np.ndarray | None, theirs: np.ndarray | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return np.array_equal(ours, theirs)


def _within(column: np.ndarray, low: int, high: int | None) -> bool:
    if len(column) == 0:
        return True
    return int(column.min()) >= low and (high is None or int(column.max()) <= high)
