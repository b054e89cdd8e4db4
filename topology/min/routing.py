"""Routing tables of multistage networks: destination tags, turnaround, and bit strings (Sec. 2.3, 4.2 and 4.3).

A unicast's key is its destination. In a unidirectional network that determines every output; in a bidirectional one a
message goes up, by any free port, until the destination is to the left of the switch, and there turns round. A
multicast carries a bit string; its key gives the stage of its turn, because no branches are made on the way up:

* ``routes[switch, key, class of the arrival channel]`` is a mask of output ports, of which one is taken;
* a mask of 0 means a tree operation: the outputs are those whose ``reach`` holds a destination.

With ``ordering`` total every message of a bidirectional network goes up by the first right port of each switch, to the
one switch of the last stage where all of them turn round (``topology/common/total_order.py``). With ``pair`` the key
selects the port, so no message has a choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topology.common.flits import HeaderFormat, bits_for
from topology.common.part_headers import BIT_STRING, header_format
from topology.common.routed_headers import RoutedHeaders, has_no_choice
from topology.common.total_order import NO_ORDER, PAIR, TOTAL
from topology.min.graph import BACKWARD, FORWARD, MinNetwork
from topology.min.groups import TokenGroups, branch_ports
from topology.min.intervals import BranchIntervals, branch_intervals

TABLES = ("routes", "reach")


@dataclass(frozen=True)
class MinRouting(RoutedHeaders):
    """Tables of a multistage network.

    Parameters:
        network
        flit_bits: Data bits of a flit, 8 to 512.
        header_kind: Format of destination sets in headers, one of ``HEADER_KINDS``.
        ordering: Order that receivers see, one of ``ORDERINGS``. Tables of a unidirectional network are the same for
            all.

    Members:
        keys: Number of routing keys: one per processor, and one per stage at which a multicast may turn round (in
            unidirectional networks one).
        classes: Classes of arrival channels.
        routes (int64 array, shape (switches, keys, classes)): Masks of candidate output ports.
        reach (bool array, shape (switches, most ports, processors)): True if a message that branches at an output
            reaches a processor.
        groups
    """

    network: MinNetwork
    flit_bits: int
    header_kind: str = BIT_STRING
    ordering: str = NO_ORDER

    @property
    def turns_at_top(self) -> bool:
        """True if all messages turn round at one switch."""
        return self.ordering == TOTAL

    @property
    def keys(self) -> int:
        return len(self.network.processors) + (self.network.stages if self.network.bidirectional else 1)

    @property
    def classes(self) -> int:
        return 2 if self.network.bidirectional else 1

    @cached_property
    def groups(self) -> TokenGroups:
        return TokenGroups(self.network)

    @cached_property
    def header(self) -> HeaderFormat:
        """Header format of this network: the routing key, the source, and in multicasts the destinations."""
        processors = len(self.network.processors)
        fields = (("key", bits_for(self.keys)), ("source", bits_for(processors)))
        return header_format(self.header_kind, fields, processors, self.flit_bits)

    @cached_property
    def intervals(self) -> BranchIntervals | None:
        """Intervals that ``reach`` follows from; they grow as the network and not as its square."""
        return branch_intervals(self.network)

    @property
    def follows_rules(self) -> bool:
        """True if ``routes`` and ``reach`` follow from the network, and are not built yet.

        False if custom tables replace them, in a derived class or for this network.
        """
        own = type(self) is MinRouting and vars(self).keys().isdisjoint(TABLES)
        return own and self.ordering != PAIR and self.intervals is not None

    @property
    def keeps_pairs(self) -> bool:
        """True if messages of one source to the same destinations keep their order."""
        return has_no_choice(self.network, self.routes)

    @property
    def switches_times_keys(self) -> int:
        """Rows of ``routes``, those of all classes counted."""
        return self.network.switches * self.keys * self.classes

    @cached_property
    def most_ports(self) -> int:
        """Outputs of the largest switch."""
        return max(len(self.network.output_channel[switch]) for switch in range(self.network.switches))

    @cached_property
    def reach(self) -> np.ndarray:
        network = self.network
        table = np.zeros((network.switches, self.most_ports, len(network.processors)), dtype=bool)
        done: set[int] = set()

        def fill(switch: int) -> None:
            if switch in done:
                return
            done.add(switch)
            for port in branch_ports(network, switch):
                sink = network.channels[network.output_channel[switch][port]].sink
                if network.is_switch(sink):
                    fill(sink)
                    table[switch, port] = table[sink].any(axis=0)
                else:
                    table[switch, port, sink - network.switches] = True

        for switch in range(network.switches):
            fill(switch)
        return table

    @cached_property
    def routes(self) -> np.ndarray:
        network, processors = self.network, len(self.network.processors)
        table = np.zeros((network.switches, self.keys, self.classes), dtype=np.int64)
        weights = (1 << np.arange(self.most_ports, dtype=np.int64))[:, np.newaxis]
        for switch, position in enumerate(network.switch_positions):
            onward = (self.reach[switch] * weights).sum(axis=0)  # one output at most leads to a processor
            table[switch, :processors, :] = onward[:, np.newaxis]
            upward = self._upward_by_key(switch)
            if upward.any():
                unicast = (onward == 0) | self.turns_at_top
                multicast = (np.arange(network.stages) > position.stage) | self.turns_at_top
                table[switch, :processors, FORWARD] = np.where(unicast, upward[:processors], onward)
                table[switch, processors:, FORWARD] = np.where(multicast, upward[processors:], 0)
        return table

    def _upward_by_key(self, switch: int) -> np.ndarray:
        """Return the mask of the outputs to the next stage by key: with ``pair`` only one of them."""
        mask = self.upward(switch)
        if self.ordering != PAIR or not mask:
            return np.full(self.keys, mask)
        return 1 << self.network.radix + np.arange(self.keys) % mask.bit_count()

    def upward(self, switch: int) -> int:
        """Return the mask of the outputs to the next stage that a message may take; 0 where there are none.

        Parameters:
            switch

        Returns:
            Bit p for port p.
        """
        if not self.network.bidirectional:
            return 0
        radix, outputs = self.network.radix, len(self.network.output_channel[switch])
        ports = range(radix, min(outputs, radix + 1) if self.turns_at_top else outputs)
        return sum(1 << port for port in ports)

    def input_class(self, channel: int) -> int:
        """Return the class of an arrival channel: FORWARD, or BACKWARD in bidirectional networks.

        Parameters:
            channel
        """
        return self.network.input_class(channel)

    def turn_stage(self, source: int, destinations: Sequence[int]) -> int:
        """Return the lowest stage from whose switches on the way up all destinations are to the left, or the last one.

        With custom reach sets there may be none; unreached destinations are lost then, and ``check`` reports it.

        Parameters:
            source: Processor.
            destinations: Processors.
        """
        network = self.network
        switch, stage = network.processors[source], 0
        while stage + 1 < network.stages and not self._leads_to(switch, destinations):
            up = network.output_channel[switch][network.radix]
            switch, stage = network.channels[up].sink, stage + 1
        return stage

    def _leads_to(self, switch: int, destinations: Sequence[int]) -> bool:
        """Return whether all destinations are behind the branches of a switch."""
        if not self.follows_rules or self.intervals is None:
            return bool(self.reach[switch][:, list(destinations)].any(axis=0).all())
        places = self.intervals.place[list(destinations)]
        begin, end = self.intervals.switch_begin[switch], self.intervals.switch_end[switch]
        return bool(begin <= places.min() and places.max() < end)

    @property
    def multicast_keys(self) -> range:
        """Keys of headers to several destinations."""
        return range(len(self.network.processors), self.keys)

    def routing_key(self, source: int, destinations: Sequence[int]) -> int:
        """Return the routing key of a message."""
        if len(destinations) == 1:
            return destinations[0]
        turn = self.turn_stage(source, destinations) if self.network.bidirectional else 0
        return len(self.network.processors) + turn


ARRIVAL_CLASSES = {FORWARD: "forward", BACKWARD: "backward"}
