"""Networks from files; the suffix decides the format.

=====================================  ==========================================
``.edges``, ``.edgelist``, ``.txt``    edge list (``topology.common.edge_list``)
``.graphml``, ``.xml``                 GraphML (``topology.common.graphml``)
``.anynet``                            BookSim anynet (``topology.common.anynet``)
=====================================  ==========================================
"""

from collections.abc import Callable
from pathlib import Path

from topology.common.anynet import parse_anynet
from topology.common.edge_list import parse_edge_list
from topology.common.errors import TopologyError
from topology.common.graph import Network
from topology.common.graphml import parse_graphml
from topology.common.named_graph import NamedGraph

PARSERS: dict[str, Callable[[str], NamedGraph]] = {
    ".edges": parse_edge_list,
    ".edgelist": parse_edge_list,
    ".txt": parse_edge_list,
    ".graphml": parse_graphml,
    ".xml": parse_graphml,
    ".anynet": parse_anynet,
}

MOST_MEGABYTES = 64


def read_network(path: str | Path, *, ports: int | None = None) -> Network:
    """The network in a file.

    Parameters
    ----------
    path : str or Path
        A file with one of the suffixes above.
    ports : int or None
        Largest number of links a switch may have, those to processors included; None sets no bound.

    Raises
    ------
    TopologyError
        With ``line``, for an unknown suffix, a malformed line or a broken rule.
    OSError
        If the file cannot be read.
    """
    path = Path(path)
    parse = PARSERS.get(path.suffix.lower())
    if parse is None:
        raise TopologyError(f"A network file must end in {', '.join(PARSERS)}, not {path.suffix!r}", item=path.name)
    try:
        with path.open("rb") as file:  # devices may have no end
            content = file.read(MOST_MEGABYTES * 10**6 + 1)
        text = content.decode("utf-8-sig")  # some editors write a byte-order mark
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TopologyError(f"The file must be UTF-8 text; byte {error.start} is not", line=line) from None
    if len(content) > MOST_MEGABYTES * 10**6:
        raise TopologyError(f"A network file must have at most {MOST_MEGABYTES} MB")
    return parse(text).network(ports)
