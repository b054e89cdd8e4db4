"""A multistage switch, alone or without route unit and buffers, whose outputs are any that their own proofs allow."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.generator.structure import flat_ports
from rtl.min.parameters import MinRouterParameters
from rtl.min.router import MinRouter
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.selection import concat
from rtl.routed.route_unit import RouteUnit
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.common.enqueue_contract import assume_orderly_queueing
from tests.proofs.inside import Inside
from tests.proofs.min.branch_use import BranchUse
from tests.proofs.min.token_contract import TokenUse, holder_in
from topology.common.flits import HeaderFormat

HEADER = HeaderFormat((("key", 2),), 3, 8)
MAX_RELEASE_FLITS = 3


class BareSwitch:
    """Queues, crossbar, token station and the logic between them.

    Parameters
    ----------
    claims : Claims
    inputs, outputs : int
    token : bool
        Whether the switch is on a token ring; the token may then arrive at any time.
    whole : bool
        Keep route unit and buffers, and take nothing of them for granted.
    name : str
        See ``Inside``.
    joined : tuple of str
        Inputs that the proof drives, see ``Claims.free_inputs``.
    settings
        More for ``MinRouterParameters``.

    Members
    -------
    switch, route_unit, queues, crossbar : Part or interface
    station : TokenStation
        Only with a token.
    buffers : list of interface
    use : BranchUse
    token_use : TokenUse
        Only with a token.
    copies : list of Signal
        Outputs that get the first flit of an input in this cycle, per input.
    got : list of Signal
        Outputs that got it before, per input.
    several : Value
        Inputs whose request is for two outputs or more.
    """

    def __init__(
        self,
        claims: Claims,
        inputs: int,
        outputs: int,
        token: bool,
        *,
        whole: bool = False,
        name: str = "part",
        joined: tuple[str, ...] = (),
        **settings: Any,
    ):
        self.claims, self.inputs, self.outputs, self.token = claims, inputs, outputs, token
        most = MAX_RELEASE_FLITS if token else 0
        self.switch: Any = MinRouter(MinRouterParameters(inputs, outputs, 4, 1, most, header=HEADER, **settings))
        claims.free_inputs(self.switch, joined)
        self.inside = Inside(claims, self.switch, () if whole else (RouteUnit, InputBuffer), name)
        placed = self.inside.placed
        self.route_unit, self.queues, self.crossbar = placed["route_unit"], placed["queues"], placed["crossbar"]
        self.buffers = [placed[f"buffer_{i}"] for i in range(inputs)]
        if not whole:
            self._let_the_rest_do_anything()
        self.use = BranchUse(claims, self.queues, inputs, outputs)
        self.request = [self.route_unit.request[i] for i in range(inputs)]
        self.several = concat(~at_most_one(request) for request in self.request)
        if token and not whole:
            self._assume_branching()
        self._write_down_copies()
        self._tie()

    def _let_the_rest_do_anything(self) -> None:
        claims, unit = self.claims, self.route_unit
        for part in (unit, *self.buffers):
            for _, is_input, value in flat_ports(part):
                if not is_input:
                    claims.anything(value)
        assume_orderly_queueing(claims, unit, unit.release, self.inputs)
        for i, buffer in enumerate(self.buffers):
            # the front of a buffer stays there until it is popped
            waits = claims.was(buffer.present & ~buffer.pop, f"front_waits_{i}")
            same = Value.cast(buffer.flit) == claims.was(Value.cast(buffer.flit), f"front_{i}")
            claims.assume(~waits | buffer.present & same)

    def _write_down_copies(self) -> None:
        claims, crossbar = self.claims, self.crossbar
        self.copies: list[Any] = []
        self.got: list[Any] = []
        for i, buffer in enumerate(self.buffers):
            loads = concat(crossbar.load[o] & crossbar.select[o][i] for o in range(self.outputs))
            self.copies.append(claims.named(loads, f"copies_of_{i}"))
            self.got.append(Signal(self.outputs, name=f"got_from_{i}"))
            claims.m.d.sync += self.got[i].eq(Mux(buffer.pop, 0, self.got[i] | self.copies[i]))

    def _tie(self) -> None:
        claims, inside, use = self.claims, self.inside, self.use
        use.tie(inside, "queues")
        for i in range(self.inputs):
            copied = inside.register(f"copied_{i}")
            claims.invariant("outputs that have got the flit are noted", copied == self.got[i])
            asked = Mux(use.standing[i], self.request[i], 0)
            claims.invariant("flits are copied to the requested outputs", ~(self.got[i] & ~asked).any())
            in_front = self.buffers[i].present
            claims.invariant("only a flit that is there has been copied", ~self.got[i].any() | in_front)
            tails = Mux(self.buffers[i].flit.tail, self.got[i], 0)
            here = claims.named(Mux(use.standing[i], use.given[i], 0), f"given_now_{i}")
            claims.invariant("tails that have been copied are noted", here == tails)
            has_way = use.standing[i] & self.request[i].any()
            claims.invariant("a routable worm in the queues owes an output its tail", ~has_way | use.owed[i].any())
            for o in range(self.outputs):
                mine = ~self.got[i][o] | here[o] | use.first_at(i, o)
                claims.invariant("copies come from the first in the queue", mine)
        queued = self.route_unit.queued
        if self.token:
            self._tie_token(queued)
        else:
            claims.invariant("every complete request is in the queues", use.standing == queued)

    def _tie_token(self, queued: Any) -> None:
        claims, inside, switch = self.claims, self.inside, self.switch
        claims.never_changes(switch.starts_here)
        claims.never_changes(switch.release_flits)
        claims.assume(switch.release_flits != 0)
        self.station = station = inside.placed["station"]
        popped = concat(buffer.pop for buffer in self.buffers)
        tail = concat(buffer.flit.tail for buffer in self.buffers)
        self.token_use = token_use = TokenUse(
            claims, station.tree, station.granted, popped, tail, switch.release_flits, "here"
        )
        holding, asking = token_use.holding, token_use.asking
        claims.invariant("those that wait are noted", inside.register("seeking", "station") == asking)
        claims.invariant("the holder is noted", holder_in(inside, "station") == holding)
        left = switch.release_flits - token_use.flits
        counted = (inside.register("left", "station") == left) & (left > 0)
        claims.invariant("flits are counted down", ~holding.any() | counted)
        claims.invariant(
            "a complete request waits for the token or is in the queues", queued == self.use.standing | asking
        )
        claims.invariant("an input that waits is not in the queues", ~(self.use.standing & asking).any())
        claims.invariant("an input that waits has a tree operation", ~(asking & ~self.several).any())

    def _assume_branching(self) -> None:
        """Contract of the route unit: ``branching`` announces the kind of a request one cycle ahead."""
        claims, unit = self.claims, self.route_unit
        completed = claims.was(unit.completed, "completed_for_branching")
        branching = claims.was(unit.branching, "branching")
        claims.assume(~(completed & (branching ^ self.several)).any())
