"""Fields as rows of bits, for many rows at once."""

from collections.abc import Sequence

import numpy as np

LANE_BITS = 64
Field = tuple[str, int]
"""Name and width in bits."""


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
