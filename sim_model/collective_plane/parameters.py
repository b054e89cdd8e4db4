"""Parameters of a plane, and events from outside: flushes, resets and cleared errors."""

from dataclasses import dataclass, replace

from topology.collectives.operators import OPERATORS, check_operator, check_word_bits, combiner_stages
from topology.common.errors import FieldError

MIN_BUFFER_WORDS, MAX_BUFFER_WORDS = 2, 64
MAX_WINDOW = 255
MAX_LINK_CYCLES = 64
MAX_TIMEOUT_CYCLES = 65_535
FLUSH_MARGIN_CYCLES = 3
"""Cycles of a flush in addition to those of a link."""


def _check(field: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise FieldError(field, f"{field} is {value!r}; it must be {least} to {most}")


@dataclass(frozen=True)
class PlaneParameters:
    """Shape of all switches and endpoints of a plane.

    Parameters:
        word_bits: Bits of a word, 8 to 64.
        operators (tuple of int): Numbers of the operators that are built, at least one. With one alone, hosts have no
            wire for an operator, and all contributions are to that one.
        window: Operations of a group that an endpoint may have under way, 1 to 255.
        link_cycles: Cycles of a link between switches, 1 to 64. Links of processors take 1.
        buffer_words: Words of each buffer of a switch, 2 to 64; an endpoint has credits for as many.
        result_words: Result words of a group that an endpoint stores, 2 to 64.
        timeout_cycles: Cycles that a switch waits for a branch before it raises ``timeouts``, at most 65,535; 0: off.

    Raises:
        FieldError: "X is Z; it must be Y".
    """

    word_bits: int = 32
    operators: tuple[int, ...] = tuple(range(len(OPERATORS)))
    window: int = 2
    link_cycles: int = 1
    buffer_words: int = 7
    result_words: int = 7
    timeout_cycles: int = 0

    def __post_init__(self):
        try:
            check_word_bits(self.word_bits)
        except ValueError as error:
            raise FieldError("word_bits", str(error)) from None
        if not self.operators:
            raise FieldError("operators", "operators is empty; it must have at least 1")
        try:
            for operator in self.operators:
                check_operator(operator)
        except ValueError as error:
            raise FieldError("operators", str(error)) from None
        _check("window", self.window, 1, MAX_WINDOW)
        _check("link_cycles", self.link_cycles, 1, MAX_LINK_CYCLES)
        _check("buffer_words", self.buffer_words, MIN_BUFFER_WORDS, MAX_BUFFER_WORDS)
        _check("result_words", self.result_words, MIN_BUFFER_WORDS, MAX_BUFFER_WORDS)
        _check("timeout_cycles", self.timeout_cycles, 0, MAX_TIMEOUT_CYCLES)

    @property
    def built(self) -> int:
        """Mask of the operators that are built."""
        return sum(1 << operator for operator in set(self.operators))

    @property
    def for_barriers(self) -> "PlaneParameters":
        """Parameters of a plane for barriers alone, whose buffers have room for all operations under way."""
        room = max(self.window, MIN_BUFFER_WORDS)
        return replace(self, buffer_words=room, result_words=room)

    @property
    def stages(self) -> int:
        """Registers of the combiner's pipeline, ``combiner_stages``."""
        return combiner_stages(self.operators)

    @property
    def flush_cycles(self) -> int:
        """Least number of cycles of a flush."""
        return self.link_cycles + FLUSH_MARGIN_CYCLES


@dataclass(frozen=True)
class Flush:
    """A flush of one group: the wire to all switches and endpoints is high for some cycles.

    Each of them registers the wire. Hosts do not send to the group up to the cycle ``end_cycle``, and abandon all
    operations with an earlier or equal start.

    Parameters:
        group: Number of the group.
        start_cycle: First cycle.
        cycles: Number of cycles, at least ``PlaneParameters.flush_cycles``.
    """

    group: int
    start_cycle: int
    cycles: int

    @property
    def end_cycle(self) -> int:
        """First cycle in which the wire is low."""
        return self.start_cycle + self.cycles


@dataclass(frozen=True)
class Reset:
    """A synchronous reset of the whole plane. Hosts abandon all operations that start before its end.

    Parameters:
        start_cycle: First cycle.
        cycles: Number of cycles, at least 1.
    """

    start_cycle: int
    cycles: int = 1

    @property
    def end_cycle(self) -> int:
        """First cycle in which the reset is low."""
        return self.start_cycle + self.cycles


@dataclass(frozen=True)
class ClearErrors:
    """A write to the error masks of a switch in one cycle: each 1 clears its branch.

    Parameters:
        switch: Number of the switch in the network.
        cycle
        mismatches, timeouts (int): Masks of branches.
    """

    switch: int
    cycle: int
    mismatches: int = 0
    timeouts: int = 0


Event = Flush | Reset | ClearErrors


def check_events(events: tuple[Event, ...], parameters: PlaneParameters, groups: int) -> None:
    """Check events against a plane.

    Raises:
        FieldError: "X is Z; it must be Y".
    """
    free_from: dict[int | None, int] = {}
    in_order = sorted((event for event in events if not isinstance(event, ClearErrors)), key=lambda e: e.start_cycle)
    for event in in_order:
        _check("start_cycle", event.start_cycle, 0, 1 << 62)
        if isinstance(event, Flush):
            _check("group", event.group, 0, groups - 1)
            _check("cycles", event.cycles, parameters.flush_cycles, 1 << 31)
        else:
            _check("cycles", event.cycles, 1, 1 << 31)
        number = event.group if isinstance(event, Flush) else None
        if event.start_cycle < free_from.get(number, 0):
            what = "Reset" if number is None else f"Flush of group {number}"
            raise FieldError(
                "start_cycle", f"{what} starts in cycle {event.start_cycle}; it must be after the end of the one before"
            )
        free_from[number] = event.end_cycle + 1
    for event in events:
        if isinstance(event, ClearErrors):
            _check("cycle", event.cycle, 0, 1 << 62)
