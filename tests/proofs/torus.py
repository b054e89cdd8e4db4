"""Claims about whole switches of tori and meshes."""

from collections.abc import Callable, Iterator
from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.parts.selection import concat
from rtl.torus.network import torus_plan
from tests.proofs.claims import Claims, Describe, at_most_one, started
from tests.proofs.links import ReferenceQueue
from tests.proofs.routed_switch import prove_progress
from tests.proofs.vc_orders import tie_one_after_the_other
from tests.proofs.vc_ports import tie_delivery
from tests.proofs.vc_references import VcReference, flits_held, pops, tie_vcs, vcs_of
from tests.proofs.vc_switch import (
    FLIT_BITS,
    FollowedSwitch,
    VcIn,
    VcWormsIn,
    as_stream,
    assume_host,
    delivered,
    front_tag,
    places_of,
    prove_link,
    tag_of,
    tie_delivered_worms,
    tie_worms_in_vc,
)
from tests.proofs.worms import TrackedFlit
from topology.common.virtual_channels import ATOMIC
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, TorusRouting

# A whole TorusRouter in its place in a small network, and the worms on its lanes.


class WholeSwitch(FollowedSwitch[VcReference]):
    """A switch of a small torus or mesh with 10-bit flits."""

    def __init__(
        self,
        claims: Claims,
        grid: Grid,
        number: int,
        vcs: int,
        *,
        name: str = "part",
        joined: tuple[str, ...] = (),
        vc_rule: str = DALLY_SEITZ,
        **settings: Any,
    ):
        routing = TorusRouting(TorusNetwork(grid, vcs), FLIT_BITS, vc_rule)
        plan = torus_plan(routing, **settings)
        instance = plan.routers[number]
        part: Any = plan.shapes[instance.shape]()
        self.shape = part.shape
        claims.free_inputs(part, (*joined, *instance.constants))
        for port, value in instance.constants.items():
            claims.m.d.comb += getattr(part, port).eq(value)
        super().__init__(claims, part, name, self.shape.input_vcs, self.shape.output_vcs, self.shape.depth)
        self._key_bits = routing.key_format.bits
        # by VC port in: candidates of all keys, side by side
        arrivals = routing.network.input_channel[number]
        self._tables = [[routing.candidates(vc, key) for key in range(1 << self._key_bits)] for vc in arrivals]

    def candidates(self, vc: int, flit: Any) -> Value:
        """VCs out that a head on a VC in may have, by the routing (``TorusRouting.candidates``)."""
        key = flit.data[: self._key_bits]
        packed = sum(mask << (self.outputs * row) for row, mask in enumerate(self._tables[vc]))
        return Value.cast(Const(packed, self.outputs << self._key_bits).word_select(key, self.outputs))

    def ports(self, mask: Any) -> Value:
        """Outputs of which a mask has lanes."""
        return concat(mask[low:high].any() for low, high in self._output_ranges())

    def everywhere(self, i: int, ways: Any) -> Value:
        """The ways of an input as a mask of all VCs out."""
        spans = dict(zip(self.shape.reaches[i], self.shape.input_shape(i).spans, strict=True))
        vcs_out = enumerate(self.shape.output_vcs)
        return concat(ways[slice(*spans[o])] if o in spans else Const(0, vcs) for o, vcs in vcs_out)

    def _output_ranges(self) -> list[tuple[int, int]]:
        vcs = self.shape.output_vcs
        return [(sum(vcs[:o]), sum(vcs[: o + 1])) for o in range(len(vcs))]

    def enter(self, claims: Claims, i: int, tags: Callable[[int], int] | None) -> None:
        link, port, first = self.link_in(i), self.input(i), len(self.vcs_in)
        worms = []
        for v in range(self.shape.input_vcs[i]):
            host = self.shape.is_host_input(i)
            valid = link.valid if host else link.valid[v]
            moves = link.valid & link.ready if host else valid
            vc, name = first + v, f"{self.name}_in_{i}_{v}"
            worms.append(VcWormsIn(claims, link, valid, moves, self._asks(vc), name))
            if tags:
                worms[v].assume_sound(claims, tags(v))
                if host:
                    assume_host(claims, link)
        wanted = concat(vc.wanted for vc in worms)
        rows = vcs_of(claims, self.inside, port, f"{self.name}_vc_{i}", f"input_{i}", [wanted])
        if tags and not self.shape.is_host_input(i):
            claims.assume(at_most_one(link.valid))
            for row in rows:
                row.assume_room(claims)
        self.vcs_in += [VcIn(i, v, worms[v], row) for v, row in enumerate(rows)]

    def _asks(self, vc: int) -> Callable[[Any], Value]:
        return lambda flit: self.ports(self.candidates(vc, flit))

    def wanted(self, vc: VcIn[VcReference], entry: Any) -> Value:
        """Outputs that the flit of an entry is for."""
        return vc.reference.note(entry).word_select(vc.v, self.shape.outputs)


