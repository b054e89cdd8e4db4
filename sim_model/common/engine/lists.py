"""Lists of numbers in arrays, which a cycle fills and empties.

A compiled index that may be negative is looked at for being counted from the end. A position in a list never is.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic, overload


def enter(numbers, position, number):
    """Write a number into a list (uint32[...]) at a position, which is not negative."""
    numbers[position] = number


def _type_enter(_context, numbers, position, number):
    def generate(context, builder, signature, values):
        array = context.make_array(signature.args[0])(context, builder, values[0])
        narrow = context.cast(builder, values[2], signature.args[2], signature.args[0].dtype)
        builder.store(narrow, builder.gep(array.data, [values[1]]))
        return context.get_dummy_value()

    return types.none(numbers, position, number), generate


_enter: Any = intrinsic(_type_enter)


@overload(enter)
def _compiled_enter(numbers, position, number):  # noqa: ARG001 (named as those of ``enter``)
    if not isinstance(numbers, types.Array):
        return None
    return lambda numbers, position, number: _enter(numbers, position, number)
