"""What can be done with vectors of words (``vectors.py``): each operation for Python, and for the compiler."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from sim_model.common.engine.vectors import WORD, WordVector, call_on_vector, constant, define, merged, shuffled
from sim_model.common.engine.vectors import splat as splat_of

Operations = Mapping[str, Callable[..., Any]]


@cache
def memory_operations(width: int, rows: int) -> Operations:
    """Vectors and the planes in a row.

    ``vector_at(row, place)``
        The vector that begins at a place.
    ``put(row, place, vector)``
        Write it there.
    ``splat(word)``
        A vector whose words are all the same.
    ``gathered(row, place)``
        The words of each of the first vectors from a place on put together by bits: a vector with a word for each.

    Parameters
    ----------
    width : int
        Words of a vector.
    rows : int
        Vectors that are gathered, ``width`` at most.
    """
    kind = WordVector(width)

    def vector_at(row, place):
        return row[place : place + width].copy()

    def put(row, place, vector):
        row[place : place + width] = vector

    def splat(word):
        return np.full(width, word, dtype=np.int64)

    def gathered(row, place):
        vectors = row[place : place + rows * width].reshape(rows, width)
        return np.concatenate((np.bitwise_or.reduce(vectors, axis=1), np.zeros(width - rows, dtype=np.int64)))

    def pointer(context, builder, signature, values):
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        return builder.bitcast(builder.gep(data, [values[1]]), kind.words.as_pointer())

    def load(context, builder, signature, values):
        found = builder.load(pointer(context, builder, signature, values))
        found.align = 8
        return found

    def store(context, builder, signature, values):
        builder.store(values[2], pointer(context, builder, signature, values)).align = 8
        return context.get_dummy_value()

    def copy(_context, builder, _signature, values):
        return splat_of(builder, values[0], width)

    def gather(context, builder, signature, values):
        places = [builder.add(values[1], WORD(number * width)) for number in range(rows)]
        vectors = [load(context, builder, signature, (values[0], place)) for place in places]
        return merged(builder, vectors + [constant([0] * width)] * (width - rows))

    return {
        "vector_at": define(vector_at, kind, load),
        "put": define(put, types.none, store),
        "splat": define(splat, kind, copy),
        "gathered": define(gathered, kind, gather),
    }


@cache
def word_operations(width: int) -> Operations:
    """The words of a vector.

    ``any_of(vector)``
        All of them put together by bits.
    ``places_of(vector)``
        A mask of those that are not 0.
    ``count_all(vector)``
        How many bits are 1.
    ``filled(vector)``
        All bits of each word that is not 0.
    ``lowest_of(vector)``
        The lowest 1 of each word.
    ``above(vector)``
        Of words with at most one 1, all bits above that.
    """
    kind = WordVector(width)

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

    def reduce_or(_context, builder, _signature, values):
        return call_on_vector("llvm.vector.reduce.or", values[0], WORD, builder)

    def find(_context, builder, _signature, values):
        found = builder.icmp_signed("!=", values[0], constant([0] * width))
        return builder.zext(builder.bitcast(found, ir.IntType(width)), WORD)

    def fill(_context, builder, _signature, values):
        return builder.sext(builder.icmp_signed("!=", values[0], constant([0] * width)), kind.words)

    def isolate(_context, builder, _signature, values):
        return builder.and_(values[0], builder.neg(values[0]))

    def find_above(_context, builder, _signature, values):
        return builder.neg(builder.add(values[0], values[0]))

    def count(_context, builder, _signature, values):
        counts = call_on_vector("llvm.ctpop", values[0], kind.words, builder)
        return call_on_vector("llvm.vector.reduce.add", counts, WORD, builder)

    return {
        "any_of": define(any_of, types.int64, reduce_or),
        "places_of": define(places_of, types.int64, find),
        "count_all": define(count_all, types.int64, count),
        "filled": define(filled, kind, fill),
        "lowest_of": define(lowest_of, kind, isolate),
        "above": define(above, kind, find_above),
    }


@cache
def move_operations(width: int) -> Operations:
    """Words of a vector in other places.

    ``crossed(vector, number)``
        Each word in the place of the one whose number differs in the bits of ``number``.
    ``before(vector)``, ``behind(vector)``
        In each place all words before it, or behind it, put together by bits.
    """
    kind = WordVector(width)
    stages = [1 << stage for stage in range(width.bit_length() - 1)]

    def crossed(vector, number):
        return vector[np.arange(width) ^ number]

    def before(vector):
        return np.concatenate(([0], np.bitwise_or.accumulate(vector)[:-1]))

    def behind(vector):
        return before(vector[::-1])[::-1].copy()

    def cross(_context, builder, _signature, values):
        found = values[0]
        for stage in stages:
            moved = shuffled(builder, found, found, [place ^ stage for place in range(width)])
            wanted = builder.icmp_signed("!=", builder.and_(values[1], WORD(stage)), WORD(0))
            found = builder.select(wanted, moved, found)
        return found

    def moved(builder, vector, steps):
        places = [place + steps if 0 <= place + steps < width else width for place in range(width)]
        return shuffled(builder, vector, constant([0] * width), places)

    def put_together(way):
        def generate(_context, builder, _signature, values):
            found = moved(builder, values[0], way)
            for stage in stages:
                found = builder.or_(found, moved(builder, found, way * stage))
            return found

        return generate

    return {
        "crossed": define(crossed, kind, cross),
        "before": define(before, kind, put_together(-1)),
        "behind": define(behind, kind, put_together(1)),
    }


@cache
def turn_operations(width: int) -> Operations:
    """Rotations of the words of a vector.

    ``rotated(vector, turns)``
        The bits of each word moved up by 0 to 63 places, those above its end to its beginning.
    """
    kind = WordVector(width)

    def rotated(vector, turns):
        words, turns = vector.view(np.uint64), turns.view(np.uint64)
        return (words << turns | words >> np.uint64(1) >> np.uint64(63) - turns).view(np.int64)

    def rotate(_context, builder, _signature, values):
        function = ir.FunctionType(kind.words, [kind.words] * 3)
        name = f"llvm.fshl.v{width}i64"
        return builder.call(cgutils.get_or_insert_function(builder.module, function, name), [values[0], *values])

    return {"rotated": define(rotated, kind, rotate)}


@cache
def cube_operations(width: int, dimensions: int) -> Operations:
    """Planes between the routers of hypercubes.

    ``exchanged(vector)``
        Word d has changed bits with those whose numbers differ in bit d; from word ``dimensions`` on all are 0.

    Parameters
    ----------
    width : int
        Words of a vector.
    dimensions : int
        6 at most.
    """
    shifts = [1 << d if d < dimensions else 0 for d in range(width)]
    kept = [sum(1 << bit for bit in range(64) if not bit >> d & 1) if d < dimensions else 0 for d in range(width)]

    def exchanged(vector):
        words, amounts, masks = vector.view(np.uint64), np.array(shifts, np.uint64), np.array(kept, np.uint64)
        return (words >> amounts & masks | (words & masks) << amounts).view(np.int64)

    def exchange(_context, builder, _signature, values):
        amounts, masks = constant(shifts), constant(kept)
        down = builder.and_(builder.lshr(values[0], amounts), masks)
        return builder.or_(down, builder.shl(builder.and_(values[0], masks), amounts))

    return {"exchanged": define(exchanged, WordVector(width), exchange)}
