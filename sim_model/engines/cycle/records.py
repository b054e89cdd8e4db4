"""Arrays of records, which hold all state.

Cache misses dominate the cost of a cycle. So fields are no wider than their values, and a record lies in as few cache
lines as possible.
"""

import math
import os
from typing import Any

import numpy as np

# NumPy, unlike compiled code, would cut off what is shifted by a narrow number.
_NARROW = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
NUMBER = np.uint32 if _NARROW else np.int64
SHORT = np.uint16 if _NARROW else np.int64
SIGNED = np.int16 if _NARROW else np.int64
WHOLE = np.int32 if _NARROW else np.int64
BYTE = np.uint8 if _NARROW else np.int64

NEVER = np.iinfo(np.int64).max
"""Value of a cycle that will not be."""
NONE = -1
"""Value of a number or cycle that there is not."""

Field = str | tuple[str, type]
CACHE_LINE_BYTES = 64


def number(name: str) -> Field:
    """Return a field for a number or count that is never NONE and at most 2^32 - 1.

    It takes half the room; and a compiled index that cannot be negative is not tested for being counted from the end.
    Two such fields must not be added and the sum combined with a field of 64 bits: Numba makes that a float.
    """
    return name, NUMBER


def short(name: str) -> Field:
    """Return a field for a number or count of at most 2^16 - 1."""
    return name, SHORT


def signed(name: str) -> Field:
    """Return a field for a count that may be negative, of at most 2^15 - 1: sums with other fields stay integers."""
    return name, SIGNED


def whole(name: str) -> Field:
    """Return a field for a number or count of at most 2^31 - 1."""
    return name, WHOLE


def byte(name: str) -> Field:
    """Return a field for a number of at most 255, such as that of a port."""
    return name, BYTE


def make_records(count: int, fields: tuple[Field, ...], /, **columns) -> np.recarray:
    """Return records, 0 where no column (an array or one value) is given; fields are int64 unless declared narrow.

    Records of up to half a cache line begin where they do not straddle two.
    """
    types = [(field, np.int64) if isinstance(field, str) else field for field in fields]
    types.sort(key=lambda named: -np.dtype(named[1]).itemsize)  # so that each is aligned
    kinds = [np.dtype(kind) for _, kind in types]
    offsets = np.cumsum([0, *(kind.itemsize for kind in kinds)]).tolist()
    narrow = len(set(kinds)) > 1
    layout: Any = {"names": [name for name, _ in types], "formats": kinds, "offsets": offsets[:-1]}
    layout["itemsize"] = _room(offsets[-1]) if narrow else offsets[-1]
    record = np.dtype(layout)
    records = empty_records(count, record)
    for name, column in columns.items():
        records[name] = column
    return records


def empty_records(count: int, record: np.dtype) -> np.recarray:
    """Return records of a type, all 0, the first one at the beginning of a cache line."""
    room = np.zeros(count * record.itemsize + CACHE_LINE_BYTES, dtype=np.uint8)
    begin = -room.ctypes.data % CACHE_LINE_BYTES
    return room[begin : begin + count * record.itemsize].view(record).view(np.recarray)


def aligned_words(*shape: int) -> np.ndarray:
    """Return words (int64) that are 0 and aligned to a cache line, so that vectors of 64 bytes lie in one.

    A vector in two cache lines takes twice as long to read, and cannot be read right after a write.
    """
    return empty_records(math.prod(shape), np.dtype(np.int64)).view(np.ndarray).reshape(shape)


def copied_records(records: Any) -> np.recarray:
    """Return a copy of records of any shape, with the alignment of the original."""
    copied: Any = empty_records(records.size, records.dtype).reshape(records.shape)
    copied[:] = records
    return copied


def _room(size: int) -> int:
    """Return the bytes of a record: a power of two up to a cache line, and then a multiple of half a line."""
    if size > CACHE_LINE_BYTES:
        return -(-size // (CACHE_LINE_BYTES // 2)) * (CACHE_LINE_BYTES // 2)
    return 1 << (size - 1).bit_length()
