# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The line that a self-test writes.

``messages=12345 deliveries=45678 expected=45680 flits=1234567 errors=0 cycles=98765 BUSY``
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from fpga.boards.common.parameters import TOTAL_BITS
from rtl.parts.flit import stream_of
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, table_row
from topology.common.flits import bits_for

DIGIT_BITS = 4


class DecimalDigits(Part):
    """Converts a number by shifting it, bit by bit, into a decimal register that doubles ("double dabble").

    The first digit is offered up to ``bits`` + digits + 1 cycles after ``start``; throughput 1 digit per cycle.

    Parameters:
        bits: Width of the number, at least 1.

    Members:
        start (In(1)): Take ``number``; not before ``done`` of the number before.
        number (In(bits))
        digits (Out(stream of 4 bits)): The digits, highest first, without leading zeros.
        done (Out(1)): High while the last digit moves.
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


DATA_BITS = 8
FRAME_BITS = DATA_BITS + 2


class UartTransmitter(Part):
    """Sends bytes. Throughput one byte per ten bits.

    Parameters:
        cycles_per_bit: At least 2.

    Members:
        characters (In(stream of 8 bits))
        tx (Out(1)): The line, a register; high when idle.
    """

    def __init__(self, cycles_per_bit: int):
        self.cycles_per_bit = cycles_per_bit
        super().__init__("uart_transmitter", {"characters": In(stream_of(DATA_BITS)), "tx": Out(1, init=1)})

    def elaborate(self, _platform):
        m: Any = Module()
        frame = Signal(FRAME_BITS)
        bits_left = Signal(range(FRAME_BITS + 1))
        cycle = Signal(range(self.cycles_per_bit))
        m.d.comb += self.characters.ready.eq(bits_left == 0)
        with m.If(self.characters.ready & self.characters.valid):
            m.d.sync += [
                frame.eq(concat((0, self.characters.payload, 1))),
                bits_left.eq(FRAME_BITS),
                cycle.eq(self.cycles_per_bit - 1),
            ]
        with m.Elif(bits_left != 0):
            m.d.sync += [self.tx.eq(frame[0]), cycle.eq(cycle - 1)]
            with m.If(cycle == 0):
                m.d.sync += [frame.eq(frame >> 1), bits_left.eq(bits_left - 1), cycle.eq(self.cycles_per_bit - 1)]
        return m


FIELDS = ("messages", "deliveries", "expected", "flits", "errors", "cycles")
"""Deliveries come before expected ones: the totals are read while they change, one after the other."""
STATES = ("BUSY", "PASS", "FAIL")
STATE_CHARACTERS = 4
LINE_END = "\r\n"

BYTE_BITS = 8
_NUMBER, _STATE = 0x80, 0xC0
_ZERO = ord("0")


def line_codes() -> bytes:
    """Return the line as codes: a character, from 0x80 on a field's number, or from 0xC0 on a place in the state."""
    fields = b"".join(f"{name}=".encode() + bytes([_NUMBER + k]) + b" " for k, name in enumerate(FIELDS))
    return fields + bytes(_STATE + k for k in range(STATE_CHARACTERS)) + LINE_END.encode()


def _constant(text: bytes) -> Const:
    return Const(int.from_bytes(text, "little"), BYTE_BITS * len(text))


class ReportLine(Part):
    """Writes one line per ``start``; one during a line is kept until its end.

    Members:
        start (In(1))
        values (In(6 * 40)): The numbers, in the order of ``FIELDS``, first one lowest. Each is sampled when it is
            written.
        passed, failed (In(1)): Neither: BUSY. Sampled when the line begins, so that no line has PASS with numbers from
            before the end.
        characters (Out(stream of 8 bits))
    """

    def __init__(self):
        super().__init__(
            "report_line",
            {
                "start": In(1),
                "values": In(len(FIELDS) * TOTAL_BITS),
                "passed": In(1),
                "failed": In(1),
                "characters": Out(stream_of(BYTE_BITS)),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        codes = line_codes()
        position = Signal(range(len(codes)))
        code = Signal(BYTE_BITS)
        due, done = Signal(), Signal()
        state = Signal(bits_for(len(STATES)))
        decimal = instantiate(m, platform, "decimal", DecimalDigits(TOTAL_BITS))
        field = code[: bits_for(len(FIELDS))]
        m.d.comb += decimal.number.eq(table_row(m, self.values, field, TOTAL_BITS, "value"))
        with m.FSM():
            with m.State("IDLE"), m.If(due):
                m.d.sync += [due.eq(0), state.eq(concat((self.passed & ~self.failed, self.failed)))]
                m.next = "READ"
            with m.State("READ"):
                m.d.sync += code.eq(table_row(m, _constant(codes), position, BYTE_BITS, "code"))
                m.next = "WRITE"
            with m.State("WRITE"):
                self._write(m, code, state, decimal, done)
                with m.If(done & (position == len(codes) - 1)):
                    m.d.sync += position.eq(0)
                    m.next = "IDLE"
                with m.Elif(done):
                    m.d.sync += position.eq(position + 1)
                    m.next = "READ"
        with m.If(self.start):
            m.d.sync += due.eq(1)
        return m

    def _write(self, m, code, state, decimal, done) -> None:
        """Write the text of a code; ``done`` in the last cycle."""
        started = Signal()
        with m.If(code[-2:] == _NUMBER >> BYTE_BITS - 2):
            m.d.comb += [
                decimal.start.eq(~started),
                self.characters.valid.eq(decimal.digits.valid),
                self.characters.payload.eq(_ZERO | decimal.digits.payload),
                decimal.digits.ready.eq(self.characters.ready),
                done.eq(decimal.done),
            ]
            m.d.sync += started.eq(~done)
        with m.Else():
            m.d.comb += [
                self.characters.valid.eq(1),
                self.characters.payload.eq(code),
                done.eq(self.characters.ready),
            ]
            with m.If(code[-2:] == _STATE >> BYTE_BITS - 2):
                row = concat((code[: bits_for(STATE_CHARACTERS)], state))
                character = table_row(m, _constant("".join(STATES).encode()), row, BYTE_BITS, "state")
                m.d.comb += self.characters.payload.eq(character)
