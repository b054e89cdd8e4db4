"""GraphML networks.

Node attributes (all optional):

* ``kind``: ``switch`` (the default) or ``processor``; a processor must have exactly one edge, to a switch.
* ``processors``: how many processors hang on this switch, besides those that are nodes of their own.
* ``x``, ``y``: where to draw a switch.

Edge attributes (optional): ``latency`` or ``cycles``, the cycles of the link in both directions or, of a directed edge,
in its own. Links to processors take one cycle. Other attributes of edges are not used, and a remark names them.

If no node is a processor or has ``processors``, each switch gets one. Switches and processors are numbered in
the order of the file; processors given as a number come in the place of their switch. The name of a switch is
its node id. Two directed edges that lead opposite ways are one link, whether the graph is directed or the edges are.

The file is UTF-8, whatever encoding it declares. It is read with the XML parser itself, not with networkx, because only
the former gives line numbers.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from topology.common.errors import TopologyError
from topology.common.link_stages import MAX_LINK_CYCLES
from topology.common.named_graph import MAX_DIGITS, MAX_PROCESSORS_PER_SWITCH, NO_LINK_RULES, LinkRules, NamedGraph

FARTHEST_COORDINATE = 1e9
CYCLE_KEYS = ("latency", "cycles")
KINDS = ("node", "edge")


@dataclass
class _Element:
    """A node or an edge: XML attributes, GraphML data by attribute name, line."""

    attributes: dict[str, str]
    line: int
    data: dict[str, str] = field(default_factory=dict)

    def attribute(self, name: str, element: str) -> str:
        """Return a required XML attribute."""
        if name not in self.attributes:
            raise TopologyError(f"A GraphML {element} must have the attribute {name!r}", line=self.line, item=element)
        return self.attributes[name]

    @property
    def ends(self) -> tuple[str, str]:
        """Source and target of an edge."""
        return self.attribute("source", "edge"), self.attribute("target", "edge")


def parse_graphml(text: str, rules: LinkRules = NO_LINK_RULES) -> NamedGraph:
    """Parse a GraphML file.

    Parameters:
        rules: Treatment of parallel and one-way links.

    Raises:
        TopologyError: With the line, for broken XML, a wrong attribute or a broken rule.
    """
    document = _Document()
    document.read(text)
    graph = NamedGraph(rules)
    counts = any("processors" in node.data for node in document.nodes)
    for node in document.nodes:
        _add_node(graph, node, counts)
    if counts and not graph.processors:
        raise TopologyError(
            "All switches have 0 processors; a network must have at least 1", line=document.nodes[0].line
        )
    for edge, back in _links(document, rules):
        _add_link(graph, edge, back)
    unused = {name for edge in document.edges for name in edge.data} - set(CYCLE_KEYS)
    if unused:
        graph.remarks.append(f"edge data {', '.join(map(repr, sorted(unused)))} is ignored")
    return graph


def _links(document: "_Document", rules: LinkRules) -> Iterator[tuple[_Element, _Element]]:
    """Yield each link as its edge and the edge back, which is the same one unless they are directed."""
    waiting: dict[tuple[str, str], list[_Element]] = {}
    for edge in document.edges:
        source, target = edge.ends
        if not document.is_directed(edge):
            yield edge, edge
        elif waiting.get((target, source)):
            yield waiting[target, source].pop(0), edge
        else:
            waiting.setdefault((source, target), []).append(edge)
    for edge in (edge for found in waiting.values() for edge in found):
        if rules.one_way_links == "refuse":
            source, target = edge.ends
            raise TopologyError(
                f"Edge {source} - {target} leads one way; each link must have an edge back "
                "(one_way_links: both makes it a link both ways)",
                line=edge.line,
                item=source,
            )
        yield edge, edge


def _add_link(graph: NamedGraph, edge: _Element, back: _Element) -> None:
    a, b = edge.ends
    position = graph.add_link(a, b, edge.line)
    for one, source, sink in ((edge, a, b), (back, b, a)):
        cycles = _cycles(one)
        if cycles is None:
            continue
        if source in graph.switches and sink in graph.switches:
            graph.set_link_cycles(source, sink, position, cycles, one.line)
        elif cycles != 1:
            raise _wrong_cycles(one, "1 or left out, since processors sit at their switches")


def _cycles(edge: _Element) -> int | None:
    """Return the cycles of an edge; None without such data. NetworkX writes whole numbers as 4 or 4.0."""
    given = {edge.data[key] for key in CYCLE_KEYS if key in edge.data}
    if not given:
        return None
    text = min(given)
    digits = text.removesuffix(".0")
    cycles = int(digits) if digits.isdecimal() and len(digits) <= MAX_DIGITS else 0
    if len(given) > 1 or not 1 <= cycles <= MAX_LINK_CYCLES:
        raise _wrong_cycles(edge, f"a whole number of cycles, 1 to {MAX_LINK_CYCLES}")
    return cycles


def _wrong_cycles(edge: _Element, right: str) -> TopologyError:
    found = " and ".join(repr(edge.data[key]) for key in CYCLE_KEYS if key in edge.data)
    keys = " and ".join(key for key in CYCLE_KEYS if key in edge.data)
    are, they = ("are", "they") if " and " in keys else ("is", "it")
    source, target = edge.ends
    text = f"{keys} of edge {source} - {target} {are} {found}; {they} must be {right}"
    return TopologyError(text, line=edge.line, item=source)


def _add_node(graph: NamedGraph, node: _Element, counts: bool) -> None:
    name = node.attribute("id", "node")
    kind = node.data.get("kind", "switch")
    if kind == "processor":
        graph.add_processor(name, node.line)
        return
    if kind != "switch":
        raise TopologyError(
            f"kind of node {name} is {kind!r}; it must be switch or processor", line=node.line, item=kind
        )
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
    count = int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else -1
    if not 0 <= count <= MAX_PROCESSORS_PER_SWITCH:
        raise _wrong_number(node, key, f"a whole number from 0 to {MAX_PROCESSORS_PER_SWITCH}")
    return count


def _wrong_number(node: _Element, key: str, right: str) -> TopologyError:
    text = node.data[key]
    return TopologyError(
        f"{key} of node {node.attributes['id']} is {text!r}; it must be {right}", line=node.line, item=text
    )


class _Document:
    """The contents of a GraphML file, in its order."""

    def __init__(self):
        self.nodes: list[_Element] = []
        self.edges: list[_Element] = []
        self._directed = False
        self._names: dict[str, str] = {}
        self._defaults: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
        self._defined: tuple[str, ...] = ()  # kinds of elements that the open key is for
        self._defined_key = ""
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
        for kind, elements in zip(KINDS, (self.nodes, self.edges), strict=True):
            for element in elements:
                element.data = {**self._defaults[kind], **element.data}

    def is_directed(self, edge: _Element) -> bool:
        """Return whether an edge leads one way: its own attribute overrides the graph's."""
        return {"true": True, "false": False}.get(edge.attributes.get("directed", ""), self._directed)

    def _entity(self, name: str, *_rest: object) -> None:
        """Refuse entities: they can make a short file endless, and no GraphML file needs them."""
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
            self._directed = attributes.get("edgedefault") == "directed"
        elif element == "hyperedge":
            raise TopologyError("A GraphML hyperedge is no link; each edge must join two nodes", line=line)
        elif element == "key":
            self._define_key(attributes)
        elif element in KINDS:
            self._open.append(_Element(attributes, line))
            (self.nodes if element == "node" else self.edges).append(self._open[-1])
        elif element == "data":
            self._key = attributes.get("key", "")
        elif element == "default" and self._defined:
            self._key = self._defined_key

    def _define_key(self, attributes: dict[str, str]) -> None:
        kind = attributes.get("for", "all")
        self._defined = KINDS if kind == "all" else tuple({kind}.intersection(KINDS))
        self._defined_key = attributes.get("id", "")
        if self._defined:
            self._names[self._defined_key] = attributes.get("attr.name", self._defined_key)

    def _end(self, tag: str) -> None:
        element = tag.rpartition(" ")[2]
        if element in KINDS:
            self._open.pop()
        elif element == "key":
            self._defined = ()
        if element in ("key", "data", "default"):
            self._key = None

    def _characters(self, text: str) -> None:
        if self._key is None or not text.strip():
            return
        name = self._names.get(self._key, self._key)
        for data in [self._open[-1].data] if self._open else [self._defaults[kind] for kind in self._defined]:
            data[name] = data.get(name, "") + text.strip()
