"""Binary numbers as decimal digits."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import stream_of
from rtl.parts.part import Part
from rtl.parts.selection import concat

DIGIT_BITS = 4


class DecimalDigits(Part):
    """Converts a number by shifting it, bit by bit, into a decimal register that doubles ("double dabble").

    The first digit is offered up to ``bits`` + digits + 1 cycles after ``start``; throughput 1 digit per cycle.

    Parameters
    ----------
    bits : int
        Width of the number, at least 1.

    Members
    -------
    start : In(1)
        Take ``number``; not before ``done`` of the number before.
    number : In(bits)
    digits : Out(stream of 4 bits)
        The digits, highest first, without leading zeros.
    done : Out(1)
        High while the last digit moves.
    """

    def __init__(self, bits: int):
        self.bits = bits
        super().__init__(
            f"decimal_digits_{bits}",
            {
                "start": In(1),
                "number": In(bits),
                "digits": Out(stream_of(DIGIT_BITS)),
                "done": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        count = len(str((1 << self.bits) - 1))
        number = Signal(self.bits)
        digits = Signal(DIGIT_BITS * count)
        left = Signal(range(max(self.bits, count) + 1))
        top: Any = digits[-DIGIT_BITS:]
        last = Signal()
        m.d.comb += [self.digits.payload.eq(top), last.eq(left == 1)]
        with m.FSM():
            with m.State("IDLE"), m.If(self.start):
                m.d.sync += [number.eq(self.number), digits.eq(0), left.eq(self.bits)]
                m.next = "DOUBLE"
            with m.State("DOUBLE"):
                m.d.sync += [digits.eq(concat((number[-1], self._carried(m, digits)))), number.eq(number << 1)]
                m.d.sync += left.eq(left - 1)
                with m.If(last):
                    m.d.sync += left.eq(count)
                    m.next = "SKIP"
            with m.State("SKIP"):
                with m.If(~top.any() & ~last):
                    m.d.sync += [digits.eq(digits << DIGIT_BITS), left.eq(left - 1)]
                with m.Else():
                    m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += [self.digits.valid.eq(1), self.done.eq(self.digits.ready & last)]
                with m.If(self.digits.ready):
                    m.d.sync += [digits.eq(digits << DIGIT_BITS), left.eq(left - 1)]
                    with m.If(last):
                        m.next = "IDLE"
        return m

    def _carried(self, m, digits) -> Any:
        """Return every digit of 5 or more with 3 added, so that doubling it carries into the next digit.

        The highest one never is: there are as many digits as the largest number has.
        """
        carried = []
        for position in range(0, len(digits) - DIGIT_BITS, DIGIT_BITS):
            digit = digits[position : position + DIGIT_BITS]
            more = Signal(DIGIT_BITS, name=f"carried_{position // DIGIT_BITS}")
            m.d.comb += more.eq(Mux(digit >= 5, digit + 3, digit))
            carried.append(more)
        return concat((*carried, digits[-DIGIT_BITS:]))
