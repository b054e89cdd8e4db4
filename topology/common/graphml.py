"""GraphML networks.

Node attributes (all optional):

* ``kind``: ``switch`` (the default) or ``processor``; a processor must have exactly one edge, to a switch.
* ``processors``: how many processors hang on this switch, besides those that are nodes of their own.
* ``x``, ``y``: where to draw a switch.

If no node is a processor or has ``processors``, each switch gets one. Switches and processors are numbered in
the order of the file; processors given as a number come in the place of their switch. The name of a switch is
its node id. In a directed graph a link may be listed in one direction or in both. Other attributes are
ignored.

The file is UTF-8, whatever encoding it declares. It is read with the XML parser itself, not with networkx, because
only the former knows line numbers.
"""

import math
from dataclasses import dataclass, field
from xml.parsers import expat

from topology.common.errors import TopologyError
from topology.common.named_graph import MAX_PROCESSORS_PER_SWITCH, MOST_DIGITS, NamedGraph

FARTHEST_COORDINATE = 1e9


@dataclass
class _Element:
    """A node or an edge: XML attributes, GraphML data by attribute name, line."""

    attributes: dict[str, str]
    line: int
    data: dict[str, str] = field(default_factory=dict)

    def attribute(self, name: str, element: str) -> str:
        """An XML attribute that must be there."""
        if name not in self.attributes:
            raise TopologyError(f"A GraphML {element} must have the attribute {name!r}", line=self.line, item=element)
        return self.attributes[name]


def parse_graphml(text: str) -> NamedGraph:
    """Read a GraphML file.

    Raises
    ------
    TopologyError
        With the line, for broken XML, a wrong attribute or a broken rule.
    """
    document = _Document()
    document.read(text)
    graph = NamedGraph()
    counts = any("processors" in node.data for node in document.nodes)
    for node in document.nodes:
        _add_node(graph, node, counts)
    if counts and not graph.processors:
        raise TopologyError(
            "All switches have 0 processors; a network must have at least 1", line=document.nodes[0].line
        )
    for edge in document.edges:
        ends = edge.attribute("source", "edge"), edge.attribute("target", "edge")
        graph.add_link(*ends, edge.line, again_allowed=document.directed)
    return graph


def _add_node(graph: NamedGraph, node: _Element, counts: bool) -> None:
    name = node.attribute("id", "node")
    kind = node.data.get("kind", "switch")
    if kind == "processor":
        graph.add_processor(name, node.line)
        return
    if kind != "switch":
        raise TopologyError(f"kind of node {name} must be switch or processor, not {kind!r}", line=node.line, item=kind)
    graph.add_switch(name, node.line)
    if "x" in node.data and "y" in node.data:
        graph.positions[name] = (_coordinate(node, "x"), _coordinate(node, "y"))
    if counts:
        for i in range(_count(node, "processors")):
            processor = f"processor {i} of {name}"
            graph.add_processor(processor, node.line)
            graph.add_link(processor, name, node.line)


def _coordinate(node: _Element, key: str) -> float:
    try:
        coordinate = float(node.data[key])
    except ValueError:
        coordinate = math.nan
    if not abs(coordinate) <= FARTHEST_COORDINATE:
        raise _wrong_number(node, key, f"a number from {-FARTHEST_COORDINATE:g} to {FARTHEST_COORDINATE:g}")
    return coordinate


def _count(node: _Element, key: str) -> int:
    text = node.data.get(key, "0")
    count = int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else -1
    if not 0 <= count <= MAX_PROCESSORS_PER_SWITCH:
        raise _wrong_number(node, key, f"a whole number from 0 to {MAX_PROCESSORS_PER_SWITCH}")
    return count


def _wrong_number(node: _Element, key: str, right: str) -> TopologyError:
    text = node.data[key]
    return TopologyError(
        f"{key} of node {node.attributes['id']} must be {right}, not {text!r}", line=node.line, item=text
    )


class _Document:
    """What a GraphML file says, in its order."""

    def __init__(self):
        self.nodes: list[_Element] = []
        self.edges: list[_Element] = []
        self.directed = False
        self._names: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._open: list[_Element] = []
        self._key: str | None = None
        self._graphs = 0
        # what the file says of its encoding does not count: it has been decoded, and names of codecs can be anything
        self._parser = expat.ParserCreate("UTF-8", namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity

    def read(self, text: str) -> None:
        try:
            self._parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise TopologyError(f"The file is not well-formed XML: {reason}", line=error.lineno) from None
        if not self._graphs:
            raise TopologyError("The file must have a GraphML graph; it has none", line=1)
        for node in self.nodes:
            node.data = {**self._defaults, **node.data}

    def _entity(self, name: str, *_rest: object) -> None:
        """Entities can make a short file endless, and no GraphML file needs them."""
        raise TopologyError(f"A GraphML file must not define entities; this one defines {name!r}", line=self._line)

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = tag.rpartition(" ")[2]
        line = self._line
        if element == "graph":
            self._graphs += 1
            if self._graphs > 1:
                raise TopologyError("A GraphML file must have one graph; this is the second", line=line)
            self.directed = attributes.get("edgedefault") == "directed"
        elif element == "key" and attributes.get("for") in ("node", "all"):
            self._key = attributes.get("id", "")
            self._names[self._key] = attributes.get("attr.name", self._key)
        elif element in ("node", "edge"):
            self._open.append(_Element(attributes, line))
            (self.nodes if element == "node" else self.edges).append(self._open[-1])
        elif element == "data":
            self._key = attributes.get("key", "")

    def _end(self, tag: str) -> None:
        element = tag.rpartition(" ")[2]
        if element in ("node", "edge"):
            self._open.pop()
        elif element in ("key", "data"):
            self._key = None

    def _characters(self, text: str) -> None:
        if self._key is None or not text.strip():
            return
        data = self._open[-1].data if self._open else self._defaults
        name = self._names.get(self._key, self._key)
        data[name] = data.get(name, "") + text.strip()
