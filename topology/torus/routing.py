"""Route candidates of a header (Sec. 2): dimension order, along the row first and then along the column.

A torus has rings, so the VCs of a channel fall into two classes, of which the first half of the VCs are class 0 and the
others class 1. A rule selects the class of a message when it leaves a switch:

===============  ==================================================================================================
``dally-seitz``  class 0 while the channel that closes the ring is ahead, this one included; class 1 otherwise
``dateline``     class 0 at first in each dimension, class 1 behind the channel that closes the ring
``balanced``     class 0 while that channel is ahead; otherwise either class, but class 1 alone behind that channel and
                 after a VC of class 1 in the same dimension
===============  ==================================================================================================

The first rule depends on coordinates alone, at every switch. The others depend on the VC on which the header arrived.
The third one allows all VCs to messages that do not cross the end of a ring. There is no circular wait: number the VCs
of class 0 along the ring up to the channel that closes it, and behind them those of class 1 from the first channel on.
A message that has that channel ahead stays in class 0 until it has taken it. Any other one goes from class 0 to class 1
but never back, and never over the end of the ring. So numbers only grow.

In a mesh every VC is good. With one VC in a torus there are no classes, and messages can wait in a ring: a negative
control.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from topology.common.errors import TopologyError
from topology.common.flits import HeaderFormat
from topology.common.routed_headers import RoutedHeaders, only_destination
from topology.torus.graph import TorusNetwork
from topology.torus.grid import (
    DIRECTIONS,
    X_NEGATIVE,
    X_POSITIVE,
    Y_NEGATIVE,
    Y_POSITIVE,
    Turns,
    along_row,
)
from topology.torus.header import KeyFormat, RoutingKey, torus_header

DALLY_SEITZ, DATELINE, BALANCED = VC_RULES = ("dally-seitz", "dateline", "balanced")
VC_RULES_IN_WORDS = f"{', '.join(VC_RULES[:-1])} or {VC_RULES[-1]}"
UNROUTABLE = 0
"""Empty mask of candidates."""


@dataclass(frozen=True)
class TorusRouting(RoutedHeaders):
    """A torus or mesh with its headers and its rule for virtual channels.

    Parameters:
        network
        flit_bits: Data bits of a flit; the routing key has to fit.
        vc_rule: One of ``VC_RULES``.

    Raises:
        TopologyError: If there is no such rule, or flits are too narrow.
    """

    network: TorusNetwork
    flit_bits: int
    vc_rule: str = DALLY_SEITZ

    def __post_init__(self):
        if self.vc_rule not in VC_RULES:
            raise TopologyError(f"vc_rule is {self.vc_rule!r}; it must be {VC_RULES_IN_WORDS}")
        _ = self.header

    @cached_property
    def header(self) -> HeaderFormat:
        """Header format."""
        return torus_header(self.network.grid, self.flit_bits)

    @cached_property
    def key_format(self) -> KeyFormat:
        """Layout of the routing key."""
        return KeyFormat(self.network.grid)

    @property
    def classed(self) -> bool:
        """True if virtual channels fall into classes."""
        return self.network.grid.wraps and self.network.vcs > 1

    def vc_class(self, vc: int) -> int:
        """Return the class of a VC between two switches; 0 for all if there are none.

        Parameters:
            vc: Channel of the network with VCs.
        """
        return int(self.classed and self.network.vc_of[vc] >= self.network.vcs // 2)

    @property
    def keeps_pairs(self) -> bool:
        """True if messages of one source to the same destinations keep their order."""
        vcs, rule = self.network.vcs, self.vc_rule
        return vcs == 1 or (vcs == 2 and self.classed and rule != BALANCED)

    def routing_key(self, source: int, destinations: Sequence[int], turns: Turns | None = None) -> int:
        """Return the routing key of a message.

        Parameters:
            source
            destinations: The one destination.
            turns: Directions in the two dimensions; default: the shorter ways.

        Raises:
            ValueError: If there are several destinations.
        """
        grid, destination = self.network.grid, only_destination(destinations)
        turns = grid.shortest(source, destination) if turns is None else turns
        return self.key_format.pack(RoutingKey.of(grid, destination, turns))

    def header_value(self, source: int, destinations: Sequence[int], turns: Turns | None = None) -> int:
        """Return the header of a message, as an integer.

        Parameters:
            source: Processor that sends it.
            destinations: One processor.
            turns: Default: the shorter way in each dimension.

        Raises:
            ValueError: If there are several destinations.
        """
        return self.header.pack((self.routing_key(source, destinations, turns), source))

    def candidates(self, vc: int, key: int) -> int:
        """Return the route candidates of a header at the switch where its VC ends.

        Parameters:
            vc: On which the header came.
            key: Its routing key.

        Returns:
            int: Mask of output VC ports, all of them VCs of one channel. 0 if the header is unroutable: the key names
                no node, the direction has no channel, dimension order does not allow the turn, or the message would go
                back to the host that it comes from.
        """
        network = self.network
        grid, fields = network.grid, self.key_format.unpack(key)
        if fields.column >= grid.columns or fields.row >= grid.rows:
            return UNROUTABLE
        switch = network.channels[vc].sink
        row, column = grid.position(switch)
        if fields.column != column:
            direction = Y_NEGATIVE if fields.y_negative else Y_POSITIVE
        elif fields.row != row:
            direction = X_NEGATIVE if fields.x_negative else X_POSITIVE
        else:
            return UNROUTABLE if network.direction_of[vc] is None else self._host_masks[switch]
        if not _may_turn(network.direction_of[vc], direction):
            return UNROUTABLE
        destination = grid.node(fields.row, fields.column)
        allowed = self._classes_out(vc, direction, switch, destination)
        return sum(mask for mask, good in zip(self._masks[switch][direction], allowed, strict=True) if good)

    def _classes_out(self, vc: int, direction: int, switch: int, destination: int) -> tuple[bool, bool]:
        """Return whether a header may take class 0, and class 1, when it leaves a switch in a direction."""
        if not self.classed:
            return True, False
        ahead = self.network.grid.wrap_ahead(switch, destination, direction)
        if self.vc_rule == DALLY_SEITZ:
            return ahead, not ahead
        goes_on = self.network.direction_of[vc] == direction
        high = goes_on and (self.network.closes_ring[vc] or self.vc_class(vc) == 1)
        return (not high, high) if self.vc_rule == DATELINE else (ahead or not high, not ahead)

    @cached_property
    def _masks(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """VC ports by switch, direction and class; without classes all are class 0."""
        network = self.network
        masks = []
        for switch in range(network.switches):
            by_class = [[0, 0] for _ in range(DIRECTIONS)]
            for vc in network.output_channel[switch]:
                direction = network.direction_of[vc]
                if direction is not None:
                    by_class[direction][self.vc_class(vc)] |= 1 << network.channels[vc].source_port
            masks.append(tuple((low, high) for low, high in by_class))
        return tuple(masks)

    @cached_property
    def _host_masks(self) -> tuple[int, ...]:
        """VC port to the host, by switch."""
        network = self.network
        return tuple(
            1 << network.channels[network.delivery_channel(node)].source_port for node in range(network.switches)
        )


def _may_turn(arrival: int | None, direction: int) -> bool:
    """Return whether dimension order allows a turn, from the direction of arrival (None: from the host)."""
    return arrival is None or arrival == direction or (along_row(arrival) and not along_row(direction))
