"""Operations on planes: words of 64 bits."""

from typing import Any

from numba import types
from numba.extending import intrinsic, overload


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
