"""Round robin among few requesters, as one bit for each pair of them."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Signal, Value

from rtl.common.selection import concat


class TurnOrder:
    """Which of two requesters comes first, for every pair: round robin in two levels of logic.

    The one that is at or after ``turn`` in cyclic order comes first; ``turn`` is the requester after the one that was
    chosen last, and 0 after reset. A bit per pair says the same, and needs no search. It is logic in the module that
    uses it, and no module of its own.

    Parameters
    ----------
    m : Module
    requests : sequence of Value
        One bit each.
    step : Value or None
        Whether what is chosen in this cycle counts; None if it always does.
    name : str
        Prefix of the names of signals.

    Members
    -------
    beaten : list of Value
        By requester: another one that comes first requests as well.
    chosen : list of Signal
        Who requests and is not beaten: one at most.
    """

    def __init__(self, m: Module, requests: Sequence[Value], name: str, step: Any = None):
        n = len(requests)
        before = {}
        for j in range(n):
            for i in range(j):
                first: Any = Signal(init=1, name=f"{name}_{i}_before_{j}")
                before[i, j], before[j, i] = first, ~first
        others = [[requests[j] & before[j, i] for j in range(n) if j != i] for i in range(n)]
        self.beaten = [concat(rivals).any() if rivals else Value.cast(0) for rivals in others]
        self.chosen = [Signal(name=f"{name}_chosen_{i}") for i in range(n)]
        driver: Any = m
        for i in range(n):
            driver.d.comb += self.chosen[i].eq(requests[i] & ~self.beaten[i])
        if n == 1:
            return
        counts = concat(requests).any() if step is None else concat(requests).any() & step
        with driver.If(counts):
            for j in range(n):
                for i in range(j):
                    # the turn is behind i and not behind j if one of i to j - 1 was chosen
                    driver.d.sync += before[i, j].eq(~concat(self.chosen[i:j]).any())
