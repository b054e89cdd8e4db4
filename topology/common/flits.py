"""Flit and header formats: the one home of field order and widths.

A flit is ``data`` in the low ``flit_bits`` bits, then ``head``, then ``tail``. A header is a row of fields,
first field lowest, cut into flits from its low end; what is left over in its last flit is zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from topology.common.ages import AGE, MIN_DEPTH_FLITS

MIN_FLIT_BITS = 8
MAX_FLIT_BITS = 512
MAX_MESSAGE_FLITS = 65_535
MESSAGE_FLITS_BITS = 16


@dataclass(frozen=True)
class FlitFormat:
    """Layout of one flit.

    Parameters:
        flit_bits: Width of the data field, 8 to 512.
    """

    flit_bits: int

    def __post_init__(self):
        if not MIN_FLIT_BITS <= self.flit_bits <= MAX_FLIT_BITS:
            raise ValueError(f"Flit width is {self.flit_bits!r}; it must be {MIN_FLIT_BITS} to {MAX_FLIT_BITS} bits")

    @property
    def fields(self) -> tuple[tuple[str, int], ...]:
        """Field names and widths in bits, lowest first."""
        return (("data", self.flit_bits), ("head", 1), ("tail", 1))

    @property
    def width(self) -> int:
        """Bits of a whole flit."""
        return self.flit_bits + 2

    def pack(self, *, data: int, head: bool, tail: bool) -> int:
        """Return the flit as an integer."""
        return data | int(head) << self.flit_bits | int(tail) << self.flit_bits + 1

    def unpack(self, flit: int) -> tuple[int, bool, bool]:
        """Return ``(data, head, tail)`` of a flit given as an integer."""
        data = flit & (1 << self.flit_bits) - 1
        return data, bool(flit >> self.flit_bits & 1), bool(flit >> self.flit_bits + 1 & 1)


class SetWord(NamedTuple):
    """Bits of a header flit, each of which names a processor.

    Members:
        bits: Width of the word, from the lowest bit of the flit on.
        shift: Position of the first processor's bit; bits below, and those above the last one's, name no processor.
        processors: Processors, one per bit.
    """

    bits: int
    shift: int
    processors: range


@dataclass(frozen=True)
class HeaderFormat:
    """Layout of a header: fixed fields, then (in multicasts) one bit per processor.

    ``PartsFormat`` has the same interface, and names destinations in another way.

    Parameters:
        fields (sequence of (str, int)): Names and widths in bits of the fixed fields, lowest first. The first field is
            the one that routers look up in their table.
        destinations: Width of the destination bit string; bit ``i`` is processor ``i``.
        flit_bits: Width of a flit.
    """

    fields: tuple[tuple[str, int], ...]
    destinations: int
    flit_bits: int

    @property
    def fixed_bits(self) -> int:
        """Bits of the fixed fields, which is also the position of the bit string."""
        return sum(width for _, width in self.fields)

    def bits_of(self, name: str) -> slice | None:
        """Return the bits of a fixed field in the header, or None without that field."""
        low = 0
        for field, width in self.fields:
            if field == name:
                return slice(low, low + width)
            low += width
        return None

    @property
    def key_flits(self) -> int:
        """Flits that hold the first field, the routing key."""
        return -(-self.fields[0][1] // self.flit_bits)

    @property
    def unicast_flits(self) -> int:
        """Header flits of a message without bit string."""
        return -(-self.fixed_bits // self.flit_bits)

    @property
    def multicast_flits(self) -> int:
        """Header flits of a message with bit string: of all those the longest header."""
        return -(-(self.fixed_bits + self.destinations) // self.flit_bits)

    @property
    def spare_bits(self) -> int:
        """Bits behind the fixed fields that routers pass on, in a header of one flit without bit string; 0 if none."""
        return max(0, self.flit_bits - self.fixed_bits)

    @property
    def part_processors(self) -> int:
        """Processors that one flit of a set names, 0 where the set is one bit string; see ``PartsFormat``."""
        return 0

    @property
    def scan_bits(self) -> int:
        """Low bits of a flit that can hold anything but zeros."""
        return min(self.flit_bits, self.fixed_bits + self.destinations)

    @property
    def set_words(self) -> tuple[SetWord, ...]:
        """The places where a flit can name destinations, in the order of the numbers by which routers find them.

        Here it is a word of ``scan_bits`` bits for each header flit, and its number is that of the flit.
        """
        words = []
        for flit in range(self.multicast_flits):
            start = flit * self.flit_bits - self.fixed_bits  # the processor whose bit would be the flit's lowest one
            first = min(max(start, 0), start + self.scan_bits)
            end = max(first, min(start + self.scan_bits, self.destinations))
            words.append(SetWord(self.scan_bits, first - start, range(first, end)))
        return tuple(words)

    def buffer_depth_flits(self, buffer_flits: int) -> int:
        """Return the flits that an input buffer holds: a switch reads a whole header before it sends the first flit."""
        depth = self.multicast_flits - 1 + buffer_flits
        return max(depth, MIN_DEPTH_FLITS) if self.bits_of(AGE) else depth

    def flits_of(self, destinations: Sequence[int]) -> int:
        """Return the header flits of a message to a set of destinations.

        Parameters:
            destinations: Processors, each of them once.
        """
        return self.unicast_flits if len(destinations) == 1 else self.multicast_flits

    def flits_of_sets(self, offsets: np.ndarray, _destinations: np.ndarray) -> np.ndarray:
        """Return ``flits_of`` of many sets at once, int64[sets].

        Parameters:
            offsets (int array, shape (sets + 1,)): Begin of each set in ``destinations``; the last entry is the end of
                the last set.
            destinations (int array): Processors of all sets, those of each in ascending order.
        """
        return np.where(np.diff(offsets) == 1, self.unicast_flits, self.multicast_flits)

    def pack(self, values: Sequence[int], destinations: int = 0) -> int:
        """Return the header as an integer.

        Parameters:
            values: One value per fixed field.
            destinations: The bit string; 0 for a unicast.
        """
        header = destinations << self.fixed_bits
        position = 0
        for (name, width), value in zip(self.fields, values, strict=True):
            if not 0 <= value < 1 << width:
                raise ValueError(f"Header field {name} must fit in {width} bits, not {value!r}")
            header |= value << position
            position += width
        return header

    def unpack(self, header: int) -> tuple[tuple[int, ...], int]:
        """Return ``(fixed field values, bit string)`` of a header given as an integer."""
        values = []
        for _, width in self.fields:
            values.append(header & (1 << width) - 1)
            header >>= width
        return tuple(values), header & (1 << self.destinations) - 1

    def to_flits(self, header: int, count: int) -> list[int]:
        """Return the data fields of the first ``count`` flits of a header."""
        mask = (1 << self.flit_bits) - 1
        return [header >> self.flit_bits * k & mask for k in range(count)]


def bits_for(values: int) -> int:
    """Return the bits for the numbers ``0 .. values-1``; at least 1."""
    return max(1, (values - 1).bit_length())
