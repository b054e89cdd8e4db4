"""Counters of every channel of a network, readable on a small bus.

Full-width registers for every channel would be larger than the routers. Each channel therefore has three short
counters, and a sweep over the channels, one per cycle, adds them to sums in a memory:

======================  ====================================================================================
cycle                   what happens
======================  ====================================================================================
t                       the sweep visits a channel: its short counters are restarted, its sums are read
t + 1                   sums and short counters are added up and written
t + max(channels, 4)    the sweep visits that channel again
======================  ====================================================================================
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, memory
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import check_count
from rtl.parts.part import Part
from rtl.parts.selection import concat, table_row
from topology.common.counter_bus import COUNT_BITS, COUNTED, KIND_BITS, ChannelCounts, sweep_cycles
from topology.common.flits import bits_for


class ChannelCounters(Part):
    """Counters of every channel, see ``topology.common.counter_bus.ChannelCounts``.

    Sums have 32 bits and wrap. They are exact ``settling_cycles(channels)`` after ``enable`` went low, or after the
    last transfer in the network. Reading takes 2 cycles, one read per cycle.

    Parameters:
        channels: Number of channels, at least 1.

    Members:
        valid, ready, tail (In(channels)): Handshake of each channel, and the tail bit of the flit on it.
        enable (In(1)): Count. Reset does not start a new count in the middle of a message: bubbles count from its next
            flit on.
        clear (In(1)): Set all sums to 0; all read as 0 ``settling_cycles(channels)`` cycles later.
        address (In): ``counter_address(channel, kind)``, see ``topology.common.counter_bus``.
        data (Out(32)): The sum with the address of two cycles before. A register.
    """

    def __init__(self, channels: int):
        check_count("Number of channels", channels)
        self.channels = channels
        super().__init__(
            f"channel_counters_{channels}",
            {
                "valid": In(channels),
                "ready": In(channels),
                "tail": In(channels),
                "enable": In(1),
                "clear": In(1),
                "address": In(KIND_BITS + bits_for(channels)),
                "data": Out(COUNT_BITS),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        sweep = sweep_cycles(self.channels)
        position = Signal(range(sweep))
        at_end = Signal()
        m.d.comb += at_end.eq(position == sweep - 1)
        m.d.sync += position.eq(Mux(at_end | self.clear, 0, position + 1))
        # the memory has no reset: in the first sweep after a reset or a clear, sums begin at 0
        first_sweep = Signal(init=1)
        with m.If(self.clear):
            m.d.sync += first_sweep.eq(1)
        with m.Elif(at_end):
            m.d.sync += first_sweep.eq(0)
        self._sum_up(m, position, first_sweep, self._short_counters(m, position, sweep))
        return m

    def _events(self, m) -> list[Signal]:
        """Return the events of this cycle, one bit per channel and kind."""
        in_message = Signal(self.channels)
        moves = Signal(self.channels)
        events = [Signal(self.channels, name=kind) for kind in COUNTED]
        m.d.comb += moves.eq(self.valid & self.ready)
        m.d.sync += in_message.eq(moves & ~self.tail | in_message & ~moves)
        happens = ChannelCounts(flits=moves, stalled_cycles=self.valid & ~self.ready, bubbles=in_message & ~self.valid)
        for event, value in zip(events, happens, strict=True):
            m.d.comb += event.eq(Mux(self.enable, value, 0))
        return events

    def _short_counters(self, m, position, sweep) -> Signal:
        """Return the short counters of the channel at ``position``, concatenated."""
        bits = bits_for(sweep + 1)
        rows = []
        events = self._events(m)
        for channel in range(self.channels):
            visited = Signal(name=f"visited_{channel}")
            m.d.comb += visited.eq(position == channel)
            for kind, event in zip(COUNTED, events, strict=True):
                count = Signal(bits, name=f"{kind}_{channel}")
                m.d.sync += count.eq(Mux(visited | self.clear, 0, count) + event[channel])
                rows.append(count)
        table = Signal(len(rows) * bits, name="short_counters")
        chosen = Signal(len(COUNTED) * bits)
        m.d.comb += table.eq(concat(rows))
        m.d.comb += chosen.eq(table_row(m, table, position, len(chosen), "short_counters_half"))
        return chosen

    def _sum_up(self, m, position, first_sweep, short):
        sums = data.ArrayLayout(COUNT_BITS, len(COUNTED))
        m.submodules.sums = store = memory.Memory(shape=sums, depth=sweep_cycles(self.channels), init=[])
        write: Any = store.write_port()
        read: Any = store.read_port()
        bus: Any = store.read_port()
        added = Signal.like(short, name="added")
        fresh = Signal()
        m.d.comb += [read.addr.eq(position), read.en.eq(1)]
        m.d.sync += [added.eq(short), fresh.eq(first_sweep), write.addr.eq(position), write.en.eq(~self.clear)]
        bits = len(short) // len(COUNTED)
        for kind in range(len(COUNTED)):
            before = Signal(COUNT_BITS, name=f"{COUNTED[kind]}_before")
            m.d.comb += before.eq(Mux(fresh, 0, Value.cast(read.data[kind])))
            m.d.comb += write.data[kind].eq(before + added.word_select(kind, bits))
        self._serve_bus(m, bus)

    def _serve_bus(self, m, bus):
        kind = Signal(KIND_BITS)
        m.d.comb += [bus.addr.eq(self.address[KIND_BITS:]), bus.en.eq(1)]
        m.d.sync += kind.eq(self.address[:KIND_BITS])
        with m.Switch(kind):
            for number in range(len(COUNTED)):
                with m.Case(number):
                    m.d.sync += self.data.eq(bus.data[number])
            with m.Default():
                m.d.sync += self.data.eq(0)
