"""Rows of planes: what stands at a place of a row is one word, or a vector of the words of several groups of routers.

So what is written for a word (``router.py``) does as well for the groups of a vector at a time. Without Numba a row is
an array of words.
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from sim_model.common.planes.bits import count_bits
from sim_model.common.planes.vectors import WORD, PlaneVector, call_on_vector, define

_infer: Any = infer_global


class PlaneRow(types.Type):
    """The type of rows with so many words at each place, a power of 2."""

    def __init__(self, width: int):
        self.width = width
        self.plane = types.int64 if width == 1 else PlaneVector(width)
        super().__init__(name=f"PlaneRow({width})")


@register_model(PlaneRow)
class _PlaneRowModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _pointer(kind))


def _pointer(kind):
    return (WORD if kind.width == 1 else kind.plane.words).as_pointer()


@_infer(operator.getitem)
class _Get(AbstractTemplate):
    def generic(self, args, kws):
        if kws or not isinstance(args[0], PlaneRow) or not isinstance(args[1], types.Integer):
            return None
        return signature(args[0].plane, args[0], types.intp)


@_infer(operator.setitem)
class _Set(AbstractTemplate):
    def generic(self, args, kws):
        if kws or not isinstance(args[0], PlaneRow) or not isinstance(args[1], types.Integer):
            return None
        return signature(types.none, args[0], types.intp, args[0].plane)


@lower_builtin(operator.getitem, PlaneRow, types.Integer)
def _load(_context, builder, _signature, values):
    found = builder.load(builder.gep(values[0], [values[1]]))
    found.align = 8
    return found


@lower_builtin(operator.setitem, PlaneRow, types.Integer, types.Any)
def _store(context, builder, _signature, values):
    builder.store(values[2], builder.gep(values[0], [values[1]])).align = 8
    return context.get_dummy_value()


@cache
def row_operations(width: int) -> dict[str, Callable[..., Any]]:
    """Functions on rows with so many words at each place.

    ``row_of(words)``
        The row of an array int64[places, width]; it is the same memory.
    ``any_of(plane)``
        All words at a place put together by bits.
    ``count_all(plane)``
        How many of their bits are 1.
    """
    kind = PlaneRow(width)

    def row_of(words):
        return words[:, 0]

    def any_of(plane):
        return plane

    def count_all(plane):
        return count_bits(plane)

    def view(context, builder, signature, values):
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        return builder.bitcast(data, _pointer(kind))

    def reduce_or(_context, builder, _signature, values):
        return values[0] if width == 1 else call_on_vector("llvm.vector.reduce.or", values[0], WORD, builder)

    def count(_context, builder, _signature, values):
        if width == 1:
            return builder.ctpop(values[0])
        return call_on_vector(
            "llvm.vector.reduce.add", call_on_vector("llvm.ctpop", values[0], kind.plane.words, builder), WORD, builder
        )

    return {
        "count_all": define(count_all, types.int64, count),
        "row_of": define(row_of, kind, view),
        "any_of": define(any_of, types.int64, reduce_or),
    }
