"""Claims about a whole ``SpamRouter``: a flit that enters comes out of each requested output once, and in order.

One input, one output and one flit number are picked, any of them. Flits that enter at that input for that output are
counted, and so are those that come out of it. Two data bits of every flit tell its input, so that one can see where a
flit comes from; the tables may be any whose masks leave no choice, so that the header alone says where a worm goes.
"""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.common.selection import concat
from rtl.spam.parameters import CLASS_BITS, CLASSES, SpamRouterParameters
from rtl.spam.router import SpamRouter
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.links import assume_link_rules, prove_link_rules
from tests.proofs.inside import Inside
from tests.proofs.spam.router_invariants import tie_inside
from tests.proofs.spam.tagged_flits import FLIT_BITS, tag_of
from topology.common.flits import HeaderFormat

PORTS = 3
VERTICES = 4
HEADER = HeaderFormat((("lca", 2),), PORTS, FLIT_BITS)
COUNT_BITS = 4


class WormsIn:
    """Sound worms on an input link, one after the other.

    Members
    -------
    moves : Signal
        A flit enters.
    in_worm : Signal
        A head has entered, its tail has not.
    asked : Signal
        Outputs that the last head asked for.
    wanted : Signal
        Outputs that the flit on the link is for.
    """

    def __init__(self, claims: Claims, router: Any, i: int):
        link = router.inputs[i]
        flit = link.payload
        assume_link_rules(claims, link, f"input_{i}")
        self.moves: Any = claims.named(link.valid & link.ready, f"enters_{i}")
        self.in_worm: Any = Signal(name=f"in_worm_{i}")
        self.asked: Any = Signal(PORTS, name=f"asked_{i}")
        self.wanted: Any = claims.named(Mux(flit.head, _outputs_of(router, i, flit), self.asked), f"wanted_{i}")
        claims.assume(~link.valid | (flit.head == ~self.in_worm))
        claims.assume(~link.valid | self.wanted.any())
        claims.assume(~link.valid | (tag_of(flit) == i))
        with claims.m.If(self.moves):
            claims.m.d.sync += [self.in_worm.eq(~flit.tail), self.asked.eq(self.wanted)]


class WormsOut:
    """Worms on an output link.

    Members
    -------
    in_worm : Signal
        A head has come out, its tail has not.
    owner : Signal
        The input of that worm.
    """

    def __init__(self, claims: Claims, router: Any, o: int):
        link = router.outputs[o]
        prove_link_rules(claims, link, f"output_{o}")
        self.in_worm: Any = Signal(name=f"out_worm_{o}")
        self.owner: Any = Signal(2, name=f"owner_{o}")
        claims.always("heads come first and only first", ~link.valid | (link.payload.head == ~self.in_worm))
        owned = ~link.valid | ~self.in_worm | (tag_of(link.payload) == self.owner)
        claims.always("worms never mix on an output", owned)
        with claims.m.If(link.valid & link.ready):
            claims.m.d.sync += [self.in_worm.eq(~link.payload.tail), self.owner.eq(tag_of(link.payload))]


class TrackedFlit:
    """Any one flit of any input and output.

    Members
    -------
    i, o : Signal
        Input and output.
    number : Signal
        Its number among the flits from i for o, modulo 16.
    entered, left : Signal
        Flits from i for o that have entered, and come out, modulo 16.
    flit : Signal
        The flit, once it has entered.
    """

    def __init__(self, claims: Claims, router: Any, worms: list[WormsIn]):
        m, ports = claims.m, range(PORTS)
        self.i = claims.constant(2, "any_input")
        self.o = claims.constant(2, "any_output")
        self.number = claims.constant(COUNT_BITS, "any_number")
        claims.assume((self.i < PORTS) & (self.o < PORTS))
        entering = Array(worm.moves & worm.wanted.bit_select(self.o, 1) for worm in worms)[self.i]
        entering = claims.named(entering, "entering")
        self.on_output: Any = claims.named(
            Array(link.valid & (tag_of(link.payload) == self.i) for link in router.outputs)[self.o], "on_output"
        )
        leaving = self.on_output & Array(router.outputs[o].ready for o in ports)[self.o]
        self.entered: Any = Signal(COUNT_BITS, name="entered")
        self.left: Any = Signal(COUNT_BITS, name="left")
        m.d.sync += [self.entered.eq(self.entered + entering), self.left.eq(self.left + leaving)]
        offered = Value.cast(Array(Value.cast(link.payload) for link in router.inputs)[self.i])
        self.flit: Any = Signal(len(offered), name="tracked_flit")
        with m.If(entering & (self.entered == self.number)):
            m.d.sync += self.flit.eq(offered)
        self.shown: Any = Value.cast(Array(Value.cast(link.payload) for link in router.outputs)[self.o])


def router(buffer_flits: int, routing_cycles: int) -> Describe:
    """Claims about a router with three ports, 8-bit flits and headers of one flit.

    Parameters
    ----------
    buffer_flits, routing_cycles : int
        As in ``SpamRouterParameters``; up to two and two.
    """

    def describe(claims: Claims) -> None:
        p = SpamRouterParameters(PORTS, VERTICES, HEADER, buffer_flits, routing_cycles)
        part: Any = SpamRouter(p)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        _assume_tables(claims, part)
        worms_in = [WormsIn(claims, part, i) for i in range(PORTS)]
        worms_out = [WormsOut(claims, part, o) for o in range(PORTS)]
        tracked = TrackedFlit(claims, part, worms_in)
        nothing_left = tracked.left == tracked.entered
        claims.always("nothing comes out that did not go in for this output", ~(tracked.on_output & nothing_left))
        now = claims.named(tracked.on_output & (tracked.left == tracked.number), "tracked_flit_comes_out")
        claims.always("flits come out unaltered in order", ~now | (tracked.shown == tracked.flit))
        all_valid = concat(link.valid for link in part.outputs).all()
        claims.possible("a flit comes out of all outputs at once", all_valid & now)
        claims.possible("the fourth flit comes out", now & (tracked.number == 3))
        tie_inside(claims, inside, part, worms_in, worms_out, tracked)

    return describe


def _assume_tables(claims: Claims, part: Any) -> None:
    """Any constant tables in which a search has one candidate."""
    for table in (part.routes, part.port_class, part.reach):
        claims.never_changes(table)
    for row in range(CLASSES * VERTICES):
        claims.assume(at_most_one(part.routes.word_select(row, PORTS)))
    for i in range(PORTS):
        claims.assume(part.port_class.word_select(i, CLASS_BITS) < CLASSES)


def _outputs_of(part: Any, i: int, flit: Any) -> Value:
    """Outputs that a header at input i asks for."""
    rows = Array(part.routes.word_select(row, PORTS) for row in range(CLASSES * VERTICES))
    kind = part.port_class.word_select(i, CLASS_BITS)
    candidates = Value.cast(rows[kind * VERTICES + flit.data[:2]])
    named = flit.data[2 : 2 + PORTS]
    reached = concat((named & part.reach.word_select(o, PORTS)).any() for o in range(PORTS))
    return Value.cast(Mux(candidates.any(), candidates, reached))
