"""Headers whose length is that of the set they name: a flit for each part of the processors with a destination.

A part is a range of as many processors as one flit can name. Its flit is, lowest field first:

=========  ==========================  ===============================================================
field      bits                        meaning
=========  ==========================  ===============================================================
``bits``   W, the processors per part  bit i is processor ``part * W + i``
``part``   ``bits_for`` of the parts   number of the part
``last``   1                           no other part of the set follows
=========  ==========================  ===============================================================

W is the most that fits into a flit. The fixed fields have flits of their own before, as in a unicast. Parts without a
destination have no flit, the others one each, in ascending order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from topology.common.errors import TopologyError
from topology.common.flits import HeaderFormat, SetWord, bits_for

BIT_STRING, PARTS = "bit_string", "parts"
HEADER_KINDS = (BIT_STRING, PARTS)
"""Ways to name several destinations in a header."""


def header_format(kind: str, fields: tuple[tuple[str, int], ...], destinations: int, flit_bits: int) -> HeaderFormat:
    """Return a header format by its kind.

    Parameters:
        kind: One of ``HEADER_KINDS``.
        fields, destinations, flit_bits: See ``HeaderFormat``.

    Raises:
        ValueError: If there is no such kind.
        TopologyError: If no flit can name a part of ``destinations`` processors.
    """
    if kind not in HEADER_KINDS:
        raise ValueError(f"Header is {kind!r}; it must be one of {', '.join(HEADER_KINDS)}")
    return (PartsFormat if kind == PARTS else HeaderFormat)(fields, destinations, flit_bits)


@dataclass(frozen=True)
class PartsFormat(HeaderFormat):
    """Layout of a header: fixed fields, then (in multicasts) a flit for each part that has a destination.

    Parameters:
        fields, destinations, flit_bits: See ``HeaderFormat``.

    Raises:
        TopologyError: If no flit can name a part of ``destinations`` processors.
    """

    def __post_init__(self):
        if self.part_processors < 1:
            least = next(bits for bits in range(self.flit_bits, 64) if _processors_in(bits, self.destinations) > 0)
            text = f"Flit must have at least {least} bits to name parts of {self.destinations:,} processors"
            raise TopologyError(f"{text}, not {self.flit_bits!r} bits", item=str(self.flit_bits))

    @property
    def part_processors(self) -> int:
        """Processors of a part, W; the last part may have fewer."""
        return _processors_in(self.flit_bits, self.destinations)

    @property
    def parts(self) -> int:
        """Number of parts."""
        return -(-self.destinations // self.part_processors)

    @property
    def part_bits(self) -> int:
        """Width of the number of a part."""
        return bits_for(self.parts)

    @property
    def part_position(self) -> slice:
        """Bits of the flit of a part that are its number."""
        return slice(self.part_processors, self.last_bit)

    @property
    def last_bit(self) -> int:
        """Position of ``last`` in the flit of a part."""
        return self.part_processors + self.part_bits

    @property
    def multicast_flits(self) -> int:
        """Flits of the longest header: one for each part, behind the fixed fields."""
        return self.unicast_flits + self.parts

    @property
    def scan_bits(self) -> int:
        """Low bits of a flit that can hold anything but zeros."""
        return min(self.flit_bits, max(self.fixed_bits, self.last_bit + 1))

    @property
    def set_words(self) -> tuple[SetWord, ...]:
        """Processors that a flit can name, by the number of its part."""
        size = self.part_processors
        starts = range(0, self.destinations, size)
        return tuple(SetWord(size, 0, range(start, min(start + size, self.destinations))) for start in starts)

    def flits_of(self, destinations: Sequence[int]) -> int:
        """Return the header flits of a message to a set of destinations.

        Parameters:
            destinations: Processors, each of them once.
        """
        if len(destinations) == 1:
            return self.unicast_flits
        size = self.part_processors
        return self.unicast_flits + len({processor // size for processor in destinations})

    def flits_of_sets(self, offsets: np.ndarray, destinations: np.ndarray) -> np.ndarray:
        """Return ``flits_of`` of many sets at once, int64[sets]; see ``HeaderFormat``."""
        part = np.asarray(destinations) // self.part_processors
        begins = np.ones(len(part) + 1, dtype=np.int64)
        begins[1:-1] = np.diff(part) != 0
        begins[offsets] = 1
        before = np.concatenate(([0], np.cumsum(begins[: len(part)])))  # parts that begin before a position
        parts = before[offsets[1:]] - before[offsets[:-1]]
        return np.where(np.diff(offsets) == 1, self.unicast_flits, self.unicast_flits + parts)

    def pack(self, values: Sequence[int], destinations: int = 0) -> int:
        """Return the header as an integer, of as many flits as it takes; see ``HeaderFormat``."""
        header, position = super().pack(values), self.unicast_flits * self.flit_bits
        part, size = 0, self.part_processors
        while destinations:
            bits = destinations & (1 << size) - 1
            destinations >>= size
            if bits:
                last = int(destinations == 0)
                header |= (bits | part << size | last << self.last_bit) << position
                position += self.flit_bits
            part += 1
        return header

    def unpack(self, header: int) -> tuple[tuple[int, ...], int]:
        """Return ``(fixed field values, bit per processor)`` of a header given as an integer."""
        values, _ = super().unpack(header)
        size, destinations, rest = self.part_processors, 0, header >> self.unicast_flits * self.flit_bits
        while rest:
            part = rest >> size & (1 << self.part_bits) - 1
            destinations |= (rest & (1 << size) - 1) << part * size
            rest = 0 if rest >> self.last_bit & 1 else rest >> self.flit_bits
        return values, destinations


@cache
def _processors_in(flit_bits: int, processors: int) -> int:
    """Return the most processors that a part can have; below 1 if the part numbers take too many bits."""
    for size in range(min(flit_bits - 2, processors), 0, -1):
        if size + bits_for(-(-processors // size)) + 1 <= flit_bits:
            return size
    return 0
