"""References of worms in virtual channels, and of a whole switch that passes them on."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.parts.flit import flit_layout
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Inside, at_most_one
from tests.proofs.links import ReferenceQueue, assume_link_rules, prove_link_rules
from tests.proofs.vc_references import BufferedVc

# 10-bit flits that show on which VC they entered: the four highest data bits are its number.

FLIT_BITS = 10
TAG_BIT, TAG_BITS = 6, 4
"""Below is the routing key, for sides of up to four."""


def as_flit(bits: Any) -> Any:
    """A packed flit with its fields."""
    return flit_layout(FLIT_BITS)(bits)


def tag_of(flit: Any) -> Value:
    """The VC where a flit entered."""
    return flit.data[TAG_BIT : TAG_BIT + TAG_BITS]


# Sound worms on the VCs into a router, and properties of the VCs out of it.

ALLOWED = "heads leave on VCs that routing allows"
HAS_CREDIT = "no flit leaves without a credit"
ONE_VC = "one VC at most has a flit on its link"
HEADS_FIRST = "heads come first and only first"
UNMIXED = "worms never mix on a VC"


class VcWormsIn:
    """Worms on one VC into a router, one after the other.

    moves, in_worm: A flit enters; a head has entered, its tail has not.
    asked, wanted: Outputs that the last head, and the flit on the link, are for.
    tag: Where the last flit came from.
    only_tag: The tag of all flits here, if they have one.
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
            claims.m.d.sync += [self.in_worm.eq(~flit.tail), self.tag.eq(tag_of(flit)), self.asked.eq(self.wanted)]

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


