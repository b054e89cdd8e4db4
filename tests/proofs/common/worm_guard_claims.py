"""Claims about ``WormGuard``: for any input, whole worms go on, and sound worms are unchanged."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.worm_guard import WormGuard
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.links import assume_link_rules, prove_link_rules
from tests.proofs.inside import Inside

FLIT_BITS = 8
COVERED_FLITS = 10
"""A longer worm is not cut off within the cycles of the search."""


def worm_guard(watchdog_flits: int) -> Describe:
    """Claims about a guard with or without a watchdog."""

    def describe(claims: Claims) -> None:
        part: Any = WormGuard(FLIT_BITS, watchdog_flits)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        assume_link_rules(claims, part.link, "link")
        prove_link_rules(claims, part.onward, "onward")
        flit, onward = part.link.payload, part.onward.payload
        moves = claims.named(part.link.valid & part.link.ready, "moves")
        out: Any = Signal(name="out_worm_reference")
        flits: Any = Signal(range(watchdog_flits + 2), name="flits_reference")
        goes_on = claims.named(part.onward.valid & part.onward.ready, "goes_on")
        with claims.m.If(goes_on):
            claims.m.d.sync += [out.eq(~onward.tail), flits.eq(Mux(onward.tail, 0, flits + (flits <= watchdog_flits)))]
        valid = part.onward.valid
        claims.always("a head goes on first and only first", ~valid | (onward.head == ~out))
        dropped = part.link.valid & ~out & ~flit.head
        claims.always("flits are dropped between worms alone, heads never", valid == part.link.valid & ~dropped)
        claims.always("dropped flits move like all others", part.link.ready == part.onward.ready)
        claims.always("data goes on unaltered", ~valid | (onward.data == flit.data))
        if watchdog_flits:
            last = flits == watchdog_flits - 1
            claims.always("no worm is longer than the watchdog allows", ~valid | (flits < watchdog_flits))
            if watchdog_flits < COVERED_FLITS:
                claims.possible("a worm is cut off", goes_on & last & ~flit.tail)
        else:
            last = 0
        claims.always("a worm ends with its tail, or when it is too long", ~valid | (onward.tail == flit.tail | last))
        changed = moves & (~valid | (onward.head != flit.head) | (onward.tail != flit.tail))
        told = part.misframed == claims.was(changed, "changed")
        claims.always("misframed marks flits that were dropped or altered", told)
        claims.possible("a head inside a worm", goes_on & out & flit.head)
        claims.possible("a flit is dropped after a worm", claims.was(goes_on & onward.tail, "ended") & moves & ~valid)
        claims.invariant("an open worm is noted", inside.register("in_worm") == out)
        if watchdog_flits:
            claims.invariant("flits are counted", (inside.register("flits") == flits) & (flits < watchdog_flits))
            claims.invariant("between worms the counter is 0", out == (flits != 0))

    return describe
