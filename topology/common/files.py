"""Networks from files; the suffix decides the format unless a format is named.

=================  ==================================  ==========================================
format             suffix
=================  ==================================  ==========================================
``edges``          ``.edges``, ``.edgelist``, ``.txt`` edge list (``topology.common.edge_list``)
``graphml``        ``.graphml``, ``.xml``              GraphML (``topology.common.graphml``)
``anynet``         ``.anynet``                         BookSim anynet (``topology.common.anynet``)
=================  ==================================  ==========================================
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from topology.common.anynet import parse_anynet
from topology.common.edge_list import parse_edge_list
from topology.common.errors import FileRemark, TopologyError
from topology.common.graph import Network
from topology.common.graphml import parse_graphml
from topology.common.named_graph import NO_LINK_RULES, LinkRules, NamedGraph

Format = Literal["edges", "graphml", "anynet"]
PARSERS: dict[Format, Callable[[str, LinkRules], NamedGraph]] = {
    "edges": parse_edge_list,
    "graphml": parse_graphml,
    "anynet": parse_anynet,
}
SUFFIXES: dict[str, Format] = {
    ".edges": "edges",
    ".edgelist": "edges",
    ".txt": "edges",
    ".graphml": "graphml",
    ".xml": "graphml",
    ".anynet": "anynet",
}

MAX_MEGABYTES = 64


def read_network(
    path: str | Path, *, ports: int | None = None, format: Format | None = None, rules: LinkRules = NO_LINK_RULES
) -> Network:
    """Return the network in a file.

    Parameters:
        path: A file with one of the suffixes above, or with any name if its format is named.
        ports: Largest number of links a switch may have, those to processors included; None sets no bound.
        format (str or None): ``edges``, ``graphml`` or ``anynet``; by default the one that belongs to the suffix.
        rules: Treatment of parallel and one-way links.

    Returns:
        Network

    Raises:
        TopologyError: With ``line``, for an unknown suffix or format, a malformed line or a broken rule.
        OSError: If the file cannot be read.
    """
    path = Path(path)
    chosen = format or SUFFIXES.get(path.suffix.lower())
    if chosen is None:
        raise TopologyError(
            f"A network file must end in {', '.join(SUFFIXES)}, not {path.suffix!r}; "
            f"or its format must be named ({', '.join(f'format: {name}' for name in PARSERS)})",
            item=path.name,
        )
    if chosen not in PARSERS:
        raise TopologyError(f"Format is {chosen!r}; it must be one of {', '.join(PARSERS)}")
    try:
        with path.open("rb") as file:  # devices may have no end
            content = file.read(MAX_MEGABYTES * 10**6 + 1)
        text = content.decode("utf-8-sig")  # some editors write a byte-order mark
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TopologyError(f"The file must be UTF-8 text; byte {error.start} is not", line=line) from None
    if len(content) > MAX_MEGABYTES * 10**6:
        raise TopologyError(f"A network file must have at most {MAX_MEGABYTES} MB")
    graph = PARSERS[chosen](text, rules)
    network = graph.network(ports)
    for remark in graph.remarks:
        warnings.warn(f"{path.name}: {remark}", FileRemark, stacklevel=2)
    return network
