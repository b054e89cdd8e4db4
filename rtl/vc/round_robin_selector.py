"""Round robin among few requesters, as one bit for each pair of them."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value

from rtl.parts.selection import concat


class RoundRobinSelector:
    """Order of two requesters, for every pair: round robin in two levels of logic.

    The first requester at or after ``turn`` in cyclic order is granted; ``turn`` is the successor of the last grant,
    and 0 after reset. A bit per pair stores the same, and needs no search. It is logic in the module that uses it, and
    no module of its own.

    Parameters:
        requests: One bit each.
        name: Prefix of the names of signals.
        step (Value): Whether this cycle's grant counts: the turn advances.
        yielding: Number of requesters, the last ones, with lower priority than all others; round robin among
            themselves.

    Members:
        lost_arbitration (list of Value): By requester: it loses arbitration to another one.
        chosen (list of Signal): The granted requester: one at most.
    """

    def __init__(self, m: Module, requests: Sequence[Value], name: str, step: Any, *, yielding: int = 0):
        n = len(requests)
        self._module, self._name, self._requests = m, name, requests
        pairs = [(i, j) for j in range(n) for i in range(j)]
        turning = [(i, j) for i, j in pairs if (i < n - yielding) == (j < n - yielding)]
        self._before = before = {}
        for i, j in pairs:
            first: Any = Signal(init=1, name=f"{name}_{i}_before_{j}") if (i, j) in turning else Const(1)
            before[i, j], before[j, i] = first, ~first
        others = [[requests[j] & before[j, i] for j in range(n) if j != i] for i in range(n)]
        self.lost_arbitration = [concat(rivals).any() if rivals else Value.cast(0) for rivals in others]
        self.chosen = [Signal(name=f"{name}_chosen_{i}") for i in range(n)]
        driver: Any = m
        for i in range(n):
            driver.d.comb += self.chosen[i].eq(requests[i] & ~self.lost_arbitration[i])
        if not turning:
            return
        with driver.If(concat(requests).any() & step):
            for i, j in turning:
                # the turn is behind i and not behind j if one of i to j - 1 was granted
                driver.d.sync += before[i, j].eq(~concat(self.chosen[i:j]).any())

    def select(self, values: Sequence[Any]) -> Any:
        """Return the value of the selected requester; arbitrary without a request.

        A tournament with all comparisons in parallel: a level of logic less than an OR of all values with ``chosen``.

        Parameters:
            values (sequence of Value): One for each requester, of one width.
        """
        return self._winner(0, len(values), values)

    def _winner(self, low: int, high: int, values: Sequence[Any]) -> Any:
        """Return the value of the first one of the requesters from ``low`` to ``high`` - 1."""
        if high - low == 1:
            return values[low]
        middle = (low + high) // 2
        wins = Signal(name=f"{self._name}_{low}_to_{middle}_wins")
        unopposed = [
            self._requests[i] & ~concat(self._requests[j] & self._before[j, i] for j in range(middle, high)).any()
            for i in range(low, middle)
        ]
        self._module.d.comb += wins.eq(concat(unopposed).any())
        return Mux(wins, self._winner(low, middle, values), self._winner(middle, high, values))
