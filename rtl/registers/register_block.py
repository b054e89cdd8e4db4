"""Registers of a map: address decoder, storage of writable fields, and read multiplexer."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, either, table_row
from rtl.registers.axi_lite import LOW_BITS
from rtl.registers.register_map import (
    READ,
    READ_WRITE,
    READABLE,
    WORD_BITS,
    WORD_BYTES,
    WRITABLE,
    WRITE,
    WRITE_ONE_TO_CLEAR,
    WRITE_TO_CLEAR,
    Register,
    RegisterMap,
)
from topology.common.flits import bits_for


def register_members(register: Register) -> dict[str, Any]:
    """Return the members of a block for one register, see ``RegisterBlock``."""
    name, bits = register.port, register.bits
    if register.constant:
        return {}
    if register.numbers:
        return {f"{name}_index": Out(bits_for(register.numbers)), name: In(bits)}
    return {
        READ: {name: In(bits)},
        READ_WRITE: {name: Out(bits, init=register.value)},
        WRITE: {name: Out(bits), f"{name}_written": Out(1)},
        WRITE_ONE_TO_CLEAR: {name: In(bits), f"{name}_clear": Out(bits)},
        WRITE_TO_CLEAR: {name: In(bits), f"{name}_clear": Out(1)},
    }[register.access]


class RegisterBlock(Part):
    """All registers of a map at a register bus, see ``AxiLitePort``.

    A write takes effect at the end of its cycle. A read is combinational from ``read_address``; numbers have the
    latency of the logic behind ``{number}_index``.

    Members:
        write, write_address, write_data, write_found, read_address, read_data, read_found: The bus.
        {register} (In or Out): All bits of a register, under its name in lower case: inputs for values from hardware,
            outputs for written values. Absent for constants.
        {register}_written (Out(1)): Of a register that is write only: it is written in this cycle. ``{register}`` is 0
            in all other cycles.
        {register}_clear (Out): Of W1C: the bits that are to be cleared in this cycle. Of WC: one bit, to clear all.
        {register}_index (Out): Of numbers: index of the one that is read.
    """

    def __init__(self, registers: RegisterMap):
        self.registers = registers
        word_address_bits = registers.address_bits - LOW_BITS
        members: dict[str, Any] = {
            "write": In(1),
            "write_address": In(word_address_bits),
            "write_data": In(WORD_BITS),
            "write_found": Out(1),
            "read_address": In(word_address_bits),
            "read_data": Out(WORD_BITS),
            "read_found": Out(1),
        }
        for register in registers:
            members.update(register_members(register))
        super().__init__("register_block", members)

    def elaborate(self, _platform):
        m: Any = Module()
        found = [self._write(m, register) for register in self.registers if register.access in WRITABLE]
        m.d.comb += self.write_found.eq(either(found))
        self._read(m)
        return m

    def _write(self, m, register: Register) -> Value:
        """Write to a register; return whether the address is one of its words."""
        first = register.address // WORD_BYTES
        name = register.port
        selected = Signal(register.words, name=f"{name}_selected")
        m.d.comb += selected.eq(concat(self.write_address == first + word for word in range(register.words)))
        written = Signal(register.words, name=f"{name}_write")
        m.d.comb += written.eq(Mux(self.write, selected, 0))
        if register.access == READ_WRITE:
            with m.If(written):
                m.d.sync += getattr(self, name).eq(self.write_data)
        elif register.access == WRITE_TO_CLEAR:
            m.d.comb += getattr(self, f"{name}_clear").eq(written)
        else:
            bits = concat(Mux(written[word], self.write_data, 0) for word in range(register.words))
            port = f"{name}_clear" if register.access == WRITE_ONE_TO_CLEAR else name
            m.d.comb += getattr(self, port).eq(bits)
            if register.access == WRITE:
                m.d.comb += getattr(self, f"{name}_written").eq(written)
        return Value.cast(selected.any())

    def _read(self, m):
        words: dict[int, Value] = {}
        for register in self.registers:
            if register.access in READABLE and not register.numbers:
                words.update(self._words(register))
        count = max(words) + 1
        rows = concat(words.get(word, Const(0, WORD_BITS)) for word in range(count))
        there = Const(sum(1 << word for word in words), count)
        data = table_row(m, rows, self.read_address, WORD_BITS, "read_data", padded=True)
        found = table_row(m, there, self.read_address, 1, "read_found", padded=True)
        chosen = [(data, found), *(self._number(m, register) for register in self.registers if register.numbers)]
        m.d.comb += self.read_data.eq(either([word for word, _ in chosen]))
        m.d.comb += self.read_found.eq(either([present for _, present in chosen]))

    def _words(self, register: Register) -> dict[int, Value]:
        """Return the read value of a register, by number of the word."""
        bits = Const(register.value, register.bits) if register.constant else getattr(self, register.port)
        first = register.address // WORD_BYTES
        pieces = [bits[WORD_BITS * word :][:WORD_BITS] for word in range(register.words)]
        return {first + word: concat((piece, Const(0, WORD_BITS - len(piece)))) for word, piece in enumerate(pieces)}

    def _number(self, m, register: Register) -> tuple[Value, Value]:
        """Return the read value of one of many numbers, and whether the address is one of theirs; 0 if it is not."""
        name = register.port
        index: Any = getattr(self, f"{name}_index")
        bits, present = len(index), Signal(name=f"{name}_present")
        m.d.comb += index.eq(self.read_address[:bits])
        # they begin at a multiple of their size: the higher bits of the address are those of the first
        here = self.read_address[bits:] == register.address // WORD_BYTES >> bits
        m.d.comb += present.eq(here & (index < register.numbers) if register.numbers < 1 << bits else here)
        return Value.cast(Mux(present, getattr(self, name), 0)), present
