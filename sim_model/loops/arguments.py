"""Arguments of compiled loops as words of memory.

A loop takes numbers, arrays, and named tuples of both. Its machine code reads each argument from a block of 64-bit
words, in the order of the fields: a number is a word; an array has item size, address, shape and strides.
"""

import ctypes
import struct
import weakref
from functools import cache
from typing import Any

import numpy as np

Block = tuple[int, Any]
"""Address of the words of a value, and what keeps them there."""

ORDERS = "ACFC"
"""Order of the items of an array, by the lowest two bits of its flags."""
ALIGNED_WRITEABLE = 0x500
"""Flag bits of an array that is aligned and writeable."""


class ArgumentError(TypeError):
    """An argument of a kind that no compiled loop takes."""


class Layout:
    """Layout in memory of an argument, for all values of one type.

    Parameters:
        value: One of the values.

    Members:
        signature (str): Everything about the type that machine code depends on.
        kinds (tuple of type): Classes of the named tuples in it.

    Raises:
        ArgumentError: If a compiled loop cannot take the value.
    """

    def __init__(self, value: Any):
        self.signature = _signature(value)
        self._getter = _getter(value)
        self._leaves = eval(self._getter)
        tuples, arrays, numbers = self._leaves(value)
        self.kinds = tuple(map(type, tuples))
        self._array_kinds = tuple(map(_array_kind, arrays))
        self._number_kinds = tuple(map(type, numbers))
        self._blocks: dict[Any, Block] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the members without the blocks and the function, which other processes rebuild from its text."""
        return {**vars(self), "_leaves": None, "_blocks": {}}

    def __setstate__(self, members: dict[str, Any]) -> None:
        vars(self).update(members, _leaves=eval(members["_getter"]))

    def block(self, value: Any) -> Block | None:
        """Return the block of a value.

        Returns:
            None if the value is not of this layout.
        """
        try:
            tuples, arrays, numbers = self._leaves(value)
        except (TypeError, IndexError):
            return None
        if tuple(map(type, tuples)) != self.kinds or tuple(map(type, numbers)) != self._number_kinds:
            return None
        if not arrays:
            return _block_of(value)
        key = (*map(id, arrays), *numbers)
        return self._blocks.get(key) or self._add_block(key, arrays, value)

    def _add_block(self, key: Any, arrays: tuple[Any, ...], value: Any) -> Block | None:
        """Add a block, which is dropped with any of its arrays: another array may reuse that address."""
        if not all(isinstance(array, np.ndarray) for array in arrays):
            return None
        if tuple(map(_array_kind, arrays)) != self._array_kinds:
            return None
        blocks = self._blocks

        def forget(_dead: Any) -> None:
            blocks.pop(key, None)

        address, words = _block_of(value)
        blocks[key] = address, (words, [weakref.ref(array, forget) for array in arrays])
        return blocks[key]


def _block_of(value: Any) -> Block:
    words = _words(value)
    kinds = "".join("d" if isinstance(word, float) else "q" for word in words)
    buffer = ctypes.create_string_buffer(struct.pack(f"={kinds}", *words), 8 * len(words) or 8)
    return ctypes.addressof(buffer), buffer


def _words(value: Any) -> list[int | float]:
    """Return the words of a value, as ``compilation.py`` reads them."""
    if isinstance(value, tuple):
        return [word for item in value for word in _words(item)]
    if isinstance(value, np.ndarray):
        return [value.itemsize, value.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, float | np.floating):
        return [float(value)]
    return [int(value or 0)]


def _array_kind(array: np.ndarray) -> tuple[np.dtype, int, str, int]:
    """Return the properties that the type of an array depends on."""
    flags = array.flags.num
    return array.dtype, array.ndim, ORDERS[flags & 3], flags & ALIGNED_WRITEABLE


def _signature(value: Any) -> str:
    names = getattr(value, "_fields", None)
    if isinstance(value, tuple) and names is not None:
        kind, fields = type(value), zip(names, value, strict=True)
        inner = ", ".join(f"{name}: {_signature(item)}" for name, item in fields)
        return f"{kind.__module__}.{kind.__qualname__}({inner})"
    if isinstance(value, np.ndarray):
        dtype, dimensions, order, flags = _array_kind(value)
        return f"{_dtype_text(dtype)}[{dimensions}]{order}{flags:x}"
    if value is None or isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
        return type(value).__name__
    raise ArgumentError(f"a compiled loop takes numbers, arrays and named tuples of both, not {type(value).__name__}")


@cache
def _dtype_text(dtype: np.dtype) -> str:
    return str(dtype)


def _getter(value: Any) -> str:
    """Return the text of a function that reads named tuples, arrays and numbers from values of one structure.

    It is an expression with the position of each: looking for them takes five times as long.
    """
    found: tuple[list[str], list[str], list[str]] = ([], [], [])
    _find_leaves("value", value, *found)
    parts = ("".join(f"{place}, " for place in places) for places in found)
    return f"lambda value: ({', '.join(f'({part})' for part in parts)})"  # of numbers alone


def _find_leaves(place: str, value: Any, tuples: list[str], arrays: list[str], numbers: list[str]) -> None:
    if isinstance(value, tuple):
        tuples.append(place)
        for position, item in enumerate(value):
            _find_leaves(f"{place}[{position}]", item, tuples, arrays, numbers)
    else:
        (arrays if isinstance(value, np.ndarray) else numbers).append(place)
