"""Sound worms on the lanes into a router, and properties of the lanes out of it."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from tests.proofs.claims import Claims, at_most_one
from tests.proofs.common.links import assume_link_rules, prove_link_rules
from tests.proofs.vc.tagged_lanes import TAG_BITS, tag_of

ALLOWED = "heads leave on lanes that routing allows"
HAS_CREDIT = "no flit leaves without a credit"
ONE_LANE = "one lane at most has a flit on its link"
HEADS_FIRST = "heads come first and only first"
UNMIXED = "worms never mix on a lane"


class LaneWormsIn:
    """Worms on one lane into a router, one after the other.

    Parameters
    ----------
    claims : Claims
    link : link
    valid : Value
        The flit on the link is one of this lane.
    moves : Value
        It moves.
    ports : function
        Of a flit: outputs that a head on this lane may leave by, by port.
    name : str
        Prefix of the names of signals.

    Members
    -------
    link : link
    moves, in_worm : Signal
        A flit enters; a head has entered, its tail has not.
    asked, wanted : Signal
        Outputs that the last head, and the flit on the link, are for.
    tag : Signal
        Where the last flit came from.
    only_tag : int or None
        The tag of all flits here, if they have one.
    """

    only_tag: int | None = None

    def __init__(self, claims: Claims, link: Any, valid: Any, moves: Any, ports: Callable[[Any], Value], name: str):
        flit = link.payload
        self.link: Any = link
        self._valid = valid
        self.moves: Any = claims.named(moves, f"{name}_enters")
        self.in_worm: Any = Signal(name=f"{name}_in_worm")
        self.tag: Any = Signal(TAG_BITS, name=f"{name}_entered_tag")
        asked = ports(flit)
        self.asked: Any = Signal(len(asked), name=f"{name}_asked")
        self.wanted: Any = claims.named(Mux(flit.head, asked, self.asked), f"{name}_wanted")
        with claims.m.If(self.moves):
            claims.m.d.sync += [
                self.in_worm.eq(~flit.tail),
                self.tag.eq(tag_of(flit)),
                self.asked.eq(self.wanted),
            ]

    def soundness(self) -> Iterator[Value]:
        """Conditions that a router may assume of the worms."""
        flit = self.link.payload
        yield ~self._valid | (flit.head == ~self.in_worm)
        yield ~self._valid | ~self.in_worm | (tag_of(flit) == self.tag)

    def assume_sound(self, claims: Claims, tag: int) -> None:
        """Worms are sound, and their flits have a tag."""
        self.only_tag = tag
        for condition in self.soundness():
            claims.assume(condition)
        claims.assume(~self._valid | (tag_of(self.link.payload) == tag))


class LaneWormsOut:
    """Worms on one lane out of a router.

    Parameters
    ----------
    claims : Claims
    link : link
    valid : Value
        The flit on the link is one of this lane.
    moves : Value
    allowed : function
        Of a flit: whether its header may leave by this lane.
    name : str

    Members
    -------
    link : link
    valid, in_worm, owner : Signal
        A head has come out, its tail has not; the lane where it entered.
    """

    def __init__(self, claims: Claims, link: Any, valid: Any, moves: Any, allowed: Callable[[Any], Value], name: str):
        flit = link.payload
        self.link: Any = link
        self.valid: Any = claims.named(valid, f"{name}_valid")
        self.in_worm: Any = Signal(name=f"{name}_in_worm")
        self.owner: Any = Signal(TAG_BITS, name=f"{name}_owner")
        off = ~self.valid
        claims.always(HEADS_FIRST, off | (flit.head == ~self.in_worm))
        claims.always(UNMIXED, off | ~self.in_worm | (tag_of(flit) == self.owner))
        claims.always(ALLOWED, off | ~flit.head | allowed(flit))
        with claims.m.If(moves):
            claims.m.d.sync += [self.in_worm.eq(~flit.tail), self.owner.eq(tag_of(flit))]


class Outstanding:
    """Flits that have come out on a lane, and whose credits have not come back."""

    def __init__(self, claims: Claims, valid: Any, credited: Any, depth: int, name: str):
        self.count: Any = Signal(range(depth + 2), name=f"{name}_without_credit")
        claims.m.d.sync += self.count.eq(self.count + valid - credited)
        claims.always(HAS_CREDIT, ~valid | (self.count < depth))


def assume_host(claims: Claims, link: Any) -> None:
    """The rules of the link from a processor."""
    assume_link_rules(claims, link, "from_host")


def prove_link(claims: Claims, link: Any, *, host: bool, name: str) -> None:
    """The rules of a link out: with lanes, or to a processor."""
    if host:
        prove_link_rules(claims, link, name)
    else:
        claims.always(ONE_LANE, at_most_one(link.valid))


def as_stream(link: Any, *, host: bool) -> Any:
    """A link out as one with ``valid`` and ``ready``."""
    return link if host else SimpleNamespace(valid=link.valid.any(), ready=Const(1), payload=link.payload)
