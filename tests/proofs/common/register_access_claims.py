"""Claims about ``AxiLitePort`` and ``RegisterBlock`` together: effect and answer of an access.

An access is one that the port accepts; that each is accepted and answered once is proved of the port alone.
"""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.selection import concat
from rtl.registers.axi_lite import OKAY, SLVERR, AxiLitePort
from rtl.registers.register_block import RegisterBlock
from rtl.registers.register_map import READ_WRITE, WORD_BYTES
from rtl.registers.top import BLOCK_TO_BUS, BUS_TO_BLOCK
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.register_block_claims import every_kind, held_at, writable_at
from tests.proofs.inside import Inside


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
        _reads(claims, port, block)
        _writes(claims, port, block)

    return describe


def _reads(claims: Claims, port: Any, block: Any) -> None:
    readable, held = held_at(claims, block, port.araddr >> 2)
    accepted = claims.was(port.arready, "read_accepted")
    found, value = claims.was(readable, "readable"), claims.was(held, "held")
    right = (port.rresp == Mux(found, OKAY, SLVERR)) & (port.rdata == Mux(found, value, 0))
    claims.always("a read is answered with the value of its register, or 0 and SLVERR", ~accepted | right)
    claims.possible("a read is answered OKAY", accepted & found)


def _writes(claims: Claims, port: Any, block: Any) -> None:
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
