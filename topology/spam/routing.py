"""SPAM routing tables (Sec. 3.1 and 3.2): the outputs that a header may or must take at each switch.

A header travels to the lowest common ancestor L of its destinations (search phase, one output) and from there on takes
every tree channel that leads to a destination (split phase). Both are tables here:

* ``routes[switch, L, class of the arrival channel]`` is a mask of output ports, of which one is taken. All
  are equally near to L (the paper's selection function: distance from the channel's endpoint to the LCA).
* a mask of 0 means the split phase: the outputs are those whose ``reach`` holds a destination.

A mask is 0 exactly where the header is at L, or came down a tree channel at or below L, or cannot be there at all.

With ``ordering`` total every header goes up the tree to the root, past L where it lies below, and down tree channels
from there (``topology/common/total_order.py``). With ``pair`` a mask has one of the nearest outputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topology.common.ages import AGE, AGE_BITS, ROUND_ROBIN, check_age_fits
from topology.common.channels import MAX_PORTS, MAX_PROCESSORS
from topology.common.errors import TopologyError
from topology.common.flits import HeaderFormat, bits_for
from topology.common.graph import Network
from topology.common.hops import unpacked
from topology.common.part_headers import BIT_STRING, header_format
from topology.common.routed_headers import RoutedHeaders, has_no_choice
from topology.common.total_order import NO_ORDER, PAIR, TOTAL
from topology.spam.graph import CROSS, TREE, UP, SpamLabels


def spam_header(network: Network, flit_bits: int, kind: str = BIT_STRING, *, aged: bool = False) -> HeaderFormat:
    """Return the header format of a network.

    The key is the vertex number of the destinations' lowest common ancestor; for a unicast that is the
    destination itself, the set of destinations is never read and so is not sent.

    Parameters:
        flit_bits: Data bits of a flit.
        kind: Format of destination sets, one of ``HEADER_KINDS``.
        aged: Add the field for the age, behind the key.
    """
    key_bits = bits_for(network.vertices)
    if aged:
        check_age_fits(key_bits, flit_bits)
    age = ((AGE, AGE_BITS),) if aged else ()
    fields = (("lca", key_bits), *age, ("source", bits_for(len(network.processors))))
    return header_format(kind, fields, len(network.processors), flit_bits)


TABLES = ("routes", "reach")
FAST_ROUTING_CYCLES = 2
"""Routing cycles of routers with the fast pipeline."""


@dataclass(frozen=True)
class SpamRouting(RoutedHeaders):
    """Tables of a SPAM network.

    Parameters:
        labels
        flit_bits: Data bits of a flit, 8 to 512.
        up_after_down: Negative control: take shortest paths whatever channels came before, so that up links may follow
            down links. It deadlocks.
        header_kind: Format of destination sets in headers, one of ``HEADER_KINDS``.
        ordering: Order that receivers see, one of ``ORDERINGS``.
        arbitration: Choice among messages that wait for one output, one of ``ARBITRATIONS``.

    Members:
        routes (int64 array, shape (switches, vertices, 3)): Masks of candidate output ports by switch, LCA and class of
            the arrival channel; bit p is port p.
        reach (bool array, shape (switches, most ports, processors)): True if a tree output leads to a processor; all
            False for other outputs.

    Raises:
        TopologyError: If a switch has more than 32 ports or the network has more than 65,536 processors.
    """

    labels: SpamLabels
    flit_bits: int
    up_after_down: bool = False
    header_kind: str = BIT_STRING
    ordering: str = NO_ORDER
    arbitration: str = ROUND_ROBIN

    def __post_init__(self):
        network = self.network
        if len(network.processors) > MAX_PROCESSORS:
            raise TopologyError(
                f"A network may have at most {MAX_PROCESSORS:,} processors, not {len(network.processors):,}"
            )
        for switch in range(network.switches):
            if network.degree(switch) > MAX_PORTS:
                raise TopologyError(
                    f"Switch {network.switch_names[switch]} needs {network.degree(switch)} ports; "
                    f"routers have at most {MAX_PORTS}",
                    item=network.switch_names[switch],
                )

    @property
    def network(self):
        """The network that these tables are for."""
        return self.labels.network

    @cached_property
    def header(self) -> HeaderFormat:
        """Header format of this network."""
        return spam_header(self.network, self.flit_bits, self.header_kind, aged=self.arbitration == AGE)

    @property
    def follows_rules(self) -> bool:
        """True if ``routes`` and ``reach`` follow from the labels, and are not built yet.

        False if custom tables replace them, in a derived class or for this network.
        """
        own = type(self) is SpamRouting and not self.up_after_down and self.ordering != PAIR
        return own and vars(self).keys().isdisjoint(TABLES)

    @property
    def keeps_pairs(self) -> bool:
        """True if messages of one source to the same destinations keep their order."""
        return has_no_choice(self.network, self.routes)

    @property
    def switches_times_keys(self) -> int:
        """Rows of ``routes``."""
        return self.network.switches * self.network.vertices

    @cached_property
    def most_ports(self) -> int:
        """Ports of the largest switch."""
        return max(self.network.degree(switch) for switch in range(self.network.switches))

    @cached_property
    def routes(self) -> np.ndarray:
        table = np.zeros((self.network.switches, self.network.vertices, 3), dtype=np.int64)
        for switch in range(self.network.switches):
            for arrival in (UP, CROSS, TREE):
                table[switch, :, arrival] = self._nearest(switch, self._allowed(switch, arrival))
        return table

    def _allowed(self, switch: int, arrival: int) -> np.ndarray:
        """Return the ports that the search phase allows: bool array, shape (ports, vertices as L)."""
        labels, network = self.labels, self.network
        allowed = np.zeros((network.degree(switch), network.vertices), dtype=bool)
        if arrival == UP and self.ordering == TOTAL:
            upward = self.upward(switch)
            if upward:
                allowed[upward.bit_length() - 1] = True
                return allowed
            arrival = TREE  # at the root, where tree channels alone lead on
        for port, sink in enumerate(network.neighbours[switch]):
            kind = labels.channel_class[network.output_channel[switch][port]]
            if self.up_after_down and network.is_switch(sink):
                allowed[port] = ~labels.ancestor[:, switch] if kind == TREE else True
            elif kind == TREE:
                allowed[port] = labels.ancestor[sink]
            elif kind == UP:
                allowed[port] = arrival == UP
            elif arrival != TREE:
                allowed[port] = labels.extended_ancestor[sink]
        if arrival == TREE:
            allowed[:, labels.ancestor[:, switch]] = False  # at or below L: split phase
        allowed[:, switch] = False
        return allowed

    def upward(self, switch: int) -> int:
        """Return the mask of the output that leads to a switch's tree parent; 0 at the root.

        Parameters:
            switch

        Returns:
            Bit p for port p.
        """
        labels, network = self.labels, self.network
        if switch == labels.root:
            return 0
        return 1 << network.neighbours[switch].index(int(labels.parent[switch]))

    def _nearest(self, switch: int, allowed: np.ndarray) -> np.ndarray:
        """Return the allowed ports nearest to L (selection function), as masks, shape (vertices,)."""
        network = self.network
        here = self._hops_modulo_3(switch)
        ahead = np.stack([self._hops_modulo_3(sink) for sink in network.neighbours[switch]])
        farther = np.where(allowed, (ahead - here + 4) % 3, 3)  # 0: one hop nearer, 1: as near, 2: one farther
        nearest = allowed & (farther == farther.min(axis=0))
        if self.ordering == PAIR:
            # the k-th one for L = k, modulo their number, spreads the load
            turn = np.arange(network.vertices) % np.maximum(nearest.sum(axis=0), 1)
            nearest &= nearest.cumsum(axis=0) == turn + 1
        weights = (1 << np.arange(network.degree(switch), dtype=np.int64))[:, np.newaxis]
        return (nearest * weights).sum(axis=0)

    def _hops_modulo_3(self, vertex: int) -> np.ndarray:
        """Return the distances from a vertex to all vertices modulo 3, which suffices for routing; int8[vertices]."""
        network, switches = self.network, self.network.switches
        home = vertex if network.is_switch(vertex) else network.processors[vertex - switches]
        bits = network.hops
        hops = (unpacked(bits.low[home], switches) + 2 * unpacked(bits.high[home], switches)).astype(np.int8)
        hops = np.concatenate((hops, hops[list(network.processors)] + 1))
        if home != vertex:
            hops += 1
            hops[vertex] = 0
        return hops % 3

    @cached_property
    def reach(self) -> np.ndarray:
        network = self.network
        table = np.zeros((network.switches, self.most_ports, len(network.processors)), dtype=bool)
        for switch in range(network.switches):
            for port, sink in enumerate(network.neighbours[switch]):
                if self.labels.channel_class[network.output_channel[switch][port]] == TREE:
                    table[switch, port] = self.labels.ancestor[sink, network.switches :]
        return table

    @property
    def multicast_keys(self) -> range:
        """Keys of headers to several destinations: the switches."""
        return range(self.network.switches)

    def routing_key(self, _source: int, destinations: Sequence[int]) -> int:
        """Return the lowest common ancestor, the header's first field; it does not depend on the source."""
        return self.labels.lowest_common_ancestor(destinations)
