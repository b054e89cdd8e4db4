"""Priority within a cycle: an order of numbers shared by all selectors of a router, see ``topology``.

It needs no state per selector, and two levels of logic. Of any two numbers each has priority in half of the cycles.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import Out

from rtl.parts.part import Part
from rtl.parts.selection import concat


def pairs(count: int) -> list[tuple[int, int]]:
    """Return all pairs of numbers below ``count``, the smaller one first."""
    return [(i, j) for j in range(count) for i in range(j)]


class CycleOrder(Part):
    """The order of the cycle (``topology.common.choice_orders.cycle_order``): a register for each pair, and inverters.

    Parameters:
        count: Count of numbers, odd.
        used: Count of those in use, the first ones, 2 or more.

    Members:
        before (Out(pairs)): By position in ``pairs`` of those in use: whether i comes before j.
    """

    def __init__(self, count: int, used: int):
        self.count, self.used = count, used
        super().__init__(f"cycle_order_{used}_of_{count}", {"before": Out(len(pairs(used)))})

    def elaborate(self, _platform):
        m: Any = Module()
        position = {pair: k for k, pair in enumerate(pairs(self.count))}
        # for odd i the register stores the opposite: so inverters are needed only where numbers wrap
        held: Any = Signal(len(position), init=sum(1 << k for (i, _), k in position.items() if i % 2 == 0))
        before = [held[k] ^ (i % 2) for (i, _), k in position.items()]
        m.d.comb += self.before.eq(concat(before[: len(pairs(self.used))]))
        for (i, j), k in position.items():
            # all numbers are incremented, so that the last one becomes the first, and the order is reversed
            if i:
                m.d.sync += held[k].eq(held[position[i - 1, j - 1]])
            else:
                m.d.sync += held[k].eq(before[position[j - 1, self.count - 1]])
        return m


def comes_first(before: Any, i: int, j: int) -> Value:
    """Return whether i precedes j in an order that is given as a bit for each of ``pairs``."""
    low, high = sorted((i, j))
    bit = before[high * (high - 1) // 2 + low]
    return bit if i < j else ~bit


class FirstOf:
    """Selects the first requester in an order that is given as a bit for each pair.

    Parameters:
        m (Module)
        requests (sequence of Value): One bit each.
        numbers: The number of each requester in the order, ascending.
        before (sequence of Value): By position in ``pairs``: whether i comes before j.
        name: Prefix of the names of signals.

    Members:
        lost_arbitration (list of Value): By requester: it loses arbitration to another one.
        chosen (list of Signal): The granted requester: one at most.
    """

    def __init__(self, m: Any, requests: Sequence[Any], numbers: Sequence[int], before: Any, name: str):
        self.lost_arbitration: list[Value] = []
        self.chosen = [Signal(name=f"{name}_chosen_{number}") for number in numbers]
        for x, i in enumerate(numbers):
            rivals = [requests[y] & comes_first(before, j, i) for y, j in enumerate(numbers) if y != x]
            self.lost_arbitration.append(concat(rivals).any() if rivals else Value.cast(0))
            m.d.comb += self.chosen[x].eq(requests[x] & ~self.lost_arbitration[x])


def number_of_first(requests: Any, before: Any, bits: int) -> list[Value]:
    """Return the bits of the first requester's number, without selecting it first; 0 without a request.

    A bit is set if a requester has it in its number and no earlier requester lacks it. That is a level of logic less
    than ``FirstOf`` and an encoder.

    Parameters:
        requests (Value): One bit each, by number.
        before (sequence of Value): By position in ``pairs``: whether i comes before j.
    """
    numbers = range(len(requests))
    found = []
    for bit in range(bits):
        having, lacking = ([i for i in numbers if i >> bit & 1 == value] for value in (1, 0))
        unopposed = [
            requests[i] & ~concat(requests[j] & comes_first(before, j, i) for j in lacking).any() for i in having
        ]
        found.append(concat(unopposed).any())
    return found