class VcWormsOut:
    """Worms on one VC out of a router.

    valid, in_worm, owner: A head has come out, its tail has not; the VC where it entered.
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
    """Flits that have come out on a VC, and whose credits have not come back."""

    def __init__(self, claims: Claims, valid: Any, credited: Any, depth: int, name: str):
        self.count: Any = Signal(range(depth + 2), name=f"{name}_without_credit")
        claims.m.d.sync += self.count.eq(self.count + valid - credited)
        claims.always(HAS_CREDIT, ~valid | (self.count < depth))


def assume_host(claims: Claims, link: Any) -> None:
    """The rules of the link from a processor."""
    assume_link_rules(claims, link, "from_host")


def prove_link(claims: Claims, link: Any, *, host: bool, name: str) -> None:
    """The rules of a link out: with VCs, or to a processor."""
    if host:
        prove_link_rules(claims, link, name)
    else:
        claims.always(ONE_VC, at_most_one(link.valid))


def as_stream(link: Any, *, host: bool) -> Any:
    """A link out as one with ``valid`` and ``ready``."""
    return link if host else SimpleNamespace(valid=link.valid.any(), ready=Const(1), payload=link.payload)


# Ties the content of VCs and delivery buffer to the worms on the links, so that induction closes.

Reference = TypeVar("Reference", bound=BufferedVc)


class VcIn(Generic[Reference]):
    """A VC into a switch.

    i, v: Its input, and its number there.
    reference: What is in it; each flit is accompanied by its outputs.
    """

    def __init__(self, i: int, v: int, worms: VcWormsIn, reference: Reference):
        self.i = i
        self.v = v
        self.worms = worms
        self.reference = reference


def tie_worms_in_vc(claims: Claims, worms: VcWormsIn, reference: BufferedVc, wanted: Callable[[Any], Value]) -> None:
    """The flits of a VC are worms, up to those on its link."""
    queue = reference.queue
    claims.invariant("with an empty VC a worm is open or not", (queue.held != 0) | (worms.in_worm == reference.begun))
    claims.invariant(
        "heads come first in a VC", (queue.held == 0) | (reference.flit(queue.row[0]).head == ~reference.begun)
    )
    for k, row in enumerate(queue.row):
        flit, away, outputs = reference.flit(row), queue.held <= k, wanted(row)
        last = queue.held == k + 1
        known = (worms.in_worm == ~flit.tail) & (worms.asked == outputs) & (worms.tag == tag_of(flit))
        claims.invariant("the last flit is as it entered", ~last | known)
        if worms.only_tag is not None:
            claims.invariant("flits carry the number of their VC", away | (tag_of(flit) == worms.only_tag))
        if k:
            before = reference.flit(queue.row[k - 1])
            claims.invariant("a head follows a tail", away | (flit.head == before.tail))
            same = (outputs == wanted(queue.row[k - 1])) & (tag_of(flit) == tag_of(before))
            claims.invariant("a worm's flits are alike", away | before.tail | same)
    if worms.only_tag is not None:
        claims.invariant("worms carry the number of their VC", ~worms.in_worm | (worms.tag == worms.only_tag))


def front_tag(vc: VcIn[Any]) -> Any:
    """Origin of the worm in front of a VC, or else of the last one."""
    reference = vc.reference
    return Mux(reference.held_now == 0, vc.worms.tag, tag_of(reference.flit(reference.now[0])))


def places_of(
    vcs: Sequence[VcIn[Any]], wanted: Callable[[VcIn[Any], Any], Value], o: Any, vc: Any, depth: int
) -> Iterator[tuple[Any, Any]]:
    """Places of the buffer of a VC in, the front first: whether a flit for an output is there, and the flit."""
    for k in range(depth):
        there, flits = [], []
        for entering in vcs:
            reference = entering.reference
            there.append((reference.held_now > k) & wanted(entering, reference.now[k]).bit_select(o, 1))
            flits.append(Value.cast(reference.flit(reference.now[k])))
        yield Value.cast(Array(there)[vc]), Value.cast(Array(flits)[vc])


def delivered(queue: ReferenceQueue, link: Any, waiting: Any, tag: Any) -> Iterator[tuple[Any, Any]]:
    """Places of the delivery buffer, the front first: whether a flit from a VC is there, and the flit."""
    for k in range(len(queue.row) - 1):
        flit = Mux(link.valid, queue.row[k + 1], queue.row[k])
        yield (waiting > k) & (tag_of(as_flit(flit)) == tag), flit


def tie_delivered_worms(
    claims: Claims, queue: ReferenceQueue, worms: VcWormsOut, right: Callable[[Any], Value]
) -> tuple[Any, Any]:
    """The flits for the host are worms, from the link back to the buffer's end."""
    held, open_, owner = queue.held, worms.in_worm, worms.owner
    after, last = Mux(held == 0, open_, 0), Mux(held == 0, owner, 0)
    for k, flit in enumerate(map(as_flit, queue.row)):
        there = held > k
        claims.invariant("heads for the host come first", ~there | (flit.head == ~open_))
        claims.invariant("worms for the host do not mix", ~there | ~open_ | (tag_of(flit) == owner))
        claims.invariant("heads for the host may go there", ~there | ~flit.head | right(flit))
        open_, owner = ~flit.tail, tag_of(flit)
        after, last = after | (held == k + 1) & open_, last | Mux(held == k + 1, owner, 0)
    return after, last


# A whole switch of a family with VCs, and the worms on all of its lanes.


