"""Parameters of a router, of any family, for the parts that read headers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from rtl.parts.part import MAX_PORT_BITS
from rtl.parts.worm_guard import MAX_WATCHDOG_FLITS
from topology.common.ages import AGE, MIN_DEPTH_FLITS
from topology.common.flits import HeaderFormat, bits_for

MAX_PROCESSORS = 1024
"""Limit for hardware; the golden model runs larger networks."""
MAX_BUFFER_FLITS = 1024
MAX_ROUTING_CYCLES = 1024


def check_range(name: str, value: int, lowest: int, highest: int) -> None:
    """Raise ValueError unless a value is an integer in a range."""
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise ValueError(f"{name} is {value!r}; it must be an integer from {lowest} to {highest}")


@dataclass(frozen=True, kw_only=True)
class RouterParameters(ABC):
    """The shape of a router that looks up a key in a routing table, or else destination bits in reach sets.

    It determines the logic of a router; differences between switches are constants on ports.

    Parameters:
        header: Header format of the network; its first field is the routing key.
        buffer_flits: Flits of an input buffer beyond the longest header less one, at least 1; with 1 and a header of
            one flit the rate halves.
        routing_cycles: Cycles from input buffer to output register for a head that meets no contention, at least 1.
        multicast: Whether there are reach sets. False omits all logic for multicasts.
        guarded: Reject flits outside of worms: every input has a ``WormGuard``.
        watchdog_flits: Longest worm; longer ones are truncated. 0 for worms of any length; other values need
            ``guarded``.

    Raises:
        ValueError: If a value is out of range.
    """

    header: HeaderFormat
    buffer_flits: int = 2
    routing_cycles: int = 1
    multicast: bool = True
    guarded: bool = False
    watchdog_flits: int = 0

    @property
    @abstractmethod
    def inputs(self) -> int:
        """Input ports."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Output ports."""

    @property
    @abstractmethod
    def keys(self) -> int:
        """Rows of a routing table."""

    @property
    @abstractmethod
    def classes(self) -> int:
        """Number of routing tables; the class of an input selects one of them."""

    @property
    @abstractmethod
    def multicast_keys(self) -> range:
        """Keys of headers with a bit string. A header with another key ends with it, and is unicast or unroutable."""

    @property
    def tells_branching(self) -> bool:
        """True if the route unit reports which requests are for several outputs."""
        return False

    @property
    def registers_headers(self) -> bool:
        """True if the next decoded header flit of each input is in a register; with ``routing_cycles`` 2 only."""
        return False

    def check_common(self) -> None:
        """Raise ValueError if a common value is out of range."""
        check_range("Number of processors", self.header.destinations, 1, MAX_PROCESSORS)
        check_range("Buffer size in flits", self.buffer_flits, 1, MAX_BUFFER_FLITS)
        check_range("Routing delay in cycles", self.routing_cycles, 1, MAX_ROUTING_CYCLES)
        check_range("Longest worm in flits", self.watchdog_flits, 0, MAX_WATCHDOG_FLITS)
        if self.watchdog_flits and not self.guarded:
            raise ValueError("Inputs must be guarded to truncate long worms")
        if self.route_bits > MAX_PORT_BITS:
            raise ValueError(
                f"Routing table of a switch must have at most {MAX_PORT_BITS} bits, one per class, key and output, "
                f"not {self.route_bits}"
            )

    @property
    def size_name(self) -> str:
        """For names of modules: ``p5``, or ``p4x16`` with 4 inputs and 16 outputs."""
        return f"p{self.inputs}" if self.inputs == self.outputs else f"p{self.inputs}x{self.outputs}"

    @property
    def class_bits(self) -> int:
        """Width of a class; 0 if there is only one."""
        return bits_for(self.classes) if self.classes > 1 else 0

    @property
    def route_bits(self) -> int:
        """Size of all routing tables of one switch."""
        return self.classes * self.keys * self.outputs

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.header.flit_bits

    @property
    def processors(self) -> int:
        """Processors of the network."""
        return self.header.destinations

    @property
    def key_bits(self) -> int:
        """Width of the routing key."""
        return self.header.fields[0][1]

    @property
    def depth(self) -> int:
        """Flits of an input buffer."""
        depth = self.header_flits - 1 + self.buffer_flits
        return max(depth, MIN_DEPTH_FLITS) if self.age_bits else depth

    @property
    def age_bits(self) -> slice | None:
        """Bits of the first header flit that are the message's age; None if the arbitration has no ages."""
        return self.header.bits_of(AGE)

    @property
    def header_flits(self) -> int:
        """Maximum number of header flits that the router reads."""
        return self.header.multicast_flits if self.multicast else self.header.key_flits

    @property
    def scan_bits(self) -> int:
        """Low bits of a flit that can contain header fields for the router."""
        return self.header.scan_bits if self.multicast else min(self.flit_bits, self.key_bits)

    @property
    def reach_bits(self) -> int:
        """Size of the reach sets of one switch, cut up like a header."""
        return self.outputs * sum(word.bits for word in self.header.set_words)

    @property
    def looks_ahead(self) -> bool:
        """True if a header flit is decoded while it moves in on the link."""
        return self.routing_cycles == 1

    @property
    def watches_links(self) -> bool:
        """True if the route unit monitors the links into the router."""
        return self.looks_ahead or self.header_flits > 1
