"""Networks of switches and processors, with numbered ports and named channels.

Vertices are numbered ``0 .. switches-1`` for switches and ``switches .. switches+processors-1`` for
processors. The ports of a switch are its neighbours in ascending vertex number, so switch links come
first and processor links last. Every edge is two directed channels. Channels are numbered by source
vertex, then by source port; that number is the channel's position in the ``moved`` vector, in every
array of the golden model and in the manifest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx
import numpy as np

from topology.common.errors import TopologyError


@dataclass(frozen=True)
class Channel:
    """One direction of a link.

    Members
    -------
    index : int
        Position in ``moved`` and in all channel arrays.
    source, source_port, sink, sink_port : int
        Vertices and their ports; the only port of a processor is 0.
    name : str
        For people: ``s3->s5``, ``p2->s1`` (injection), ``s1->p2`` (delivery).
    """

    index: int
    source: int
    source_port: int
    sink: int
    sink_port: int
    name: str


class Network:
    """A connected, undirected network of switches with processors as leaves.

    Parameters
    ----------
    switches : int
        Number of switches, at least 1.
    edges : iterable of (int, int)
        Links between switches.
    processors : sequence of int
        ``processors[i]`` is the switch on which processor ``i`` hangs.
    ports : int or None
        Largest number of links a switch may have; None sets no bound.
    switch_names : sequence of str or None
        Names for messages and pictures; default ``s0``, ``s1``, ...
    positions : array of float, shape (switches, 2), or None
        Where to draw the switches.

    Raises
    ------
    TopologyError
        For an unknown node, a loop, a duplicate edge, too many ports, no processor, or a disconnected graph.
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
    ):
        if switches < 1:
            raise TopologyError(f"A network must have at least 1 switch, not {switches!r}")
        self.switches = switches
        self.processors = tuple(processors)
        self.switch_names = tuple(switch_names) if switch_names is not None else tuple(f"s{i}" for i in range(switches))
        self.positions = positions
        self.edges = self._checked_edges(edges)
        if not self.processors:
            raise TopologyError("A network must have at least 1 processor, not 0")
        for processor, switch in enumerate(self.processors):
            if not 0 <= switch < switches:
                raise TopologyError(
                    f"Processor {processor} hangs on unknown switch {switch!r}; switches are 0 to {switches - 1}",
                    item=str(switch),
                )
        self.neighbours = self._neighbours()
        self._check_ports(ports)
        self._check_connected()

    def _checked_edges(self, edges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        seen: set[tuple[int, int]] = set()
        for a, b in edges:
            text = f"[{a}, {b}]"
            for end in (a, b):
                if not 0 <= end < self.switches:
                    raise TopologyError(
                        f"Edge {text} names unknown switch {end!r}; switches are 0 to {self.switches - 1}", item=text
                    )
            if a == b:
                raise TopologyError(f"Edge {text} is a loop; an edge must join two different switches", item=text)
            edge = (min(a, b), max(a, b))
            if edge in seen:
                raise TopologyError(f"Edge {text} is a duplicate; each pair of switches may have one link", item=text)
            seen.add(edge)
        return tuple(sorted(seen))

    def _neighbours(self) -> tuple[tuple[int, ...], ...]:
        neighbours: list[list[int]] = [[] for _ in range(self.vertices)]
        for a, b in self.edges:
            neighbours[a].append(b)
            neighbours[b].append(a)
        for processor, switch in enumerate(self.processors):
            vertex = self.switches + processor
            neighbours[switch].append(vertex)
            neighbours[vertex].append(switch)
        return tuple(tuple(sorted(found)) for found in neighbours)

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
        parts = list(nx.connected_components(self.switch_graph))
        if len(parts) > 1:
            stray = sorted(min(parts, key=len))
            names = ", ".join(self.switch_names[switch] for switch in stray[:5])
            raise TopologyError(
                f"The network is disconnected: it falls into {len(parts)} parts; "
                f"switch {names}{' ...' if len(stray) > 5 else ''} cannot reach the rest"
            )

    @property
    def vertices(self) -> int:
        """Number of switches and processors together."""
        return self.switches + len(self.processors)

    def degree(self, vertex: int) -> int:
        """Number of ports in use at a vertex."""
        return len(self.neighbours[vertex])

    def processor_vertex(self, processor: int) -> int:
        """Vertex number of a processor."""
        return self.switches + processor

    def is_switch(self, vertex: int) -> bool:
        """Whether a vertex is a switch."""
        return vertex < self.switches

    def vertex_name(self, vertex: int) -> str:
        """Name of a vertex for people."""
        return self.switch_names[vertex] if self.is_switch(vertex) else f"p{vertex - self.switches}"

    @cached_property
    def switch_graph(self) -> nx.Graph:
        """The switches alone."""
        graph = nx.Graph()
        graph.add_nodes_from(range(self.switches))
        graph.add_edges_from(self.edges)
        return graph

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """All directed channels, by source vertex and then source port."""
        channels: list[Channel] = []
        for source, neighbours in enumerate(self.neighbours):
            for port, sink in enumerate(neighbours):
                name = f"{self.vertex_name(source)}->{self.vertex_name(sink)}"
                channels.append(Channel(len(channels), source, port, sink, self.neighbours[sink].index(source), name))
        return tuple(channels)

    @cached_property
    def output_channel(self) -> tuple[tuple[int, ...], ...]:
        """``output_channel[vertex][port]``: the channel that leaves there."""
        outputs: list[list[int]] = [[] for _ in range(self.vertices)]
        for channel in self.channels:
            outputs[channel.source].append(channel.index)
        return tuple(tuple(row) for row in outputs)

    @cached_property
    def input_channel(self) -> tuple[tuple[int, ...], ...]:
        """``input_channel[vertex][port]``: the channel that arrives there."""
        inputs = [[0] * len(row) for row in self.neighbours]
        for channel in self.channels:
            inputs[channel.sink][channel.sink_port] = channel.index
        return tuple(tuple(row) for row in inputs)

    def injection_channel(self, processor: int) -> int:
        """The channel from a processor into its switch."""
        return self.output_channel[self.processor_vertex(processor)][0]

    def delivery_channel(self, processor: int) -> int:
        """The channel from a switch to its processor."""
        return self.input_channel[self.processor_vertex(processor)][0]

    @cached_property
    def distance(self) -> np.ndarray:
        """Hops between any two vertices of the undirected network, int32, shape (vertices, vertices)."""
        graph = self.switch_graph.copy()
        graph.add_edges_from((switch, self.switches + i) for i, switch in enumerate(self.processors))
        table = np.zeros((self.vertices, self.vertices), dtype=np.int32)
        for source, lengths in nx.all_pairs_shortest_path_length(graph):
            for sink, hops in lengths.items():
                table[source, sink] = hops
        return table

    def centre(self) -> int:
        """The switch whose farthest switch is nearest; lowest number of several."""
        eccentricity = self.distance[: self.switches, : self.switches].max(axis=1)
        return int(np.argmin(eccentricity))
