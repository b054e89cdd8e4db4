"""Check of meaning: the result of a schedule, from its transfers and dependencies alone.

Nothing of the generators is used. A value is the set of members whose contributions it has, as bits of an integer. A
transfer carries what its sender has by its own contribution and by the transfers that it waits for. Receipts of one
part at one member are taken in any order that the dependencies allow: combinations must be of disjoint sets, and a
stored value must be ordered against every other receipt of the part, unless both are equal.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sim_model.collectives.schedule import ALL_TO_ALL, BARRIER, Schedule, Transfer


class MeaningError(ValueError):
    """A schedule that does not do what its operation defines."""


class _Definition(NamedTuple):
    """Values of a part at a member before and after an operation; None for parts that do not count.

    Members:
        first: (member, part) -> value; 0 if the member lacks it.
        last: (member, part) -> value.
    """

    first: Callable[[int, int], int]
    last: Callable[[int, int], int | None]


def _definition(schedule: Schedule) -> _Definition:
    p, root = schedule.members, schedule.root
    everyone = (1 << p) - 1
    definitions: dict[str, _Definition] = {
        BARRIER: _Definition(lambda m, _: 1 << m, lambda _m, _: everyone),
        "broadcast": _Definition(lambda m, _: (m == root) << root, lambda _m, _: 1 << root),
        "reduce": _Definition(lambda m, _: 1 << m, lambda m, _: everyone if m == root else None),
        "gather": _Definition(lambda m, part: (m == part) << m, lambda m, part: 1 << part if m == root else None),
        "scatter": _Definition(lambda m, _: (m == root) << root, lambda m, part: 1 << root if m == part else None),
        "all-reduce": _Definition(lambda m, _: 1 << m, lambda _m, _: everyone),
        "all-gather": _Definition(lambda m, part: (m == part) << m, lambda _, part: 1 << part),
        "reduce-scatter": _Definition(lambda m, _: 1 << m, lambda m, part: everyone if m == part else None),
        ALL_TO_ALL: _Definition(
            lambda m, part: (m == part // p) << m, lambda m, part: 1 << part // p if m == part % p else None
        ),
        "scan": _Definition(lambda m, _: 1 << m, lambda m, _: (2 << m) - 1),
    }
    return definitions[schedule.operation]


PARTED = ("gather", "scatter", "all-gather", "reduce-scatter", ALL_TO_ALL)
"""Operations that define a part for each member."""


def check_meaning(schedule: Schedule) -> None:
    """Refuse a schedule that does not do what its operation defines, or has two transfers at one port in a round.

    Raises:
        MeaningError: For the first fault.
    """
    if schedule.operation in PARTED and schedule.parts != schedule.members:
        raise MeaningError(f"parts are {schedule.parts}; they must be {schedule.members}, one for each member")
    _Run(schedule).check()


class _Run:
    """Values of all transfers, in order."""

    def __init__(self, schedule: Schedule):
        self._schedule, self._definition = schedule, _definition(schedule)
        self._parts = schedule.parts * (schedule.members if schedule.operation == ALL_TO_ALL else 1)
        self._values: list[dict[int, int]] = []  # by transfer and part
        self._history: list[int] = []  # by transfer: arrivals that came before it, as bits
        self._arrivals: list[dict[int, int]] = []  # by transfer: number of its arrival at each receiver, as a bit
        self._events = 0
        self._received: list[dict[int, list[int]]] = [{} for _ in range(schedule.members)]  # by member and part

    def check(self) -> None:
        ports: dict[tuple[int, int, bool], int] = {}  # transfer by round, member and direction
        for number, transfer in enumerate(self._schedule.transfers):
            self._check_shape(number, transfer)
            ends = [(transfer.sender, True), *((receiver, False) for receiver in transfer.receivers)]
            for member, sends in ends:
                if ports.setdefault((transfer.round, member, sends), number) != number:
                    text = f"member {member} {'sends' if sends else 'receives'} twice in round {transfer.round}"
                    raise MeaningError(f"transfer {number}: {text}")
            self._run(number, transfer)
        for member in range(self._schedule.members):
            self._check_result(member)

    def _check_shape(self, number: int, transfer: Transfer) -> None:
        p = self._schedule.members
        members = (transfer.sender, *transfer.receivers)
        if not transfer.receivers or len(set(members)) < len(members) or not all(0 <= m < p for m in members):
            raise MeaningError(f"transfer {number}: members are {members}; they must be different ones below {p}")
        if len(set(transfer.parts)) < len(transfer.parts) or not transfer.parts:
            raise MeaningError(f"transfer {number}: parts are {transfer.parts}; they must be different ones")
        if not all(0 <= part < self._parts for part in transfer.parts):
            raise MeaningError(f"transfer {number}: parts are {transfer.parts}; they must be below {self._parts}")
        for needed in transfer.after:
            if not 0 <= needed < number or transfer.sender not in self._arrivals[needed]:
                raise MeaningError(
                    f"transfer {number}: it waits for {needed}, which its sender does not receive before"
                )
            if self._schedule.transfers[needed].round >= transfer.round:
                raise MeaningError(f"transfer {number}: it waits for {needed}, which is in no earlier round")

    def _run(self, number: int, transfer: Transfer) -> None:
        history, values = 0, {}
        for needed in transfer.after:
            history |= self._history[needed] | self._arrivals[needed][transfer.sender]
        for part in transfer.parts:
            receipts = [needed for needed in transfer.after if part in self._values[needed]]
            values[part] = self._value(transfer.sender, part, receipts)
            if not values[part]:
                raise MeaningError(f"transfer {number}: its sender {transfer.sender} has nothing of part {part}")
        self._history.append(history)
        self._values.append(values)
        self._arrivals.append({receiver: 1 << self._events + k for k, receiver in enumerate(transfer.receivers)})
        self._events += len(transfer.receivers)
        for receiver in transfer.receivers:
            for part in transfer.parts:
                self._received[receiver].setdefault(part, []).append(number)

    def _value(self, member: int, part: int, receipts: Sequence[int]) -> int:
        """Return the value of a part at a member after some receipts of it, in ascending order."""
        value = self._definition.first(member, part)
        taken: list[int] = []
        for receipt in receipts:
            given, combines = self._values[receipt][part], self._schedule.transfers[receipt].combines
            for earlier in taken:
                self._check_order(member, part, earlier, receipt)
            if combines and value & given and self._schedule.operation != BARRIER:
                text = f"contributions {_members(value & given)} to part {part} come twice"
                raise MeaningError(f"transfer {receipt}: at member {member} {text}")
            value = value | given if combines else given
            taken.append(receipt)
        return value

    def _check_order(self, member: int, part: int, earlier: int, later: int) -> None:
        """Refuse two receipts whose order matters and is open."""
        transfers = self._schedule.transfers
        both_combine = transfers[earlier].combines and transfers[later].combines
        both_store = not transfers[earlier].combines and not transfers[later].combines
        if both_combine or (both_store and self._values[earlier][part] == self._values[later][part]):
            return
        if not self._history[later] & self._arrivals[earlier][member]:
            text = f"receipts {earlier} and {later} of part {part} may come in either order"
            raise MeaningError(f"member {member}: {text}")

    def _check_result(self, member: int) -> None:
        p = self._schedule.members
        for part in range(member, p * p, p) if self._schedule.operation == ALL_TO_ALL else range(self._parts):
            wanted = self._definition.last(member, part)
            if wanted is None:
                continue
            value = self._value(member, part, self._received[member].get(part, ()))
            if value != wanted:
                text = f"contributions {_members(wanted & ~value)} are missing and {_members(value & ~wanted)} too many"
                raise MeaningError(f"member {member}: part {part}: {text}")


def _members(value: int) -> list[int]:
    return [member for member in range(value.bit_length()) if value >> member & 1]
