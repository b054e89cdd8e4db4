"""Claims about the AXI4-Lite port, the register block, and the interrupt beside it."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from hydranoc.api import load
from rtl.parts.selection import concat
from rtl.registers.axi_lite import OKAY, SLVERR, AxiLitePort
from rtl.registers.interrupts import InterruptController, SettlingTimer
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
from rtl.registers.top import BLOCK_TO_BUS, BUS_TO_BLOCK
from tests.proofs.claims import Claims, Describe, Inside
from tests.tb.mutations import ROOT

# AxiLitePort: handshakes of AXI4-Lite, every access is done and answered once, answers are right.

ADDRESS_BITS = 4


def axi_lite_port(read_cycles: int) -> Describe:
    """Claims about a port; the register bus may have any values."""

    def describe(claims: Claims) -> None:
        part: Any = AxiLitePort(ADDRESS_BITS, read_cycles)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        _assume_held(claims, "aw", part.awvalid, part.awready, part.awaddr)
        _assume_held(claims, "w", part.wvalid, part.wready, concat((part.wdata, part.wstrb)))
        waited = _assume_held(claims, "ar", part.arvalid, part.arready, part.araddr)
        _writes(claims, part)
        _reads(claims, part, max(1, read_cycles), inside, waited)

    return describe


def _assume_held(claims: Claims, name: str, valid: Any, ready: Any, payload: Any) -> Any:
    """A master keeps a request stable until it is accepted. Returns a bit that it was offered in the last cycle."""
    waited = claims.was(valid & ~ready, f"{name}_waited")
    claims.assume(~waited | valid & (payload == claims.was(payload, f"{name}_payload")))
    return waited


def _prove_held(claims: Claims, name: str, valid: Any, ready: Any, payload: Any) -> None:
    waited = claims.was(valid & ~ready, f"{name}_waited")
    held = valid & (payload == claims.was(payload, f"{name}_payload"))
    claims.always(f"the answer to a {name} holds until it is taken", ~waited | held)


def _writes(claims: Claims, part: Any) -> None:
    offered, accepted = part.awvalid & part.wvalid, part.awready & part.wready
    claims.always("address and data are accepted together", part.awready == part.wready)
    claims.always("no write is accepted that is not on offer", ~accepted | offered)
    free = claims.was(offered & ~accepted & ~part.bvalid, "write_free")
    claims.always("a write on offer is accepted in the next cycle if no answer waits", ~free | accepted)
    whole = part.wstrb == (1 << len(part.wstrb)) - 1
    claims.always("exactly whole words are written, when they are accepted", part.write == accepted & whole)
    claims.always("the data written is the data offered", _same_write(part))
    _answered(claims, "write", part.bvalid, part.bready, accepted)
    done = claims.was(accepted & whole & part.write_found, "write_done")
    answer, was_accepted = Mux(done, OKAY, SLVERR), claims.was(accepted, "write_accepted")
    claims.always("OKAY answers writes that took effect, SLVERR all others", ~was_accepted | (part.bresp == answer))
    _prove_held(claims, "write", part.bvalid, part.bready, part.bresp)
    answered: Any = Signal(name="write_answered")
    claims.m.d.sync += answered.eq(answered | part.bvalid & part.bready)
    claims.possible("a write follows a write", accepted & answered)


def _same_write(part: Any) -> Any:
    return (part.write_address == part.awaddr >> 2) & (part.write_data == part.wdata)


def _reads(claims: Claims, part: Any, cycles: int, inside: Inside, waited: Any) -> None:
    accepted = part.arready
    claims.always("no read is accepted that is not on offer", ~accepted | part.arvalid)
    stood: Any = Signal(range(cycles + 1), name="address_stood_cycles")
    waits = part.arvalid & ~accepted & ~part.rvalid
    claims.m.d.sync += stood.eq(Mux(waits, stood + (stood < cycles), 0))
    claims.always("a read is accepted when its address has stood as long as data takes", accepted == (stood == cycles))
    claims.invariant("an address is not held while an answer waits", ~(part.rvalid & stood.any()))
    claims.invariant("an address that has stood is on offer", waited | ~stood.any())
    claims.invariant("an address is held no longer", stood <= cycles)
    waiting = inside.register("waiting")
    for cycle in range(cycles):
        claims.invariant(
            "a bit counts the cycles that an address has been stable", waiting[cycle] == (stood == cycle + 1)
        )
    _answered(claims, "read", part.rvalid, part.rready, accepted)
    data, found = claims.was(part.read_data, "data"), claims.was(part.read_found, "found")
    right = (part.rdata == data) & (part.rresp == Mux(found, OKAY, SLVERR))
    claims.always("a read returns the bus data at its acceptance", ~claims.was(accepted, "accepted") | right)
    claims.always("the bus looks at what is read", part.read_address == part.araddr >> 2)
    _prove_held(claims, "read", part.rvalid, part.rready, concat((part.rdata, part.rresp)))
    claims.possible("a read is answered", part.rvalid & part.rready)


def _answered(claims: Claims, name: str, valid: Any, ready: Any, accepted: Any) -> None:
    """One access is under way at a time, and answered once."""
    owed: Any = Signal(name=f"{name}_owed")
    claims.m.d.sync += owed.eq(accepted | owed & ~(valid & ready))
    claims.always(f"an answer to a {name} is on offer exactly if one is owed", valid == owed)
    claims.always(f"no {name} is accepted while the answer to another is owed", ~(accepted & owed))


# RegisterBlock: an address has at most one register, and a write changes that register alone.

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
        _reads_register_block(claims, part)
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


def _reads_register_block(claims: Claims, part: Any) -> None:
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


# AxiLitePort and RegisterBlock together: effect and answer of an access.


def register_access() -> Describe:
    """Claims about a small map behind AXI4-Lite; master and hardware may do anything."""

    def describe(claims: Claims) -> None:
        registers = every_kind()
        port: Any = AxiLitePort(registers.address_bits)
        block: Any = RegisterBlock(registers)
        claims.free_inputs(port, besides=BLOCK_TO_BUS)
        claims.free_inputs(block, besides=BUS_TO_BLOCK)
        claims.m.d.comb += [getattr(block, name).eq(getattr(port, name)) for name in BUS_TO_BLOCK]
        claims.m.d.comb += [getattr(port, name).eq(getattr(block, name)) for name in BLOCK_TO_BUS]
        Inside(claims, port, name="port")
        Inside(claims, block, name="block")
        _reads_register_access(claims, port, block)
        _writes_register_access(claims, port, block)

    return describe


def _reads_register_access(claims: Claims, port: Any, block: Any) -> None:
    readable, held = held_at(claims, block, port.araddr >> 2)
    accepted = claims.was(port.arready, "read_accepted")
    found, value = claims.was(readable, "readable"), claims.was(held, "held")
    right = (port.rresp == Mux(found, OKAY, SLVERR)) & (port.rdata == Mux(found, value, 0))
    claims.always("a read is answered with the value of its register, or 0 and SLVERR", ~accepted | right)
    claims.possible("a read is answered OKAY", accepted & found)


def _writes_register_access(claims: Claims, port: Any, block: Any) -> None:
    writable = writable_at(claims, block, port.awaddr >> 2)
    whole = claims.named(port.awready & (port.wstrb == (1 << WORD_BYTES) - 1), "whole")
    accepted, done = claims.was(port.awready, "write_accepted"), claims.was(whole & writable, "done")
    right = port.bresp == Mux(done, OKAY, SLVERR)
    claims.always("a write is answered OKAY if a register took the whole word, SLVERR if not", ~accepted | right)
    for register in block.registers:
        here = claims.named(port.awaddr >> 2 == register.address // WORD_BYTES, f"{register.port}_here")
        if register.access == READ_WRITE:
            kept: Any = Signal(register.bits, name=f"{register.port}_reference", init=register.value)
            claims.m.d.sync += kept.eq(Mux(whole & here, port.wdata, kept))
            held = getattr(block, register.port)
            claims.always("a register holds the last whole word that was accepted for it", held == kept)
    effects = [name for name in block.signature.members if name.endswith(("_clear", "_written"))]
    acts = [getattr(block, name) != 0 for name in effects]
    claims.always("clears and commands need an accepted whole word", whole | ~concat(acts).any())
    claims.possible("a mask is cleared", whole & block.mask_clear.any())


# The parts around a register block: the interrupt, and the time until sums are exact.


def interrupts(**masks: tuple[int, int]) -> Describe:
    """Claims about a controller whose masks may be anything: bit and width of each, by name."""

    def describe(claims: Claims) -> None:
        part: Any = InterruptController(masks)
        claims.free_inputs(part)
        Inside(claims, part)
        for name, (bit, _) in masks.items():
            marked = claims.was(getattr(part, name) != 0, f"{name}_marked")
            claims.always("pending marks the masks that had a bit set one cycle ago", part.pending[bit] == marked)
        used = {bit for bit, _ in masks.values()}
        unused = concat(part.pending[bit] for bit in range(len(part.pending)) if bit not in used)
        claims.always("a bit without a mask is never pending", ~unused.any())
        enabled = claims.was((part.pending & part.enable) != 0, "enabled")
        claims.always("the interrupt is the or of what was pending and enabled one cycle ago", part.irq == enabled)
        claims.possible("an interrupt comes and goes", claims.was(part.irq, "irq") & ~part.irq)

    return describe


def settling_timer(cycles: int, reasons: int) -> Describe:
    """Claims about a timer."""

    def describe(claims: Claims) -> None:
        part: Any = SettlingTimer(cycles, reasons)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        busy = claims.named(part.busy != 0, "is_busy")
        quiet: Any = Signal(range(cycles + 1), name="quiet_cycles")
        claims.m.d.sync += quiet.eq(Mux(busy, 0, quiet + (quiet < cycles)))
        settled = ~busy & (quiet == cycles)
        claims.always("sums are exact if nothing happens now or did in so many cycles before", part.settled == settled)
        claims.invariant("the remaining time is that without quiet cycles", inside.register("left") == cycles - quiet)
        claims.possible("sums are exact", part.settled)

    return describe
