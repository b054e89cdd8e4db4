"""A network under construction from a file: nodes by name, and the line where each thing was said.

Every rule of ``Network`` that a file can break is checked here, so that the error names the file's own node
names and line.
"""

from dataclasses import dataclass, field

import networkx as nx
import numpy as np

from topology.common.errors import TopologyError
from topology.common.graph import Network

MAX_PROCESSORS_PER_SWITCH = 1024
MOST_DIGITS = 18
"""Numbers in network files may be no longer."""


def is_name(text: str) -> bool:
    """Whether a text can name a node: printable, and not blank."""
    return bool(text.strip()) and text.isprintable()


@dataclass
class NamedGraph:
    """Switches, processors and links as a file gives them.

    Switches and processors are numbered in the order of declaration.

    Members
    -------
    switches : dict of str to int
        Line of declaration by switch name.
    processors : dict of str to int
        Line of declaration by processor name.
    positions : dict of str to (float, float)
        Where to draw switches.
    link_cycles : dict of (str, str) to int
        Cycles of channels between two switches, by source and sink, where the file gives them.
    """

    switches: dict[str, int] = field(default_factory=dict)
    processors: dict[str, int] = field(default_factory=dict)
    positions: dict[str, tuple[float, float]] = field(default_factory=dict)
    links: dict[tuple[str, str], int] = field(default_factory=dict)
    link_cycles: dict[tuple[str, str], int] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)

    def add_switch(self, name: str, line: int) -> None:
        """Declare a switch; a second declaration is an error."""
        self._check_new(name, line)
        self.switches[name] = line

    def add_processor(self, name: str, line: int) -> None:
        """Declare a processor; a second declaration is an error."""
        self._check_new(name, line)
        self.processors[name] = line

    def _check_new(self, name: str, line: int) -> None:
        if not is_name(name):
            raise TopologyError(f"The name of a node must be printable text, not {name!r}", line=line, item=name)
        first = self.switches.get(name, self.processors.get(name))
        if first is not None:
            raise TopologyError(f"Node {name} is declared twice; it is already on line {first}", line=line, item=name)

    def add_link(self, a: str, b: str, line: int, *, again_allowed: bool = False) -> None:
        """Add a link between declared nodes.

        Parameters
        ----------
        again_allowed : bool
            Whether a link may be given twice, as in formats that list it at both ends.

        Raises
        ------
        TopologyError
            For an unknown node, a loop, a duplicate, a link between processors or the second link of a processor.
        """
        for name in (a, b):
            if name not in self.switches and name not in self.processors:
                raise TopologyError(f"Link {a} - {b} names unknown node {name}", line=line, item=name)
        if a == b:
            raise TopologyError(f"Link {a} - {b} is a loop; a link must join two different nodes", line=line, item=a)
        if a in self.processors or b in self.processors:
            self._add_processor_link(a, b, line, again_allowed)
            return
        link = (min(a, b), max(a, b))
        if link in self.links and not again_allowed:
            raise TopologyError(
                f"Link {a} - {b} is a duplicate of line {self.links[link]}; each pair of switches may have one link",
                line=line,
                item=a,
            )
        self.links.setdefault(link, line)

    def _add_processor_link(self, a: str, b: str, line: int, again_allowed: bool) -> None:
        if a in self.processors and b in self.processors:
            raise TopologyError(
                f"Link {a} - {b} joins two processors; a processor must hang on a switch", line=line, item=a
            )
        processor, switch = (a, b) if a in self.processors else (b, a)
        home = self.homes.get(processor)
        if home is not None and not (again_allowed and home == switch):
            raise TopologyError(
                f"Processor {processor} has two links, to {home} and {switch}; a processor must have exactly one",
                line=line,
                item=processor,
            )
        self.homes[processor] = switch

    def network(self, ports: int | None = None) -> Network:
        """The finished network; a file without processors gets one on each switch.

        Raises
        ------
        TopologyError
            If a processor has no link, a switch has too many, or the network is empty or disconnected.
        """
        if not self.switches:
            raise TopologyError("The file has no switches; a network must have at least 1", line=1)
        for processor, line in self.processors.items():
            if processor not in self.homes:
                raise TopologyError(
                    f"Processor {processor} has no link; a processor must have exactly one", line=line, item=processor
                )
        self._check_connected()
        number = {name: switch for switch, name in enumerate(self.switches)}
        processors = [number[self.homes[name]] for name in self.processors] or list(range(len(number)))
        try:
            return Network(
                len(number),
                [(number[a], number[b]) for a, b in self.links],
                processors,
                ports=ports,
                switch_names=list(self.switches),
                positions=self._positions(),
                link_cycles={(number[a], number[b]): cycles for (a, b), cycles in self.link_cycles.items()},
            )
        except TopologyError as error:
            line = self.switches.get(error.item) if error.item is not None else None
            raise TopologyError(str(error), line=line, item=error.item) from None

    def _positions(self) -> np.ndarray | None:
        if set(self.positions) != set(self.switches):
            return None
        return np.array([self.positions[name] for name in self.switches], dtype=float)

    def _check_connected(self) -> None:
        graph = nx.Graph()
        graph.add_nodes_from(self.switches)
        graph.add_edges_from(self.links)
        parts = list(nx.connected_components(graph))
        if len(parts) > 1:
            largest = max(parts, key=len)
            stray = next(name for name in self.switches if name not in largest)
            raise TopologyError(
                f"The network is disconnected: it falls into {len(parts)} parts; "
                f"switch {stray} cannot reach {next(name for name in self.switches if name in largest)}",
                line=self.switches[stray],
                item=stray,
            )
