"""Parts between the registers of a plane and its ports: flush timer, counters, constant numbers."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, table_row
from rtl.registers.register_map import WORD_BITS
from topology.common.flits import bits_for


class FlushTimer(Part):
    """Flushes groups for a number of cycles after a command.

    Parameters:
        groups
        cycles: At least 1.

    Members:
        begin (In(groups)): A command for each group, for one cycle. During a flush it begins again.
        flush (Out(groups)): High from the next cycle on, for ``cycles`` cycles. A register.
    """

    def __init__(self, groups: int, cycles: int):
        self.groups, self.cycles = groups, cycles
        super().__init__(f"flush_timer_{groups}_{cycles}", {"begin": In(groups), "flush": Out(groups)})

    def elaborate(self, _platform):
        m: Any = Module()
        for g in range(self.groups):
            left: Any = Signal(range(self.cycles), name=f"left_{g}")  # after the present cycle
            with m.If(self.begin[g]):
                m.d.sync += [left.eq(self.cycles - 1), self.flush[g].eq(1)]
            with m.Else():
                m.d.sync += [left.eq(left - left.any()), self.flush[g].eq(left.any())]
        return m


class GroupCounters(Part):
    """Counts operations, words and stalls of each group at one of its members; counts of 32 bits wrap round.

    Parameters:
        groups
        group_bits: Bits of a group's number; 0 for one group.
        has_words: False for a plane of barriers alone, whose counts of words and stalls are 0.

    Members:
        done_{g} (In(1)): A barrier of group g is over at its member.
        result_valid_{g}, result_ready_{g}, result_last_{g}, result_group_{g} (In): Result stream of that member.
        offered_valid_{g}, offered_ready_{g}, offered_group_{g} (In): Its contribution stream. Groups are absent if
            there is one group, and both streams without words.
        enable, clear (In(1)): Count; set all counts to 0.
        index (In): Number ``4 * group + kind``.
        count (Out(32)): Count of that number. Combinational.
    """

    def __init__(self, groups: int, group_bits: int, *, has_words: bool):
        self.groups, self.group_bits, self.has_words = groups, group_bits, has_words
        members: dict[str, Any] = {}
        for g in range(groups):
            members[f"done_{g}"] = In(1)
            if has_words:
                ports = ("result_valid", "result_ready", "result_last", "offered_valid", "offered_ready")
                members |= {f"{port}_{g}": In(1) for port in ports}
                if group_bits:
                    members |= {f"{port}_group_{g}": In(group_bits) for port in ("result", "offered")}
        members |= {"enable": In(1), "clear": In(1), "index": In(bits_for(4 * groups)), "count": Out(WORD_BITS)}
        words = "" if has_words else "_barriers"
        super().__init__(f"group_counters_{groups}{words}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        counts = []
        for g in range(self.groups):
            for kind, event in enumerate(self._events(g)):
                if event is None:
                    counts.append(Const(0, WORD_BITS))
                    continue
                count: Any = Signal(WORD_BITS, name=f"count_{g}_{kind}")
                with m.If(self.clear):
                    m.d.sync += count.eq(0)
                with m.Elif(self.enable):
                    m.d.sync += count.eq(count + event)
                counts.append(count)
        m.d.comb += self.count.eq(table_row(m, concat(counts), self.index, WORD_BITS, "count", padded=True))
        return m

    def _events(self, g: int) -> list[Any]:
        """Return what is added to the counts of a group in this cycle, by kind; None for those that stay 0."""
        done = getattr(self, f"done_{g}")
        if not self.has_words:
            return [done, None, None, None]

        def port(name: str) -> Any:
            return getattr(self, f"{name}_{g}")

        result, offered = port("result_valid"), port("offered_valid")
        if self.group_bits:
            result &= port("result_group") == g
            offered &= port("offered_group") == g
        taken = result & port("result_ready")
        ends = taken & port("result_last")
        return [done + ends, taken, offered & ~port("offered_ready"), result & ~port("result_ready")]


class ConstantNumbers(Part):
    """Numbers that never change, looked up by their position.

    Parameters:
        name: For the name of the module.
        values: Numbers of 32 bits, at least 1.

    Members:
        index (In)
        number (Out(32)): Combinational; 0 past the last one.
    """

    def __init__(self, name: str, values: Sequence[int]):
        self.values = tuple(values)
        members = {"index": In(bits_for(len(self.values))), "number": Out(WORD_BITS)}
        super().__init__(f"constant_{name}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        rows = concat(Const(value, WORD_BITS) for value in self.values)
        m.d.comb += self.number.eq(table_row(m, rows, self.index, WORD_BITS, "number", padded=True))
        return m
