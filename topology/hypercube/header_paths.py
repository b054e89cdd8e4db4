"""Paths of all headers that any node may send, for the static checks.

The product of VCs and keys is large: 250,000 x 4,096 in twelve dimensions. But a hypercube is symmetric: to *shift* it
by t is to rename every switch s to s ^ t and every key k to k ^ t. A rule that depends on remaining dimensions alone is
invariant under any shift. The invariant shifts of a routing are found by comparing the masks of all VCs, so no symmetry
is assumed: with a VC that breaks the rule only the shift by 0 may be left, and then all VCs are walked.

Invariant shifts form a group, and renaming takes every switch to as many others as there are shifts. The least of each
such set is its *representative*. Only headers on VCs that end at a representative are walked: a header that goes on to
another switch is renamed, with its key, so that it is at a representative again. Everything that can happen in the
network happens there, up to a shift.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from topology.hypercube.routing import HypercubeRouting


class Header(NamedTuple):
    """A header on the VC on which it arrived.

    Members:
        vc, key (int)
    """

    vc: int
    key: int


class Step(NamedTuple):
    """A possible next request of a header.

    Members:
        vc: Renamed by ``shift`` if it ends at a switch, which is then a representative.
        shift: Shift of the renaming; the header's key is now the old one ^ shift.
        delivers: It is the VC to a processor.
    """

    vc: int
    shift: int
    delivers: bool


class HypercubePaths:
    """Steps of headers from VC to VC.

    Members:
        shifts (tuple of int): All that leave the routing as it is, 0 among them.
        representatives (tuple of int): Switches, one for each set of those that shifts take to each other.
    """

    def __init__(self, routing: HypercubeRouting):
        self.routing = routing
        self.network = routing.network
        self.shifts = _shifts(routing)
        renamed = _least_names(self.network.switches, self.shifts)
        self.representatives = tuple(sorted(set(renamed)))
        self._masks = {
            vc: [masks.tolist() for masks in routing.masks(vc)]
            for switch in self.representatives
            for vc in self.network.input_channel[switch]
        }
        self._steps = {switch: self._steps_from(switch, renamed) for switch in self.representatives}
        self._known: dict[tuple[int, int], tuple[Step, ...]] = {}

    def _steps_from(self, switch: int, renamed: Sequence[int]) -> list[Step]:
        """Return the steps by output VC port."""
        steps = []
        for vc in self.network.output_channel[switch]:
            sink = self.network.channels[vc].sink
            delivers = not self.network.is_switch(sink)
            shift = 0 if delivers else sink ^ renamed[sink]
            steps.append(Step(self.shifted(vc, shift), shift, delivers))
        return steps

    def shifted(self, vc: int, shift: int) -> int:
        """Return the VC between switches that a VC is renamed to."""
        if shift == 0:
            return vc
        channel = self.network.channels[vc]
        return self.network.output_channel[channel.source ^ shift][channel.source_port]

    def starts(self) -> Iterator[Header]:
        """Yield the headers that hosts of representatives may send: to all other nodes, over any of their channels."""
        for switch in self.representatives:
            for vc in self.network.injection_channels_of(switch):
                yield from (Header(vc, key) for key in range(self.network.switches) if key != switch)

    def are_shortest(self) -> bool:
        """Return whether headers only ever leave in dimensions that remain, or are delivered."""
        remaining = np.arange(self.network.switches)
        allowed = np.full(len(remaining), 1 << self.network.dimensions * self.network.vcs)
        for dimension in range(self.network.dimensions):
            vcs = ((1 << self.network.vcs) - 1) << dimension * self.network.vcs
            allowed |= (remaining >> dimension & 1) * vcs
        return not any((np.array(masks) & ~allowed).any() for kinds in self._masks.values() for masks in kinds)

    def candidates(self, header: Header) -> tuple[Step, ...]:
        """Return the steps to the candidates of a header that is at a representative."""
        return self._following(header, 0)

    def escapes(self, header: Header) -> tuple[Step, ...]:
        """Return the steps to its escapes."""
        return self._following(header, 1)

    def _following(self, header: Header, kind: int) -> tuple[Step, ...]:
        switch = self.network.channels[header.vc].sink
        mask = self._masks[header.vc][kind][switch ^ header.key]
        if (switch, mask) not in self._known:  # far fewer than there are headers
            steps = self._steps[switch]
            self._known[switch, mask] = tuple(steps[port] for port in range(mask.bit_length()) if mask >> port & 1)
        return self._known[switch, mask]


def _shifts(routing: HypercubeRouting) -> tuple[int, ...]:
    """Return the shifts that take every switch to one with equal masks by remaining dimensions."""
    switches = np.arange(routing.network.switches)
    kinds: list[list[np.ndarray]] = []
    kind_of = np.array([_kind(routing, switch, kinds) for switch in switches.tolist()])
    return tuple(shift for shift in switches.tolist() if (kind_of[switches ^ shift] == kind_of).all())


def _kind(routing: HypercubeRouting, switch: int, kinds: list[list[np.ndarray]]) -> int:
    """Return the position of a switch's masks among the distinct ones, to which new ones are added."""
    own = [masks for vc in routing.network.input_channel[switch] for masks in routing.masks(vc)]
    for number, kind in enumerate(kinds):
        if all(a is b or np.array_equal(a, b) for a, b in zip(own, kind, strict=True)):
            return number
    kinds.append(own)
    return len(kinds) - 1


def _least_names(switches: int, shifts: Sequence[int]) -> list[int]:
    numbers = np.arange(switches)
    least = numbers.copy()
    for shift in shifts:
        np.minimum(least, numbers ^ shift, out=least)
    return least.tolist()
