"""A random order of a few numbers, as one bit for each pair of them; it changes after every selection."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.vc.cycle_order import pairs
from topology.common.choice_orders import ORDER_FEEDBACK, ORDER_SEED

STATE_BITS = 16


class RandomOrder(Part):
    """See ``topology.common.choice_orders.next_random_order``.

    Parameters:
        count: Count of numbers, at least 2.

    Members:
        step (In(1)): A selection was made: advance to the next order.
        before (Out(pairs)): By position in ``pairs``: whether i comes before j. Registers.
    """

    def __init__(self, count: int):
        self.count = count
        super().__init__(f"random_order_{count}", {"step": In(1), "before": Out(len(pairs(count)))})

    def elaborate(self, _platform):
        m: Any = Module()
        position = {pair: k for k, pair in enumerate(pairs(self.count))}
        before: Any = Signal(len(position), init=-1)
        state = Signal(STATE_BITS, init=ORDER_SEED)
        m.d.comb += self.before.eq(before)

        def comes_first(i: int, j: int) -> Any:
            """Return whether i - 1 preceded j - 1 before the step, which increments all numbers."""
            i, j = (i - 1) % self.count, (j - 1) % self.count
            return before[position[i, j]] if i < j else ~before[position[j, i]]

        swap = {0: 1, 1: 0}
        with m.If(self.step):
            m.d.sync += state.eq((state >> 1) ^ Mux(state[0], ORDER_FEEDBACK, 0))
            for (i, j), k in position.items():
                swapped = comes_first(swap.get(i, i), swap.get(j, j))
                m.d.sync += before[k].eq(Mux(state[0], swapped, comes_first(i, j)))
        return m
