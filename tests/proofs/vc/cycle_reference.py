"""The order of the cycle as tables by a count of cycles, and the longest wait that it allows."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import lcm
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.vc.cycle_order import pairs
from tests.proofs.claims import Claims
from tests.proofs.inside import Inside
from topology.common.choice_orders import cycle_order


class CyclePhases:
    """Cycles since reset, modulo those after which all orders of some sizes come again.

    Parameters
    ----------
    claims : Claims
    sizes : sequence of int
        Of the orders.

    Members
    -------
    count : int
        Phases.
    now : Signal
    """

    def __init__(self, claims: Claims, sizes: Sequence[int]):
        self.count = lcm(*(2 * size for size in sizes))
        self.now: Any = Signal(range(self.count), name="phase")
        claims.m.d.sync += self.now.eq(Mux(self.now == self.count - 1, 0, self.now + 1))
        claims.invariant("phases come again", self.now < self.count)

    def by_phase(self, rows: Sequence[int], bits: int) -> Value:
        """A number for each phase, as a table that is looked up."""
        packed = sum(row << bits * phase for phase, row in enumerate(rows))
        return Value.cast(Const(packed, bits * self.count).word_select(self.now, bits))

    def before(self, claims: Claims, size: int, members: Sequence[int], name: str) -> Any:
        """Which of two numbers comes first, for all pairs of those in use (``CycleOrder.before``)."""
        rows = [order_bits(self.order(size, phase), members) for phase in range(self.count)]
        return claims.named(self.by_phase(rows, len(pairs(len(members)))), name)

    def tie(self, claims: Claims, inside: Inside, size: int, where: str) -> None:
        """Invariant: the register of a ``CycleOrder`` of some instance name has the order of the phase."""
        everyone = pairs(size)
        opposite = sum(1 << k for k, (i, _) in enumerate(everyone) if i % 2)
        rows = [order_bits(self.order(size, phase), range(size)) ^ opposite for phase in range(self.count)]
        held = inside.register("held", where)
        claims.invariant("all pairs encode the phase", held == self.by_phase(rows, len(everyone)))

    def order(self, size: int, phase: int) -> list[int]:
        """The order of some size, as ``topology`` has it."""
        return cycle_order(size, phase - 1)

    def first(self, size: int, members: Sequence[int]) -> list[int]:
        """By phase, which of the numbers in use comes first."""
        return [next(n for n in self.order(size, phase) if n in members) for phase in range(self.count)]

    def passed(self, served: Callable[[int], bool]) -> list[int]:
        """By phase: number of successive phases up to this one that do not serve a requester.

        Raises
        ------
        ValueError
            If no phase serves.
        """
        serving = [phase for phase in range(self.count) if served(phase)]
        if not serving:
            raise ValueError(f"Phases that serve must be some of {self.count}, not none")
        passed = [0] * self.count
        for last, following in pairwise([*serving, serving[0] + self.count]):
            for phase in range(last + 1, following + 1):
                passed[phase % self.count] = phase - last - 1
        return passed


def order_bits(order: Sequence[int], members: Sequence[int]) -> int:
    """An order as a bit for each pair of the numbers in use."""
    bits = [order.index(members[i]) < order.index(members[j]) for i, j in pairs(len(members))]
    return sum(bit << k for k, bit in enumerate(bits))
