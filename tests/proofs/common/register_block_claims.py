"""Claims about ``RegisterBlock``: an address has at most one register, and a write changes that register alone."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from hydranoc.api import load
from rtl.parts.selection import concat
from rtl.registers.network_map import network_registers
from rtl.registers.register_block import RegisterBlock
from rtl.registers.register_map import (
    READ,
    READ_WRITE,
    WORD_BITS,
    WORD_BYTES,
    WRITE,
    WRITE_ONE_TO_CLEAR,
    WRITE_TO_CLEAR,
    Field,
    Register,
    RegisterMap,
)
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside
from tests.tb.mutations import ROOT

OTHERS = "a write does nothing to other registers"


def every_kind() -> RegisterMap:
    """A small map with all kinds of registers, gaps between them, and no power of two anywhere."""
    return RegisterMap(
        (
            Register("CONSTANT", 0x00, READ, "", (Field("low", 0, 3, "", 5), Field("high", 20, 12, "", 0xABC)), True),
            Register("KEPT", 0x04, READ_WRITE, "", (Field("one", 0, 1, "", 1), Field("other", 3, 4, "", 9))),
            Register("STATE", 0x0C, READ, "", (Field("bits", 2, 5, ""),)),
            Register("COMMAND", 0x10, WRITE, "", (Field("word", 0, 8, ""),)),
            Register("NUMBER", 0x14, WRITE_TO_CLEAR, "", (Field("number", 0, 16, ""),)),
            Register("SECOND", 0x1C, READ_WRITE, "", (Field("word", 0, 32, "", 77),)),
            Register("MASK", 0x20, WRITE_ONE_TO_CLEAR, "", mask_bits=70),
            Register("SUMS", 0x40, READ, "", numbers=5),
        )
    )


def example_registers() -> RegisterMap:
    """The registers of examples/registers.yaml, which has all that a network can have."""
    return network_registers(load(ROOT / "examples" / "registers.yaml").plan)


def register_block(make_map: Callable[[], RegisterMap]) -> Describe:
    """Claims about the registers of a map; the values behind them may be any."""

    def describe(claims: Claims) -> None:
        part: Any = RegisterBlock(make_map())
        claims.free_inputs(part)
        Inside(claims, part)
        _reads(claims, part)
        _finds_what_can_be_written(claims, part)
        for register in part.registers:
            _WRITES.get(register.access, _takes_nothing)(claims, part, register)

    return describe


def _words(register: Register) -> range:
    """Addresses of its words on the bus."""
    first = register.address // WORD_BYTES
    return range(first, first + register.words)


def held_at(claims: Claims, part: Any, address: Any) -> tuple[Any, Any]:
    """Readability and value of the register at an address: the map as one list of cases."""
    readable: Any = Signal(name="readable")
    held: Any = Signal(WORD_BITS, name="held")
    with claims.m.Switch(address):
        for register in part.registers:
            if register.access != WRITE:
                for number, word in enumerate(_words(register)):
                    with claims.m.Case(word):
                        claims.m.d.comb += [readable.eq(1), held.eq(_shown(part, register, number))]
    return readable, held


def _shown(part: Any, register: Register, number: int) -> Value:
    """One word of the value of a register."""
    if register.numbers:
        return getattr(part, register.port)
    held = Const(register.value, register.bits) if register.constant else getattr(part, register.port)
    return held[WORD_BITS * number : WORD_BITS * (number + 1)]


def writable_at(claims: Claims, part: Any, address: Any) -> Any:
    """True if a register can be written at an address."""
    writable: Any = Signal(name="writable")
    with claims.m.Switch(address):
        for register in part.registers:
            if register.access != READ:
                with claims.m.Case(*_words(register)):
                    claims.m.d.comb += writable.eq(1)
    return writable


def _reads(claims: Claims, part: Any) -> None:
    readable, held = held_at(claims, part, part.read_address)
    claims.always("a read of a register returns its value", ~readable | (part.read_data == held))
    claims.always("a read finds exactly the readable registers", part.read_found == readable)
    claims.always("a read without a register returns 0", readable | (part.read_data == 0))
    for register in part.registers:
        if register.numbers:
            words = _words(register)
            inside = (part.read_address >= words.start) & (part.read_address < words.stop)
            index = getattr(part, f"{register.port}_index")
            right = ~inside | (index == part.read_address - words.start)
            claims.always("a number is looked up by its place", right)
    claims.possible("a number is read", part.read_found & (part.read_data == WORD_BITS))


def _finds_what_can_be_written(claims: Claims, part: Any) -> None:
    writable = writable_at(claims, part, part.write_address)
    claims.always("a write finds exactly the writable registers", part.write_found == writable)
    claims.possible("a write finds no register", part.write & ~writable)


def _hit(part: Any, register: Register, number: int = 0) -> Value:
    """True if a word of the register is written in this cycle."""
    return part.write & (part.write_address == _words(register)[number])


def _keeps(claims: Claims, part: Any, register: Register) -> None:
    kept: Any = Signal(register.bits, name=f"{register.port}_reference", init=register.value)
    held = getattr(part, register.port)
    hit = claims.named(_hit(part, register), f"{register.port}_hit")
    claims.m.d.sync += kept.eq(Mux(hit, part.write_data, kept))
    claims.always("a register has the value last written to it, at first that of the map", held == kept)
    before: Any = Signal(register.bits, name=f"{register.port}_before", init=register.value)
    claims.m.d.sync += before.eq(held)
    claims.always(OTHERS, claims.was(hit, f"{register.port}_hit") | (held == before))
    claims.possible("a register is written and then another one", claims.was(hit, "was_hit") & part.write & ~hit)


def _is_cleared_by_ones(claims: Claims, part: Any, register: Register) -> None:
    clear = getattr(part, f"{register.port}_clear")
    for number in range(register.words):
        bits = clear[WORD_BITS * number : WORD_BITS * (number + 1)]
        hit = _hit(part, register, number)
        ones = part.write_data[: len(bits)]
        claims.always("a write to a mask clears the bits that are 1 in it", ~hit | (bits == ones))
        claims.always(OTHERS, hit | ~bits.any())


def _is_cleared_by_all(claims: Claims, part: Any, register: Register) -> None:
    clear, hit = getattr(part, f"{register.port}_clear"), _hit(part, register)
    claims.always("any write to a number that can be cleared clears it", ~hit | clear)
    claims.always(OTHERS, hit | ~clear)


def _commands(claims: Claims, part: Any, register: Register) -> None:
    written, word = getattr(part, f"{register.port}_written"), getattr(part, register.port)
    hit = _hit(part, register)
    given = written & (word == part.write_data[: len(word)])
    claims.always("a command comes in the cycle of its write, with its data", ~hit | given)
    claims.always(OTHERS, hit | ~concat((written, word)).any())


def _takes_nothing(_claims: Claims, _part: Any, _register: Register) -> None:
    """A map without a writable register."""


_WRITES = {
    READ_WRITE: _keeps,
    WRITE_ONE_TO_CLEAR: _is_cleared_by_ones,
    WRITE_TO_CLEAR: _is_cleared_by_all,
    WRITE: _commands,
}
