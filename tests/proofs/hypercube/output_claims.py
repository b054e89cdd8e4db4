"""Claims about ``AdaptiveOutput``: grants, and one worm per lane until its release."""

from typing import Any

from amaranth.hdl import Const, Signal, Value

from rtl.hypercube.adaptive_output import AdaptiveOutput
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.selection import concat, lowest_one
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.hypercube.last_lane import or_the_last
from tests.proofs.inside import Inside
from tests.proofs.vc.cycle_order_claims import bound_waiting, first_of_the_cycle
from tests.proofs.vc.cycle_reference import CyclePhases

FLIT_BITS = 8
FIRST = "the first request in the order of the cycle is granted"
LEAVES = "exactly the granted flit leaves"
WAIT_BOUND = "a request that persists is granted before all orders have been"
FREE = "there is a free lane for any head if some lane of these has no worm"
LOWEST = "the lowest lane without a worm is offered"
FREE_ESCAPE = "the escape lane is free if it has no worm"


def adaptive_output(dimensions: int, lanes: int, port: int, channels: int = 1) -> Describe:
    """Claims about an output of a switch of some shape, see ``HypercubeRouterParameters``."""

    def describe(claims: Claims) -> None:
        p = HypercubeRouterParameters(FLIT_BITS, dimensions, lanes, injection_channels=channels)
        part: Any = AdaptiveOutput(p, port)
        claims.free_inputs(part, ("before",))
        inside = Inside(claims, part)
        owned = _follow_owners(claims, part)
        for lane in range(part.lanes):
            register = inside.register(f"owned_{lane}")
            claims.invariant("the register shows whether a worm has the lane", register == owned[lane])
        granted = _prove_grants(claims, part)
        targets = _targets(part)
        asked = [target & part.requests[x].replicate(part.lanes) for x, target in enumerate(targets)]
        for x, target in enumerate(targets):
            claims.assume(~part.requests[x] | at_most_one(target))
            for other in asked[:x]:
                claims.assume(~(other & asked[x]).any())  # a lane is one worm's
        claims.possible("all lanes have worms", owned.all())
        claims.possible("a lane is taken as another flit is granted", granted.any() & _taken(part).any())

    return describe


def _targets(part: Any) -> list[Value]:
    """By input, the requested lane, one-hot."""
    told = part.targets if part.lanes > 1 else [()] * len(part.requests)
    return [or_the_last(target) for target in told]


def _taken(part: Any) -> Any:
    """Bits that an adaptive lane, and the escape channel, is taken."""
    adaptive = part.taken if part.adaptive else Const(0)
    return concat((adaptive, part.taken_escape if part.has_escape else Const(0)))


def _follow_owners(claims: Claims, part: Any) -> Any:
    """By lane, a bit that a worm owns it: from the cycle in which it is taken to its release, or its tail."""
    owned: Any = Signal(part.lanes, name="has_a_worm")
    adaptive: Any = claims.named(~owned[: part.adaptive], "has_no_worm") if part.adaptive else Const(0, 0)
    if part.adaptive:
        claims.always(FREE, part.free == adaptive.any())
        offered = or_the_last(part.free_lane if part.adaptive > 1 else ())
        claims.always(LOWEST, ~adaptive.any() | (offered == lowest_one(adaptive)))
        given = lowest_one(adaptive) & part.taken.replicate(part.adaptive)
    else:
        given = Value.cast(Const(0, 0))
    if part.has_escape:
        claims.always(FREE_ESCAPE, part.free_escape == ~owned[-1])
        given = concat((given, part.taken_escape & part.free_escape))
    if part.delivers:
        for x, flit in enumerate(part.flits):
            claims.assume(~part.requests[x] | (part.ends[x] == flit.tail))
    ended = part.load & part.flit.tail.replicate(part.lanes) if part.delivers else part.releases
    claims.assume(~(ended & ~owned).any())
    claims.m.d.sync += owned.eq((owned & ~ended) | given)
    return owned


def _prove_grants(claims: Claims, part: Any) -> Any:
    p, members = part.parameters, part.parameters.inputs_of(part.port)
    requests = part.requests
    phases = CyclePhases(claims, [p.order_size])
    if part.contested:
        claims.m.d.comb += part.before.eq(phases.before(claims, p.order_size, members, "before"))
    beaten = part.beaten if part.contested else Const(0, len(requests))
    granted = claims.named(requests & ~beaten, "granted")
    first = concat(first_of_the_cycle(phases, p.order_size, members, requests))
    claims.always(FIRST, granted == first)
    for x, target in enumerate(_targets(part)):
        mine = (part.load == target) & (Value.cast(part.flit) == Value.cast(part.flits[x]))
        claims.always(LEAVES, ~granted[x] | mine)
    claims.always(LEAVES, granted.any() | ~part.load.any())
    if part.lanes > 1:  # otherwise no request ever waits
        firsts = phases.first(p.order_size, members)
        most = [phases.passed(lambda phase, i=member: firsts[phase] == i) for member in members]
        claims.possible("the longest wait", bound_waiting(claims, phases, most, requests, granted, WAIT_BOUND))
    return granted
