"""Claims about ``AxiLitePort``: handshakes of AXI4-Lite, every access is done and answered once, answers are right."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.selection import concat
from rtl.registers.axi_lite import OKAY, SLVERR, AxiLitePort
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside

ADDRESS_BITS = 4


def axi_lite_port(read_cycles: int) -> Describe:
    """Claims about a port; the register bus may have any values.

    Parameters
    ----------
    read_cycles : int
        As in ``AxiLitePort``.
    """

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
