"""Layout of loadable tables: the words for the chain of a network's table stores, in order.

Switch 0's store is the first in the chain; every word goes in there and moves on by one place per word that follows. So
the words of the last store come first, and within a store the highest word does.
"""

from collections.abc import Sequence

TABLE_WORD_BITS = 8


def table_words(bits: int) -> int:
    """Return the words of a store for ``bits`` bits."""
    return -(-bits // TABLE_WORD_BITS)


def chain_words(tables: Sequence[tuple[int, int]]) -> list[int]:
    """Return the words to be loaded, first to last.

    Parameters:
        tables (sequence of (int, int)): Per switch: the value of its store, and the number of its bits.
    """
    mask = (1 << TABLE_WORD_BITS) - 1
    words = []
    for value, bits in reversed(tables):
        words += [value >> TABLE_WORD_BITS * place & mask for place in reversed(range(table_words(bits)))]
    return words
