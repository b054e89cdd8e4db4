"""Edge lists: one link per line, two node names.

::

    # comment
    switch a            # optional; with any such line, all switches must be declared
    processor p b       # processor p hangs on switch b
    processor q         # processor q; its link is one of the edges
    a b
    q a

Names are words without blanks. Processors are numbered in the order of their lines; without any, each switch
has one. Switches that are not declared are numbered by name if all names are whole numbers, otherwise in
order of appearance (numbers of more than 18 digits count as words).
"""

from topology.common.errors import TopologyError
from topology.common.named_graph import MAX_DIGITS, NO_LINK_RULES, LinkRules, NamedGraph

Line = tuple[int, list[str]]


def parse_edge_list(text: str, rules: LinkRules = NO_LINK_RULES) -> NamedGraph:
    """Parse an edge list.

    Raises:
        TopologyError: With the line, for anything that is not as above.
    """
    lines = [(number, line.split("#")[0].split()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, words) for number, words in lines if words]
    graph = NamedGraph(rules)
    links = _declare(graph, lines)
    if not graph.switches:
        for name, line in _appearing_switches(graph, links):
            graph.add_switch(name, line)
    for line, (a, b) in links:
        graph.add_link(a, b, line)
    return graph


def _declare(graph: NamedGraph, lines: list[Line]) -> list[Line]:
    """Read the declarations and return the links, those of processor lines included."""
    links = []
    for number, words in lines:
        if words[0] == "switch":
            if len(words) != 2:
                raise _wrong(number, words, "switch NAME")
            graph.add_switch(words[1], number)
        elif words[0] == "processor":
            if len(words) not in (2, 3):
                raise _wrong(number, words, "processor NAME or processor NAME SWITCH")
            graph.add_processor(words[1], number)
            if len(words) == 3:
                links.append((number, words[1:]))
        elif len(words) != 2:
            raise _wrong(number, words, "two node names")
        else:
            links.append((number, words))
    return links


def _wrong(line: int, words: list[str], right: str) -> TopologyError:
    return TopologyError(f"A line is {' '.join(words)!r}; it must be {right}", line=line, item=words[0])


def _appearing_switches(graph: NamedGraph, links: list[Line]) -> list[tuple[str, int]]:
    first: dict[str, int] = {}
    for line, names in links:
        for name in names:
            if name not in graph.processors:
                first.setdefault(name, line)
    if all(name.isdecimal() and len(name) <= MAX_DIGITS for name in first):
        return sorted(first.items(), key=lambda item: int(item[0]))
    return list(first.items())
