"""A network under construction from a file: nodes by name, and the line of each declaration.

Every rule of ``Network`` that a file can break is checked here, so that the error names the file's own node
names and line.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from topology.common.errors import TopologyError
from topology.common.graph import Network, connected_parts

MAX_PROCESSORS_PER_SWITCH = 1024
MAX_DIGITS = 18
"""Maximum length of numbers in network files."""
ParallelLinks = Literal["refuse", "merge", "channels"]
OneWayLinks = Literal["refuse", "both"]
NAME_RULE = "it must be printable text without spaces at its ends"


def is_name(text: str) -> bool:
    """Return whether a text can name a node: printable, not empty, and without spaces that readers of files drop."""
    return bool(text) and text.isprintable() and text == text.strip()


@dataclass(frozen=True)
class LinkRules:
    """Rules for links of a file that are more, or less, than one link each way between two switches.

    Members:
        parallel_links (str): Several links between two switches: ``refuse``, ``merge`` them into one, or ``channels``
            of their own for each.
        one_way_links (str): Edges of a directed file without an edge back: ``refuse``, or ``both`` to make each a link
            both ways.
    """

    parallel_links: ParallelLinks = "refuse"
    one_way_links: OneWayLinks = "refuse"


NO_LINK_RULES = LinkRules()


@dataclass
class NamedGraph:
    """Switches, processors and links as a file gives them.

    Switches and processors are numbered in the order of declaration.

    Members:
        rules: Treatment of parallel and one-way links.
        switches: Line of declaration by switch name.
        processors: Line of declaration by processor name.
        positions (dict of str to (float, float)): Positions of the switches in pictures.
        links (dict of (str, str) to list of int): Lines of the links between two switches, one for each link, by their
            names in ascending order.
        link_cycles (dict of (str, str, int) to int): Cycles of channels between two switches where the file gives them,
            by source, sink and position of the link in ``links``.
        remarks: Parts of the file that are read and not used.
    """

    rules: LinkRules = NO_LINK_RULES
    switches: dict[str, int] = field(default_factory=dict)
    processors: dict[str, int] = field(default_factory=dict)
    positions: dict[str, tuple[float, float]] = field(default_factory=dict)
    links: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    link_cycles: dict[tuple[str, str, int], int] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

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
            raise TopologyError(f"The name of a node is {name!r}; {NAME_RULE}", line=line, item=name)
        first = self.switches.get(name, self.processors.get(name))
        if first is not None:
            raise TopologyError(f"Node {name} is declared twice; it is already on line {first}", line=line, item=name)

    def add_link(self, a: str, b: str, line: int, *, again_allowed: bool = False) -> int:
        """Add a link between declared nodes and return its position among the links between them.

        Parameters:
            again_allowed: A link that is there is meant again, as in formats that list it at both ends, and is not a
                second one.

        Raises:
            TopologyError: For an unknown node, a loop, a duplicate, a link between processors or the second link of a
                processor.
        """
        for name in (a, b):
            if name not in self.switches and name not in self.processors:
                raise TopologyError(f"Link {a} - {b} names unknown node {name}", line=line, item=name)
        if a == b:
            raise TopologyError(f"Link {a} - {b} is a loop; a link must join two different nodes", line=line, item=a)
        if a in self.processors or b in self.processors:
            self._add_processor_link(a, b, line, again_allowed)
            return 0
        lines = self.links.setdefault((min(a, b), max(a, b)), [])
        if lines and not again_allowed and self.rules.parallel_links == "refuse":
            raise TopologyError(
                f"Link {a} - {b} is a duplicate of line {lines[0]}; each pair of switches may have one link "
                "(parallel_links: merge makes one of them, parallel_links: channels keeps both)",
                line=line,
                item=a,
            )
        if not lines or not (again_allowed or self.rules.parallel_links == "merge"):
            lines.append(line)
        return len(lines) - 1

    def set_link_cycles(self, source: str, sink: str, position: int, cycles: int, line: int) -> None:
        """Set the cycles of one direction of a link between two switches; a file may repeat them unchanged.

        Parameters:
            source, sink (str): Switches.
            position: Position of the link among those between them, as ``add_link`` returns it.

        Raises:
            TopologyError: If the file has given other cycles.
        """
        earlier = self.link_cycles.setdefault((source, sink, position), cycles)
        if earlier != cycles:
            raise TopologyError(
                f"The latency of channel {source}->{sink} is given twice, as {earlier} and as {cycles}",
                line=line,
                item=source,
            )

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
        """Return the finished network; a file without processors gets one on each switch.

        Raises:
            TopologyError: If a processor has no link, a switch has too many, or the network is empty or disconnected.
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
                [(number[a], number[b]) for (a, b), lines in self.links.items() for _ in lines],
                processors,
                ports=ports,
                switch_names=list(self.switches),
                positions=self._positions(),
                link_cycles={(number[a], number[b], k): cycles for (a, b, k), cycles in self.link_cycles.items()},
                parallel_links=self.rules.parallel_links == "channels",
            )
        except TopologyError as error:
            line = self.switches.get(error.item) if error.item is not None else None
            raise TopologyError(str(error), line=line, item=error.item) from None

    def _positions(self) -> np.ndarray | None:
        if set(self.positions) != set(self.switches):
            return None
        return np.array([self.positions[name] for name in self.switches], dtype=float)

    def _check_connected(self) -> None:
        parts = connected_parts(self.switches, self.links)
        if len(parts) > 1:
            largest = set(max(parts, key=len))
            stray = next(name for name in self.switches if name not in largest)
            raise TopologyError(
                f"The network is disconnected: it falls into {len(parts)} parts; "
                f"switch {stray} cannot reach {next(name for name in self.switches if name in largest)}",
                line=self.switches[stray],
                item=stray,
            )
