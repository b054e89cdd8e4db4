"""The wire format of protocol buffers, as far as reading it goes: fields of a message, and messages one after another.

A field begins with a varint that holds its number and its type: a varint, eight bytes, a run of bytes with its length
before it (text, messages, and lists of numbers), or four bytes.
"""

from collections.abc import Iterator
from typing import NamedTuple

VARINT, EIGHT_BYTES, RUN, FOUR_BYTES = 0, 1, 2, 5
_MAX_VARINT_BYTES = 10
_FIXED = {EIGHT_BYTES: 8, FOUR_BYTES: 4}


class WireError(ValueError):
    """Bytes that are no message.

    Parameters:
        byte: Position, counted from the beginning of the input.
    """

    def __init__(self, problem: str, byte: int):
        super().__init__(f"byte {byte}: {problem}")
        self.problem = problem
        self.byte = byte


class Field(NamedTuple):
    """One field of a message; ``value`` is an integer for a varint and bytes for all else."""

    number: int
    value: int | bytes


def delimited(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield messages, each after its length, with the bytes at which they begin.

    Raises:
        WireError: If the last one is cut off, or a length is no number.
    """
    position = 0
    while position < len(data):
        first, (size, position) = position, varint(data, position)
        if position + size > len(data):
            raise WireError(f"a message of {size} bytes is cut off after {len(data) - position}", first)
        yield first, data[position : position + size]
        position += size


def fields(data: bytes) -> Iterator[Field]:
    """Yield the fields of a message, in their order.

    Raises:
        WireError: If a field is cut off or of no known type.
    """
    position = 0
    while position < len(data):
        first, (key, position) = position, varint(data, position)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, position = varint(data, position)
            yield Field(number, value)
            continue
        if kind == RUN:
            size, position = varint(data, position)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise WireError(f"Type of a field is {kind}; it must be 0, 1, 2 or 5", first)
        if position + size > len(data):
            raise WireError(f"field {number} is cut off", first)
        yield Field(number, data[position : position + size])
        position += size


def varint(data: bytes, position: int) -> tuple[int, int]:
    """Return a number of seven bits per byte, lowest first, and the position behind it.

    Raises:
        WireError: If it is cut off or too long.
    """
    value = 0
    for count in range(_MAX_VARINT_BYTES):
        if position + count >= len(data):
            raise WireError("a number is cut off", position)
        byte = data[position + count]
        value |= (byte & 0x7F) << 7 * count
        if byte < 0x80:
            return value, position + count + 1
    raise WireError(f"a number has more than {_MAX_VARINT_BYTES} bytes", position)


def numbers(value: int | bytes) -> list[int]:
    """Return the values of a repeated field of integers: one, or a packed list."""
    if isinstance(value, int):
        return [value]
    found, position = [], 0
    while position < len(value):
        number, position = varint(value, position)
        found.append(number)
    return found


def signed(value: int) -> int:
    """Return a varint as a signed integer of 64 bits."""
    return value - (1 << 64) if value >= 1 << 63 else value