# Ties the registers of a whole switch to the worms on its VCs, so that induction closes.


class SwitchInvariants:
    """Adds the invariants of a switch.

    delivery: Flits that go to the host, in the buffer and on the link.
    waiting: How many of them are in the buffer.
    """

    def __init__(self, claims: Claims, switch: WholeSwitch):
        self._switch = switch
        shape = switch.shape
        for i in range(shape.inputs):
            rows = [vc.reference for vc in switch.vcs_in if vc.i == i]
            tie_vcs(claims, switch.inside, switch.inside.placed[f"input_{i}"], rows, f"input_{i}")
        self._owned = [_tie_worms(claims, switch, vc) for vc in switch.vcs_in]
        link = switch.link_out(shape.outputs - 1)
        buffer = f"delivery_{shape.outputs - 1}"
        port = switch.inside.placed[buffer]
        self.delivery = ReferenceQueue(claims, shape.depth + 1, port.write, port.flit, link.valid & link.ready)
        waiting = self.delivery.held - link.valid
        self.waiting: Any = claims.named(waiting, f"{switch.name}_waiting")[: len(self.delivery.held)]
        tie_delivery(claims, switch.inside, shape.depth, self.delivery.row, link, self.waiting, buffer)
        self._credit = port.credit
        self._tie_outputs(claims)

    def _tie_outputs(self, claims: Claims) -> None:
        switch, vc = self._switch, 0
        for o, vcs in enumerate(switch.shape.output_vcs):
            turning = len(switch.shape.inputs_of(o)) - switch.shape.yielding_inputs(o)
            tie_one_after_the_other(claims, switch.inside, "input", turning, f"output_{o}")
            for w in range(vcs):
                owners = claims.named(concat(owned[vc] for owned in self._owned), f"{switch.name}_owners_{vc}")
                free = switch.inside.register(f"free_{w}", f"output_{o}")
                claims.invariant("a VC has one owner", at_most_one(owners) & (free == ~owners.any()))
                if switch.shape.is_host_output(o):
                    self._tie_delivery(claims, owners, switch.vcs_out[vc], o)
                else:
                    self._tie_vc_out(claims, owners, o, w, vc)
                vc += 1

    def _tie_vc_out(self, claims: Claims, owners: Any, o: int, w: int, vc: int) -> None:
        switch, worms = self._switch, self._switch.vcs_out[vc]
        flit = worms.link.payload
        after = Mux(worms.valid, ~flit.tail, worms.in_worm)
        owner = Mux(worms.valid, tag_of(flit), worms.owner)
        self._tie_owner(claims, owners, after, owner)
        depth = switch.shape.depth
        credits = switch.inside.register(f"credits_{w}", f"output_{o}")
        claims.invariant("credits are counted", credits + switch.outstanding[vc].count + worms.valid == depth)
        has_credit = switch.inside.register(f"has_credit_{w}", f"output_{o}")
        claims.invariant("has credit shows whether there are credits", has_credit == (credits != 0))

    def _tie_owner(self, claims: Claims, owners: Any, after: Any, owner: Any) -> None:
        claims.invariant("a worm is open at both ends", after == owners.any())
        for i, vc in enumerate(self._switch.vcs_in):
            claims.invariant("a worm's owner is its VC", ~owners[i] | (owner == front_tag(vc)))

    def _tie_delivery(self, claims: Claims, owners: Any, worms: Any, o: int) -> None:
        switch = self._switch
        after, last = tie_delivered_worms(
            claims, self.delivery, worms, lambda flit: Value.cast(switch.allowed_heads(flit)[-1])
        )
        self._tie_owner(claims, owners, after, last)
        credits = switch.inside.register("credits_0", f"output_{o}")
        inside = self.waiting + self._credit
        claims.invariant("credits of the delivery buffer are counted", credits + inside == switch.shape.depth)
        has_credit = switch.inside.register("has_credit_0", f"output_{o}")
        claims.invariant("has credit shows whether there are credits", has_credit == (credits != 0))

    def in_delivery(self, o: Any, tag: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the delivery buffer, the front first: whether a flit for an output from a VC is there."""
        host = self._switch.shape.outputs - 1
        for there, flit in delivered(self.delivery, self._switch.link_out(host), self.waiting, tag):
            yield there & (o == host), flit

    def in_vcs(self, o: Any, vc: Any) -> Iterator[tuple[Any, Any]]:
        """Places of the buffer of a VC in, the front first: whether a flit for an output is there, and the flit."""
        yield from places_of(self._switch.vcs_in, self._switch.wanted, o, vc, self._switch.shape.depth)


def _tie_worms(claims: Claims, switch: WholeSwitch, vc: VcIn[VcReference]) -> Any:
    """The flits of a VC are worms, up to those on its link; gives the VC out of the worm that has begun."""
    reference, number = vc.reference, switch.vcs_in.index(vc)
    tie_worms_in_vc(claims, vc.worms, reference, lambda entry: switch.wanted(vc, entry))
    for k, row in enumerate(reference.queue.row):
        flit, wanted = reference.flit(row), switch.wanted(vc, row)
        spec = switch.candidates(number, flit)
        says = (switch.everywhere(vc.i, reference.ways(row)) == spec) & (wanted == switch.ports(spec))
        claims.invariant("the outputs follow the routing", (reference.queue.held <= k) | ~flit.head | says)
    begun = reference.begun_now
    wanted = Mux(reference.held_now == 0, vc.worms.asked, switch.wanted(vc, reference.now[0]))
    own = switch.everywhere(vc.i, reference.own_now)
    claims.invariant("a worm leaves by the output that it requested", ~begun | (switch.ports(own) == wanted))
    return Mux(begun, own, Const(0, switch.outputs))


# A whole TorusRouter: flits leave by the route of their header, once, in order, worms unmixed.


def router(grid: Grid, number: int, vcs: int = 2, **settings: Any) -> Describe:
    """Claims about a switch of a small torus or mesh."""

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, grid, number, vcs, **settings)
        switch.enter_all(claims)
        switch.leave(claims, switch.allowed)
        links = [
            as_stream(switch.link_out(o), host=switch.shape.is_host_output(o)) for o in range(switch.shape.outputs)
        ]
        wanted = [vc.worms.wanted for vc in switch.vcs_in]
        tracked = TrackedFlit(claims, [vc.worms for vc in switch.vcs_in], [[link] for link in links], wanted, tag_of)
        invariants = SwitchInvariants(claims, switch)
        tracked.tie(claims, _stages(invariants, tracked))
        for o in range(switch.shape.outputs):
            prove_link(claims, switch.link_out(o), host=switch.shape.is_host_output(o), name=f"output_{o}")
        prove_inputs(claims, switch)
        if switch.shape.vc_reallocation == ATOMIC:
            _prove_alone_in_vc(claims, switch)
        both = concat(link.valid for link in links).all()
        claims.possible("a flit comes out of all outputs at once", both & tracked.comes_out)
        full = switch.outstanding[0].count == switch.shape.depth
        claims.possible("a VC has no credits as the followed flit comes out of another", full & tracked.comes_out)
        claims.possible(
            "a head is discarded as the followed flit comes out", switch.part.discarding[0] & tracked.comes_out
        )

    return describe


def _prove_alone_in_vc(claims: Claims, switch: WholeSwitch) -> None:
    """Flits of two worms are never behind one VC at a time."""
    for out, without in zip(switch.vcs_out, switch.outstanding, strict=False):
        head = out.valid & out.link.payload.head
        claims.always("a head takes a VC with all its credits", ~head | (without.count == 0))


def _stages(invariants: SwitchInvariants, tracked: TrackedFlit) -> Iterator[tuple[Any, Any]]:
    yield from invariants.in_delivery(tracked.o, tracked.i)
    yield from invariants.in_vcs(tracked.o, tracked.i)


def prove_inputs(claims: Claims, switch: WholeSwitch) -> None:
    """Outputs of a switch about its VCs: credits, ``ready``, and dropped heads."""
    depth = switch.shape.depth
    for number, vc in enumerate(switch.vcs_in):
        reference = vc.reference
        if switch.shape.is_host_input(vc.i):
            ready = (reference.held_now < depth) & started(claims)
            claims.always("ready shows whether a place is free", switch.link_in(vc.i).ready == ready)
        else:
            there = ~reference.left | (reference.queue.held != 0)
            claims.always("a credit comes back only for a flit that is there", there)
        first = reference.queue.row[0]
        lost = reference.left & reference.flit(first).head & ~switch.wanted(vc, first).any()
        claims.always("discarding marks unroutable heads", switch.part.discarding[number] == lost)


# Two switches that are joined by a link with VCs: the assumptions of each are guarantees of the other.

CONSERVED = "buffer, link, credits and credit wire make up the depth of a VC"
ROOM = "what crosses the link has room"
SOUND = "what crosses the link are sound worms"
CREDITS = "credits that cross the link are for flits that have crossed"
LINK = 0
"""Output of the first switch and input of the second one."""


def pair(wraps: bool, vcs: int = 2, **settings: Any) -> Describe:
    """Claims about two neighbours in a row or ring of four."""

    def describe(claims: Claims) -> None:
        grid = Grid(1, 4, wraps)
        near = WholeSwitch(claims, grid, 1, vcs, name="near", joined=(f"credited_{LINK}",), **settings)
        far = WholeSwitch(claims, grid, 2, vcs, name="far", joined=(f"inputs__{LINK}__",), **settings)
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
    for v in range(near.shape.output_vcs[LINK]):
        worms, reference = far.vcs_in[v].worms, far.vcs_in[v].reference
        for condition in worms.soundness():
            claims.always(SOUND, condition)
        claims.always(ROOM, ~link.valid[v] | (reference.queue.held < depth))
        credits = near.inside.register(f"credits_{v}", f"output_{LINK}")
        held = flits_held(far.inside, far.shape.input_shape(LINK).slots, v, f"input_{LINK}")
        all_places = credits + held + link.valid[v] + reference.left
        claims.always(CONSERVED, all_places == depth)
        claims.always(CREDITS, ~reference.left | (near.outstanding[v].count != 0))
        claims.possible("a VC has no credits left, and one of them on the wire", (credits == 0) & reference.left)
    both = concat(vc.reference.queue.held == depth for vc in far.vcs_in[: len(link.valid)])
    claims.possible("all VCs of the link are full", both.all())


def _tie_crossing(claims: Claims, near: WholeSwitch, far: WholeSwitch) -> None:
    for v in range(near.shape.output_vcs[LINK]):
        out, entry = near.vcs_out[v], far.vcs_in[v]
        same = near.outstanding[v].count == entry.reference.queue.held
        claims.invariant("both ends of the link count the same flits", same)
        alike = (entry.worms.in_worm == out.in_worm) & (~out.in_worm | (entry.worms.tag == out.owner))
        reference, flit = entry.reference, near.link_out(LINK).payload
        claims.invariant("flits on the link come from the first switch", ~out.valid | near.has_passed(flit))
        for k, row in enumerate(reference.queue.row):
            crossed = near.has_passed(reference.flit(row))
            claims.invariant("flits in its VCs come from the first switch", (reference.queue.held <= k) | crossed)
        claims.invariant("both ends of the link see the same worm", alike)


# Progress of a whole TorusRouter: if a flit may move, some flit moves.


def progress(grid: Grid, number: int, cycles: int, seen_cycles: int, vcs: int, **settings: Any) -> Describe:
    """Claims about a switch of a small torus or mesh, see ``router``."""

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, grid, number, vcs, **settings)
        with claims.proved_elsewhere():
            switch.enter_all(claims)
            switch.leave(claims, switch.allowed)
            SwitchInvariants(claims, switch)
            for o in range(switch.shape.outputs):
                prove_link(claims, switch.link_out(o), host=switch.shape.is_host_output(o), name=f"output_{o}")
            prove_inputs(claims, switch)
        inputs = range(switch.shape.inputs)
        may_go = concat(_may_go(switch, vc) for vc in switch.vcs_in).any()
        goes = concat(pops(switch.inside, switch.input(i), f"input_{i}") for i in inputs).any()
        prove_progress(claims, may_go, goes, cycles, seen_cycles)

    return describe


def _may_go(switch: WholeSwitch, vc: VcIn[Any]) -> Any:
    """The first flit of a VC has a VC out with a credit; a head's has no other worm."""
    port, reference = switch.input(vc.i), vc.reference
    head = reference.ways(reference.now[0])
    way = Mux(reference.begun_now, reference.own_now & port.has_credit, head & port.can_start)
    unroutable = ~Mux(reference.begun_now, reference.own_now, head).any()
    return (reference.held_now != 0) & (way.any() | unroutable)
