"""A whole switch of a family with lanes, and the worms on all of its lanes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic

from amaranth.hdl import Const, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from tests.proofs.inside import Inside
from tests.proofs.vc.lane_worms import LaneWormsOut, Outstanding
from tests.proofs.vc.tagged_lanes import tag_of
from tests.proofs.vc.worms_in_lanes import LaneIn, Reference


class FollowedSwitch(ABC, Generic[Reference]):
    """Common part of all such switches. A family defines the entry of lanes, and the route candidates of a head.

    Parameters
    ----------
    claims : Claims
    part : Part
        The switch; its inputs are free already, or joined to another switch.
    name : str
        See ``Inside``.
    input_lanes, output_lanes : sequence of int
        Lanes of each input and output; the last output leads to the host.
    depth : int
        Flits that the buffer of a lane between switches holds.

    Members
    -------
    name : str
    part : Part
    input_lanes, output_lanes : sequence of int
    inside : Inside
    lanes_in : list of LaneIn
    lanes_out : list of LaneWormsOut
    outstanding : list of Outstanding
        By lane out, but for the host's.
    allowed_heads : function
        Of a flit: lanes out that its header may leave by.
    """

    allowed_heads: Callable[[Any], Value]

    def __init__(
        self,
        claims: Claims,
        part: Any,
        name: str,
        input_lanes: Sequence[int],
        output_lanes: Sequence[int],
        depth: int,
    ):
        self.name, self.part = name, part
        self.input_lanes, self.output_lanes, self._depth = input_lanes, output_lanes, depth
        self.inside = Inside(claims, part, name=name)
        self.lanes_in: list[LaneIn[Reference]] = []
        self.lanes_out: list[LaneWormsOut] = []
        self.outstanding: list[Outstanding] = []

    @property
    def outputs(self) -> int:
        """Lanes out, that of the host included."""
        return sum(self.output_lanes)

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
    def candidates(self, lane: int, flit: Any) -> Value:
        """Lanes out that a head on a lane in may have, by the routing."""

    @abstractmethod
    def enter(self, claims: Claims, i: int, tags: Callable[[int], int] | None) -> None:
        """Follow the lanes into an input; inputs one after the other.

        Parameters
        ----------
        claims : Claims
        i : int
        tags : function or None
            The tag of all flits of a lane, by its number in the input. They are assumed to be sound worms that have
            room; with None nothing is assumed.
        """

    def enter_tagged(self, claims: Claims, i: int, first: int) -> int:
        """Follow sound worms into an input, with tags from a number on; gives the number after the last one."""
        after = first + self.input_lanes[i]
        self.enter(claims, i, range(first, after).__getitem__)
        return after

    def enter_all(self, claims: Claims) -> int:
        """Follow sound worms into all inputs; tags are the numbers of the lanes. Gives their number."""
        first = 0
        for i in range(len(self.input_lanes)):
            first = self.enter_tagged(claims, i, first)
        return first

    def leave(self, claims: Claims, allowed: Callable[[Any], Value], *, joined: int | None = None) -> None:
        """Follow the lanes out.

        Parameters
        ----------
        claims : Claims
        allowed : function
            Of a flit: lanes out that its header may leave by.
        joined : int or None
            Output that leads to another switch under proof: what comes back to it is not assumed to be right.
        """
        self.allowed_heads = allowed
        for o, lanes in enumerate(self.output_lanes):
            link, host = self.link_out(o), o == len(self.output_lanes) - 1
            may: Any = claims.named(allowed(link.payload), f"{self.name}_out_{o}_may")
            for w in range(lanes):
                valid = link.valid if host else link.valid[w]
                moves = link.valid & link.ready if host else valid
                name = f"{self.name}_out_{o}_{w}"
                self.lanes_out.append(LaneWormsOut(claims, link, valid, moves, _bit(may, len(self.lanes_out)), name))
                if not host:
                    self.outstanding.append(Outstanding(claims, valid, self.credited(o)[w], self._depth, name))
                    if o != joined:
                        self.assume_back(claims, o, w)

    def assume_back(self, claims: Claims, o: int, w: int) -> None:
        """Assume that the credits from the buffer behind a lane out are right."""
        without = self.outstanding[sum(self.output_lanes[:o]) + w]
        claims.assume(~self.credited(o)[w] | (without.count != 0))

    def allowed(self, flit: Any) -> Value:
        """Lanes out that a header may leave by, if it has the tag of a lane in."""
        found: Any = Const(0, self.outputs)
        for number, lane in enumerate(self.lanes_in):
            tag = lane.worms.only_tag
            if tag is not None:
                found = found | concat((tag_of(flit) == tag) & bit for bit in self.candidates(number, flit))
        return found

    def has_passed(self, flit: Any) -> Value:
        """True if a flit has passed this switch, by its tag; others have higher ones."""
        return tag_of(flit) < len(self.lanes_in)

    def allowed_behind(self, before: "FollowedSwitch[Reference]", flit: Any) -> Value:
        """``allowed`` for a switch whose input 0 comes from another one under proof."""
        passed = before.has_passed(flit)
        return concat(passed & bit for bit in self.candidates(0, flit)) | self.allowed(flit)


def _bit(mask: Any, lane: int) -> Callable[[Any], Value]:
    return lambda _flit: Value.cast(mask[lane])
