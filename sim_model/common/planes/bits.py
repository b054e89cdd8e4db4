"""Operations on planes: words of 64 bits."""

from typing import Any

from numba import types
from numba.extending import intrinsic, overload

from sim_model.common.engine.compiled import compiled


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


@compiled
def shifted(planes, word, row, amount):
    """A word of a plane all of whose bits have been moved up by an amount, over the ends of words; down if negative.

    Parameters
    ----------
    planes : int64[words, rows]
    word, row : int
    amount : int
    """
    words = len(planes)
    if amount >= 0:
        source, rest = word - (amount >> 6), amount & 63
        bits = planes[source, row] << rest if source >= 0 else 0
        if rest != 0 and source >= 1:
            bits |= planes[source - 1, row] >> 64 - rest & (1 << rest) - 1
        return bits
    source, rest = word + (-amount >> 6), -amount & 63
    bits = 0
    if source < words:
        bits = planes[source, row]
        if rest != 0:
            bits = bits >> rest & (1 << 64 - rest) - 1
    if rest != 0 and source + 1 < words:
        bits |= planes[source + 1, row] << 64 - rest
    return bits
