"""Sets of a node's pages, as masks of several words: a long path needs more pages than a word has bits."""

from sim_model.engines.cycle.state import NONE
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled

WORD_PAGES = 62


def words_for(pages):
    """Return the words in a mask of ``pages`` pages."""
    return -(-pages // WORD_PAGES)


def pages_in(words) -> list[int]:
    """Return the numbers of the pages in a set, for reports."""
    return [
        WORD_PAGES * number + bit
        for number, word in enumerate(words.tolist())
        for bit in range(word.bit_length())
        if word >> bit & 1
    ]


@compiled
def is_any(words):
    """Return whether a set has a page."""
    found = words[0]
    for number in range(1, len(words)):
        found |= words[number]
    return found != 0


@compiled
def add_page(page, words):
    """Put a page into a set."""
    words[page // WORD_PAGES] |= 1 << page % WORD_PAGES


@compiled
def take_page(page, words):
    """Take a page out of a set."""
    words[page // WORD_PAGES] &= ~(1 << page % WORD_PAGES)


@compiled
def first_page(words, turn):
    """Return the first page at or after ``turn``, cyclically, in a set that is not empty: round robin."""
    number = turn // WORD_PAGES
    later = words[number] >> turn % WORD_PAGES << turn % WORD_PAGES
    while later == 0:
        number = number + 1 if number + 1 < len(words) else 0
        later = words[number]
    return WORD_PAGES * number + lowest_bit(later)


@compiled
def next_page(words, page):
    """Return the lowest page above a given one, or NONE; of NONE the lowest of all."""
    number = (page + 1) // WORD_PAGES
    if number == len(words):
        return NONE
    later = words[number] >> (page + 1) % WORD_PAGES << (page + 1) % WORD_PAGES
    while later == 0:
        number += 1
        if number == len(words):
            return NONE
        later = words[number]
    return WORD_PAGES * number + lowest_bit(later)
