"""Operations on vectors of words: several of 64 bits that the processor handles at a time.

The compiler unrolls loops over a few planes before it vectorises, and then does not vectorise them. So a vector is a
type of the compiler, which is held in registers. Without Numba it is an array of as many words.
``loops/vector_code.py`` has the instructions of the operations.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

Plain = Callable[..., Any]
Operations = Mapping[str, Plain]

OPERATIONS: list[Plain] = []
"""All operations in the order of their definition."""


def define(plain: Any, code: str, *parameters: int) -> Plain:
    """Define the instructions of a Python function in compiled functions.

    Parameters:
        plain (function): The function, which has the same results without Numba.
        code: Name of the function in ``loops/vector_code.py`` that generates the instructions.
        parameters (int): Arguments of that function: words of a vector, and others.

    Returns:
        callable: ``plain``; its attribute ``vector_code`` has code and parameters.
    """
    plain.vector_code = (code, *parameters)
    OPERATIONS.append(plain)
    return plain


@cache
def memory_operations(width: int, rows: int) -> Operations:
    """Return operations on vectors and the planes in a row.

    ``vector_at(row, place)``
        The vector that begins at a place.
    ``put(row, place, vector)``
        Write it there.
    ``splat(word)``
        A vector of equal words.
    ``alone(word, place)``
        A vector with the word in a place and 0 in the others.
    ``gathered(row, place)``
        The bitwise or of the words of each vector from a place on: a vector with a word for each.

    Parameters:
        width: Words of a vector.
        rows: Vectors that are gathered, ``width`` at most.
    """

    def vector_at(row, place):
        return row[place : place + width].copy()

    def put(row, place, vector):
        row[place : place + width] = vector

    def splat(word):
        return np.full(width, word, dtype=np.int64)

    def alone(word, place):
        return np.where(np.arange(width) == place, word, 0)

    def gathered(row, place):
        vectors = row[place : place + rows * width].reshape(rows, width)
        return np.concatenate((np.bitwise_or.reduce(vectors, axis=1), np.zeros(width - rows, dtype=np.int64)))

    return {
        "vector_at": define(vector_at, "load", width),
        "put": define(put, "store", width),
        "splat": define(splat, "splat", width),
        "alone": define(alone, "place_alone", width),
        "gathered": define(gathered, "gather", width, rows),
    }


@cache
def word_operations(width: int) -> Operations:
    """Return operations on the words of a vector.

    ``any_of(vector)``
        The bitwise or of all.
    ``places_of(vector)``
        A mask of those that are not 0.
    ``count_all(vector)``
        Number of 1 bits.
    ``filled(vector)``
        All bits of each word that is not 0.
    ``lowest_of(vector)``
        The lowest 1 of each word.
    ``above(vector)``
        Of words with at most one 1, all bits above that.
    """

    def any_of(vector):
        return np.bitwise_or.reduce(vector)

    def places_of(vector):
        return sum(1 << place for place in range(width) if vector[place] != 0)

    def count_all(vector):
        return sum((int(word) & 0xFFFF_FFFF_FFFF_FFFF).bit_count() for word in vector)

    def filled(vector):
        return -(vector != 0).astype(np.int64)

    def lowest_of(vector):
        return vector & -vector

    def above(vector):
        return -(vector + vector)

    return {
        "any_of": define(any_of, "reduce_or", width),
        "places_of": define(places_of, "find", width),
        "count_all": define(count_all, "count", width),
        "filled": define(filled, "fill", width),
        "lowest_of": define(lowest_of, "isolate", width),
        "above": define(above, "find_above", width),
    }


@cache
def move_operations(width: int) -> Operations:
    """Return operations that move the words of a vector.

    ``crossed(vector, number)``
        Each word in the place of the one whose number differs in the bits of ``number``.
    ``before(vector)``, ``behind(vector)``
        In each place the bitwise or of all words before it, or behind it.
    """

    def crossed(vector, number):
        return vector[np.arange(width) ^ number]

    def before(vector):
        return np.concatenate(([0], np.bitwise_or.accumulate(vector)[:-1]))

    def behind(vector):
        return before(vector[::-1])[::-1].copy()

    return {
        "crossed": define(crossed, "cross", width),
        "before": define(before, "put_together", width, -1),
        "behind": define(behind, "put_together", width, 1),
    }


@cache
def turn_operations(width: int) -> Operations:
    """Return rotations of the words of a vector.

    ``rotated(vector, turns)``
        The bits of each word moved up by 0 to 63 places, those above its end to its beginning.
    """

    def rotated(vector, turns):
        words, turns = vector.view(np.uint64), turns.view(np.uint64)
        return (words << turns | words >> np.uint64(1) >> np.uint64(63) - turns).view(np.int64)

    return {"rotated": define(rotated, "rotate", width)}


@cache
def cube_operations(width: int, dimensions: int) -> Operations:
    """Return exchanges of planes between the routers of hypercubes.

    ``exchanged(vector)``
        Word d has changed bits with those whose numbers differ in bit d; from word ``dimensions`` on all are 0.

    Parameters:
        width: Words of a vector.
        dimensions: 6 at most.
    """
    shifts = [1 << d if d < dimensions else 0 for d in range(width)]
    kept = [sum(1 << bit for bit in range(64) if not bit >> d & 1) if d < dimensions else 0 for d in range(width)]

    def exchanged(vector):
        words, amounts, masks = vector.view(np.uint64), np.array(shifts, np.uint64), np.array(kept, np.uint64)
        return (words >> amounts & masks | (words & masks) << amounts).view(np.int64)

    return {"exchanged": define(exchanged, "exchange", width, dimensions)}
