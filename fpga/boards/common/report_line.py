# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The line that a self-test writes.

``messages=12345 deliveries=45678 expected=45680 flits=1234567 errors=0 cycles=98765 BUSY``
"""

from typing import Any

from amaranth.hdl import Const, Module, Signal
from amaranth.lib.wiring import In, Out

from fpga.boards.common.decimal import DecimalDigits
from fpga.boards.common.parameters import TOTAL_BITS
from rtl.parts.flit import stream_of
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, table_row
from topology.common.flits import bits_for

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

    Members
    -------
    start : In(1)
    values : In(6 * 40)
        The numbers, in the order of ``FIELDS``, first one lowest. Each is sampled when it is written.
    passed, failed : In(1)
        Neither: BUSY. Sampled when the line begins, so that no line has PASS with numbers from before the end.
    characters : Out(stream of 8 bits)
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
