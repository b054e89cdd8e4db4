"""Claims about whole switches of tori and meshes."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.parts.selection import concat
from rtl.torus.network import torus_plan
from tests.proofs.claims import Claims, Describe, at_most_one, started
from tests.proofs.vc_orders import tie_one_after_the_other
from tests.proofs.vc_references import VcReference, flits_held, tie_vcs, vcs_of
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
from topology.common.virtual_channels import ATOMIC
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, TorusRouting

# A whole TorusRouter in its place in a small network, and the worms on its VCs.


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
        """Outputs of which a mask has VCs."""
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


class TorusInvariants(SwitchInvariants[VcReference]):
    """Adds the invariants of a switch."""

    def __init__(self, claims: Claims, switch: WholeSwitch):
        host = switch.shape.outputs - 1
        super().__init__(claims, switch, f"delivery_{host}", switch.depth, host)

    def tie_inputs(self, claims: Claims) -> None:
        for i in range(self.switch.shape.inputs):
            rows = [vc.reference for vc in self.switch.vcs_in if vc.i == i]
            tie_vcs(claims, self.switch.inside, self.switch.input(i), rows, f"input_{i}")

    def tie_worms(self, claims: Claims, vc: VcIn[VcReference]) -> Any:
        switch, reference, number = self.switch, vc.reference, self.switch.vcs_in.index(vc)
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

    def tie_outputs(self, claims: Claims) -> None:
        switch, vc = self.switch, 0
        for o, vcs in enumerate(switch.shape.output_vcs):
            turning = len(switch.shape.inputs_of(o)) - switch.shape.yielding_inputs(o)
            tie_one_after_the_other(claims, switch.inside, "input", turning, f"output_{o}")
            for w in range(vcs):
                owners = self.owners(claims, vc)
                free = switch.inside.register(f"free_{w}", f"output_{o}")
                claims.invariant("a VC has one owner", at_most_one(owners) & (free == ~owners.any()))
                if switch.shape.is_host_output(o):
                    self._tie_delivery(claims, owners, switch.vcs_out[vc], o)
                else:
                    self._tie_vc_out(claims, owners, o, w, vc)
                vc += 1

    def _tie_vc_out(self, claims: Claims, owners: Any, o: int, w: int, vc: int) -> None:
        switch, worms = self.switch, self.switch.vcs_out[vc]
        flit = worms.link.payload
        after = Mux(worms.valid, ~flit.tail, worms.in_worm)
        owner = Mux(worms.valid, tag_of(flit), worms.owner)
        self.tie_owner(claims, owners, after, owner)
        depth = switch.shape.depth
        credits = switch.inside.register(f"credits_{w}", f"output_{o}")
        claims.invariant("credits are counted", credits + switch.outstanding[vc].count + worms.valid == depth)
        has_credit = switch.inside.register(f"has_credit_{w}", f"output_{o}")
        claims.invariant("has credit shows whether there are credits", has_credit == (credits != 0))

    def _tie_delivery(self, claims: Claims, owners: Any, worms: Any, o: int) -> None:
        switch = self.switch
        after, last = tie_delivered_worms(claims, self.delivery, worms, self.may_go_home)
        self.tie_owner(claims, owners, after, last)
        credits = switch.inside.register("credits_0", f"output_{o}")
        inside = self.waiting + self.port.credit
        claims.invariant("credits of the delivery buffer are counted", credits + inside == switch.shape.depth)
        has_credit = switch.inside.register("has_credit_0", f"output_{o}")
        claims.invariant("has credit shows whether there are credits", has_credit == (credits != 0))


# A whole TorusRouter: flits leave by the route of their header, once, in order, worms unmixed.


def router(grid: Grid, number: int, vcs: int = 2, **settings: Any) -> Describe:
    """Claims about a switch of a small torus or mesh."""

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, grid, number, vcs, **settings)
        tracked = prove_passage(claims, switch, TorusInvariants, lambda links: [[link] for link in links])
        prove_inputs(claims, switch)
        if switch.shape.vc_reallocation == ATOMIC:
            _prove_alone_in_vc(claims, switch)
        look_for_passages(claims, switch, tracked)

    return describe


def _prove_alone_in_vc(claims: Claims, switch: WholeSwitch) -> None:
    """Flits of two worms are never behind one VC at a time."""
    for out, without in zip(switch.vcs_out, switch.outstanding, strict=False):
        head = out.valid & out.link.payload.head
        claims.always("a head takes a VC with all its credits", ~head | (without.count == 0))


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


def pair(wraps: bool, vcs: int = 2, **settings: Any) -> Describe:
    """Claims about two neighbours in a row or ring of four."""

    def describe(claims: Claims) -> None:
        grid = Grid(1, 4, wraps)
        near = WholeSwitch(claims, grid, 1, vcs, name="near", joined=(f"credited_{LINK}",), **settings)
        far = WholeSwitch(claims, grid, 2, vcs, name="far", joined=(f"inputs__{LINK}__",), **settings)
        follow_pair(claims, near, far, (("credited", "credits"),))
        _prove_crossing(claims, near, far)
        for switch in (near, far):
            TorusInvariants(claims, switch)
            prove_inputs(claims, switch)
        tie_crossing(claims, near, far)

    return describe


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
