"""Random irregular networks: the paper's lattice (SPAM Sec. 4) and free random graphs for tests and studies.

The paper picks switches at random from the points of an integer lattice and links neighbours, without a density.
Density matters: just above the density at which random points connect at all, paths of a 256-switch network are so long
that a broadcast takes more than the paper's 14 us. ``lattice_network`` therefore grows a compact patch: it starts with
one point and adds, until there are enough, a random free point next to those it has. The result is connected by
construction.
"""

import random
from bisect import bisect_left, insort
from collections.abc import Iterator

import numpy as np

from topology.common.errors import TopologyError
from topology.common.graph import Network

MIN_LATTICE_LINKS, MAX_LATTICE_LINKS = 2, 4

MAX_SHUFFLED = 1024
"""Maximum number of switches for which all pairs are put into a random order; of larger graphs pairs are drawn."""
DRAWS_PER_SWITCH = 64

Point = tuple[int, int]


def lattice_network(
    switches: int, *, ports: int = 8, seed: int = 0, max_switch_links: int = 4, processors_per_switch: int = 1
) -> Network:
    """Return a random connected patch of the integer lattice, with links between adjacent points (SPAM Sec. 4).

    Switches are numbered row by row from the lowest row.

    Parameters:
        switches: Number of switches, at least 1.
        ports: Ports of a switch; the paper has 8.
        seed: Same seed, same network.
        max_switch_links: Most links from one switch to others, 2 to 4. Below 4, links beyond a spanning tree are left
            out at random.
        processors_per_switch: Processors on each switch, at least 1.

    Raises:
        TopologyError: For parameters out of range, or if growth gets stuck (only below 4 links).
    """
    _check(switches, processors_per_switch)
    if not MIN_LATTICE_LINKS <= max_switch_links <= MAX_LATTICE_LINKS:
        raise TopologyError(
            f"max_switch_links is {max_switch_links!r}; it must be {MIN_LATTICE_LINKS} to {MAX_LATTICE_LINKS}",
            item=str(max_switch_links),
        )
    generator = random.Random(seed)
    links = _grow(switches, max_switch_links, generator)
    points = sorted(links, key=lambda point: (point[1], point[0]))
    _link_neighbours(points, links, max_switch_links, generator)
    number = {point: switch for switch, point in enumerate(points)}
    edges = {(min(number[a], number[b]), max(number[a], number[b])) for a in points for b in links[a]}
    return Network(
        switches,
        sorted(edges),
        [switch for switch in range(switches) for _ in range(processors_per_switch)],
        ports=ports,
        positions=np.array(points, dtype=float),
    )


def _check(switches: int, processors_per_switch: int) -> None:
    if switches < 1:
        raise TopologyError(f"A network must have at least 1 switch, not {switches!r}", item=str(switches))
    if processors_per_switch < 1:
        raise TopologyError(
            f"processors_per_switch is {processors_per_switch!r}; it must be at least 1",
            item=str(processors_per_switch),
        )


def _around(point: Point) -> tuple[Point, ...]:
    x, y = point
    return ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1))


def _grow(switches: int, max_switch_links: int, generator: random.Random) -> dict[Point, set[Point]]:
    """Return a spanning tree of the patch: linked points by point."""
    links: dict[Point, set[Point]] = {(0, 0): set()}
    frontier = sorted(_around((0, 0)))  # free points next to those that may have more links

    def parents_of(point: Point) -> list[Point]:
        return [near for near in _around(point) if near in links and len(links[near]) < max_switch_links]

    while len(links) < switches:
        if not frontier:
            raise TopologyError(
                f"The lattice got stuck at {len(links)} of {switches} switches with max_switch_links "
                f"{max_switch_links}; take another seed or more links",
                item=str(max_switch_links),
            )
        point = generator.choice(frontier)
        parent = generator.choice(parents_of(point))
        links[point] = {parent}
        links[parent].add(point)
        del frontier[bisect_left(frontier, point)]
        for free in (free for near in (point, parent) for free in _around(near) if free not in links):
            position = bisect_left(frontier, free)
            known = frontier[position : position + 1] == [free]
            if known != bool(parents_of(free)):
                frontier[position : position + known] = [] if known else [free]
    return links


def _link_neighbours(
    points: list[Point], links: dict[Point, set[Point]], max_switch_links: int, generator: random.Random
) -> None:
    """Add the links between adjacent points that the bound allows."""
    pairs = [(point, near) for point in points for near in _around(point) if near in links and point < near]
    generator.shuffle(pairs)
    for a, b in pairs:
        if b not in links[a] and max(len(links[a]), len(links[b])) < max_switch_links:
            links[a].add(b)
            links[b].add(a)


def irregular_network(
    switches: int,
    *,
    ports: int = 8,
    extra_links: int | None = None,
    seed: int = 0,
    processors_per_switch: int = 1,
) -> Network:
    """Return a random connected graph: a random tree and some random links more. It has no positions.

    Parameters:
        switches: Number of switches, at least 1.
        ports: Ports of a switch, processors included.
        extra_links: Links beyond the tree; fewer if the ports do not suffice. Default half the number of switches.
        seed: Same seed, same network.
        processors_per_switch: Processors on each switch, at least 1.

    Raises:
        TopologyError: For parameters out of range.
    """
    _check(switches, processors_per_switch)
    most_links = ports - processors_per_switch
    if switches > 1 and most_links < min(2, switches - 1):
        raise TopologyError(f"ports is {ports!r}; it must be at least {processors_per_switch + 2}", item=str(ports))
    generator = random.Random(seed)
    degree, edges = _random_tree(switches, most_links, generator)
    wanted = len(edges) + (switches // 2 if extra_links is None else extra_links)
    for a, b in _pairs(switches, edges, generator):
        if len(edges) == wanted:
            break
        if (a, b) not in edges and max(degree[a], degree[b]) < most_links:
            edges.add((a, b))
            degree[a] += 1
            degree[b] += 1
    processors = [switch for switch in range(switches) for _ in range(processors_per_switch)]
    return Network(switches, sorted(edges), processors, ports=ports)


def _random_tree(switches: int, most_links: int, generator: random.Random) -> tuple[list[int], set[tuple[int, int]]]:
    """Return the links of each switch, and edges, lower number first."""
    degree, edges = [0] * switches, set()
    open_switches = [0]
    for switch in range(1, switches):
        parent = generator.choice(open_switches)
        edges.add((parent, switch))
        degree[parent] += 1
        degree[switch] += 1
        if degree[parent] == most_links:
            del open_switches[bisect_left(open_switches, parent)]
        if degree[switch] < most_links:
            insort(open_switches, switch)
    return degree, edges


def _pairs(switches: int, edges: set[tuple[int, int]], generator: random.Random) -> Iterator[tuple[int, int]]:
    """Yield pairs of switches in a random order, lower number first.

    Of large networks all pairs would be too many, so pairs are drawn; that comes to an end even if no pair suits.
    """
    if switches <= MAX_SHUFFLED:
        pairs = [(a, b) for b in range(switches) for a in range(b) if (a, b) not in edges]
        generator.shuffle(pairs)
        yield from pairs
        return
    for _ in range(DRAWS_PER_SWITCH * switches):
        a, b = sorted(generator.sample(range(switches), 2))
        yield a, b
