"""Words of the packets between AXI4 ends.

A **request** begins with its fields, cut into words from the low end. A write's data words follow, one per beat:
``data``, ``strobes``, ``user``. A **response** begins with one word of fields. For a read, one word per beat follows:
``data``, ``response``, ``user``. The word of fields is in the header flit where that has room, so that a response to a
write is one flit.
"""

from dataclasses import dataclass
from functools import cached_property

from topology.common.flits import HeaderFormat, bits_for

RESPONSE_BITS = 2
OKAY, EXOKAY, SLVERR, DECERR = range(4)
FIXED, INCR, WRAP = range(3)
MIN_DATA_BITS, MAX_DATA_BITS = 32, 256
"""With 512 bits of data a beat and its strobes exceed the widest flit."""
LITE_DATA_BITS = (32, 64)
"""Widths of AXI4-Lite."""
LENGTH_BITS, SIZE_BITS, BURST_BITS = 8, 3, 2
MAX_BEATS = 1 << LENGTH_BITS
MIN_CUT_BEATS = 16
"""Beats of the longest FIXED and WRAP bursts, which are never cut."""
MIN_STORED_BEATS = MAX_BEATS + 2
"""Least capacity of a store of complete writes; it takes no beat before it has room for two."""

Fields = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Axi4Format:
    """Widths of the AXI4 ports of a network, and of the packets between them.

    Parameters:
        processors: Of the network.
        address_bits: 12 to 64.
        data_bits: 32 to 256, a power of two.
        id_bits: Of the managers' IDs.
        user_bits: Sideband of every channel but B, from the sender to the receiver.
        outstanding: Transactions that a manager has under way, in each direction; 1 to 16.
        windows: Number of areas of multicast writes.
        masks: The low bits of a manager's AWUSER are a mask: a write goes to all regions whose address is equal in the
            other bits. Not together with windows.
    """

    processors: int
    address_bits: int = 32
    data_bits: int = 32
    id_bits: int = 4
    user_bits: int = 0
    outstanding: int = 4
    windows: int = 0
    masks: bool = False

    def __post_init__(self):
        widths = (("address_bits", 12, 64), ("data_bits", MIN_DATA_BITS, MAX_DATA_BITS), ("id_bits", 0, 16))
        for name, low, high in widths:
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} is {value!r}; it must be from {low} to {high}")
        if self.data_bits & (self.data_bits - 1):
            raise ValueError(f"data_bits is {self.data_bits!r}; it must be a power of two")
        if self.masks and self.windows:
            raise ValueError(f"windows is {self.windows!r}; it must be 0 with masks")
        if not 1 <= self.outstanding <= 16:
            raise ValueError(f"outstanding is {self.outstanding!r}; it must be from 1 to 16")

    @property
    def multicasts(self) -> bool:
        """True if a write may go to several subordinates."""
        return self.masks or self.windows > 0

    @property
    def strobe_bits(self) -> int:
        """Bytes of a beat."""
        return self.data_bits // 8

    @property
    def node_bits(self) -> int:
        """Bits of a processor's number."""
        return bits_for(self.processors)

    @property
    def slot_bits(self) -> int:
        """Bits of the number of a transaction under way."""
        return bits_for(self.outstanding)

    @cached_property
    def request_fields(self) -> Fields:
        """Names and widths of a request's fields, lowest first."""
        fields = [("write", 1), *([("multicast", 1)] if self.multicasts else ()), ("source", self.node_bits)]
        fields += [("slot", self.slot_bits), ("burst", BURST_BITS), ("size", SIZE_BITS), ("len", LENGTH_BITS)]
        fields += [("cache", 4), ("prot", 3), ("qos", 4), ("user", self.user_bits), ("addr", self.address_bits)]
        return tuple((name, bits) for name, bits in fields if bits)

    @cached_property
    def write_fields(self) -> Fields:
        """Those of a write's data word."""
        fields = (("data", self.data_bits), ("strb", self.strobe_bits), ("user", self.user_bits))
        return tuple((name, bits) for name, bits in fields if bits)

    @cached_property
    def response_fields(self) -> Fields:
        """Those of a response's first word; ``resp`` is of a write alone."""
        return (("read", 1), ("slot", self.slot_bits), ("resp", RESPONSE_BITS))

    @cached_property
    def read_fields(self) -> Fields:
        """Those of a read's data word."""
        fields = (("data", self.data_bits), ("resp", RESPONSE_BITS), ("user", self.user_bits))
        return tuple((name, bits) for name, bits in fields if bits)

    @property
    def min_request_bits(self) -> int:
        """Least width of the request network's words."""
        return bits_of(self.write_fields)

    @property
    def min_response_bits(self) -> int:
        """Least width of the response network's words."""
        return max(bits_of(self.read_fields), bits_of(self.response_fields))

    def header_word_bits(self, header: HeaderFormat) -> int:
        """Return the bits of a response's first word that its header has; 0 if the word has a flit of its own.

        Parameters:
            header: Header format of the response network.
        """
        bits = bits_of(self.response_fields)
        return bits if bits <= header.spare_bits else 0

    def request_words(self, word_bits: int) -> int:
        """Return the number of words with a request's fields."""
        return -(-bits_of(self.request_fields) // word_bits)


def bits_of(fields: Fields) -> int:
    """Return the width of all fields together."""
    return sum(bits for _, bits in fields)
