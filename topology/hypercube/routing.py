"""Route candidates of a header: Duato's adaptive routing (Sec. 3, assumption e), and two rules that deadlock.

The *remaining* dimensions of a header are the bits in which the switch and the destination differ. A channel in any of
them is on a shortest path. A rule says which VCs of these channels a header is given, as candidates, of which the
router takes any that it can have, and as escapes, which come after them:

=================  ================================================================================================
``duato``          candidates: all VCs but the last one, of all remaining dimensions; escape: the last VC of the
                   lowest of them. With one VC that is the escape alone, and dimension order
``adaptive-only``  candidates: all VCs of all remaining dimensions. A negative control, with a deadlock from 2
                   dimensions on
``wrong-escape``   as ``duato``, but switches with an odd number of ones in their number give the last VC of the
                   highest remaining dimension. A negative control, with a deadlock from 2 dimensions on
=================  ================================================================================================

A header at its destination has the delivery channel as its candidate. Headers have no candidate

* back to the host that the header comes from;
* for a header that arrived over a dimension that remains. It has been sent away from its destination, which no switch
  does: it is bad input, and is drained. So no worm ever turns round, and an input needs no connection to the output
  of its own dimension.

All other headers are legal. Every number that fits the key names a node. No switch sends a header on an escape channel
while a lower dimension remains, but such a header would be on a shortest path, and its detection would take logic in
every input. So it is routed like all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topology.common.errors import TopologyError
from topology.common.flits import HeaderFormat
from topology.common.routed_headers import RoutedHeaders, only_destination, unicast_header
from topology.hypercube.graph import HypercubeNetwork

DUATO, ADAPTIVE_ONLY, WRONG_ESCAPE = RULES = ("duato", "adaptive-only", "wrong-escape")
RULES_IN_WORDS = f"{', '.join(RULES[:-1])} or {RULES[-1]}"
UNROUTABLE = 0
"""Empty mask of candidates or escapes."""


def parity(switch: int) -> int:
    """Return 1 if a switch has an odd number of ones in its number; its neighbours have the other parity."""
    return switch.bit_count() & 1


@dataclass(frozen=True)
class HypercubeRouting(RoutedHeaders):
    """A hypercube with its headers and its rule.

    Parameters:
        network
        flit_bits: Data bits of a flit; the routing key has to fit.
        rule: One of ``RULES``.

    Raises:
        TopologyError: If there is no such rule, or flits are too narrow.
    """

    network: HypercubeNetwork
    flit_bits: int
    rule: str = DUATO

    def __post_init__(self):
        if self.rule not in RULES:
            raise TopologyError(f"Rule is {self.rule!r}; it must be {RULES_IN_WORDS}", item=str(self.rule))
        _ = self.header

    @cached_property
    def header(self) -> HeaderFormat:
        """Header format: a bit of key and source for every dimension, and no bit string, as copies are messages."""
        return unicast_header(self.network.dimensions, self.network.dimensions, self.flit_bits)

    @property
    def adaptive_vcs(self) -> int:
        """Number of virtual channels, the first ones of a channel, that are candidates."""
        return self.network.vcs if self.rule == ADAPTIVE_ONLY else self.network.vcs - 1

    @property
    def keeps_pairs(self) -> bool:
        """True if messages of one source to the same destinations keep their order."""
        network = self.network
        return network.vcs == 1 and self.rule == DUATO and network.injection_channels_per_processor == 1

    def routing_key(self, _source: int, destinations: Sequence[int]) -> int:
        """Return the routing key of a message: the number of its destination.

        Raises:
            ValueError: If there are several destinations.
        """
        return only_destination(destinations)

    def candidates(self, vc: int, key: int) -> int:
        """Return the route candidates of a header at the switch where its VC ends.

        Parameters:
            vc: On which the header came.
            key: Its routing key.

        Returns:
            Mask of output VC ports; 0 if there is none. A header that has no escapes either is unroutable.
        """
        return self._mask(0, vc, key)

    def escapes(self, vc: int, key: int) -> int:
        """Return the escape channels of a header, for when no candidate is available; see ``candidates``.

        Parameters:
            vc: Channel of the network with VCs on which the header has come.
            key: The header's routing key: its destination.
        """
        return self._mask(1, vc, key)

    def _mask(self, kind: int, vc: int, key: int) -> int:
        if not 0 <= key < self.network.switches:
            return UNROUTABLE
        return int(self.masks(vc)[kind][self.network.channels[vc].sink ^ key])

    def masks(self, vc: int) -> tuple[np.ndarray, np.ndarray]:
        """Return ``candidates`` and ``escapes`` of all headers that arrive on a VC at a switch.

        Parameters:
            vc: Channel of the network with VCs into a switch.

        Returns:
            candidates, escapes : int64 array, shape (nodes,): By remaining dimensions: position r is for the key in
                which the bits of r differ from the switch's number. They cannot be written to.
        """
        return self._masks[parity(self.network.channels[vc].sink)][self.network.dimension_of[vc]]

    @cached_property
    def _masks(self) -> tuple[dict[int | None, tuple[np.ndarray, np.ndarray]], ...]:
        """By parity of the switch and dimension of the VC."""
        arrivals = (None, *range(self.network.dimensions))
        return tuple(
            {arrival: self._masks_behind(arrival, escapes) for arrival in arrivals}
            for escapes in self.escapes_by_remaining
        )

    def _masks_behind(self, arrival: int | None, escapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        remaining = np.arange(self.network.switches)
        stray = remaining == 0 if arrival is None else remaining >> arrival & 1 == 1
        masks = np.where(stray, UNROUTABLE, self.candidates_by_remaining), np.where(stray, UNROUTABLE, escapes)
        for shared_by_vcs in masks:
            shared_by_vcs.setflags(write=False)
        return masks

    @cached_property
    def candidates_by_remaining(self) -> np.ndarray:
        """Candidates by the mask of remaining dimensions, at all switches and however the header came; int64[nodes]."""
        remaining, vcs = np.arange(self.network.switches), self.network.vcs
        adaptive = (1 << self.adaptive_vcs) - 1
        masks = np.zeros(len(remaining), dtype=np.int64)
        for dimension in range(self.network.dimensions):
            masks |= (remaining >> dimension & 1) * (adaptive << dimension * vcs)
        masks[0] = 1 << self.network.dimensions * vcs  # the delivery channel
        return masks

    @cached_property
    def escapes_by_remaining(self) -> np.ndarray:
        """Escapes by parity of the switch and mask of remaining dimensions; int64[2, nodes]."""
        masks = np.zeros((2, self.network.switches), dtype=np.int64)
        if self.rule == ADAPTIVE_ONLY:
            return masks
        for remaining in range(1, self.network.switches):
            lowest, highest = (remaining & -remaining).bit_length() - 1, remaining.bit_length() - 1
            masks[0, remaining] = self._escape(lowest)
            masks[1, remaining] = self._escape(highest if self.rule == WRONG_ESCAPE else lowest)
        return masks

    def _escape(self, dimension: int) -> int:
        return 1 << (dimension + 1) * self.network.vcs - 1
