"""BookSim ``anynet`` network files.

Each line is a router (or a node) and what it is linked to, each link with an optional latency in cycles::

    router 0 node 0 node 1 router 1
    router 1 node 2 router 2 1

A BookSim router is a switch here, a node is a processor. A link may be listed at one end or at both. Numbers need not
be consecutive: switches and processors are numbered here in ascending order of theirs, and switches keep theirs as
names.

As in BookSim, a latency is that of the channel from the first router of the line to the one before it; the channel back
has its own, from the line of the other router. Channels without one are as long as the configuration says for all
(``link_cycles``, 1 by default). Processors sit at their switches, so that links to nodes take one cycle.
"""

from topology.common.errors import TopologyError
from topology.common.link_stages import MAX_LINK_CYCLES
from topology.common.named_graph import MAX_DIGITS, NO_LINK_RULES, LinkRules, NamedGraph

Item = tuple[str, str]  # ("router" or "node", number)
Latency = int | None  # where the line gives none


def parse_anynet(text: str, rules: LinkRules = NO_LINK_RULES) -> NamedGraph:
    """Read an anynet file, in which a link that is listed again is the same link.

    Raises:
        TopologyError: With the line, for a malformed line, a latency that no link can have or that differs from an
            earlier one, a node on two routers or another broken rule.
    """
    links: list[tuple[Item, Item, Latency, int]] = []
    first: dict[Item, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        items = _items(line.split("#")[0].split(), number)
        for item, _ in items:
            first.setdefault(item, number)
        links.extend((items[0][0], item, latency, number) for item, latency in items[1:])
    graph = NamedGraph(rules)
    for item in sorted(first, key=lambda item: int(item[1])):
        if item[0] == "router":
            graph.add_switch(item[1], first[item])
        else:
            graph.add_processor(_name(item), first[item])
    if graph.switches and not graph.processors:
        raise TopologyError("The file has no nodes; a network must have at least 1 node on a router", line=1)
    for a, b, latency, number in links:
        position = graph.add_link(_name(a), _name(b), number, again_allowed=True)
        if latency is not None and a[0] == b[0]:
            graph.set_link_cycles(_name(a), _name(b), position, latency, number)
    return graph


def _name(item: Item) -> str:
    return item[1] if item[0] == "router" else f"node {item[1]}"


def _items(words: list[str], line: int) -> list[tuple[Item, Latency]]:
    """Parse an anynet file; a link that is listed twice is one link."""
    items: list[tuple[Item, Latency]] = []
    rest = list(words)
    while rest:
        item = _item(rest, line)
        latency = None
        if rest and rest[0] not in ("router", "node"):
            latency = _latency(rest.pop(0), items[0][0] if items else None, item, line)
        items.append((item, latency))
    return items


def _item(rest: list[str], line: int) -> Item:
    """Take a router or node from the front of a list of words."""
    kind = rest.pop(0)
    if kind not in ("router", "node"):
        raise TopologyError(f"A link must start with 'router' or 'node', not {kind!r}", line=line, item=kind)
    if not rest or not rest[0].isdecimal():
        found = repr(rest[0]) if rest else "the end of the line"
        raise TopologyError(f"{kind!r} must be followed by its number, not {found}", line=line, item=kind)
    number = rest.pop(0)
    if len(number) > MAX_DIGITS:
        raise TopologyError(
            f"The number of a {kind} must have at most {MAX_DIGITS} digits, not {len(number)}", line=line, item=kind
        )
    return kind, str(int(number))


def _latency(word: str, first: Item | None, item: Item, line: int) -> int:
    if first is None:
        raise TopologyError(f"{' '.join(item)!r} must be followed by its links, not {word!r}", line=line, item=word)
    link = f"The latency of link {' '.join(first)} - {' '.join(item)}"
    if first[0] != item[0]:
        if word != "1":
            text = f"{link} is {word!r}; it must be 1 or left out: processors sit at their switches"
            raise TopologyError(text, line=line, item=word)
        return 1
    if not word.isdecimal() or len(word) > MAX_DIGITS or not 1 <= int(word) <= MAX_LINK_CYCLES:
        text = f"{link} is {word!r}; it must be a whole number of cycles, 1 to {MAX_LINK_CYCLES}"
        raise TopologyError(text, line=line, item=word)
    return int(word)
