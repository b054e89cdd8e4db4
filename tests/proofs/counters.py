"""Claims about counters of channels and monitors of errors."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.generator.channel_counters import ChannelCounters
from rtl.generator.error_monitor import ErrorMonitor
from rtl.parts.selection import concat
from tests.counted import events_of
from tests.proofs.claims import Claims, Describe, Inside
from topology.common.counter_bus import COUNT_BITS, COUNTED, KIND_BITS, READ_CYCLES, settling_cycles, sweep_cycles
from topology.common.input_errors import COUNT_BITS as WORM_COUNT_BITS
from topology.common.input_errors import MAX_COUNTED, sum_cycles

# ChannelCounters: every event is counted once, and a sum that is read lags behind by a sweep at most.

KINDS = len(COUNTED)


class Counted:
    """One channel, one kind, and its events.

    channel, kind: Any, but always the same.
    happens: An event that counts.
    total: Events since reset, or since the last clear.
    quiet_cycles: Cycles since the last event or clear, up to the most that matters.
    """

    def __init__(self, claims: Claims, part: Any, most_quiet_cycles: int):
        m, channels = claims.m, part.channels
        self.channel: Any = claims.constant(max(1, (channels - 1).bit_length()), "any_channel")
        self.kind: Any = claims.constant(KIND_BITS, "any_kind")
        claims.assume((self.channel < channels) & (self.kind < KINDS))
        valid, ready, tail = (bits.bit_select(self.channel, 1) for bits in (part.valid, part.ready, part.tail))
        open_message: Any = Signal(name="in_message_reference")
        with m.If(valid & ready):
            m.d.sync += open_message.eq(~tail)
        kinds = Array(events_of(valid, ready, tail, open_message))
        self.happens: Any = claims.named(part.enable & kinds[self.kind], "counts")
        self.open_message = open_message
        self.total: Any = Signal(COUNT_BITS, name="counted_reference")
        m.d.sync += self.total.eq(Mux(part.clear, 0, self.total) + self.happens)
        self.quiet_cycles: Any = Signal(range(most_quiet_cycles + 1), name="quiet_cycles")
        more = self.quiet_cycles + (self.quiet_cycles < most_quiet_cycles)
        m.d.sync += self.quiet_cycles.eq(Mux(self.happens | part.clear, 0, more))


def channel_counters(channels: int) -> Describe:
    """Claims about the counters of some number of channels."""

    def describe(claims: Claims) -> None:
        part: Any = ChannelCounters(channels)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        settled = settling_cycles(channels)
        counted = Counted(claims, part, settled + READ_CYCLES)
        uncleared = _cycles_since_clear(claims, part, settled)
        asked = claims.named(part.address == concat((counted.kind, counted.channel)), "asked")
        before = claims.was(asked, "asked_before")
        now = claims.named(claims.was(before, "asked_two_before"), "answered")
        total = claims.was(claims.was(counted.total, "total_before"), "total_two_before")
        exact = claims.was(claims.was(counted.quiet_cycles >= settled, "settled_before"), "settled_two_before")
        claims.always("sums are exact once they have settled", ~(now & exact) | (part.data == total))
        steady = claims.was(claims.was(uncleared == settled, "uncleared_before"), "uncleared_two_before")
        lag = claims.named((total - part.data)[:COUNT_BITS], "lag")
        claims.always("a sum lags behind by the events of a sweep at most", ~(now & steady) | (lag <= settled))
        none = claims.was(claims.was(part.address[:KIND_BITS] == KINDS, "none_before"), "none_two_before")
        claims.always("kinds that are not counted read as 0", ~none | (part.data == 0))
        claims.possible("a sum of four is read", now & exact & (part.data == 4))
        claims.possible("a cleared sum is read", now & exact & (part.data == 0) & (counted.kind == 1))
        _tie_inside(claims, inside, part, counted, uncleared)

    return describe


def _cycles_since_clear(claims: Claims, part: Any, most: int) -> Any:
    """Cycles since the last clear, or since reset."""
    cycles: Any = Signal(range(most + 1), name="cycles_since_clear")
    claims.m.d.sync += cycles.eq(Mux(part.clear, 0, cycles + (cycles < most)))
    return cycles


def _tie_inside(claims: Claims, inside: Inside, part: Any, counted: Counted, since_clear: Any) -> None:
    """Counted events are in the memory, on the way there, or in the short counter."""
    channels, sweep = part.channels, sweep_cycles(part.channels)
    channel, kind = counted.channel, counted.kind
    position, first_sweep = inside.register("position"), inside.register("first_sweep")
    claims.invariant("the sweep is somewhere", position < sweep)
    open_message = inside.register("in_message").bit_select(channel, 1)
    claims.invariant("open messages are noted", open_message == counted.open_message)

    short = _any_of(claims, [[inside.register(f"{name}_{c}") for name in COUNTED] for c in range(channels)], counted)
    visits = claims.named((position == channel) & ~part.clear, "visits")
    since_visit: Any = Signal(range(sweep + 1), init=1, name="cycles_since_visit")
    claims.m.d.sync += since_visit.eq(Mux((position == channel) | part.clear, 1, since_visit + 1))
    claims.invariant("short counters are short", short <= since_visit)
    claims.invariant("without an event they are 0", (counted.quiet_cycles < since_visit) | (short == 0))
    claims.invariant("a first sweep has begun with a clear", ~first_sweep | (counted.quiet_cycles <= position))
    claims.invariant("after a clear the first sweep begins", ~first_sweep | (since_clear <= position))
    past = Mux(position <= channel, position + sweep - channel, position - channel)
    anew = first_sweep & (position <= channel)
    claims.invariant("the last visit is known", since_visit == Mux(anew, position + 1, past))

    rows = [inside.memory_row(row) for row in range(sweep)]
    row: Any = claims.named(Array(Value.cast(row) for row in rows)[channel], "row")
    stored: Any = claims.named(row.word_select(kind, COUNT_BITS), "stored")
    added: Any = claims.was(short, "short_at_visit")
    fresh = claims.was(first_sweep, "first_at_visit")
    writes = claims.was(visits, "visited_before")
    claims.invariant("the sum added was counted since the last visit", ~writes | (added <= sweep))
    read = claims.was(stored, "stored_at_visit")
    claims.invariant("a sum that is read is not written", ~writes | (stored == read))
    written = claims.named(Mux(fresh, 0, read) + added, "written")[:COUNT_BITS]
    base = Mux(writes, written, Mux(anew, 0, stored))
    claims.invariant("no event is lost or counted twice", (base + short)[:COUNT_BITS] == counted.total)


def _any_of(claims: Claims, rows: list[list[Any]], counted: Counted) -> Any:
    by_channel = [Value.cast(Array(row)[counted.kind]) for row in rows]
    return claims.named(Value.cast(Array(by_channel)[counted.channel]), "short_counter")


# ErrorMonitor: it records the errors of each input, and counts the drained worms.


def error_monitor(channels: Sequence[int], count: int, *, guarded: bool = True, clearable: bool = False) -> Describe:
    """Claims about the monitor of some inputs; the routers' outputs may have any values."""

    def describe(claims: Claims) -> None:
        part: Any = ErrorMonitor(channels, count, guarded, clearable=clearable)
        claims.free_inputs(part)
        Inside(claims, part)
        clear = part.clear_misframed if guarded and clearable else Const(0, count)
        _remembered(claims, "misframed", part.misframed, part.guards if guarded else None, channels, clear)
        clear = part.clear_unroutable if clearable else Const(0, count)
        _remembered(claims, "unroutable", part.unroutable, part.discarding, channels, clear)
        _counted(claims, part)

    return describe


