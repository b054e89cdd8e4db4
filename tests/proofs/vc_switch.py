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
from tests.proofs.vc_ports import tie_delivery
from tests.proofs.vc_references import BufferedVc
from tests.proofs.worms import TrackedFlit

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


# A whole switch of a family with VCs, and the worms on all of its VCs.


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
        self.input_vcs, self.output_vcs, self.depth = input_vcs, output_vcs, depth
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
        """Follow sound worms into all inputs; tags are the numbers of the VCs. Gives their number."""
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
                    self.outstanding.append(Outstanding(claims, valid, self.credited(o)[w], self.depth, name))
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


class SwitchInvariants(ABC, Generic[Reference]):
    """Ties the registers of a switch to the worms on its VCs; a family ties its inputs, worms and VCs out.

    owned: By VC in: the VC out that its worm has, one-hot or 0.
    delivery: Flits that go to the host, in the buffer and on the link.
    waiting: How many of them are in the buffer.
    home: The host, among the ways that a flit is wanted for.
    """

    def __init__(self, claims: Claims, switch: Any, buffer: str, places: int, home: int):
        self.switch, self._home = switch, home
        self.tie_inputs(claims)
        self.owned = [self.tie_worms(claims, vc) for vc in switch.vcs_in]
        link, self.port = switch.link_out(len(switch.output_vcs) - 1), switch.inside.placed[buffer]
        self.delivery = ReferenceQueue(claims, places + 1, self.port.write, self.port.flit, link.valid & link.ready)
        waiting = self.delivery.held - link.valid
        self.waiting: Any = claims.named(waiting, f"{switch.name}_waiting")[: len(self.delivery.held)]
        tie_delivery(claims, switch.inside, places, self.delivery.row, link, self.waiting, buffer)
        self.tie_outputs(claims)

    @abstractmethod
    def tie_inputs(self, claims: Claims) -> None:
        """Tie all inputs."""

    @abstractmethod
    def tie_worms(self, claims: Claims, vc: VcIn[Reference]) -> Any:
        """Tie the worms of a VC in; gives the VC out that the worm in front has."""

    @abstractmethod
    def tie_outputs(self, claims: Claims) -> None:
        """Tie all outputs."""

    def may_go_home(self, flit: Any) -> Value:
        """True if a header may leave to the host."""
        return Value.cast(self.switch.allowed_heads(flit)[-1])

    def owners(self, claims: Claims, number: int) -> Any:
        """The VCs in whose worms have a VC out."""
        return claims.named(concat(owned[number] for owned in self.owned), f"{self.switch.name}_owners_{number}")

    def tie_owner(self, claims: Claims, begun: Any, after: Any, owner: Any) -> None:
        """Tie the worm on a VC out to the VC in where it has begun."""
        claims.invariant("a worm is open at both ends", after == begun.any())
        for i, vc in enumerate(self.switch.vcs_in):
            claims.invariant("a worm's owner is its VC", ~begun[i] | (owner == front_tag(vc)))

    def stages(self, tracked: TrackedFlit) -> Iterator[tuple[Any, Any]]:
        """Places of a flit that is followed, the front first: whether one of its kind is there, and the flit."""
        link = self.switch.link_out(len(self.switch.output_vcs) - 1)
        for k in range(len(self.delivery.row) - 1):
            flit = Mux(link.valid, self.delivery.row[k + 1], self.delivery.row[k])
            yield (self.waiting > k) & (tag_of(as_flit(flit)) == tracked.i) & (tracked.o == self._home), flit
        for k in range(self.switch.depth):
            there, flits = [], []
            for vc in self.switch.vcs_in:
                reference = vc.reference
                wanted = self.switch.wanted(vc, reference.now[k])
                there.append((reference.held_now > k) & wanted.bit_select(tracked.o, 1))
                flits.append(Value.cast(reference.flit(reference.now[k])))
            yield Value.cast(Array(there)[tracked.i]), Value.cast(Array(flits)[tracked.i])


