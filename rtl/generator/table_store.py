# (specimens of parts only provide their ports)
"""The tables of a switch, loaded word by word through a chain of all switches: layout and registers."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import SharedModule
from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.common.table_chain import TABLE_WORD_BITS, chain_words, table_words

TABLES = ("routes", "reach")
"""Router ports that carry tables; all other constants depend on the switch's place."""


@dataclass(frozen=True)
class SwitchTables:
    """The tables of one switch, one after the other from bit 0 on.

    Members:
        offsets (dict of str to (int, int)): Lowest bit and width of each table.
        value: Value to be loaded.
    """

    offsets: dict[str, tuple[int, int]]
    value: int

    @property
    def bits(self) -> int:
        """Width of all tables."""
        return sum(width for _, width in self.offsets.values())


def switch_tables(plan: NetworkPlan) -> list[SwitchTables]:
    """Return the tables of all switches."""
    modules = {shape: SharedModule(plan.shapes[shape]) for shape in {instance.shape for instance in plan.routers}}
    found = []
    for instance in plan.routers:
        offsets, value, low = {}, 0, 0
        for name in TABLES:
            if name in instance.constants:
                width = modules[instance.shape].inputs[name]
                offsets[name] = (low, width)
                value |= instance.constants[name] << low
                low += width
        found.append(SwitchTables(offsets, value))
    return found


def loaded_words(plan: NetworkPlan) -> list[int]:
    """Return the words for the chain of table stores, first to last."""
    return chain_words([(tables.value, tables.bits) for tables in switch_tables(plan)])


class TableStore(Part):
    """A shift register that shifts by one word in each cycle with ``load``. Reset does not change it.

    Parameters:
        bits: Bits of all tables of the switch.

    Members:
        load (In(1))
        data (In(8)): The word that is shifted in.
        following (Out(8)): The word that is shifted on to the next store. A register.
        table (Out(bits)): Registers; all zero at power-up, which routes nothing: every message is discarded.
    """

    def __init__(self, bits: int):
        self.bits = bits
        word = TABLE_WORD_BITS
        members = {"load": In(1), "data": In(word), "following": Out(word), "table": Out(bits)}
        super().__init__(f"table_store_{bits}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        words = [Signal(TABLE_WORD_BITS, name=f"word_{i}", reset_less=True) for i in range(table_words(self.bits))]
        with m.If(self.load):
            for word, before in zip(words, (self.data, *words[:-1]), strict=True):
                m.d.sync += word.eq(before)
        m.d.comb += [self.following.eq(words[-1]), self.table.eq(concat(words)[: self.bits])]
        return m