def _remembered(claims: Claims, name: str, output: Any, seen: Any, channels: Sequence[int], clear: Any) -> None:
    """A bit is set if its input was asserted in any earlier cycle. It stays set until it is cleared."""
    for channel in range(len(output)):
        ever: Any = Signal(name=f"ever_{name}_{channel}")
        if seen is not None and channel in channels:
            claims.m.d.sync += ever.eq(ever & ~clear[channel] | seen[channels.index(channel)])
        claims.always(f"{name} records the inputs that ever reported it", output[channel] == ever)
    if seen is not None:
        claims.possible(f"one channel alone is {name}", output == 1 << channels[-1])


def _counted(claims: Claims, part: Any) -> None:
    """Worms since reset or clear, up to the highest number; each counts after the latency of the sum."""
    inputs = len(part.channels)
    begins = claims.named(part.discarding & ~claims.was(part.discarding, "discarding"), "begins_reference")
    begun: Any = claims.named(sum(begins[i] for i in range(inputs)), "worms_begun")
    for cycle in range(sum_cycles(inputs)):
        begun = claims.was(begun, f"begun_{cycle + 1}_ago")
    worms: Any = Signal(WORM_COUNT_BITS, name="worms_reference")
    before = Mux(part.clear_discarded, 0, worms) if part.clearable else worms
    more: Any = claims.named(before + begun, "more_worms")
    claims.m.d.sync += worms.eq(Mux(more > MAX_COUNTED, MAX_COUNTED, more))
    claims.always("discarded is the number of worms, or the highest number", part.discarded == worms)
    claims.possible("all inputs discard at once, twice", part.discarded == 2 * inputs)
