"""Parameters of a self-test besides the network."""

from dataclasses import dataclass

TOTAL_BITS = 40
"""Width of all counters: six hours at 50 MHz."""
SEED_BITS = 16
"""Width of a message's seed, and of sums of seeds."""
PAUSE_BITS = 6
"""A node pauses 0 to 63 cycles before it offers the next message."""
LENGTH_FIELD = slice(8, 13)
"""Bits of a seed that give the number of pattern words: one more than their value, 1 to 32."""
MAX_DESCRIPTORS = 1 << LENGTH_FIELD.start
"""Limit that keeps length and destinations in different bits of the seed."""
MIN_QUIET_CYCLES = 256
MIN_CYCLES_PER_BIT = 2
MIN_CYCLES_PER_LINE = 16
UART_BAUD = 115_200


@dataclass(frozen=True)
class SelfTestParameters:
    """Duration and reporting of a self-test.

    Parameters:
        messages: Number of messages after which nodes start no more.
        cycles_per_bit: Cycles per bit of the serial line, at least 2.
        cycles_per_line: Cycles between two lines of the report, at least 16.
        quiet_cycles: The test is over after this number of cycles without a delivery, at least 256. Without traffic in
            flight that is the end; with messages in flight it is a fault.
        descriptors: Number of a node's destination sets, a power of two, 2 to 256.

    Raises:
        ValueError: If a value is out of range.
    """

    messages: int
    cycles_per_bit: int
    cycles_per_line: int
    quiet_cycles: int = 1 << 14
    descriptors: int = 16

    @property
    def plane_rounds(self) -> int:
        """Rounds of operations on a collective plane: it takes about as long as the messages."""
        return -(-self.messages // 16)

    def __post_init__(self):
        _check("Number of messages", self.messages, 1, (1 << TOTAL_BITS - 8) - 1)
        _check("Cycles per bit", self.cycles_per_bit, MIN_CYCLES_PER_BIT, 1 << 20)
        _check("Cycles per line", self.cycles_per_line, MIN_CYCLES_PER_LINE, 1 << 40)
        _check("Quiet cycles", self.quiet_cycles, MIN_QUIET_CYCLES, 1 << 40)
        _check("Number of descriptors", self.descriptors, 2, MAX_DESCRIPTORS)
        if self.descriptors & self.descriptors - 1:
            raise ValueError(f"Number of descriptors is {self.descriptors!r}; it must be a power of two")


def _check(name: str, value: int, lowest: int, highest: int) -> None:
    if not lowest <= value <= highest:
        raise ValueError(f"{name} is {value!r}; it must be {lowest} to {highest}")


def parameters_at(clock_hz: int, messages: int, descriptors: int = 16) -> SelfTestParameters:
    """Return a test that reports at 115,200 baud, a line per second.

    Parameters:
        clock_hz: Frequency of the clock.
        messages, descriptors: As in ``SelfTestParameters``.
    """
    return SelfTestParameters(
        messages=messages,
        cycles_per_bit=round(clock_hz / UART_BAUD),
        cycles_per_line=clock_hz,
        descriptors=descriptors,
    )
