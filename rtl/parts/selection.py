"""Small combinational building blocks: the lowest one of a mask, one row of a table."""

from collections.abc import Iterable, Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value


def concat(bits: Iterable[Any]) -> Value:
    """Return the values concatenated, the first one lowest."""
    return Value.cast(Cat(*bits))


def lowest_one(mask: Any) -> Value:
    """Return a copy of ``mask`` with only its lowest set bit. Bind ``mask`` to a signal first."""
    return concat(mask[i] & ~mask[:i].any() if i else mask[0] for i in range(len(mask)))


def either(values: Sequence[Any]) -> Any:
    """Return all values, bit by bit, joined by OR as a balanced tree: a multiplexer if all but one are 0."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return either(values[:half]) | either(values[half:])


def first_at_or_after(m: Module, mask: Value, after: Value, name: str) -> Signal:
    """Return one-hot: the lowest bit of ``mask`` within ``after``, or else the lowest bit of ``mask``.

    Parameters:
        mask (Signal, n bits): Candidates.
        after (Value, n bits): The preferred bits: for a cyclic search from position t, all bits from t on.
        name: Prefix of the names of intermediate signals.
    """
    preferred = Signal(len(mask), name=f"{name}_preferred")
    found = Signal(len(mask), name=f"{name}_found")
    m.d.comb += preferred.eq(mask & after)
    m.d.comb += found.eq(Mux(preferred.any(), lowest_one(preferred), lowest_one(mask)))
    return found


def table_row(m: Module, table: Value, index: Any, row_bits: int, name: str, *, padded: bool = False) -> Value:
    """Return row ``index`` of a table of equally wide rows, row 0 lowest.

    Halves the table once per index bit, from the highest one down: every step works on two contiguous slices, so a
    simulator handles whole words, and a constant table folds into a small multiplexer tree in synthesis. A wide
    dynamic shift does neither.

    Parameters:
        table: The rows; a whole number of ``row_bits``.
        index (Value): Row number. A number past the table yields an unspecified row.
        row_bits: Width of a row.
        name: Prefix of the names of intermediate signals.
        padded: A number past the table yields a row of zeros instead.
    """
    rows = table
    for bit in reversed(range(len(index))):
        half = row_bits << bit
        if len(rows) <= half:
            if padded:
                inside = Signal(len(rows), name=f"{name}_{bit}")
                m.d.comb += inside.eq(Mux(index[bit], 0, rows))
                rows = inside
            continue
        lower, upper = rows[:half], rows[half:]
        chosen = Signal(len(upper), name=f"{name}_{bit}")
        m.d.comb += chosen.eq(Mux(index[bit], upper, lower[: len(upper)]))
        rest = lower[len(upper) :]
        if padded and len(rest):
            alone = Signal(len(rest), name=f"{name}_{bit}_alone")
            m.d.comb += alone.eq(Mux(index[bit], 0, rest))
            rest = alone
        # otherwise rows without a partner in the upper half need no multiplexer: their index bit is never set
        rows = concat((chosen, rest))
    return rows


Found = tuple[Any, Any]
"""Result for some bits: whether any is set, and whether two are."""


def merged(parts: Sequence[Found]) -> Found:
    """Return the result for all parts together, as a balanced tree."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    (left, left_several), (right, right_several) = merged(parts[:half]), merged(parts[half:])
    return left | right, left_several | right_several | (left & right)


def encoded(one_hot: Any, numbers: Iterable[int], bits: int) -> list[Value]:
    """Return the bits of the number that belongs to the set bit; 0 if none is set."""
    members = list(enumerate(numbers))
    rows = [[one_hot[i] for i, number in members if number >> bit & 1] for bit in range(bits)]
    return [concat(row).any() if row else Value.cast(Const(0)) for row in rows]


def packed(numbers: Sequence[int], bits: int) -> int:
    """Return the numbers concatenated, ``bits`` bits each, the first one lowest: a table for ``table_row``."""
    return int("".join(f"{number:0{bits}b}" for number in reversed(numbers)), 2)
