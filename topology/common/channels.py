"""Base of all networks: switches, processors, and directed channels between numbered ports.

Vertices are numbered ``0 .. switches-1`` for switches and ``switches .. switches+processors-1`` for processors.
Channels are numbered by source vertex, then by source port; that number is the channel's position in the ``moved``
vector, in every array of the golden model and in the manifest. A processor sends into one channel, or into several to
the same switch where a network says so, and receives from one or more delivery channels, which are its input ports.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topology.common.errors import TopologyError

if TYPE_CHECKING:
    import networkx as nx

MAX_PORTS = 32
"""Maximum number of ports of a switch on either side: wider routers have not been tested."""
MAX_PROCESSORS = 65_536
"""In the golden model (docs/understand/scale.md); ``rtl/generator/router_parameters.py`` has hardware's limits."""


class Channel(NamedTuple):
    """One direction of a link.

    Members:
        index: Position in ``moved`` and in all channel arrays.
        source, source_port, sink, sink_port (int): Vertices and their ports.
        name: For people, unique: ``s3->s5``, ``s3->s5#2`` (parallel), ``p2->s1`` (injection), ``s1->p2`` (delivery).
    """

    index: int
    source: int
    source_port: int
    sink: int
    sink_port: int
    name: str


class ChannelNetwork:
    """A network of switches and processors, given by its channels.

    Parameters:
        switches: Number of switches, at least 1.
        processors: Number of processors, at least 1.
        wires (iterable of (int, int, int, int)): Source vertex, source port, sink vertex and sink port of every
            channel. Ports of a vertex are numbered from 0 without gaps, inputs and outputs by themselves. Processors
            have channels to switches only.
        switch_names: Names for messages and pictures; default ``s0``, ``s1``, ...
        positions (array of float, shape (switches, 2), or None): Positions of the switches in pictures.
        injection_channels_per_processor: Outputs that each processor has, all of them to the same switch.

    Members:
        processors (tuple of int): The switch that each processor sends into.
        injection_channels_per_processor
        channel_cycles (mapping of int to int): Cycles of those channels between switches whose length the network
            gives, by channel; none by default.
        shape (tuple of int, or None): Switches along each dimension, where they stand in a grid: the one at
            ``(x, y, ...)`` has number ``x + shape[0] * (y + ...)``. All of them have as many processors, which are
            numbered switch by switch.

    Raises:
        TopologyError: For too few switches or processors, an unknown vertex, ports with gaps, injection channels
            that are too many, too few or to several switches, or two channels of one name.
    """

    def __init__(
        self,
        switches: int,
        processors: int,
        wires: Iterable[tuple[int, int, int, int]],
        *,
        switch_names: Sequence[str] | None = None,
        positions: np.ndarray | None = None,
        injection_channels_per_processor: int = 1,
    ):
        if switches < 1:
            raise TopologyError(f"A network must have at least 1 switch, not {switches!r}")
        if processors < 1:
            raise TopologyError(f"A network must have at least 1 processor, not {processors!r}")
        self.switches = switches
        self.vertices = switches + processors
        self.switch_names = tuple(switch_names) if switch_names is not None else tuple(f"s{i}" for i in range(switches))
        self.positions = positions
        self.injection_channels_per_processor = injection_channels_per_processor
        self.channels = tuple(self._channels(wires))
        self.channel_cycles: Mapping[int, int] = {}
        self.shape: tuple[int, ...] | None = None
        self.output_channel = self._by_port([(channel.source, channel.source_port) for channel in self.channels])
        self.input_channel = self._by_port([(channel.sink, channel.sink_port) for channel in self.channels])
        self.processors = tuple(self._home(processor) for processor in range(processors))
        self._check_names()

    def _channels(self, wires: Iterable[tuple[int, int, int, int]]) -> Iterable[Channel]:
        vertices, times = self.vertices, Counter[tuple[int, int, str]]()
        for index, (source, source_port, sink, sink_port) in enumerate(sorted(wires)):
            if not (0 <= source < vertices and 0 <= sink < vertices):
                end = sink if 0 <= source < vertices else source
                raise TopologyError(f"A channel ends at unknown vertex {end!r}; they are 0 to {vertices - 1}")
            name = self._channel_name(index, source, source_port, sink)
            times[source, sink, name] += 1
            parallel = f"#{times[source, sink, name]}" if times[source, sink, name] > 1 else ""
            yield Channel(index, source, source_port, sink, sink_port, name + parallel)

    def _channel_name(self, _index: int, source: int, source_port: int, sink: int) -> str:
        """Return the name of a channel without the number of a parallel one.

        The only injection channel of a processor is ``p3->s3``; of several, the second one is ``p3_1->s3``.
        """
        one_of_several = self.injection_channels_per_processor > 1 and not self.is_switch(source)
        port = f"_{source_port}" if one_of_several else ""
        return f"{self.vertex_name(source)}{port}->{self.vertex_name(sink)}"

    def _by_port(self, ends: list[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
        """Return channel numbers by vertex and port, from the vertex and port of each channel."""
        found: list[list[int]] = [[] for _ in range(self.vertices)]
        for channel in sorted(range(len(ends)), key=ends.__getitem__):
            vertex, port = ends[channel]
            if port != len(found[vertex]):
                raise TopologyError(self._wrong_port(vertex, port, len(found[vertex])))
            found[vertex].append(channel)
        return tuple(map(tuple, found))

    def _wrong_port(self, vertex: int, port: int, expected: int) -> str:
        if 0 <= port < expected:
            return f"Port {port} of {self.vertex_name(vertex)} has two channels"
        return f"Ports of {self.vertex_name(vertex)} must be numbered without gaps from 0"

    def _home(self, processor: int) -> int:
        outputs, wanted = self.injection_channels_of(processor), self.injection_channels_per_processor
        if len(outputs) != wanted:
            channels = "one channel" if wanted == 1 else f"{wanted} channels"
            raise TopologyError(f"Processor {processor} must send into {channels}, not {len(outputs)}")
        homes = {self.channels[channel].sink for channel in outputs}
        if len(homes) != 1:
            raise TopologyError(f"Processor {processor} must send to one switch, not {len(homes)}")
        return homes.pop()

    def _check_names(self) -> None:
        """Refuse two channels of one name: files such as routing tables could not tell them apart."""
        by_name: dict[str, Channel] = {}
        for channel in self.channels:
            first = by_name.setdefault(channel.name, channel)
            if first is not channel:
                ends = (first.source, first.sink, channel.source, channel.sink)
                raise TopologyError(
                    f"Channels have the name {channel.name!r} twice: {self._ends_text(first)}, and "
                    f"{self._ends_text(channel)}; names of switches must make those of channels unique",
                    item=max((self.switch_names[end] for end in ends if self.is_switch(end)), key=len),
                )

    def _ends_text(self, channel: Channel) -> str:
        ends = (channel.source, channel.sink)
        return " to ".join(
            f"switch {self.switch_names[end]}" if self.is_switch(end) else f"processor {end - self.switches}"
            for end in ends
        )

    def processor_vertex(self, processor: int) -> int:
        """Return the vertex number of a processor.

        Parameters:
            processor
        """
        return self.switches + processor

    def is_switch(self, vertex: int) -> bool:
        """Return whether a vertex is a switch.

        Parameters:
            vertex
        """
        return vertex < self.switches

    def vertex_name(self, vertex: int) -> str:
        """Return the name of a vertex for reports: its switch's name, or ``p`` and the number of the processor.

        Parameters:
            vertex
        """
        return self.switch_names[vertex] if self.is_switch(vertex) else f"p{vertex - self.switches}"

    def injection_channel(self, processor: int) -> int:
        """Return the channel from a processor into its switch, the first one of several.

        Parameters:
            processor
        """
        return self.output_channel[self.processor_vertex(processor)][0]

    def injection_channels_of(self, processor: int) -> tuple[int, ...]:
        """Return all channels from a processor into its switch, by its port.

        Parameters:
            processor
        """
        return self.output_channel[self.processor_vertex(processor)]

    def delivery_channel(self, processor: int) -> int:
        """Return the first channel from a switch to a processor.

        Parameters:
            processor
        """
        return self.input_channel[self.processor_vertex(processor)][0]

    @cached_property
    def injection_channels(self) -> tuple[int, ...]:
        """All channels from processors, by processor and then by its port: the channel of each injector.

        The injector at port c of processor p is number p k + c, if each processor has k channels.
        """
        return tuple(
            channel for vertex in range(self.switches, self.vertices) for channel in self.output_channel[vertex]
        )

    @cached_property
    def injection_processors(self) -> tuple[int, ...]:
        """The processor before each of ``injection_channels``."""
        return tuple(self.channels[channel].source - self.switches for channel in self.injection_channels)

    def injection_names_of(self, processor: int) -> list[str]:
        """Return the names of a processor's injection channels for ports and instances: ``n3``, or ``n3_c0`` and so on.

        Parameters:
            processor
        """
        return _port_names(processor, len(self.injection_channels_of(processor)))

    @cached_property
    def injection_names(self) -> tuple[str, ...]:
        """Names of all ``injection_channels``."""
        return tuple(name for processor in range(len(self.processors)) for name in self.injection_names_of(processor))

    @cached_property
    def delivery_channels(self) -> tuple[int, ...]:
        """All channels into processors, by processor and then by its port. Whatever arrives is listed in this order."""
        return tuple(
            channel for vertex in range(self.switches, self.vertices) for channel in self.input_channel[vertex]
        )

    @cached_property
    def delivery_processors(self) -> tuple[int, ...]:
        """The processor behind each of ``delivery_channels``."""
        return tuple(self.channels[channel].sink - self.switches for channel in self.delivery_channels)

    def delivery_names_of(self, processor: int) -> list[str]:
        """Return the names of a processor's delivery channels for ports and instances: ``n3``, or ``n3_c0`` and so on.

        Parameters:
            processor
        """
        return _port_names(processor, len(self.input_channel[self.processor_vertex(processor)]))

    @cached_property
    def delivery_names(self) -> tuple[str, ...]:
        """Names of all ``delivery_channels``."""
        return tuple(name for processor in range(len(self.processors)) for name in self.delivery_names_of(processor))

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of switches that are joined in either direction, lower number first."""
        joined = {(min(c.source, c.sink), max(c.source, c.sink)) for c in self.channels if c.sink < self.switches}
        return tuple(sorted(pair for pair in joined if pair[1] < self.switches))

    @cached_property
    def switch_graph(self) -> "nx.Graph":
        """The switches alone, without directions."""
        import networkx as nx  # not for making a network

        graph = nx.Graph()
        graph.add_nodes_from(range(self.switches))
        graph.add_edges_from(self.edges)
        return graph

    def successors(self, switch: int) -> list[int]:
        """Return the vertices behind the outputs of a switch, by port.

        Parameters:
            switch
        """
        return [self.channels[channel].sink for channel in self.output_channel[switch]]


def _port_names(processor: int, count: int) -> list[str]:
    return [f"n{processor}" if count == 1 else f"n{processor}_c{port}" for port in range(count)]
