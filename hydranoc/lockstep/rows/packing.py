"""Fields as rows of bits, for many rows at once."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

LANE_BITS = 64
Field = tuple[str, int]
"""Name and width in bits."""
Columns = tuple[Sequence[str], np.ndarray]
"""Names of fields, and an array of shape (rows, names) or (rows, 1) with their values."""


class Block(NamedTuple):
    """Rows of successive cycles.

    Members:
        given (uint8 array, shape (cycles, bytes)): Inputs, lowest bit first.
        expected (uint8 array, shape (cycles, bytes)): Observed bits.
    """

    given: np.ndarray
    expected: np.ndarray


class RowPacking:
    """Places of fields in a row, one behind the other from the lowest bit on.

    Parameters:
        fields (sequence of (str, int)): Names and widths of 1 to 64 bits.

    Members:
        bits, row_bytes (int): Size of a row.
        place (dict of str to int): Number of each field.
    """

    def __init__(self, fields: Sequence[Field]):
        widths = np.array([bits for _, bits in fields], dtype=np.int64)
        low = np.cumsum(widths) - widths
        self.bits = int(widths.sum())
        self.row_bytes = -(-self.bits // 8)
        self.place = {name: number for number, (name, _) in enumerate(fields)}
        self._lane = low // LANE_BITS
        self._shift = (low % LANE_BITS).astype(np.uint64)
        self._first = np.flatnonzero(np.diff(self._lane, prepend=-1))
        self._spilling = np.flatnonzero(self._shift + widths.astype(np.uint64) > LANE_BITS)

    def matrix(self, rows: int) -> np.ndarray:
        """Return a value of 0 for each row and field, uint64.

        Parameters:
            rows: Number of rows.
        """
        return np.zeros((rows, len(self.place)), dtype=np.uint64)

    def pack(self, values: np.ndarray) -> np.ndarray:
        """Return rows of bytes, lowest bit first.

        Parameters:
            values (uint64 array, shape (rows, fields)): Each must fit in its field.
        """
        lanes = np.zeros((len(values), self.bits // LANE_BITS + 1), dtype="<u8")
        own = self._lane[self._first]
        lanes[:, own] = np.bitwise_or.reduceat(values << self._shift, self._first, axis=1)
        over = self._spilling
        lanes[:, self._lane[over] + 1] |= values[:, over] >> (LANE_BITS - self._shift[over])
        return np.ascontiguousarray(lanes.view(np.uint8)[:, : self.row_bytes])


def filled(packing: RowPacking, rows: int, columns: Iterable[Columns], *, every: bool = False) -> np.ndarray:
    """Return the values of all fields; columns of fields that the hardware does not have are left out.

    Parameters:
        every: All fields need a value.
    """
    matrix, filled = packing.matrix(rows), np.zeros(len(packing.place), dtype=bool)
    for names, values in columns:
        own = [number for number, name in enumerate(names) if name in packing.place]
        places = [packing.place[names[number]] for number in own]
        matrix[:, places] = values[:, own]
        filled[places] = True
    if every and not filled.all():
        missing = [name for name, place in packing.place.items() if not filled[place]]
        raise ValueError(f"observed fields {missing} have no value in the model; every field must have one")
    return matrix
