"""Operators of reductions: exact integer arithmetic on words, one by one and as arrays.

A word is an integer of ``word_bits`` bits without a sign. Signed operators read it as a two's complement.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np

MIN_WORD_BITS, MAX_WORD_BITS = 8, 64
OPERATOR_BITS = 3
SUM, MIN, MAX, SIGNED_MIN, SIGNED_MAX, AND, OR, XOR = range(8)
OPERATORS = ("sum", "min", "max", "signed-min", "signed-max", "and", "or", "xor")
"""Names, by number: ``min`` and ``max`` are unsigned."""
SIGNED = (SIGNED_MIN, SIGNED_MAX)
_EXACT: tuple[Callable[[int, int], int], ...] = (
    lambda a, b: a + b,
    min,
    max,
    min,
    max,
    lambda a, b: a & b,
    lambda a, b: a | b,
    lambda a, b: a ^ b,
)
_OF_ARRAYS: tuple[np.ufunc, ...] = (
    np.add,
    np.minimum,
    np.maximum,
    np.minimum,
    np.maximum,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
)


def operator_number(name: str) -> int:
    """Return the number of an operator.

    Raises:
        ValueError: If there is no operator of that name.

    >>> operator_number("signed-max")
    4
    """
    if name not in OPERATORS:
        raise ValueError(f"Operator is {name!r}; it must be one of {', '.join(OPERATORS)}")
    return OPERATORS.index(name)


def check_word_bits(word_bits: int) -> None:
    """Check the width of a word.

    Raises:
        ValueError: If it is not 8 to 64.
    """
    if isinstance(word_bits, bool) or not isinstance(word_bits, int) or not MIN_WORD_BITS <= word_bits <= MAX_WORD_BITS:
        raise ValueError(f"word_bits is {word_bits!r}; it must be {MIN_WORD_BITS} to {MAX_WORD_BITS}")


def check_operator(operator: int) -> None:
    """Check the number of an operator.

    Raises:
        ValueError: If it is not 0 to 7.
    """
    if not 0 <= operator < len(OPERATORS):
        raise ValueError(f"Operator is {operator!r}; it must be 0 to {len(OPERATORS) - 1}")


def combiner_stages(operators: Iterable[int]) -> int:
    """Return the registers that a word passes in a switch between its combination and the output register.

    Sums alone take one adder per stage. Minima and maxima take an adder and a selection, so they have one stage more,
    and one for the words that are read.

    Parameters:
        operators (iterable of int): Numbers of the operators that are built.
    """
    return 1 if set(operators) <= {SUM} else 3


def to_signed(word: int, word_bits: int) -> int:
    """Return the value of a word as a two's complement.

    >>> to_signed(0xFF, 8)
    -1
    """
    return word - (word >> word_bits - 1 << word_bits)


def combine(operator: int, words: Iterable[int], word_bits: int) -> int:
    """Return the result of an operator over at least one word, in unbounded integers; a sum wraps round.

    Parameters:
        operator: Number.
        words: Of 0 to 2^word_bits - 1.
        word_bits

    >>> combine(SUM, [200, 100], 8)
    44
    >>> combine(SIGNED_MIN, [3, 0xFE], 8)
    254
    """
    check_operator(operator)
    read = [to_signed(word, word_bits) for word in words] if operator in SIGNED else list(words)
    return reduce(_EXACT[operator], read) % (1 << word_bits)


def combine_arrays(operator: int, words: Sequence[np.ndarray] | np.ndarray, word_bits: int) -> np.ndarray:
    """Return the result of an operator over the first axis of words, uint64.

    Parameters:
        operator: Number.
        words (uint64 arrays, or one with an axis more): At least one, all of the same shape.
        word_bits
    """
    check_operator(operator)
    read = np.asarray(words, dtype=np.uint64)
    if operator not in SIGNED:
        found = _OF_ARRAYS[operator].reduce(read, axis=0)
        return found & np.uint64((1 << word_bits) - 1)
    unused = np.uint64(64 - word_bits)
    found = _OF_ARRAYS[operator].reduce((read << unused).view(np.int64), axis=0)
    return np.asarray(found).view(np.uint64) >> unused
