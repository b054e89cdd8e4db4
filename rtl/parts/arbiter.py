"""Round-robin arbiter and age matrix."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, first_at_or_after


def check_count(name: str, count: int) -> None:
    """Raise ``ValueError`` unless ``count`` is a positive integer."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"{name} is {count!r}; it must be a positive integer")


class RoundRobinArbiter(Part):
    """Grants one of several requesters in round-robin order.

    The first eligible requester at or after ``turn`` is granted, in the same cycle; ``turn`` then becomes its cyclic
    successor. The turn is stored as the mask of the requesters at or after it, which needs no decoder; an empty mask
    represents turn 0.

    Parameters:
        count: Number of requesters, at least 1.
        holds: The user may hold the turn.

    Members:
        eligible (In(count)): Requesters that may be granted in this cycle.
        hold (In(1)): ``turn`` stays as it is in this cycle. Absent without ``holds``.
        chosen (Out(count)): One-hot, or 0 when no requester is eligible. Combinational.
    """

    def __init__(self, count: int, *, holds: bool = False):
        check_count("Number of requesters", count)
        self.count = count
        self.holds = holds
        super().__init__(
            f"round_robin_arbiter_{count}" + ("_holds" if holds else ""),
            {"eligible": In(count), **({"hold": In(1)} if holds else {}), "chosen": Out(count)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        later = Signal(self.count - 1)  # requesters 1 and up; requester 0 is never after another
        chosen: Any = first_at_or_after(m, self.eligible, later << 1, "eligible")
        m.d.comb += self.chosen.eq(chosen)
        with m.If(self.eligible.any() & ~self.hold if self.holds else self.eligible.any()):
            m.d.sync += later.eq(concat(chosen[:i].any() for i in range(1, self.count)))
        return m


class PairwiseArbiter(Part):
    """Grants the same requesters as ``RoundRobinArbiter``, from a register per pair: earlier in the cycle, but larger.

    Parameters:
        count: Number of requesters, at least 1.

    Members:
        eligible (In(count)): Requesters that may be granted in this cycle.
        chosen (Out(count)): One-hot, or 0 when no requester is eligible. Combinational.
    """

    def __init__(self, count: int):
        check_count("Number of requesters", count)
        self.count = count
        super().__init__(f"pairwise_arbiter_{count}", {"eligible": In(count), "chosen": Out(count)})

    def elaborate(self, _platform):
        m: Any = Module()
        ahead: list[list[Any]] = [[] for _ in range(self.count)]
        for i in range(self.count):
            for j in range(i + 1, self.count):
                wraps = Signal(name=f"wraps_{i}_{j}")  # the turn is behind i, up to j: j is ahead of i
                with m.If(self.eligible.any()):
                    m.d.sync += wraps.eq(self.chosen[i:j].any())
                ahead[i].append(self.eligible[j] & wraps)
                ahead[j].append(self.eligible[i] & ~wraps)
        for i, others in enumerate(ahead):
            m.d.comb += self.chosen[i].eq(self.eligible[i] & ~concat((*others, 0)).any())
        return m


class AgeMatrix(Part):
    """Records the order in which its members last entered.

    One bit per pair of members is enough. A member that enters becomes the youngest of all; leaving needs no action,
    because the user reads only members that are in.

    Parameters:
        count: Number of members, at least 1.

    Members:
        enter (In(count)): The member that enters in this cycle; at most one bit.
        older (Out(count).array(count)): ``older[i]`` bit j: i entered before j. Registered: shows an entry from the
            next cycle on.
    """

    def __init__(self, count: int):
        check_count("Number of members", count)
        self.count = count
        super().__init__(f"age_matrix_{count}", {"enter": In(count), "older": Out(count).array(count)})

    def elaborate(self, _platform):
        m: Any = Module()
        for i in range(self.count):
            for j in range(i + 1, self.count):
                first = Signal(name=f"older_{i}_{j}")
                with m.If(self.enter[j]):
                    m.d.sync += first.eq(1)
                with m.Elif(self.enter[i]):
                    m.d.sync += first.eq(0)
                m.d.comb += [self.older[i][j].eq(first), self.older[j][i].eq(~first)]
        return m
