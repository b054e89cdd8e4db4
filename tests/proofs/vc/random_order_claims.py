"""Claims about ``RandomOrder``: its pairs encode the random order of ``topology``, which is tested for fairness."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.parts.selection import concat
from rtl.vc.cycle_order import pairs
from rtl.vc.random_order import STATE_BITS, RandomOrder
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside
from topology.common.choice_orders import ORDER_SEED, next_random_order

SAYS_THE_ORDER = "the pairs say the random order"


class RandomReference:
    """A random order, as a list of numbers, that takes its steps from tables made with ``next_random_order``.

    Parameters
    ----------
    claims : Claims
    count : int
        How many numbers.
    step : Value
        Another order follows.

    Members
    -------
    row : list of Signal
        The first number first.
    state : Signal
        Of the shift register.
    """

    def __init__(self, claims: Claims, count: int, step: Any):
        numbers = list(range(count))
        bits = (count - 1).bit_length()
        self.row: list[Any] = [Signal(range(count), init=k, name=f"random_{k}") for k in numbers]
        self.state: Any = Signal(STATE_BITS, init=ORDER_SEED, name="random_state")
        # new place of a number, by the deciding bit; the register's step is linear
        tables = [next_random_order(numbers, bit)[0] for bit in (0, 1)]
        packed = [sum(number << bits * k for k, number in enumerate(table)) for table in tables]
        table = Mux(self.state[0], *(Const(row, bits * count) for row in reversed(packed)))
        columns = [next_random_order(numbers, 1 << bit)[1] for bit in range(STATE_BITS)]
        shifted: Any = Const(0, STATE_BITS)
        for bit, column in enumerate(columns):
            shifted = shifted ^ Mux(self.state[bit], column, 0)
        with claims.m.If(step):
            claims.m.d.sync += self.state.eq(shifted)
            claims.m.d.sync += [number.eq(Value.cast(table).word_select(number, bits)) for number in self.row]
        for k, number in enumerate(self.row):
            others = concat(number == other for other in self.row[:k]).any() if k else Const(0)
            claims.invariant("the random order has each number once", (number < count) & ~others)

    def before(self, i: int, j: int) -> Value:
        """True if a number comes before another one."""
        after = [concat(other == j for other in self.row[k:]).any() for k in range(len(self.row))]
        return concat((number == i) & later for number, later in zip(self.row, after, strict=True)).any()

    def first_of(self, mask: Any) -> Value:
        """The first number of a mask, one-hot; 0 if there is none."""
        found: Any = Const(0, len(mask))
        for number in reversed(self.row):
            found = Mux(mask.bit_select(number, 1), Const(1, len(mask)) << number, found)
        return Value.cast(found)[: len(mask)]

    def tie(self, claims: Claims, inside: Inside, where: str | None = None) -> None:
        """The part's registers agree with it."""
        bits = concat(self.before(i, j) for i, j in pairs(len(self.row)))
        claims.invariant("the pairs encode the random order", inside.register("before", where) == bits)
        claims.invariant("the shift register is that of the order", inside.register("state", where) == self.state)


def random_order(count: int) -> Describe:
    """Claims about an order of some numbers."""

    def describe(claims: Claims) -> None:
        part = RandomOrder(count)
        claims.free_inputs(part)
        reference = RandomReference(claims, count, part.step)
        reference.tie(claims, Inside(claims, part))
        for k, (i, j) in enumerate(pairs(count)):
            claims.always(SAYS_THE_ORDER, part.before[k] == reference.before(i, j))
        claims.possible("the last number comes first", reference.row[0] == count - 1)

    return describe
