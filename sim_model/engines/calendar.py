"""A calendar of future events: a wheel of cycles, each with a list of entries.

Every entry has a number of its own and is in at most one cycle. A cycle further off than the wheel is long shares its
list with an earlier one.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.records import NEVER, NONE, make_records
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled

WHEEL_SHIFT = 10
WHEEL = 1 << WHEEL_SHIFT
WHEEL_MASK = WHEEL - 1
WORD_SHIFT = 5  # words of 32 cycles, whose bits say that a list is not empty
WORDS = WHEEL >> WORD_SHIFT
WORDS_MASK = WORDS - 1
BIT_MASK = (1 << WORD_SHIFT) - 1
ENTRY_FIELDS = (
    "cycle",  # NEVER if the entry is in no list
    "following",  # in the list of its cycle, or NONE
    "before",
)


class Calendar(NamedTuple):
    """Entries by cycle."""

    entries: np.recarray  # ENTRY_FIELDS
    first: np.ndarray  # int64[WHEEL], first entry of each list, or NONE
    words: np.ndarray  # int64[WORDS], which lists are not empty
    pending: np.ndarray  # int64[1], entries in all lists


def make_calendar(entries: int) -> Calendar:
    """Return an empty calendar."""
    return Calendar(
        entries=make_records(entries, ENTRY_FIELDS, cycle=NEVER, following=NONE, before=NONE),
        first=np.full(WHEEL, NONE, dtype=np.int64),
        words=np.zeros(WORDS, dtype=np.int64),
        pending=np.zeros(1, dtype=np.int64),
    )


@compiled
def schedule(number, cycle, calendar):
    """Schedule an entry that is in no list."""
    entries, place = calendar.entries, cycle & WHEEL_MASK
    following = calendar.first[place]
    entries[number].cycle = cycle
    entries[number].following = following
    entries[number].before = NONE
    if following != NONE:
        entries[following].before = number
    calendar.first[place] = number
    calendar.words[place >> WORD_SHIFT] |= 1 << (place & BIT_MASK)
    calendar.pending[0] += 1


@compiled
def cancel(number, calendar):
    """Remove an entry from its list."""
    entries = calendar.entries
    place = entries[number].cycle & WHEEL_MASK
    following, before = entries[number].following, entries[number].before
    if following != NONE:
        entries[following].before = before
    if before != NONE:
        entries[before].following = following
    else:
        calendar.first[place] = following
        if following == NONE:
            calendar.words[place >> WORD_SHIFT] &= ~(1 << (place & BIT_MASK))
    entries[number].cycle = NEVER
    calendar.pending[0] -= 1


@compiled
def postpone(number, cycle, calendar):
    """Reschedule an entry, listed or not."""
    if calendar.entries[number].cycle != NEVER:
        cancel(number, calendar)
    schedule(number, cycle, calendar)


@compiled
def next_entry_cycle(cycle, calendar):
    """Return the first cycle after ``cycle`` that has an entry, or NEVER."""
    if calendar.pending[0] == 0:
        return NEVER
    place = (cycle + 1) & WHEEL_MASK
    word = place >> WORD_SHIFT
    bits = calendar.words[word] >> (place & BIT_MASK) << (place & BIT_MASK)
    for _ in range(WORDS + 1):
        while bits != 0:
            found = (word << WORD_SHIFT) + lowest_bit(bits)
            following = cycle + 1 + ((found - place) & WHEEL_MASK)
            if _has_entry(following, calendar):
                return following
            bits &= bits - 1
        word = (word + 1) & WORDS_MASK
        bits = calendar.words[word]
    return _first_cycle(calendar)


@compiled
def _has_entry(cycle, calendar):
    """Return whether a list has an entry for this cycle, beyond those for later rounds of the wheel."""
    entry = calendar.first[cycle & WHEEL_MASK]
    while entry != NONE and calendar.entries[entry].cycle != cycle:
        entry = calendar.entries[entry].following
    return entry != NONE


@compiled
def _first_cycle(calendar):
    """Return the first cycle of all entries, which are for later rounds of the wheel: it need not turn until then."""
    first = NEVER
    for entry in range(len(calendar.entries)):
        first = min(first, calendar.entries[entry].cycle)
    return first
