"""Contributions of members to operations, in columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from topology.collectives.operators import OPERATORS, SUM, check_operator
from topology.collectives.tables import PlaneTables
from topology.common.errors import FieldError

NO_CONTRIBUTION = -1
COLUMNS = ("processor", "group", "start_cycle", "operator", "after", "delay_cycles", "held")
"""Columns with an entry for each contribution."""


@dataclass(frozen=True)
class Contribution:
    """One member's part of an operation.

    The k-th contributions of all members to a group form its k-th operation.

    Parameters:
        processor
        group: Number of the group.
        start_cycle: First cycle in which the host may offer it.
        operator: Number of the operator; without words it is not used.
        words (sequence of int): Words of the member; none for a barrier.
        after: Position of an earlier contribution of the same processor, whose result the host awaits; None for none.
        delay_cycles: Cycles from the end of that result to the first cycle in which the host may offer this one.
        held: Number of events outside of the plane that it waits for, see ``CollectivePlane.release``.
    """

    processor: int
    group: int
    start_cycle: int = 0
    operator: int = SUM
    words: Sequence[int] | np.ndarray = ()
    after: int | None = None
    delay_cycles: int = 0
    held: int = 0


@dataclass(frozen=True)
class Contributions:
    """Contributions of all members. Those of a processor to a group come in the order of the columns.

    Parameters:
        processor, group, start_cycle, operator (int64 array, shape (contributions,))
        after (int64 array, shape (contributions,)): Position of the contribution that each waits for; -1 for none.
        delay_cycles, held (int64 array, shape (contributions,))
        offsets (int64 array, shape (contributions + 1,)): Begin of the words of each.
        words (uint64 array): Words of all, one contribution behind the other.
    """

    processor: np.ndarray
    group: np.ndarray
    start_cycle: np.ndarray
    operator: np.ndarray
    after: np.ndarray
    delay_cycles: np.ndarray
    held: np.ndarray
    offsets: np.ndarray
    words: np.ndarray

    def __len__(self) -> int:
        return len(self.processor)

    @staticmethod
    def of(records: Iterable[Contribution]) -> "Contributions":
        """Return the columns of records.

        Parameters:
            records
        """
        given = list(records)
        lengths = [len(record.words) for record in given]
        parts = [np.asarray(record.words, dtype=np.uint64) for record in given]
        return Contributions(
            processor=_column(record.processor for record in given),
            group=_column(record.group for record in given),
            start_cycle=_column(record.start_cycle for record in given),
            operator=_column(record.operator for record in given),
            after=_column(NO_CONTRIBUTION if record.after is None else record.after for record in given),
            delay_cycles=_column(record.delay_cycles for record in given),
            held=_column(record.held for record in given),
            offsets=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            words=np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64),
        )

    @staticmethod
    def of_columns(
        processor: np.ndarray,
        group: np.ndarray,
        start_cycle: np.ndarray,
        operator: np.ndarray,
        lengths: np.ndarray,
        words: np.ndarray,
    ) -> "Contributions":
        """Return contributions that only wait for their start.

        Parameters:
            processor, group, start_cycle, operator, lengths (int64 array, shape (contributions,)): ``lengths`` are the
                words of each.
            words (uint64 array): Words of all, one contribution behind the other.
        """
        none = np.zeros(len(processor), dtype=np.int64)
        return Contributions(
            processor=processor,
            group=group,
            start_cycle=start_cycle,
            operator=operator,
            after=none + NO_CONTRIBUTION,
            delay_cycles=none,
            held=none,
            offsets=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            words=words,
        )

    def words_of(self, number: int) -> np.ndarray:
        """Return the words of a contribution, uint64.

        Parameters:
            number: Its position.
        """
        return self.words[self.offsets[number] : self.offsets[number + 1]]


def _column(values: Iterable[Any]) -> np.ndarray:
    return np.array(list(values), dtype=np.int64)


def of_all_members(
    tables: PlaneTables, group: int, words: Sequence[Any] | np.ndarray = (), operator: int = SUM, start_cycle: int = 0
) -> list[Contribution]:
    """Return the contributions of all members to one operation.

    Parameters:
        tables
        group: Number of the group.
        words (uint64 array, shape (members, words), or a sequence of sequences): In the order of the members; empty for
            a barrier.
        operator
        start_cycle
    """
    members = tables.groups[group].members
    rows = words if len(words) else [()] * len(members)
    return [Contribution(member, group, start_cycle, operator, row) for member, row in zip(members, rows, strict=True)]


def check_contributions(contributions: Contributions, tables: PlaneTables, word_bits: int) -> None:
    """Check contributions against a plane.

    Raises:
        FieldError: For a processor that is no member, an operator that there is not, a word that does not fit, a
            negative start, delay or count, starts of a processor and group that do not ascend, or a wait for a
            contribution that is not an earlier one of the same processor.
    """
    _check_waits(contributions)
    if not _are_right(contributions, tables):
        _find_fault(contributions, tables)
    if word_bits < 64 and len(contributions.words):
        largest = int(contributions.words.max())
        if largest >> word_bits:
            raise FieldError("words", f"word is {largest}; it must fit in {word_bits} bits")


def _are_right(contributions: Contributions, tables: PlaneTables) -> bool:
    """Return whether processors, groups, starts and operators are right: in columns, since there may be many."""
    group, processor, start = contributions.group, contributions.processor, contributions.start_cycle
    is_member = np.zeros((len(tables.groups), len(tables.tree.processors)), dtype=bool)
    for number, own in enumerate(tables.groups):
        is_member[number, list(own.members)] = True
    ranges = ((group, is_member.shape[0]), (processor, is_member.shape[1]), (contributions.operator, len(OPERATORS)))
    if any(((column < 0) | (column >= end)).any() for column, end in ranges) or not is_member[group, processor].all():
        return False
    owner = group * is_member.shape[1] + processor
    order = np.argsort(owner, kind="stable")
    is_next = owner[order][1:] == owner[order][:-1]
    return bool((start >= 0).all() and (np.diff(start[order])[is_next] >= 0).all())


def _find_fault(contributions: Contributions, tables: PlaneTables) -> None:
    """Name the first contribution that is wrong.

    Raises:
        FieldError: As ``check_contributions``.
    """
    members = [set(group.members) for group in tables.groups]
    earlier: dict[tuple[int, int], int] = {}
    columns = (contributions.processor, contributions.group, contributions.start_cycle, contributions.operator)
    for processor, group, start, operator in zip(*(column.tolist() for column in columns), strict=True):
        if not 0 <= group < len(members):
            raise FieldError("group", f"Group is {group}; it must be 0 to {len(members) - 1}")
        if processor not in members[group]:
            raise FieldError("processor", f"Processor {processor} is no member of group {group}; it must be one")
        if start < earlier.get((processor, group), 0):
            raise FieldError(
                "start_cycle",
                f"Start cycle of processor {processor}, group {group}, is {start}; "
                f"it must be at least {earlier.get((processor, group), 0)}",
            )
        earlier[processor, group] = start
        try:
            check_operator(operator)
        except ValueError as error:
            raise FieldError("operator", str(error)) from None


def _check_waits(contributions: Contributions) -> None:
    """Check that contributions wait for earlier ones of their own processors."""
    after, processor = contributions.after, contributions.processor
    waiting = np.flatnonzero(after != NO_CONTRIBUTION)
    is_wrong = (after[waiting] < 0) | (after[waiting] >= waiting)
    is_wrong |= processor[np.where(is_wrong, 0, after[waiting])] != processor[waiting]
    if is_wrong.any():
        first = int(waiting[is_wrong][0])
        text = f"Contribution {first} waits for {int(after[first])}; it must be an earlier one of the same processor"
        raise FieldError("after", text)
    for name, column in (("delay_cycles", contributions.delay_cycles), ("held", contributions.held)):
        if int(column.min(initial=0)) < 0:
            raise FieldError(name, f"{name} is {int(column.min())}; it must be at least 0")
