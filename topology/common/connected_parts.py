"""Connected parts of an undirected graph."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Vertex = TypeVar("Vertex", bound=Hashable)


def connected_parts(vertices: Iterable[Vertex], edges: Iterable[tuple[Vertex, Vertex]]) -> list[list[Vertex]]:
    """Return the parts in the order of their first vertices.

    Every network is checked with this; loading NetworkX takes longer than building most networks.

    Parameters
    ----------
    vertices : iterable
    edges : iterable of (vertex, vertex)

    >>> connected_parts(range(5), [(0, 2), (4, 3), (2, 4)])
    [[0, 2, 4, 3], [1]]
    """
    neighbours: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in vertices}
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    parts, seen = [], set()
    for first in neighbours:
        if first in seen:
            continue
        seen.add(first)
        part = [first]
        for vertex in part:  # grows while it is read
            new = [other for other in dict.fromkeys(neighbours[vertex]) if other not in seen]
            seen.update(new)
            part += new
        parts.append(part)
    return parts
