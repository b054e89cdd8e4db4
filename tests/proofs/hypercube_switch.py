"""Claims about whole switches of hypercubes."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one, started
from tests.proofs.hypercube_allocator import promises
from tests.proofs.hypercube_ports import CONTRACT, AdaptiveVc, sound_heads, tie_input, vcs_out
from tests.proofs.vc_orders import CyclePhases
from tests.proofs.vc_ports import tie_room
from tests.proofs.vc_references import flits_held
from tests.proofs.vc_switch import (
    CREDITS,
    FLIT_BITS,
    LINK,
    SOUND,
    FollowedSwitch,
    SwitchInvariants,
    VcIn,
    VcWormsIn,
    assume_host,
    follow_pair,
    look_for_passages,
    prove_passage,
    tag_of,
    tie_crossing,
    tie_delivered_worms,
    tie_worms_in_vc,
)

# A whole HypercubeRouter, and the worms on its VCs.

ONWARD, HOME = WAYS = (0, 1)
"""Direction of a worm: to another switch, on any of its VCs, or to the processor."""

Vc = VcIn[AdaptiveVc]


class WholeSwitch(FollowedSwitch[AdaptiveVc]):
    """A switch with 10-bit flits, and any number."""

    def __init__(
        self, claims: Claims, *, name: str = "part", joined: tuple[str, ...] = (), node: Any = None, **settings: Any
    ):
        self.p = HypercubeRouterParameters(FLIT_BITS, **settings)
        part: Any = HypercubeRouter(self.p)
        claims.free_inputs(part, (*joined, "node"))
        self.node: Any = claims.constant(self.p.dimensions, f"{name}_node") if node is None else node
        claims.m.d.comb += part.node.eq(self.node)
        super().__init__(claims, part, name, self.p.input_vcs, self.p.output_vcs, self.p.buffer_flits)

    def candidates(self, vc: int, flit: Any) -> Value:
        return vcs_out(self.p, self.vcs_in[vc].i, flit, self.node)

    def ways(self, mask: Any) -> Value:
        """Which of ``WAYS`` a mask of VCs out leads to."""
        return concat((mask[:-1].any(), mask[-1]))

    def wanted(self, vc: Vc, entry: Any) -> Value:
        """The way that the flit of an entry goes."""
        return Value.cast(vc.reference.beside(entry))

    def enter(self, claims: Claims, i: int, tags: Callable[[int], int] | None) -> None:
        link, port, host = self.link_in(i), self.input(i), self.p.is_host_input(i)
        for v in range(self.p.input_vcs[i]):
            valid = link.valid if host else link.valid[v]
            moves = link.valid & link.ready if host else valid
            name = f"{self.name}_in_{i}_{v}"
            worms = VcWormsIn(claims, link, valid, moves, self._asks(i), name)
            reference = AdaptiveVc(claims, port, v, f"{self.name}_vc_{i}_{v}", [worms.wanted])
            if tags:
                worms.assume_sound(claims, tags(v))
                if not host:
                    claims.assume(reference.keeps_to_links())
            self.vcs_in.append(VcIn(i, v, worms, reference))
        if tags and host:
            assume_host(claims, link)
        elif tags:
            claims.assume(at_most_one(link.valid))

    def _asks(self, i: int) -> Callable[[Any], Value]:
        return lambda flit: self.ways(vcs_out(self.p, i, flit, self.node))

    def assume_back(self, claims: Claims, o: int, w: int) -> None:
        super().assume_back(claims, o, w)
        if w < self.p.unshared_vcs:
            claims.assume(getattr(self.part, f"released_{o}")[w] == self.tail_is_credited(o, w))

    def tail_is_credited(self, o: int, w: int) -> Value:
        """True if the credit on the wire of a VC out is that of a tail."""
        number = sum(self.p.output_vcs[:o]) + w
        worms, without = self.vcs_out[number], self.outstanding[number]
        last = (without.count == 1) & ~worms.valid & ~worms.in_worm
        return Value.cast(self.credited(o)[w] & last)


# Ties the registers of a whole switch to the worms on its VCs, so that induction closes.


class CubeInvariants(SwitchInvariants[AdaptiveVc]):
    """Adds the invariants of a switch; a worm has its VC out from the grant until the tail has left.

    phases: The orders of the cycle.
    """

    phases: CyclePhases

    def __init__(self, claims: Claims, switch: WholeSwitch):
        super().__init__(claims, switch, "delivery", switch.p.delivery_flits, HOME)

    def tie_inputs(self, claims: Claims) -> None:
        switch = self.switch
        self._tie_orders(claims)
        for i in range(len(switch.input_vcs)):
            rows = [vc.reference for vc in switch.vcs_in if vc.i == i]
            port = switch.input(i)
            tie_input(claims, switch.inside, port, rows, f"input_{i}")
            for row in rows:
                if row.shared:  # of others this is proved of inputs alone
                    v, name = row.v, f"{switch.name}_head_{i}_{row.v}"
                    head = (port.asking[v], port.waiting[v], port.wanted[v], port.granted[v])
                    for condition in sound_heads(claims, switch.p, i, head, name, shared=True):
                        claims.invariant(CONTRACT, condition)
        for name, condition in promises(claims, switch.inside.placed["allocator"], f"{switch.name}_vc"):
            claims.invariant(name, condition)

    def _tie_orders(self, claims: Claims) -> None:
        inside, p = self.switch.inside, self.switch.p
        sizes = {"order": p.order_size, **({"lane_order": p.vc_order_size} if p.vcs > 1 else {})}
        self.phases = CyclePhases(claims, list(sizes.values()))
        for name, size in sizes.items():
            self.phases.tie(claims, inside, size, name)

    def tie_outputs(self, claims: Claims) -> None:
        switch, number = self.switch, 0
        tie_room(claims, self.port, self.waiting)
        for o, vcs in enumerate(switch.p.output_vcs):
            for w in range(vcs):
                owners = self.owners(claims, number)
                claims.invariant("a VC has one owner", at_most_one(owners))
                owned = switch.inside.register(f"owned_{w}", f"output_{o}")
                if o == switch.p.delivery:
                    claims.invariant("delivery is one worm's up to its tail", owned == owners.any())
                    after, last = tie_delivered_worms(
                        claims,
                        self.delivery,
                        switch.vcs_out[number],
                        lambda flit: Value.cast(switch.allowed_heads(flit)[-1]),
                    )
                    self._tie_owner(claims, owners, after, last)
                else:
                    self._tie_vc_out(claims, owners, owned, number, shared=w >= switch.p.unshared_vcs)
                    if switch.p.outputs_count_credits:
                        self._tie_credits(claims, o, w, number)
                number += 1

    def _tie_credits(self, claims: Claims, o: int, w: int, number: int) -> None:
        """The credits of a VC, counted at its output."""
        switch = self.switch
        credits, some = (switch.inside.register(f"{name}_{w}", f"output_{o}") for name in ("credits", "has_credit"))
        out = switch.outstanding[number].count + switch.vcs_out[number].valid
        claims.invariant("credits are counted at the output", credits + out == switch.depth)
        claims.invariant("has credit shows whether there are credits", some == (credits != 0))

    def _tie_vc_out(self, claims: Claims, owners: Any, owned: Any, number: int, *, shared: bool) -> None:
        """The worm on a VC, and the flits of it for which no credit has come back."""
        worms, without = self.switch.vcs_out[number], self.switch.outstanding[number].count
        flit = worms.link.payload
        after = Mux(worms.valid, ~flit.tail, worms.in_worm)
        self._tie_owner(claims, owners, after, Mux(worms.valid, tag_of(flit), worms.owner))
        if shared:
            claims.invariant("a VC is owned until its tail has left", owned == owners.any())
            return
        behind = (without != 0) | worms.valid
        claims.invariant("a VC is owned until its tail has its credit", owned == (owners.any() | behind))
        for i, vc in enumerate(self.switch.vcs_in):
            row = vc.reference
            begun = row.begun_now
            claims.invariant("a worm begins on a clean VC", ~owners[i] | begun | ~behind & ~row.left)
            if not self.switch.p.outputs_count_credits:
                same = (row.spent == without) & (~begun | (row.left == worms.valid))
                claims.invariant("both ends count the same flits", ~owners[i] | same)

    def _tie_owner(self, claims: Claims, owners: Any, after: Any, owner: Any) -> None:
        begun: Any = concat(owners[i] & vc.reference.begun_now for i, vc in enumerate(self.switch.vcs_in))
        self.tie_owner(claims, begun, after, owner)

    def tie_worms(self, claims: Claims, vc: Vc) -> Any:
        switch, row, number = self.switch, vc.reference, self.switch.vcs_in.index(vc)
        tie_worms_in_vc(claims, vc.worms, row, lambda entry: switch.wanted(vc, entry))
        for k, entry in enumerate(row.queue.row):
            flit = row.flit(entry)
            right = switch.wanted(vc, entry) == switch.ways(switch.candidates(number, flit))
            claims.invariant("heads take their route candidates", (row.queue.held <= k) | ~flit.head | right)
        ended = Const(0) if row.shared else row.left & row.flit(row.queue.row[0]).tail
        goes_on = claims.named(row.active & ~ended, f"{switch.name}_goes_on_{number}")
        claims.invariant("a worm that has begun is active", ~row.begun_now | row.active)
        claims.invariant(
            "a worm that is active has its head in front, or has begun", ~goes_on | row.begun_now | row.there
        )
        own: Any = claims.named(
            Mux(goes_on & ~row.nowhere, _vc_out(switch, row), Const(0, switch.outputs)), f"{switch.name}_owns_{number}"
        )
        may: Any = switch.candidates(number, row.front)
        claims.invariant("a head has a VC that it may have", row.begun_now | ~(own & ~may).any())
        wanted = Mux(row.there, switch.wanted(vc, row.now[0]), vc.worms.asked)
        claims.invariant("a worm leaves by the output that it requested", ~goes_on | (switch.ways(own) == wanted))
        return own


def _vc_out(switch: WholeSwitch, row: Any) -> Value:
    """The VC out of a worm as a mask of all."""
    p = switch.p
    vcs = [row.target & row.output[d].replicate(p.vcs) for d in range(p.dimensions)]
    return concat((*vcs, row.output[p.delivery]))


# A whole HypercubeRouter: flits leave by the route of their header, once, in order, unmixed.

CLEAN = "a head takes a VC with all its credits"
THERE = "a credit comes back only for a flit that is there"
RELEASES = "a release comes with the tail's credit, and then the buffer is empty"
READY = "ready shows whether a place is free"
DRAINED = "an unroutable worm is drained, a flit per cycle"
DISCARDING = "discarding marks unroutable heads"


def router(**settings: Any) -> Describe:
    """Claims about a switch of any number, see ``WholeSwitch``."""

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, **settings)
        home = switch.p.delivery
        tracked = prove_passage(claims, switch, CubeInvariants, lambda links: [links[:home], links[home:]])
        prove_inputs(claims, switch)
        for number, without in enumerate(switch.outstanding):
            out = switch.vcs_out[number]
            if number % switch.p.vcs < switch.p.unshared_vcs:
                claims.always(CLEAN, ~(out.valid & out.link.payload.head) | (without.count == 0))
        look_for_passages(claims, switch, tracked)

    return describe


def prove_inputs(claims: Claims, switch: WholeSwitch) -> None:
    """Outputs of a switch about its VCs: credits, releases, ``ready``, and dropped heads."""
    for number, vc in enumerate(switch.vcs_in):
        row = vc.reference
        if switch.p.is_host_input(vc.i):
            ready = (row.held_now < row.depth) & started(claims)
            claims.always(READY, switch.link_in(vc.i).ready == ready)
        else:
            _prove_wires(claims, switch, vc)
        dropped = claims.was(row.drops, f"{switch.name}_{number}_dropped")
        claims.always(DISCARDING, switch.part.discarding[number] == dropped)
        drained = claims.was(row.drains, f"{switch.name}_{number}_drained")
        claims.always(DRAINED, ~drained | row.left)


def _prove_wires(claims: Claims, switch: WholeSwitch, vc: Vc) -> None:
    row = vc.reference
    claims.always(THERE, ~row.left | (row.queue.held != 0))
    if row.shared:
        return
    ends = row.left & row.flit(row.queue.row[0]).tail
    released = getattr(switch.part, f"releases_{vc.i}")[vc.v]
    claims.always(RELEASES, (released == ends) & (~ends | (row.queue.held == 1)))


# Two switches that are joined by a link: the assumptions of each are guarantees of the other one.

CONSERVED = "credits, link, buffer and credit wire make up the depth of a worm's VC"
EMPTY = "behind a VC that has no worm the buffer is empty"
ROOM = "what crosses the link has room, and worms an empty buffer"
RELEASED = "releases that cross the link come with the tail's credit"


def pair(**settings: Any) -> Describe:
    """Claims about two neighbours, see ``WholeSwitch``."""

    def describe(claims: Claims) -> None:
        wires = [("credited", "credits")]
        if HypercubeRouterParameters(FLIT_BITS, **settings).unshared_vcs:
            wires.append(("released", "releases"))
        back = tuple(f"{name}_{LINK}" for name, _ in wires)
        near = WholeSwitch(claims, name="near", joined=back, **settings)
        far = WholeSwitch(claims, name="far", joined=(f"inputs__{LINK}__",), node=near.node ^ (1 << LINK), **settings)
        follow_pair(claims, near, far, tuple(wires))
        invariants = [CubeInvariants(claims, switch) for switch in (near, far)]
        _prove_crossing(claims, near, far, invariants[0])
        for switch in (near, far):
            prove_inputs(claims, switch)
        tie_crossing(claims, near, far)
        for v in range(near.p.unshared_vcs):
            closed = ~near.vcs_out[v].in_worm & (near.outstanding[v].count != 0)
            same = far.vcs_in[v].reference.pending == closed
            claims.invariant("both ends of the link record that a tail has crossed", same)

    return describe


def _prove_crossing(claims: Claims, near: WholeSwitch, far: WholeSwitch, invariants: CubeInvariants) -> None:
    link = near.link_out(LINK)
    claims.always(SOUND, at_most_one(link.valid))
    for v in range(near.p.vcs):
        entry = far.vcs_in[v]
        for condition in entry.worms.soundness():
            claims.always(SOUND, condition)
        claims.always(ROOM, entry.reference.keeps_to_links())
        claims.always(CREDITS, ~entry.reference.left | (near.outstanding[v].count != 0))
        if not entry.reference.shared:
            released = getattr(far.part, f"releases_{LINK}")[v]
            claims.always(RELEASED, released == near.tail_is_credited(LINK, v))
        _prove_depth(claims, near, far, invariants, v)
    full = concat(vc.reference.queue.held == near.p.buffer_flits for vc in far.vcs_in[: len(link.valid)])
    claims.possible("all VCs of the link are full", full.all())


def _prove_depth(claims: Claims, near: WholeSwitch, far: WholeSwitch, invariants: CubeInvariants, v: int) -> None:
    """Places of the buffer of a VC; only these need access to internal registers."""
    link, reference = near.link_out(LINK), far.vcs_in[v].reference
    held = flits_held(far.inside, far.input(LINK).slots, v, f"input_{LINK}", gray=not reference.shared)
    behind = link.valid[v] + held + reference.left
    if near.p.outputs_count_credits:
        credits = near.inside.register(f"credits_{v}", f"output_{LINK}")
        claims.always(CONSERVED, credits + behind == near.p.buffer_flits)
        claims.possible("a VC has no credits left, and one of them on the wire", (credits == 0) & reference.left)
    else:
        _prove_depth_of_worm(claims, near, reference, invariants, v, behind)
    if not reference.shared:
        claims.always(EMPTY, near.inside.register(f"owned_{v}", f"output_{LINK}") | ~link.valid[v] & (held == 0))


def _prove_depth_of_worm(
    claims: Claims, near: WholeSwitch, reference: AdaptiveVc, invariants: CubeInvariants, v: int, behind: Any
) -> None:
    """Places of the buffer of a VC whose credits its worm counts."""
    credits: Any = Const(0)
    owners = []
    for vc, owned in zip(near.vcs_in, invariants.owned, strict=True):
        # flits that left in the last cycle are on the link, and counted in the next one
        counter, left = (near.inside.register(f"{name}_{vc.v}", f"input_{vc.i}") for name in ("credits", "left"))
        credits = credits | Mux(owned[v], counter - left, 0)
        owners.append(owned[v])
    worm = claims.named(concat(owners).any(), f"lane_{v}_has_a_worm")
    places = credits[: len(reference.queue.held)] + behind
    claims.always(CONSERVED, ~worm | (places == near.p.buffer_flits))
    claims.possible("a worm has no credits left, and one of them on the wire", worm & (credits == 0) & reference.left)