class FollowedSwitch(ABC, Generic[Reference]):
    """Common part of all such switches. A family defines the entry of VCs, and the route candidates of a head.

    outstanding: By VC out, but for the host's.
    allowed_heads: Of a flit: VCs out that its header may leave by.
    """

    allowed_heads: Callable[[Any], Value]

    def __init__(
        self, claims: Claims, part: Any, name: str, input_vcs: Sequence[int], output_vcs: Sequence[int], depth: int
    ):
        self.name, self.part = name, part
        self.input_vcs, self.output_vcs, self._depth = input_vcs, output_vcs, depth
        self.inside = Inside(claims, part, name=name)
        self.vcs_in: list[VcIn[Reference]] = []
        self.vcs_out: list[VcWormsOut] = []
        self.outstanding: list[Outstanding] = []

    @property
    def outputs(self) -> int:
        """VCs out, that of the host included."""
        return sum(self.output_vcs)

    def link_in(self, i: int) -> Any:
        """The link into an input."""
        return getattr(self.part, f"inputs__{i}")

    def link_out(self, o: int) -> Any:
        """The link out of an output."""
        return getattr(self.part, f"outputs__{o}")

    def input(self, i: int) -> Any:
        """The part of an input."""
        return self.inside.placed[f"input_{i}"]

    def credits(self, i: int) -> Any:
        """Credits that an input gives back."""
        return getattr(self.part, f"credits_{i}")

    def credited(self, o: int) -> Any:
        """Credits that come back to an output."""
        return getattr(self.part, f"credited_{o}")

    @abstractmethod
    def candidates(self, vc: int, flit: Any) -> Value:
        """VCs out that a head on a VC in may have, by the routing."""

    @abstractmethod
    def enter(self, claims: Claims, i: int, tags: Callable[[int], int] | None) -> None:
        """Follow the VCs into an input; inputs one after the other."""

    def enter_tagged(self, claims: Claims, i: int, first: int) -> int:
        """Follow sound worms into an input, with tags from a number on; gives the number after the last one."""
        after = first + self.input_vcs[i]
        self.enter(claims, i, range(first, after).__getitem__)
        return after

    def enter_all(self, claims: Claims) -> int:
        """Follow sound worms into all inputs; tags are the numbers of the lanes. Gives their number."""
        first = 0
        for i in range(len(self.input_vcs)):
            first = self.enter_tagged(claims, i, first)
        return first

    def leave(self, claims: Claims, allowed: Callable[[Any], Value], *, joined: int | None = None) -> None:
        """Follow the VCs out."""
        self.allowed_heads = allowed
        for o, vcs in enumerate(self.output_vcs):
            link, host = self.link_out(o), o == len(self.output_vcs) - 1
            may: Any = claims.named(allowed(link.payload), f"{self.name}_out_{o}_may")
            for w in range(vcs):
                valid = link.valid if host else link.valid[w]
                moves = link.valid & link.ready if host else valid
                name = f"{self.name}_out_{o}_{w}"
                self.vcs_out.append(VcWormsOut(claims, link, valid, moves, _bit(may, len(self.vcs_out)), name))
                if not host:
                    self.outstanding.append(Outstanding(claims, valid, self.credited(o)[w], self._depth, name))
                    if o != joined:
                        self.assume_back(claims, o, w)

    def assume_back(self, claims: Claims, o: int, w: int) -> None:
        """Assume that the credits from the buffer behind a VC out are right."""
        without = self.outstanding[sum(self.output_vcs[:o]) + w]
        claims.assume(~self.credited(o)[w] | (without.count != 0))

    def allowed(self, flit: Any) -> Value:
        """VCs out that a header may leave by, if it has the tag of a VC in."""
        found: Any = Const(0, self.outputs)
        for number, vc in enumerate(self.vcs_in):
            tag = vc.worms.only_tag
            if tag is not None:
                found = found | concat((tag_of(flit) == tag) & bit for bit in self.candidates(number, flit))
        return found

    def has_passed(self, flit: Any) -> Value:
        """True if a flit has passed this switch, by its tag; others have higher ones."""
        return tag_of(flit) < len(self.vcs_in)

    def allowed_behind(self, before: "FollowedSwitch[Reference]", flit: Any) -> Value:
        """``allowed`` for a switch whose input 0 comes from another one under proof."""
        passed = before.has_passed(flit)
        return concat(passed & bit for bit in self.candidates(0, flit)) | self.allowed(flit)


def _bit(mask: Any, vc: int) -> Callable[[Any], Value]:
    return lambda _flit: Value.cast(mask[vc])
