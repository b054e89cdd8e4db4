"""Sound worms on the links of a whole router, and any one flit that is tracked through it.

Flits carry the number of their input, a tag of its origin; the tables may be any whose masks leave no choice,
so that the header alone determines the route of a worm.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.parts.selection import concat, either
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.common.links import assume_link_rules, prove_link_rules
from tests.proofs.common.tagged_flits import tag_of

COUNT_BITS = 4


class WormsIn:
    """Sound worms on an input link, one after the other.

    Parameters
    ----------
    claims : Claims
    router : Part
    i : int
    beyond : function or None
        Of a flit: outputs of the next router that a header requests.

    Members
    -------
    moves : Signal
        A flit enters.
    in_worm : Signal
        A head has entered, its tail has not.
    asked : Signal
        Outputs that the last head requested.
    wanted : Signal
        Outputs that the flit on the link is for.
    tag : Signal
        Where the last flit came from.
    asked_beyond, wanted_beyond : Signal
        As ``asked`` and ``wanted``, for the next router. No bits if there is none.
    only_tag : int or None
        The tag of all flits here, if they have one.
    """

    only_tag: int | None = None

    def __init__(self, claims: Claims, router: Any, i: int, beyond: Callable[[Any], Value] | None = None):
        self.link: Any = router.inputs[i]
        flit = self.link.payload
        outputs = router.parameters.outputs
        self.moves: Any = claims.named(self.link.valid & self.link.ready, f"enters_{i}")
        self.in_worm: Any = Signal(name=f"in_worm_{i}")
        self.tag: Any = Signal(2, name=f"entered_tag_{i}")
        self.asked: Any = Signal(outputs, name=f"asked_{i}")
        self.wanted: Any = claims.named(Mux(flit.head, outputs_of(router, i, flit), self.asked), f"wanted_{i}")
        further: Any = beyond(flit) if beyond else Const(0, 0)
        self.asked_beyond: Any = Signal(len(further), name=f"asked_beyond_{i}")
        self.wanted_beyond: Any = claims.named(Mux(flit.head, further, self.asked_beyond), f"wanted_beyond_{i}")
        with claims.m.If(self.moves):
            claims.m.d.sync += [
                self.in_worm.eq(~flit.tail),
                self.tag.eq(tag_of(flit)),
                self.asked.eq(self.wanted),
                self.asked_beyond.eq(self.wanted_beyond),
            ]

    def soundness(self) -> Iterator[Value]:
        """Conditions that a router may assume of worms on an input."""
        flit, off = self.link.payload, ~self.link.valid
        yield off | (flit.head == ~self.in_worm)
        yield off | ~self.in_worm | (tag_of(flit) == self.tag)


def assume_worms(claims: Claims, router: Any, i: int, tag: int, beyond: Any = None) -> WormsIn:
    """Sound worms on an input link, whose flits have a tag."""
    worms = WormsIn(claims, router, i, beyond)
    worms.only_tag = tag
    assume_link_rules(claims, worms.link, f"input_{i}")
    for condition in worms.soundness():
        claims.assume(condition)
    claims.assume(~worms.link.valid | (tag_of(worms.link.payload) == tag))
    return worms


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


class EntersWith(Protocol):
    """Condition on the flits that enter on a link, see ``WormsIn``."""

    link: Any
    moves: Any


class TrackedFlit:
    """Any one flit of any input and output.

    Parameters
    ----------
    claims : Claims
    worms : sequence of WormsIn
        By input; the flits of input i have tag i.
    links : list of list of links
        By output, the links that make it up; a flit of one input is on one of them at most.
    wanted : list of Value
        Outputs that the flit on an input's link is for, per input.
    tag : function
        Of a flit: where it entered.

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
    on_output : Signal
        A flit of input i is on output o.
    shown : Value
        What is on output o.
    comes_out : Signal
        It is the flit that is followed.
    """

    def __init__(
        self,
        claims: Claims,
        worms: Sequence[EntersWith],
        links: list[list[Any]],
        wanted: list[Any],
        tag: Callable[[Any], Value] = tag_of,
    ):
        m = claims.m
        self.i = claims.constant(max(2, (len(worms) - 1).bit_length()), "any_input")
        self.o = claims.constant(2, "any_output")
        self.number = claims.constant(COUNT_BITS, "any_number")
        claims.assume((self.i < len(worms)) & (self.o < len(links)))
        entering = Array(
            worm.moves & outputs.bit_select(self.o, 1) for worm, outputs in zip(worms, wanted, strict=True)
        )[self.i]
        entering = claims.named(entering, "entering")
        there = [[link.valid & (tag(link.payload) == self.i) for link in group] for group in links]
        self.on_output: Any = claims.named(Array(concat(bits).any() for bits in there)[self.o], "on_output")
        moving = [
            concat(link.ready & bit for link, bit in zip(*each, strict=True)) for each in zip(links, there, strict=True)
        ]
        leaving = Array(bits.any() for bits in moving)[self.o]
        self.entered: Any = Signal(COUNT_BITS, name="entered")
        self.left: Any = Signal(COUNT_BITS, name="left")
        m.d.sync += [self.entered.eq(self.entered + entering), self.left.eq(self.left + leaving)]
        offered = Value.cast(Array(Value.cast(worm.link.payload) for worm in worms)[self.i])
        self.flit: Any = Signal(len(offered), name="tracked_flit")
        with m.If(entering & (self.entered == self.number)):
            m.d.sync += self.flit.eq(offered)
        shown = [
            either([Mux(bit, Value.cast(link.payload), 0) for link, bit in zip(*each, strict=True)])
            for each in zip(links, there, strict=True)
        ]
        self.shown: Any = Value.cast(Array(shown)[self.o])
        self.comes_out: Any = claims.named(self.on_output & (self.left == self.number), "tracked_flit_comes_out")
        nothing_left = self.left == self.entered
        claims.always("only flits that entered for this output come out", ~(self.on_output & nothing_left))
        claims.always("flits come out unaltered in order", ~self.comes_out | (self.shown == self.flit))
        claims.possible("the fourth flit comes out", self.comes_out & (self.number == 3))

    def tie(self, claims: Claims, stages: Iterable[tuple[Any, Any]]) -> None:
        """Flits that entered and have not come out are at some stage.

        Parameters
        ----------
        claims : Claims
        stages : iterable of (Value, Value)
            From the output back to the input: whether a flit from i for o is there, and the flit.
        """
        before: Any = Const(0)
        distance = claims.named(self.number - self.left, "flits_before_the_tracked_one")[:COUNT_BITS]
        pending = claims.named(self.entered - self.left, "flits_inside")[:COUNT_BITS]
        for stage, (there, flit) in enumerate([(self.on_output, self.shown), *stages]):
            counts = claims.named(there, f"stage_{stage}_counts")
            here = (distance < pending) & counts & (distance == before)
            claims.invariant("the tracked flit is in its place", ~here | (flit == self.flit))
            before = before + counts
        claims.always("flits that entered and have not come out are inside", pending == before)


def assume_tables(claims: Claims, router: Any) -> None:
    """Any constant tables in which a search has one candidate."""
    p = router.parameters
    for table in (router.routes, router.reach):
        claims.never_changes(table)
    for row in range(p.classes * p.keys):
        claims.assume(at_most_one(router.routes.word_select(row, p.outputs)))
    if p.class_bits:
        claims.never_changes(router.port_class)
        for i in range(p.inputs):
            claims.assume(router.port_class.word_select(i, p.class_bits) < p.classes)


def outputs_of(router: Any, i: int, flit: Any) -> Value:
    """Outputs that a header of one flit at input i requests."""
    p = router.parameters
    rows = Array(router.routes.word_select(row, p.outputs) for row in range(p.classes * p.keys))
    arrival: Any = router.port_class.word_select(i, p.class_bits) if p.class_bits else Const(0)
    key = flit.data[: p.key_bits]
    candidates = Mux(key < p.keys, Value.cast(rows[arrival * p.keys + key]), 0)
    splits = (key >= p.multicast_keys.start) & (key < p.multicast_keys.stop)
    named = flit.data[p.key_bits : p.key_bits + p.processors]
    reached = concat((named & router.reach.word_select(o, p.processors)).any() for o in range(p.outputs))
    return Value.cast(Mux(candidates.any(), candidates, Mux(splits, reached, 0)))
