"""Operations on planes: words of 64 bits."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

ALL_BUT_SIGN = (1 << 63) - 1


def count_bits(word):
    """How many bits of a word of 64 are 1."""
    return (int(word) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


def _type_population(_context, word):
    def generate(_context, builder, _signature, values):
        return builder.ctpop(values[0])

    return types.int64(word), generate


_population: Any = intrinsic(_type_population)


@overload(count_bits)
def _compiled_count_bits(word):
    return (lambda word: _population(word)) if isinstance(word, types.Integer) else None


def rotated(word, turn):
    """The bits of a word moved up by 0 to 63 places, those above its end to its beginning."""
    return word << turn | (word >> 1 & ALL_BUT_SIGN) >> 63 - turn


def _type_rotation(_context, word, turn):
    def generate(_context, builder, _signature, values):
        kind = ir.IntType(64)
        function = ir.FunctionType(kind, [kind] * 3)
        rotate = cgutils.get_or_insert_function(builder.module, function, "llvm.fshl.i64")
        return builder.call(rotate, [values[0], values[0], values[1]])

    return types.int64(word, turn), generate


_rotation: Any = intrinsic(_type_rotation)


@overload(rotated)
def _compiled_rotated(word, turn):
    whole = isinstance(word, types.Integer) and isinstance(turn, types.Integer)
    return (lambda word, turn: _rotation(word, turn)) if whole else None
