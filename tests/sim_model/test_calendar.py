"""The calendar of the engine that moves worms, against a plain list of events."""

import numpy as np
import pytest

from sim_model.engines.calendar import (
    WHEEL,
    WHEEL_MASK,
    Calendar,
    cancel,
    make_calendar,
    next_entry_cycle,
    postpone,
    schedule,
)
from sim_model.engines.cycle.state import NEVER, NONE

ENTRIES, STEPS, FARTHEST = 12, 400, 5 * WHEEL


def due(calendar: Calendar, cycle: int) -> set[int]:
    """Entries of the calendar for a cycle."""
    found, entry = set(), int(calendar.first[cycle & WHEEL_MASK])
    while entry != NONE:
        if calendar.entries[entry].cycle == cycle:
            found.add(entry)
        entry = int(calendar.entries[entry].following)
    return found


@pytest.mark.parametrize("farthest", [3, 40, WHEEL - 1, FARTHEST, 1 << 50])
def test_every_entry_happens_once_and_in_its_cycle(farthest):
    random = np.random.default_rng(farthest)
    calendar, plain, cycle = make_calendar(ENTRIES), {}, 0
    for _ in range(STEPS):
        entry = int(random.integers(ENTRIES))
        if entry in plain and random.random() < 0.3:
            cancel(entry, calendar)
            del plain[entry]
        else:
            plain[entry] = cycle + 1 + int(random.integers(farthest))
            postpone(entry, plain[entry], calendar)
        assert calendar.pending[0] == len(plain)
        if random.random() < 0.5:
            continue
        following = next_entry_cycle(cycle, calendar)
        assert following == min(plain.values(), default=NEVER)
        if following == NEVER:
            continue
        cycle = following
        happening = {entry for entry, when in plain.items() if when == cycle}
        assert due(calendar, cycle) == happening
        for entry in happening:
            cancel(entry, calendar)
            del plain[entry]


def test_a_list_is_found_in_its_last_word_and_behind_the_end_of_the_wheel():
    for begin in (0, 31, 32, WHEEL - 2, WHEEL - 1, 7 * WHEEL + 5):
        for ahead in (1, 2, 31, 32, 33, WHEEL - 1, WHEEL):
            calendar = make_calendar(1)
            schedule(0, begin + ahead, calendar)
            assert next_entry_cycle(begin, calendar) == begin + ahead
