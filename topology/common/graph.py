"""Undirected networks of switches with processors as leaves.

The ports of a switch are its neighbours in ascending vertex number, so switch links come first and processor links
last. Every link is two directed channels, which have the same port number at either end.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from topology.common.channels import Channel, ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.hops import HopBits, hop_bits

Vertex = TypeVar("Vertex", bound=Hashable)


def connected_parts(vertices: Iterable[Vertex], edges: Iterable[tuple[Vertex, Vertex]]) -> list[list[Vertex]]:
    """Return the parts in the order of their first vertices.

    Every network is checked with this; loading NetworkX takes longer than building most networks.

    Parameters:
        edges (iterable of (vertex, vertex))

    >>> connected_parts(range(5), [(0, 2), (4, 3), (2, 4)])
    [[0, 2, 4, 3], [1]]
    """
    neighbours: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in vertices}
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    parts, seen = [], set()
    for first in neighbours:
        if first in seen:
            continue
        seen.add(first)
        part = [first]
        for vertex in part:  # grows while it is read
            new = [other for other in dict.fromkeys(neighbours[vertex]) if other not in seen]
            seen.update(new)
            part += new
        parts.append(part)
    return parts


NO_LINK_CYCLES: Mapping[tuple[int, ...], int] = {}


class Network(ChannelNetwork):
    """A connected, undirected network of switches with processors as leaves.

    Parameters:
        switches: Number of switches, at least 1.
        edges (iterable of (int, int)): Links between switches.
        processors: ``processors[i]`` is the switch on which processor ``i`` hangs.
        ports: Largest number of links a switch may have; None sets no bound.
        switch_names: Names for messages and pictures; default ``s0``, ``s1``, ...
        positions (array of float, shape (switches, 2), or None): Positions of the switches in pictures.
        link_cycles (mapping of (int, int) or (int, int, int) to int): Cycles of channels between two switches, by
            source and sink, where the network gives them; each direction of a link for itself. A third number is the
            position among parallel links; without it all of them are meant.
        parallel_links: Two switches may have several links, each with two channels of its own; otherwise a second one
            is an error.

    Raises:
        TopologyError: For an unknown node, a loop, a duplicate edge, too many ports, no processor, or a disconnected
            graph.
    """

    def __init__(
        self,
        switches: int,
        edges: Iterable[tuple[int, int]],
        processors: Sequence[int],
        *,
        ports: int | None = None,
        switch_names: Sequence[str] | None = None,
        positions: np.ndarray | None = None,
        link_cycles: Mapping[tuple[int, ...], int] = NO_LINK_CYCLES,
        parallel_links: bool = False,
    ):
        if switches < 1:
            raise TopologyError(f"A network must have at least 1 switch, not {switches!r}")
        self.edges = _checked_edges(switches, edges, parallel_links)
        if not processors:
            raise TopologyError("A network must have at least 1 processor, not 0")
        for processor, switch in enumerate(processors):
            if not 0 <= switch < switches:
                raise TopologyError(
                    f"Processor {processor} hangs on unknown switch {switch!r}; switches are 0 to {switches - 1}",
                    item=str(switch),
                )
        self.neighbours = _neighbours(switches, self.edges, processors)
        wires = _wires(self.neighbours)
        super().__init__(switches, len(processors), wires, switch_names=switch_names, positions=positions)
        self.channel_cycles = {
            channel.index: cycles
            for channel in self.channels
            if (cycles := self._cycles_of(channel, link_cycles)) is not None
        }
        self._check_ports(ports)
        self._check_connected()

    def parallel_position(self, source: int, source_port: int) -> int:
        """Return the position of an output's link among the parallel links to the same vertex; 0 for the first one.

        Parameters:
            source, source_port (int): Vertex and port.

        Returns:
            int
        """
        found = self.neighbours[source]
        return found[:source_port].count(found[source_port])

    def _cycles_of(self, channel: Channel, link_cycles: Mapping[tuple[int, ...], int]) -> int | None:
        ends = (channel.source, channel.sink)
        position = self.parallel_position(channel.source, channel.source_port)
        return link_cycles.get((*ends, position), link_cycles.get(ends))

    def _check_ports(self, ports: int | None) -> None:
        if ports is None:
            return
        for switch in range(self.switches):
            if self.degree(switch) > ports:
                raise TopologyError(
                    f"Switch {self.switch_names[switch]} needs {self.degree(switch)} ports; "
                    f"a switch of this network may have at most {ports}",
                    item=self.switch_names[switch],
                )

    def _check_connected(self) -> None:
        parts = connected_parts(range(self.switches), self.edges)
        if len(parts) > 1:
            stray = sorted(min(parts, key=len))
            names = ", ".join(self.switch_names[switch] for switch in stray[:5])
            raise TopologyError(
                f"The network is disconnected: it falls into {len(parts)} parts; "
                f"switch {names}{' ...' if len(stray) > 5 else ''} cannot reach the rest"
            )

    def degree(self, vertex: int) -> int:
        """Return the number of ports in use at a vertex.

        Parameters:
            vertex: Of a switch or a processor.
        """
        return len(self.neighbours[vertex])

    @cached_property
    def distance(self) -> np.ndarray:
        """Hops between any two vertices of the undirected network, int32, shape (vertices, vertices)."""
        import networkx as nx  # not for making a network

        graph = self.switch_graph.copy()
        graph.add_edges_from((switch, self.switches + i) for i, switch in enumerate(self.processors))
        table = np.zeros((self.vertices, self.vertices), dtype=np.int32)
        for source, lengths in nx.all_pairs_shortest_path_length(graph):
            for sink, hops in lengths.items():
                table[source, sink] = hops
        return table

    @cached_property
    def hops(self) -> HopBits:
        """Hops between any two switches modulo 3, and the farthest ones: a small part of what ``distance`` takes."""
        switches = range(self.switches)
        return hop_bits([[other for other in self.neighbours[switch] if self.is_switch(other)] for switch in switches])

    def centre(self) -> int:
        """Return the switch whose farthest switch is nearest; of several the lowest number."""
        return int(np.argmin(self.hops.eccentricity))


def _checked_edges(switches: int, edges: Iterable[tuple[int, int]], parallel: bool) -> tuple[tuple[int, int], ...]:
    seen: set[tuple[int, int]] = set()
    found: list[tuple[int, int]] = []
    for a, b in edges:
        text = f"[{a}, {b}]"
        for end in (a, b):
            if not 0 <= end < switches:
                raise TopologyError(
                    f"Edge {text} names unknown switch {end!r}; switches are 0 to {switches - 1}", item=text
                )
        if a == b:
            raise TopologyError(f"Edge {text} is a loop; an edge must join two different switches", item=text)
        edge = (min(a, b), max(a, b))
        if edge in seen and not parallel:
            raise TopologyError(
                f"Edge {text} is a duplicate; each pair of switches may have one link "
                "(parallel_links: channels allows several)",
                item=text,
            )
        seen.add(edge)
        found.append(edge)
    return tuple(sorted(found))


def _neighbours(
    switches: int, edges: Iterable[tuple[int, int]], processors: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    neighbours: list[list[int]] = [[] for _ in range(switches + len(processors))]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    for processor, switch in enumerate(processors):
        neighbours[switch].append(switches + processor)
        neighbours[switches + processor].append(switch)
    return tuple(tuple(sorted(found)) for found in neighbours)


def _wires(neighbours: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, int, int]]:
    """Yield two channels per link, between ports that are numbered by neighbour; parallel links are paired in order."""
    ports_to: list[dict[int, list[int]]] = [{} for _ in neighbours]
    for vertex, found in enumerate(neighbours):
        for port, neighbour in enumerate(found):
            ports_to[vertex].setdefault(neighbour, []).append(port)
    for source, found in enumerate(ports_to):
        for sink, ports in found.items():
            for port, sink_port in zip(ports, ports_to[sink][source], strict=True):
                yield source, port, sink, sink_port
