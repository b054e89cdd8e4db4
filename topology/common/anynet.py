"""BookSim ``anynet`` network files.

Each line is a router (or a node) and what it is linked to, each link with an optional latency in cycles::

    router 0 node 0 node 1 router 1
    router 1 node 2 router 2 1

A BookSim router is a switch here, a node is a processor. A link may be listed at one end or at both. Numbers
need not be consecutive: switches and processors are numbered here in ascending order of theirs, and switches
keep theirs as names. Links of HydraNoC take one cycle, so any other latency is an error rather than a
silently faster network.
"""

from topology.common.errors import TopologyError
from topology.common.named_graph import MOST_DIGITS, NamedGraph

Item = tuple[str, str]  # ("router" or "node", number)


def parse_anynet(text: str) -> NamedGraph:
    """Read an anynet file.

    Raises
    ------
    TopologyError
        With the line, for a malformed line, a latency other than 1, a node on two routers or another broken rule.
    """
    links: list[tuple[Item, Item, int]] = []
    first: dict[Item, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        items = _items(line.split("#")[0].split(), number)
        for item in items:
            first.setdefault(item, number)
        links.extend((items[0], item, number) for item in items[1:])
    graph = NamedGraph()
    for item in sorted(first, key=lambda item: int(item[1])):
        if item[0] == "router":
            graph.add_switch(item[1], first[item])
        else:
            graph.add_processor(_name(item), first[item])
    if graph.switches and not graph.processors:
        raise TopologyError("The file has no nodes; a network must have at least 1 node on a router", line=1)
    for a, b, number in links:
        graph.add_link(_name(a), _name(b), number, again_allowed=True)
    return graph


def _name(item: Item) -> str:
    return item[1] if item[0] == "router" else f"node {item[1]}"


def _items(words: list[str], line: int) -> list[Item]:
    items: list[Item] = []
    rest = list(words)
    while rest:
        kind = rest.pop(0)
        if kind not in ("router", "node"):
            raise TopologyError(f"A link must start with 'router' or 'node', not {kind!r}", line=line, item=kind)
        if not rest or not rest[0].isdecimal():
            found = repr(rest[0]) if rest else "the end of the line"
            raise TopologyError(f"{kind!r} must be followed by its number, not {found}", line=line, item=kind)
        number = rest.pop(0)
        if len(number) > MOST_DIGITS:
            raise TopologyError(
                f"The number of a {kind} must have at most {MOST_DIGITS} digits, not {len(number)}",
                line=line,
                item=kind,
            )
        items.append((kind, str(int(number))))
        if rest and rest[0] not in ("router", "node"):
            _check_latency(rest.pop(0), items, line)
    return items


def _check_latency(word: str, items: list[Item], line: int) -> None:
    if len(items) == 1:
        raise TopologyError(f"{' '.join(items[0])!r} must be followed by its links, not {word!r}", line=line, item=word)
    if word != "1":
        raise TopologyError(
            f"The latency of link {' '.join(items[0])} - {' '.join(items[-1])} must be 1 or left out, not {word!r}; "
            "links take one cycle",
            line=line,
            item=word,
        )
