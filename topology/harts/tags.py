"""Shortest paths in a wrapped hexagonal mesh (Sec. 2): the distance along each of the three axes."""

from topology.harts.graph import HexMesh, opposite

Tags = tuple[int, int, int]
"""Steps still to go along the axes of directions 0, 1 and 2; negative ones lead the opposite way."""

ARRIVED: Tags = (0, 0, 0)


def routing_tags(mesh: HexMesh, source: int, destination: int) -> Tags:
    """Return the tags of a shortest path; at most two are nonzero, and their steps may be taken in any order."""
    a, b = mesh.coordinates((destination - source) % mesh.nodes)
    # a step in direction 0 and one in direction 2 are together one in direction 1
    both = min(-a, b) if a < 0 < b else -min(a, -b) if b < 0 < a else 0
    return a + both, b - both, both


def directions_onward(tags: Tags) -> tuple[int, ...]:
    """Return the directions in which a packet may leave, in the order of trial."""
    return tuple(axis if steps > 0 else opposite(axis) for axis, steps in enumerate(tags) if steps)


def after_step(tags: Tags, direction: int) -> Tags:
    """Return the tags after a step in one of those directions."""
    changed = list(tags)
    changed[direction % 3] -= 1 if direction < 3 else -1
    return changed[0], changed[1], changed[2]


def distance(mesh: HexMesh, source: int, destination: int) -> int:
    """Return the steps on a shortest path."""
    return sum(map(abs, routing_tags(mesh, source, destination)))
