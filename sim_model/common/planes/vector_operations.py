"""What can be done with vectors of planes (``vectors.py``): each operation for Python, and for the compiler."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from sim_model.common.planes.vectors import WORD, PlaneVector, call_on_vector, constant, merged, shuffled

Operations = Mapping[str, Callable[..., Any]]


def _load(builder: Any, data: Any, place: Any, words: Any) -> Any:
    found = builder.load(builder.bitcast(builder.gep(data, [place]), words.as_pointer()))
    found.align = 8
    return found


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
    kind = PlaneVector(width)

    def vector_at(row, place):
        return row[place : place + width].copy()

    def put(row, place, vector):
        row[place : place + width] = vector

    def splat(word):
        return np.full(width, word, dtype=np.int64)

    def gathered(row, place):
        vectors = row[place : place + rows * width].reshape(rows, width)
        return np.concatenate((np.bitwise_or.reduce(vectors, axis=1), np.zeros(width - rows, dtype=np.int64)))

    @intrinsic
    def read(_context, row, place):
        def generate(context, builder, signature, values):
            array = context.make_array(signature.args[0])(context, builder, values[0])
            return _load(builder, array.data, values[1], kind.words)

        return kind(row, types.int64), generate

    @intrinsic
    def write(_context, row, place, vector):
        def generate(context, builder, signature, values):
            array = context.make_array(signature.args[0])(context, builder, values[0])
            place = builder.bitcast(builder.gep(array.data, [values[1]]), kind.words.as_pointer())
            builder.store(values[2], place).align = 8
            return context.get_dummy_value()

        return types.void(row, types.int64, kind), generate

    @intrinsic
    def copy(_context, word):
        def generate(_context, builder, _signature, values):
            first = builder.insert_element(ir.Constant(kind.words, ir.Undefined), values[0], ir.IntType(32)(0))
            return shuffled(builder, first, first, [0] * width)

        return kind(types.int64), generate

    @intrinsic
    def gather(_context, row, place):
        def generate(context, builder, signature, values):
            data = context.make_array(signature.args[0])(context, builder, values[0]).data
            places = [builder.add(values[1], WORD(number * width)) for number in range(rows)]
            vectors = [_load(builder, data, place, kind.words) for place in places]
            return merged(builder, vectors + [constant([0] * width)] * (width - rows))

        return kind(row, types.int64), generate

    overload(vector_at)(lambda row, place: lambda row, place: read(row, place))
    overload(put)(lambda row, place, vector: lambda row, place, vector: write(row, place, vector))
    overload(splat)(lambda word: lambda word: copy(word))
    overload(gathered)(lambda row, place: lambda row, place: gather(row, place))
    return {"vector_at": vector_at, "put": put, "splat": splat, "gathered": gathered}


@cache
def word_operations(width: int) -> Operations:
    """The words of a vector.

    ``any_of(vector)``
        All of them put together by bits.
    ``places_of(vector)``
        A mask of those that are not 0.
    ``count_all(vector)``
        How many bits are 1.
    """
    kind = PlaneVector(width)

    def any_of(vector):
        return np.bitwise_or.reduce(vector)

    def places_of(vector):
        return sum(1 << place for place in range(width) if vector[place] != 0)

    def count_all(vector):
        return sum((int(word) & 0xFFFF_FFFF_FFFF_FFFF).bit_count() for word in vector)

    @intrinsic
    def reduce_or(_context, vector):
        def generate(_context, builder, _signature, values):
            return call_on_vector("llvm.vector.reduce.or", values[0], WORD, builder)

        return types.int64(kind), generate

    @intrinsic
    def find(_context, vector):
        def generate(_context, builder, _signature, values):
            found = builder.icmp_signed("!=", values[0], constant([0] * width))
            return builder.zext(builder.bitcast(found, ir.IntType(width)), WORD)

        return types.int64(kind), generate

    @intrinsic
    def count(_context, vector):
        def generate(_context, builder, _signature, values):
            counts = call_on_vector("llvm.ctpop", values[0], kind.words, builder)
            return call_on_vector("llvm.vector.reduce.add", counts, WORD, builder)

        return types.int64(kind), generate

    overload(any_of)(lambda vector: lambda vector: reduce_or(vector))
    overload(places_of)(lambda vector: lambda vector: find(vector))
    overload(count_all)(lambda vector: lambda vector: count(vector))
    return {"any_of": any_of, "places_of": places_of, "count_all": count_all}


@cache
def move_operations(width: int) -> Operations:
    """Words of a vector in other places.

    ``crossed(vector, number)``
        Each word in the place of the one whose number differs in the bits of ``number``.
    ``before(vector)``, ``behind(vector)``
        In each place all words before it, or behind it, put together by bits.
    """
    kind = PlaneVector(width)
    stages = [1 << stage for stage in range(width.bit_length() - 1)]

    def crossed(vector, number):
        return vector[np.arange(width) ^ number]

    def before(vector):
        return np.concatenate(([0], np.bitwise_or.accumulate(vector)[:-1]))

    def behind(vector):
        return before(vector[::-1])[::-1].copy()

    @intrinsic
    def cross(_context, vector, number):
        def generate(_context, builder, _signature, values):
            found = values[0]
            for stage in stages:
                moved = shuffled(builder, found, found, [place ^ stage for place in range(width)])
                wanted = builder.icmp_signed("!=", builder.and_(values[1], WORD(stage)), WORD(0))
                found = builder.select(wanted, moved, found)
            return found

        return kind(kind, types.int64), generate

    def running(way):
        def moved(builder, vector, steps):
            zeros = constant([0] * width)
            places = [place + steps if 0 <= place + steps < width else width for place in range(width)]
            return shuffled(builder, vector, zeros, places)

        @intrinsic
        def put_together(_context, vector):
            def generate(_context, builder, _signature, values):
                found = moved(builder, values[0], way)
                for stage in stages:
                    found = builder.or_(found, moved(builder, found, way * stage))
                return found

            return kind(kind), generate

        return put_together

    up, down = running(-1), running(1)
    overload(crossed)(lambda vector, number: lambda vector, number: cross(vector, number))
    overload(before)(lambda vector: lambda vector: up(vector))
    overload(behind)(lambda vector: lambda vector: down(vector))
    return {"crossed": crossed, "before": before, "behind": behind}


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
    kind = PlaneVector(width)
    shifts = [1 << d if d < dimensions else 0 for d in range(width)]
    kept = [sum(1 << bit for bit in range(64) if not bit >> d & 1) if d < dimensions else 0 for d in range(width)]

    def exchanged(vector):
        words, amounts, masks = vector.view(np.uint64), np.array(shifts, np.uint64), np.array(kept, np.uint64)
        return (words >> amounts & masks | (words & masks) << amounts).view(np.int64)

    @intrinsic
    def exchange(_context, vector):
        def generate(_context, builder, _signature, values):
            amounts, masks = constant(shifts), constant(kept)
            down = builder.and_(builder.lshr(values[0], amounts), masks)
            return builder.or_(down, builder.shl(builder.and_(values[0], masks), amounts))

        return kind(kind), generate

    overload(exchanged)(lambda vector: lambda vector: exchange(vector))
    return {"exchanged": exchanged}
