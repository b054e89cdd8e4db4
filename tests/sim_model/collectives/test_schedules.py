"""Schedules of collective operations: their meaning, and their counts against closed forms."""

from collections import defaultdict

import pytest

from sim_model.collectives.algorithm import Case
from sim_model.collectives.closed_forms import FORMS, form_of
from sim_model.collectives.meaning import MeaningError, check_meaning
from sim_model.collectives.registry import OPERATIONS, ROOTED, SEGMENTED, schedule_of
from sim_model.collectives.schedule import ALL_TO_ALL, Schedule, Transfer, balanced
from tests.each import each

ALL = [(operation, algorithm) for operation, algorithms in OPERATIONS.items() for algorithm in algorithms]
SAMPLE = [*range(1, 34), 47, 48, 63, 64, 65]
REST = [members for members in range(1, 66) if members not in SAMPLE]
FEW = 9
"""With fewer members every root is tried."""
REDUNDANT = ("scatter-ring", "dissemination")
"""Algorithms that bring some parts or signals twice, so that a missing transfer may do no harm."""


def cases(operation: str, algorithm: str, members: int) -> list[Case]:
    roots = range(members) if members < FEW else (members * 2 // 3,)
    roots = roots if operation in ROOTED or algorithm.startswith("binomial") else (0,)
    segments = (1, 2, 5) if algorithm in SEGMENTED else (1,)
    return [Case(members, root, count) for root in roots for count in segments]


@pytest.mark.parametrize("numbers", [SAMPLE, pytest.param(REST, marks=pytest.mark.slow)], ids=["sample", "rest"])
@pytest.mark.parametrize(("operation", "algorithm"), ALL)
def test_members_end_with_what_the_operation_defines(operation, algorithm, numbers):
    for members in numbers:
        for case in cases(operation, algorithm, members):
            schedule = schedule_of(operation, algorithm, case)
            check_meaning(schedule)
            form = form_of(operation, algorithm, case)
            assert (len(schedule.transfers), schedule.rounds) == (form.messages, form.rounds), case


def test_every_algorithm_has_closed_forms():
    assert list(FORMS) == ALL


def longest_by_round(schedule: Schedule, flits: int) -> list[int]:
    sizes, longest = schedule.sizes(flits), defaultdict(int)
    for transfer in schedule.transfers:
        longest[transfer.round] = max(longest[transfer.round], sum(sizes[part] for part in transfer.parts))
    return list(longest.values())


@pytest.mark.parametrize(("operation", "algorithm"), ALL)
def test_closed_forms_give_the_longest_transfers_of_the_rounds(operation, algorithm):
    """Times count transfers that follow each other: a multicast of all is one of these, and counts as one vector."""
    folds = "recursive" in algorithm or algorithm == "rabenseifner"
    for members in (2, 4, 8, 32) if folds else (2, 3, 4, 7, 12, 31):
        case = Case(members, 0, 3)
        flits = members * 3 * 8
        form = form_of(operation, algorithm, case)
        longest = sum(longest_by_round(schedule_of(operation, algorithm, case), flits if operation != "barrier" else 0))
        assert longest == pytest.approx(form.flits * flits), case


def test_sizes_are_balanced_and_leave_nothing_out():
    for parts in range(1, 20):
        for total in range(65):
            sizes = balanced(total, parts)
            assert (len(sizes), sum(sizes)) == (parts, total)
            assert max(sizes) - min(sizes) <= 1
    schedule = schedule_of(ALL_TO_ALL, "bruck", Case(3))
    assert schedule.sizes(4) == [2, 1, 1] * 3


def test_parts_without_flits_are_sent():
    """A vector of two flits in five parts: as many messages and rounds as for any other size."""
    schedule = schedule_of("all-reduce", "ring", Case(5))
    sizes = schedule.sizes(2)
    sent = [sum(sizes[part] for part in transfer.parts) for transfer in schedule.transfers]
    assert len(sent) == 40
    assert sorted(set(sent)) == [0, 1]


def without(schedule: Schedule, missing: int) -> Schedule:
    """A schedule that lacks a transfer, and all waits for it."""

    def number(old: int) -> int:
        return old - (old > missing)

    kept = [
        transfer._replace(after=tuple(number(old) for old in transfer.after if old != missing))
        for position, transfer in enumerate(schedule.transfers)
        if position != missing
    ]
    return Schedule(schedule.operation, schedule.members, schedule.root, schedule.parts, tuple(kept))


def changed(schedule: Schedule, number: int, **changes) -> Schedule:
    transfers = list(schedule.transfers)
    transfers[number] = transfers[number]._replace(**changes)
    return Schedule(schedule.operation, schedule.members, schedule.root, schedule.parts, tuple(transfers))


def is_right(schedule: Schedule) -> bool:
    try:
        check_meaning(schedule)
    except MeaningError:
        return False
    return True


@each("operation, algorithm", [names for names in ALL if names[1] not in REDUNDANT])
def test_a_missing_transfer_is_found(operation, algorithm):
    for members in (2, 5, 8):
        schedule = schedule_of(operation, algorithm, Case(members, 1, 2))
        for number in range(len(schedule.transfers)):
            assert not is_right(without(schedule, number)), number


@each("algorithm, operation", [("dissemination", "barrier"), ("scatter-ring", "broadcast")])
def test_a_missing_transfer_is_found_where_nothing_comes_twice(algorithm, operation):
    schedule = schedule_of(operation, algorithm, Case(8))
    needed = range(len(schedule.transfers)) if operation == "barrier" else range(7)  # those that scatter
    assert [number for number in needed if is_right(without(schedule, number))] == []


@each("operation, algorithm", [names for names in ALL if names[1] not in REDUNDANT])
def test_a_transfer_to_another_member_is_found(operation, algorithm):
    for members in (5, 8):
        schedule = schedule_of(operation, algorithm, Case(members, 1, 2))
        for number, transfer in enumerate(schedule.transfers):
            if len(transfer.receivers) == 1:
                wrong = next(m for m in range(members) if m not in (transfer.sender, *transfer.receivers))
                assert not is_right(changed(schedule, number, receivers=(wrong,))), number


@each("operation, algorithm", [names for names in ALL if names[0] not in ("barrier", "broadcast")])
def test_a_missing_part_is_found(operation, algorithm):
    for members in (5, 8):
        schedule = schedule_of(operation, algorithm, Case(members, 1))
        for number, transfer in enumerate(schedule.transfers):
            if len(transfer.parts) > 1:
                assert not is_right(changed(schedule, number, parts=transfer.parts[1:])), number


@each("operation, algorithm", ALL)
def test_a_missing_wait_is_found(operation, algorithm):
    """Waits that keep members in step carry nothing; a member sends right things without them."""
    schedule = schedule_of(operation, algorithm, Case(8, 1, 2))
    unneeded = []
    for number, transfer in enumerate(schedule.transfers):
        for before in transfer.after:
            after = tuple(other for other in transfer.after if other != before)
            if is_right(changed(schedule, number, after=after)):
                unneeded.append(number)
    root_has_it = [number for number in unneeded if schedule.transfers[number].sender == schedule.root]
    if algorithm == "pairwise":
        assert len(unneeded) == len([transfer for transfer in schedule.transfers if transfer.round])
    elif algorithm == "scatter-ring":
        assert len(unneeded) >= len(root_has_it) > 0
    else:
        assert unneeded == []


def test_a_contribution_that_comes_twice_is_found():
    schedule = schedule_of("reduce", "binomial", Case(4))
    last = schedule.transfers[-1]
    again = Schedule("reduce", 4, 0, 1, (*schedule.transfers, last._replace(round=last.round + 1)))
    with pytest.raises(MeaningError, match=r"contributions \[2, 3\] to part 0 come twice"):
        check_meaning(again)


def test_an_open_order_is_found():
    """Member 1 gets the whole sum, and a contribution that may come before or after it."""
    transfers = (
        Transfer(1, (0,), (0,), combines=True),
        Transfer(2, (0,), (0,), combines=True, round=1),
        Transfer(2, (1,), (0,), combines=True, round=2),
        Transfer(0, (1,), (0,), after=(0, 1), round=3),
        Transfer(0, (2,), (0,), after=(0, 1), round=4),
    )
    with pytest.raises(MeaningError, match="member 1: receipts 2 and 3 of part 0 may come in either order"):
        check_meaning(Schedule("all-reduce", 3, 0, 1, transfers))


FAULTS = {
    "twice in a round": ((Transfer(0, (1,), (0,)), Transfer(0, (2,), (0,))), "member 0 sends twice in round 0"),
    "not its receipt": ((Transfer(0, (1,), (0,)), Transfer(2, (0,), (0,), after=(0,), round=1)), "does not receive"),
    "later round": ((Transfer(0, (1,), (0,)), Transfer(1, (2,), (0,), after=(0,))), "in no earlier round"),
    "itself": ((Transfer(0, (0,), (0,)),), "they must be different ones below 3"),
    "no part": ((Transfer(0, (1,), ()),), "parts are (); they must be different ones"),
    "unknown part": ((Transfer(0, (1,), (1,)),), "they must be below 1"),
    "nothing to send": ((Transfer(1, (2,), (0,)),), "its sender 1 has nothing of part 0"),
    "not all": ((Transfer(0, (1,), (0,)),), "member 2: part 0: contributions [0] are missing and [] too many"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_have_messages(fault):
    transfers, problem = FAULTS[fault]
    with pytest.raises(MeaningError) as caught:
        check_meaning(Schedule("broadcast", 3, 0, 1, transfers))
    assert problem in str(caught.value)
    with pytest.raises(MeaningError, match="parts are 1; they must be 3, one for each member"):
        check_meaning(Schedule("gather", 3, 0, 1, transfers))
