"""Claims about the progress of switches of tori and meshes: waits are bounded by ranks that fall in every cycle."""

from typing import Any

from amaranth.hdl import Mux, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.routed_switch import prove_progress
from tests.proofs.torus import TorusInvariants, WholeSwitch, prove_inputs
from tests.proofs.vc_orders import tie_turn
from tests.proofs.vc_progress import bound_wait, rank_in_input, requests_before
from tests.proofs.vc_references import pops
from tests.proofs.vc_switch import VcIn, prove_links
from topology.torus.grid import Grid


def progress(grid: Grid, number: int, vcs: int, seen_cycles: int, seen_wait: int, **settings: Any) -> Describe:
    """Claims about a switch of a small torus or mesh with ``routing_cycles`` 1, see ``torus.router``.

    seen_cycles, seen_wait: Cycles of a stall, and of the wait of a flit, that are reached.
    """

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, grid, number, vcs, **settings)
        with claims.proved_elsewhere():
            switch.enter_all(claims)
            switch.leave(claims, switch.allowed)
            TorusInvariants(claims, switch)
            prove_links(claims, switch)
            prove_inputs(claims, switch)
        _bound_stalls(claims, switch, seen_cycles)
        _bound_waits(claims, switch, seen_wait)

    return describe


# A whole switch: if a flit may move, some flit moves.


def _bound_stalls(claims: Claims, switch: WholeSwitch, seen_cycles: int) -> None:
    """A stall ends when its rank is 0.

    In a stall no VC is taken, so a request that was made for a free VC is granted. Others are those of heads that
    request as they arrive. Each is dropped once, and a VC has such a head once, for then it is not empty.
    """
    inputs = range(switch.shape.inputs)
    may_go = concat(_may_go(switch, vc) for vc in switch.vcs_in).any()
    goes = concat(pops(switch.inside, switch.input(i), f"input_{i}") for i in inputs).any()
    most = 2 * len(switch.vcs_in) + 1
    still = prove_progress(claims, may_go, goes, most, seen_cycles)
    vain: list[Any] = [switch.input(i).requests.any() & ~switch.input(i).good.any() for i in inputs]
    empty: list[Any] = [(vc.reference.held_now == 0) & ~vc.reference.begun_now for vc in switch.vcs_in]
    idle = ~concat(_asking(switch, i).any() for i in inputs).any()
    rank = 2 * sum(vain + empty) + idle
    claims.invariant("the rank of a stall falls in every cycle", still + rank <= most)


def _may_go(switch: WholeSwitch, vc: VcIn[Any]) -> Any:
    """The first flit of a VC has a VC out with a credit; a head's has no other worm."""
    port, reference = switch.input(vc.i), vc.reference
    head = reference.ways(reference.now[0])
    way = Mux(reference.begun_now, reference.own_now & port.has_credit, head & port.can_start)
    unroutable = ~Mux(reference.begun_now, reference.own_now, head).any()
    return (reference.held_now != 0) & (way.any() | unroutable)


def _asking(switch: WholeSwitch, i: int) -> Any:
    """The VC of an input that requests, one-hot."""
    return switch.inside.register("request_lane", f"input_{i}")


# Any one flit behind a head: with a credit it leaves.


def _bound_waits(claims: Claims, switch: WholeSwitch, seen_wait: int) -> None:
    """A wait ends when its rank is 0."""
    ranks = [_RequestRank(claims, switch, o) for o in range(switch.shape.outputs)]
    cycles = [_bound_wait_in(claims, switch, ranks, vc) for vc in switch.vcs_in]
    claims.possible("a flit waits with a credit", concat(waited == seen_wait for waited in cycles).any())


def _bound_wait_in(claims: Claims, switch: WholeSwitch, ranks: list["_RequestRank"], vc: VcIn[Any]) -> Any:
    """The same for one VC; gives the cycles that its first flit has waited."""
    port, reference, asking = switch.input(vc.i), vc.reference, _asking(switch, vc.i)
    reached = switch.shape.reaches[vc.i]
    end = max(ranks[o].end for o in reached)
    current = sum((Mux(port.requests[k], ranks[o].of(vc.i), 0) for k, o in enumerate(reached)), Value.cast(0))
    rank = rank_in_input(claims, switch.inside, vc.i, vc.v, asking, (current, end))
    waits = (reference.held_now != 0) & reference.begun_now & (reference.own_now & port.has_credit).any()
    popped = pops(switch.inside, port, f"input_{vc.i}") & asking[vc.v]
    return bound_wait(claims, waits & ~popped, rank, len(asking) * end, f"vc_{vc.i}_{vc.v}")


class _RequestRank:
    """Rank of the requests for one output.

    Without a grant the first request is dropped. Another one that is not good is of a head that requests as it arrives;
    this head then waits for the output until a grant. With a grant the turn moves nearer to every other request.

    end: Higher than all ranks.
    """

    def __init__(self, claims: Claims, switch: WholeSwitch, o: int):
        self._switch, self._o = switch, o
        self._sources = [i for i, _ in switch.shape.inputs_of(o)]
        vain: list[Any] = []
        for i, k in switch.shape.inputs_of(o):
            low, high = switch.shape.input_shape(i).spans[k]
            vain.append(switch.input(i).requests[k] & ~switch.input(i).good[low:high].any())
        others = [~self._is_for_this(vc) for vc in switch.vcs_in if vc.i in self._sources]
        self._vain: Any = claims.named(sum(vain + others, start=Value.cast(0)), f"vain_for_{o}")
        self._step = len(others) + 1
        tie_turn(claims, switch.inside, "input", len(self._sources), f"output_{o}")
        self.end = len(self._sources) * self._step

    def _is_for_this(self, vc: VcIn[Any]) -> Any:
        """The worm in front of a VC is for this output, and its head waits or has left."""
        reference = vc.reference
        low, high = self._switch.shape.input_shape(vc.i).spans[self._switch.shape.reaches[vc.i].index(self._o)]
        head = Mux(reference.held_now != 0, reference.ways(reference.now[0]), 0)
        return Value.cast(Mux(reference.begun_now, reference.own_now, head))[low:high].any()

    def of(self, i: int) -> Any:
        """Rank of the request of an input."""
        me = self._sources.index(i)
        before = requests_before(self._switch.inside, "input", me, len(self._sources), f"output_{self._o}")
        return before * self._step + self._vain