def prove_links(claims: Claims, switch: Any) -> None:
    """The rules of all links out of a switch."""
    host = len(switch.output_vcs) - 1
    for o in range(host + 1):
        prove_link(claims, switch.link_out(o), host=o == host, name=f"output_{o}")


def prove_passage(
    claims: Claims, switch: Any, invariants: Callable[..., Any], grouped: Callable[[list[Any]], list[list[Any]]]
) -> TrackedFlit:
    """Prove that flits come out once, unaltered and in order, by one of the links of a group."""
    switch.enter_all(claims)
    switch.leave(claims, switch.allowed)
    worms = [vc.worms for vc in switch.vcs_in]
    tracked = TrackedFlit(claims, worms, grouped(streams_of(switch)), [vc.wanted for vc in worms], tag_of)
    tracked.tie(claims, invariants(claims, switch).stages(tracked))
    prove_links(claims, switch)
    return tracked


def streams_of(switch: Any) -> list[Any]:
    """All links out with ``valid`` and ``ready``."""
    host = len(switch.output_vcs) - 1
    return [as_stream(switch.link_out(o), host=o == host) for o in range(host + 1)]


def look_for_passages(claims: Claims, switch: Any, tracked: TrackedFlit) -> None:
    """States that must be possible as the flit that is followed comes out."""
    both = concat(link.valid for link in streams_of(switch)).all()
    claims.possible("a flit comes out of all outputs at once", both & tracked.comes_out)
    full = switch.outstanding[0].count == switch.depth
    claims.possible("a VC has no credits as the followed flit comes out", full & tracked.comes_out)
    lost = switch.part.discarding[0] & tracked.comes_out
    claims.possible("a head is discarded as the followed flit comes out", lost)


# Two switches that are joined by a link: the assumptions of each are guarantees of the other one.

SOUND = "what crosses the link are sound worms"
CREDITS = "credits that cross the link are for flits that have crossed"
LINK = 0
"""Output of the first switch and input of the second one."""


def follow_pair(claims: Claims, near: Any, far: Any, wires: tuple[tuple[str, str], ...]) -> None:
    """Join two switches, by a link and wires back, and follow the worms through both."""
    out, entry = near.link_out(LINK), far.link_in(LINK)
    claims.m.d.comb += [entry.valid.eq(out.valid), Value.cast(entry.payload).eq(Value.cast(out.payload))]
    for back, forth in wires:
        claims.m.d.comb += getattr(near.part, f"{back}_{LINK}").eq(getattr(far.part, f"{forth}_{LINK}"))
    tags = near.enter_all(claims)
    far.enter(claims, LINK, None)
    for i in range(LINK + 1, len(far.input_vcs)):
        tags = far.enter_tagged(claims, i, tags)
    near.leave(claims, near.allowed, joined=LINK)
    far.leave(claims, lambda flit: far.allowed_behind(near, flit))


def tie_crossing(claims: Claims, near: Any, far: Any) -> None:
    """Both ends of the link agree about what has crossed."""
    flit = near.link_out(LINK).payload
    for v in range(near.output_vcs[LINK]):
        out, entry, without = near.vcs_out[v], far.vcs_in[v], near.outstanding[v].count
        reference = entry.reference
        claims.invariant("both ends of the link count the same flits", without == reference.queue.held)
        alike = (entry.worms.in_worm == out.in_worm) & (~out.in_worm | (entry.worms.tag == out.owner))
        claims.invariant("both ends of the link see the same worm", alike)
        claims.invariant("flits on the link come from the first switch", ~out.valid | near.has_passed(flit))
        for k, row in enumerate(reference.queue.row):
            crossed = near.has_passed(reference.flit(row))
            claims.invariant("flits in its VCs come from the first switch", (reference.queue.held <= k) | crossed)
