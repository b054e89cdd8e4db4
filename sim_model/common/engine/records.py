"""Arrays of records, of which all state is made."""

import os

import numpy as np

# NumPy, unlike compiled code, would cut off what is shifted by a narrow number.
NUMBER = np.uint32 if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0" else np.int64

Field = str | tuple[str, type]


def number(name: str) -> Field:
    """A field for a number or count that is never NONE and at most 2^32 - 1.

    It takes half the room; and a compiled index that cannot be negative is not looked at for being counted from the
    end. Two such fields must not be added and the sum combined with a field of 64 bits: Numba makes that a float.
    """
    return name, NUMBER


def make_records(count: int, fields: tuple[Field, ...], /, **columns) -> np.recarray:
    """Records, 0 where no column (an array or one value) is given; fields are int64 unless they are a ``number``."""
    types = [(field, np.int64) if isinstance(field, str) else field for field in fields]
    records = np.zeros(count, dtype=types).view(np.recarray)
    for name, column in columns.items():
        records[name] = column
    return records
