"""Claims about two switches that are joined by a link with lanes: the assumptions of each are guarantees of the other.

The second switch of a row of four sends to the third one. Each is proved alone with an environment that sends sound
worms, and only with a credit, and that gives credits back only for flits; here the environment is the other switch.
Flits that leave by different lanes may overtake each other, so the claim about one switch is not made for both.
"""

from typing import Any

from amaranth.hdl import Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.torus.router_claims import prove_inputs
from tests.proofs.torus.switch_invariants import SwitchInvariants
from tests.proofs.torus.whole_switch import WholeSwitch
from tests.proofs.vc.buffered_lane import flits_held
from topology.torus.grid import Grid

CONSERVED = "buffer, link, credits and credit wire make up the depth of a lane"
ROOM = "what crosses the link has room"
SOUND = "what crosses the link are sound worms"
CREDITS = "credits that cross the link are for flits that have crossed"
LINK = 0
"""Output of the first switch and input of the second one."""


def pair(wraps: bool, lanes: int = 2, **settings: Any) -> Describe:
    """Claims about two neighbours in a row or ring of four.

    Parameters
    ----------
    wraps : bool
        The row is a ring.
    lanes : int
    settings
        See ``WholeSwitch``.
    """

    def describe(claims: Claims) -> None:
        grid = Grid(1, 4, wraps)
        near = WholeSwitch(claims, grid, 1, lanes, name="near", joined=(f"credited_{LINK}",), **settings)
        far = WholeSwitch(claims, grid, 2, lanes, name="far", joined=(f"inputs__{LINK}__",), **settings)
        _join(claims, near, far)
        tags = near.enter_all(claims)
        far.enter(claims, LINK, None)
        for i in range(LINK + 1, far.shape.inputs):
            tags = far.enter_tagged(claims, i, tags)
        near.leave(claims, near.allowed, joined=LINK)
        far.leave(claims, lambda flit: far.allowed_behind(near, flit))
        _prove_crossing(claims, near, far)
        for switch in (near, far):
            SwitchInvariants(claims, switch)
            prove_inputs(claims, switch)
        _tie_crossing(claims, near, far)

    return describe


def _join(claims: Claims, near: WholeSwitch, far: WholeSwitch) -> None:
    out, entry = near.link_out(LINK), far.link_in(LINK)
    claims.m.d.comb += [
        entry.valid.eq(out.valid),
        Value.cast(entry.payload).eq(Value.cast(out.payload)),
        near.credited(LINK).eq(far.credits(LINK)),
    ]


def _prove_crossing(claims: Claims, near: WholeSwitch, far: WholeSwitch) -> None:
    link, depth = near.link_out(LINK), near.shape.depth
    claims.always(SOUND, at_most_one(link.valid))
    for v in range(near.shape.output_lanes[LINK]):
        worms, reference = far.lanes_in[v].worms, far.lanes_in[v].reference
        for condition in worms.soundness():
            claims.always(SOUND, condition)
        claims.always(ROOM, ~link.valid[v] | (reference.queue.held < depth))
        credits = near.inside.register(f"credits_{v}", f"output_{LINK}")
        held = flits_held(far.inside, far.shape.input_shape(LINK).slots, v, f"input_{LINK}")
        all_places = credits + held + link.valid[v] + reference.left
        claims.always(CONSERVED, all_places == depth)
        claims.always(CREDITS, ~reference.left | (near.outstanding[v].count != 0))
        claims.possible("a lane has no credits left, and one of them on the wire", (credits == 0) & reference.left)
    both = concat(lane.reference.queue.held == depth for lane in far.lanes_in[: len(link.valid)])
    claims.possible("all lanes of the link are full", both.all())


def _tie_crossing(claims: Claims, near: WholeSwitch, far: WholeSwitch) -> None:
    for v in range(near.shape.output_lanes[LINK]):
        out, entry = near.lanes_out[v], far.lanes_in[v]
        same = near.outstanding[v].count == entry.reference.queue.held
        claims.invariant("both ends of the link count the same flits", same)
        alike = (entry.worms.in_worm == out.in_worm) & (~out.in_worm | (entry.worms.tag == out.owner))
        reference, flit = entry.reference, near.link_out(LINK).payload
        claims.invariant("flits on the link come from the first switch", ~out.valid | near.has_passed(flit))
        for k, row in enumerate(reference.queue.row):
            crossed = near.has_passed(reference.flit(row))
            claims.invariant("flits in its lanes come from the first switch", (reference.queue.held <= k) | crossed)
        claims.invariant("both ends of the link see the same worm", alike)
