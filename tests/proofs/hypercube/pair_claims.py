"""Claims about two switches that are joined by a link: the assumptions of each are guarantees of the other one.

Each is proved alone with neighbours that send sound worms, only with a credit and behind an empty buffer, and that give
credits back only for flits; here the neighbour is the other switch. They are joined in one dimension, from the switch
of any number to its neighbour. Worms that leave by different lanes may overtake each other, so the claim about
the order of flits in one switch is not made for both.
"""

from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.hypercube.router_claims import prove_inputs
from tests.proofs.hypercube.switch_invariants import SwitchInvariants
from tests.proofs.hypercube.whole_switch import WholeSwitch
from tests.proofs.vc.buffered_lane import flits_held

CONSERVED = "credits, link, buffer and credit wire make up the depth of a worm's lane"
EMPTY = "behind a lane that has no worm the buffer is empty"
ROOM = "what crosses the link has room, and worms an empty buffer"
SOUND = "what crosses the link are sound worms"
CREDITS = "credits that cross the link are for flits that have crossed"
RELEASED = "releases that cross the link come with the tail's credit"
LINK = 0
"""Output of the first switch and input of the second one: the dimension in which they are neighbours."""


def pair(**settings: Any) -> Describe:
    """Claims about two neighbours, see ``WholeSwitch``."""

    def describe(claims: Claims) -> None:
        back = (f"credited_{LINK}", f"released_{LINK}")
        near = WholeSwitch(claims, name="near", joined=back, **settings)
        far = WholeSwitch(claims, name="far", joined=(f"inputs__{LINK}__",), node=near.node ^ (1 << LINK), **settings)
        _join(claims, near, far)
        tags = near.enter_all(claims)
        far.enter(claims, LINK, None)
        for i in range(LINK + 1, len(far.p.input_lanes)):
            tags = far.enter_tagged(claims, i, tags)
        near.leave(claims, near.allowed, joined=LINK)
        far.leave(claims, lambda flit: far.allowed_behind(near, flit))
        invariants = [SwitchInvariants(claims, switch) for switch in (near, far)]
        _prove_crossing(claims, near, far, invariants[0])
        for switch in (near, far):
            prove_inputs(claims, switch)
        _tie_crossing(claims, near, far)

    return describe


def _join(claims: Claims, near: WholeSwitch, far: WholeSwitch) -> None:
    out, entry = near.link_out(LINK), far.link_in(LINK)
    claims.m.d.comb += [
        entry.valid.eq(out.valid),
        Value.cast(entry.payload).eq(Value.cast(out.payload)),
        near.credited(LINK).eq(far.credits(LINK)),
        getattr(near.part, f"released_{LINK}").eq(getattr(far.part, f"releases_{LINK}")),
    ]


def _prove_crossing(claims: Claims, near: WholeSwitch, far: WholeSwitch, invariants: SwitchInvariants) -> None:
    link = near.link_out(LINK)
    claims.always(SOUND, at_most_one(link.valid))
    for v in range(near.p.lanes):
        entry = far.lanes_in[v]
        for condition in entry.worms.soundness():
            claims.always(SOUND, condition)
        claims.always(ROOM, entry.reference.keeps_to_links())
        claims.always(CREDITS, ~entry.reference.left | (near.outstanding[v].count != 0))
        released = getattr(far.part, f"releases_{LINK}")[v]
        claims.always(RELEASED, released == near.tail_is_credited(LINK, v))
        _prove_depth(claims, near, far, invariants, v)
    full = concat(lane.reference.queue.held == near.p.buffer_flits for lane in far.lanes_in[: len(link.valid)])
    claims.possible("all lanes of the link are full", full.all())


def _prove_depth(claims: Claims, near: WholeSwitch, far: WholeSwitch, invariants: SwitchInvariants, v: int) -> None:
    """Places of the buffer of a lane; only these need access to internal registers."""
    link, reference = near.link_out(LINK), far.lanes_in[v].reference
    held = flits_held(far.inside, far.input(LINK).slots, v, f"input_{LINK}", gray=True)
    credits: Any = Const(0)
    owners = []
    for lane, owned in zip(near.lanes_in, invariants.owned, strict=True):
        # flits that left in the last cycle are on the link, and counted in the next one
        counter, left = (near.inside.register(f"{name}_{lane.v}", f"input_{lane.i}") for name in ("credits", "left"))
        credits = credits | Mux(owned[v], counter - left, 0)
        owners.append(owned[v])
    worm = claims.named(concat(owners).any(), f"lane_{v}_has_a_worm")
    places = credits[: len(reference.queue.held)] + link.valid[v] + held + reference.left
    claims.always(CONSERVED, ~worm | (places == near.p.buffer_flits))
    claims.always(EMPTY, near.inside.register(f"owned_{v}", f"output_{LINK}") | ~link.valid[v] & (held == 0))
    claims.possible("a worm has no credits left, and one of them on the wire", worm & (credits == 0) & reference.left)


def _tie_crossing(claims: Claims, near: WholeSwitch, far: WholeSwitch) -> None:
    flit = near.link_out(LINK).payload
    for v in range(near.p.lanes):
        out, entry, without = near.lanes_out[v], far.lanes_in[v], near.outstanding[v].count
        reference = entry.reference
        claims.invariant("both ends of the link count the same flits", without == reference.queue.held)
        alike = (entry.worms.in_worm == out.in_worm) & (~out.in_worm | (entry.worms.tag == out.owner))
        claims.invariant("both ends of the link see the same worm", alike)
        closed = ~out.in_worm & (without != 0)
        claims.invariant("both ends of the link record that a tail has crossed", reference.pending == closed)
        claims.invariant("flits on the link come from the first switch", ~out.valid | near.has_passed(flit))
        for k, row in enumerate(reference.queue.row):
            crossed = near.has_passed(reference.flit(row))
            claims.invariant("flits in its lanes come from the first switch", (reference.queue.held <= k) | crossed)
