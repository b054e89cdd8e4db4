# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Broadcasts of which a host has copies: the entry of a copy, the free entry for a new broadcast, and their steps."""

from enum import IntEnum
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, lowest_one
from topology.common.flits import bits_for
from topology.harts.reception import STEPS


class Step(IntEnum):
    """Steps by the action that begins in them."""

    TAKE = 0
    LOOK = 1
    READ = 2
    JUDGE = 3
    ENTER = 4
    WRITE = 5
    EMIT = 6
    COUNT = 7


def count_steps(m: Any) -> list[Signal]:
    """Return one bit per step, set in that step; the first cycle after reset is step 0."""
    step = Signal(range(STEPS))
    at = [Signal(name=f"at_{number}") for number in range(STEPS)]
    m.d.sync += step.eq(step + 1)
    m.d.comb += [signal.eq(step == number if number else ~step.any()) for number, signal in enumerate(at)]
    return at


class CopyEntries(Part):
    """Keys of the entries, and the choice of one.

    A broadcast without an entry takes the lowest one that is neither in use nor being delivered. If there is none it
    evicts another, in turn, except the one that is being delivered.

    Parameters:
        entries: At least 2.
        name_bits: The highest bits of a key are a source and an id, whose highest bit is the half of the ids that is in
            use: a broadcast of the other half with otherwise equal bits is out of date.

    Members:
        look (In(1)): ``entry`` and ``matched`` are of this cycle's ``key`` from the next cycle on.
        key (In(key_bits)), keyed (In(1)): Key of a broadcast; without ``keyed`` of an ordinary packet, which no entry
            matches.
        emitting (In(1)), emitted (In): The entry that is being delivered.
        entry (Out), matched (Out(1)): The entry with the key, or else the next one to take. Registers.
        in_use (Out(1)): Whether ``entry`` is in use. Combinational from registers.
        take (In(1)): ``entry`` gets this cycle's ``key`` and is in use. Entries out of date are not in use any more.
        free (In(1)): ``entry`` is not in use any more.
    """

    def __init__(self, entries: int, key_bits: int, name_bits: int):
        self.entries = entries
        self.name_bits = name_bits
        number = bits_for(entries)
        super().__init__(
            f"harts_copy_entries_{entries}_{key_bits}",
            {
                "look": In(1),
                "key": In(key_bits),
                "keyed": In(1),
                "emitting": In(1),
                "emitted": In(number),
                "entry": Out(number),
                "matched": Out(1),
                "in_use": Out(1),
                "take": In(1),
                "free": In(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        in_use: Any = Signal(self.entries)
        bit: Any = Signal(self.entries)
        same: Any = Signal(self.entries)
        stale: Any = Signal(self.entries)
        name = slice(len(self.key) - self.name_bits, len(self.key) - 1)
        keys = [Signal(len(self.key), name=f"key_{entry}") for entry in range(self.entries)]
        m.d.comb += [
            bit.eq(1 << self.entry),
            self.in_use.eq((in_use & bit).any()),
            same.eq(concat(in_use[entry] & (key == self.key) for entry, key in enumerate(keys))),
            stale.eq(concat((key[name] == self.key[name]) & (key[-1] != self.key[-1]) for key in keys)),
        ]
        for entry, key in enumerate(keys):
            with m.If(self.take & bit[entry]):
                m.d.sync += key.eq(self.key)
        with m.If(self.take):
            m.d.sync += in_use.eq(in_use & ~Mux(self.keyed, stale, 0) | bit)
        with m.Elif(self.free):
            m.d.sync += in_use.eq(in_use & ~bit)
        self._look(m, in_use, same)
        return m

    def _look(self, m, in_use, same):
        unused: Any = Signal(self.entries)
        emitted: Any = Signal(self.entries)
        matched = Signal()
        driven_out = Signal()  # the chosen entry is in use by another broadcast
        turn = Signal.like(self.entry)
        next_victim = Signal.like(self.entry)
        m.d.comb += [
            emitted.eq(Mux(self.emitting, 1 << self.emitted, 0)),
            unused.eq(~in_use & ~emitted),
            matched.eq(self.keyed & same.any()),
            next_victim.eq(Mux(self.emitting & (self.emitted == turn), self._after(turn), turn)),
        ]
        with m.If(self.look):
            m.d.sync += [
                self.matched.eq(matched),
                driven_out.eq(~unused.any()),
                self.entry.eq(
                    Mux(matched, self._number(same), Mux(unused.any(), self._number(lowest_one(unused)), next_victim))
                ),
            ]
        with m.If(self.take & driven_out):
            m.d.sync += turn.eq(self._after(self.entry))

    def _number(self, one_hot: Value) -> Value:
        return concat(encoded(one_hot, range(self.entries), len(self.entry)))

    def _after(self, entry) -> Any:
        """Return the next entry in turn; a power of two wraps by itself."""
        following = (entry + 1)[: len(entry)]
        return following if self.entries == 1 << len(entry) else Mux(entry == self.entries - 1, 0, following)
