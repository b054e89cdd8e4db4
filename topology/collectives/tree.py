"""Tree of the plane: switches that combine, their parents, and their processors.

The branches of a switch are its child switches in ascending number, then its processors in ascending number. Their
positions, from 0, are the ports of the switch in hardware and the bits of every mask. Each branch has an up input and a
down output; the parent has one up output and one down input.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError

MAX_BRANCHES = 32
"""Children and processors of a switch: the bits of an error mask."""


class Branch(NamedTuple):
    """A link of the plane, named by what is at its lower end.

    Members:
        switch: Switch at its upper end.
        port: Position among the branches of that switch.
        is_processor: True for a processor, False for a child switch.
        number: Number of the processor or switch.
    """

    switch: int
    port: int
    is_processor: bool
    number: int


@dataclass(frozen=True)
class PlaneTree:
    """A rooted tree of switches with processors.

    Parameters:
        parent (mapping of int to int or None): Parent of each switch that takes part; None for the root.
        processors: Switch of each processor, by number.
        foreign_links (tuple of (int, int)): Child and parent of links that the network does not have.

    Raises:
        TopologyError: If the parents are no tree, a processor hangs outside of it, or a switch has too many branches.
    """

    parent: Mapping[int, int | None]
    processors: tuple[int, ...]
    foreign_links: tuple[tuple[int, int], ...] = ()

    def __post_init__(self):
        if not self.processors:
            raise TopologyError("A plane has 0 processors; it must have at least 1")
        _check_tree(self.parent)
        for processor, switch in enumerate(self.processors):
            if switch not in self.parent:
                raise TopologyError(
                    f"Switch {switch} of processor {processor} is not in the tree; the tree must reach all processors",
                    item=str(switch),
                )
        for switch in self.switches:
            if len(self.branches_of(switch)) > MAX_BRANCHES:
                raise TopologyError(
                    f"Switch {switch} has {len(self.branches_of(switch))} branches; "
                    f"a switch of the plane must have at most {MAX_BRANCHES}",
                    item=str(switch),
                )

    @cached_property
    def switches(self) -> tuple[int, ...]:
        """Switches that take part, ascending. Arrays have a row for each, in this order."""
        return tuple(sorted(self.parent))

    @cached_property
    def position(self) -> dict[int, int]:
        """Row of each switch in arrays."""
        return {switch: position for position, switch in enumerate(self.switches)}

    @cached_property
    def root(self) -> int:
        """The switch without a parent."""
        return next(switch for switch in self.switches if self.parent[switch] is None)

    @cached_property
    def _branches(self) -> dict[int, tuple[Branch, ...]]:
        below: dict[int, list[tuple[bool, int]]] = {switch: [] for switch in self.switches}
        for switch in self.switches:
            above = self.parent[switch]
            if above is not None:
                below[above].append((False, switch))
        for processor, switch in enumerate(self.processors):
            below[switch].append((True, processor))
        return {
            switch: tuple(Branch(switch, port, *end) for port, end in enumerate(sorted(ends)))
            for switch, ends in below.items()
        }

    def branches_of(self, switch: int) -> tuple[Branch, ...]:
        """Return the branches of a switch, by port.

        Parameters:
            switch
        """
        return self._branches[switch]

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """All branches, by switch and then by port. Arrays of links have an entry for each, in this order."""
        return tuple(branch for switch in self.switches for branch in self.branches_of(switch))

    @cached_property
    def depth(self) -> dict[int, int]:
        """Links from each switch up to the root."""
        return dict(zip(self.top_down, self._depths, strict=True))

    @cached_property
    def top_down(self) -> tuple[int, ...]:
        """Switches, each behind its parent."""
        order = [self.root]
        for switch in order:  # grows while it is read
            order += [branch.number for branch in self.branches_of(switch) if not branch.is_processor]
        return tuple(order)

    @property
    def _depths(self) -> list[int]:
        depth: dict[int, int] = {}
        for switch in self.top_down:
            above = self.parent[switch]
            depth[switch] = 0 if above is None else depth[above] + 1
        return list(depth.values())

    def path_up(self, switch: int) -> list[int]:
        """Return the switches from one to the root, both included.

        Parameters:
            switch
        """
        path = [switch]
        while (above := self.parent[path[-1]]) is not None:
            path.append(above)
        return path

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Child and parent of all links between switches, by child."""
        pairs = ((switch, self.parent[switch]) for switch in self.switches)
        return tuple((child, above) for child, above in pairs if above is not None)


def _check_tree(parent: Mapping[int, int | None]) -> None:
    roots = [switch for switch in sorted(parent) if parent[switch] is None]
    if len(roots) != 1:
        raise TopologyError(f"Switches without a parent are {roots}; a tree must have exactly 1")
    safe: set[int | None] = set(roots)
    for first in sorted(parent):
        path, switch = [], first
        while switch not in safe:
            path.append(switch)
            above = parent[switch]
            if above is None or above not in parent:
                raise TopologyError(f"Parent {above!r} of switch {switch} is not in the tree", item=str(above))
            if above in path:
                raise TopologyError(
                    f"Tree parents of switch {first} run in a circle; they must lead to the root", item=str(first)
                )
            switch = above
        safe.update(path)


def plane_tree(
    network: ChannelNetwork,
    root: int | None = None,
    edges: Iterable[Sequence[int]] | None = None,
    parents: Sequence[int] | None = None,
) -> PlaneTree:
    """Return the tree of a plane beside a network of any family.

    A processor hangs on the switch of its first delivery channel. Without ``edges`` and ``parents`` the tree is
    breadth-first over the undirected network, neighbours in ascending order, from the root. Branches without processors
    are left out in every case.

    Parameters:
        network
        root: Root switch. Default: the switch with the smallest largest distance to a switch with processors, then the
            smallest sum of these distances, then the lowest number.
        edges (iterable of (int, int)): Child and parent of all links of the tree. Links that the network does not have
            are allowed, and listed in ``foreign_links``.
        parents: ``parents[switch]`` of a spanning tree, in which the root is its own parent: of SPAM, that of its
            labels.

    Raises:
        TopologyError: If the tree is none, does not reach all processors, or contradicts the root.
    """
    homes = tuple(
        network.channels[network.delivery_channel(processor)].source for processor in range(len(network.processors))
    )
    if root is not None and not 0 <= root < network.switches:
        raise TopologyError(f"Root {root!r} is no switch; switches are 0 to {network.switches - 1}", item=str(root))
    if edges is not None:
        found = _given_edges(network, [tuple(edge) for edge in edges], root, homes)
    elif parents is not None:
        found = {switch: None if above == switch else int(above) for switch, above in enumerate(parents)}
    else:
        found = _breadth_first(network, _centre(network, homes) if root is None else root)
    _check_tree(found)
    _check_root(found, root)
    kept = _with_processors(found, homes)
    links = sorted((child, above) for child, above in kept.items() if above is not None)
    return PlaneTree(kept, homes, tuple(link for link in links if not _joined(network, *link)))


def _joined(network: ChannelNetwork, a: int, b: int) -> bool:
    return b in network.successors(a) or a in network.successors(b)


def _check_root(parent: Mapping[int, int | None], root: int | None) -> None:
    if root is not None and (root not in parent or parent[root] is not None):
        raise TopologyError(f"Root is {root}; the tree has another one", item=str(root))


def _given_edges(
    network: ChannelNetwork, edges: Sequence[tuple[int, ...]], root: int | None, homes: Sequence[int]
) -> dict[int, int | None]:
    parent: dict[int, int | None] = {}
    for edge in edges:
        text = str(list(edge))
        if len(edge) != 2:
            raise TopologyError(f"Edge {text} of the tree must be [child, parent]", item=text)
        for end in edge:
            if isinstance(end, bool) or not isinstance(end, int) or not 0 <= end < network.switches:
                raise TopologyError(
                    f"Edge {text} of the tree names unknown switch {end!r}; switches are 0 to {network.switches - 1}",
                    item=text,
                )
        child, above = edge
        if child == above:
            raise TopologyError(f"Edge {text} of the tree is a loop; it must join two different switches", item=text)
        if child in parent:
            raise TopologyError(
                f"Switch {child} of the tree has parents {parent[child]} and {above}; it must have one", item=text
            )
        parent[child] = above
    if not parent:
        only = homes[0] if root is None else root
        return {only: None}
    for above in list(parent.values()):
        if above is not None and above not in parent:
            parent[above] = None
    return parent


def _neighbours(network: ChannelNetwork) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(network.switches)]
    for a, b in network.edges:
        found[a].append(b)
        found[b].append(a)
    return [sorted(set(near)) for near in found]


def _breadth_first(network: ChannelNetwork, root: int) -> dict[int, int | None]:
    neighbours = _neighbours(network)
    parent: dict[int, int | None] = {root: None}
    queue = [root]
    for switch in queue:  # grows while it is read
        new = [near for near in neighbours[switch] if near not in parent]
        parent.update(dict.fromkeys(new, switch))
        queue += new
    return parent


def _centre(network: ChannelNetwork, homes: Sequence[int]) -> int:
    """Return the root of the breadth-first tree: sets of switches are bits of integers, and all grow at once."""
    neighbours = _neighbours(network)
    wanted = sum(1 << home for home in set(homes))
    within = [1 << switch for switch in range(network.switches)]
    total = [0] * network.switches
    missing = list(range(network.switches))
    for distance in range(network.switches):
        done = [switch for switch in missing if within[switch] & wanted == wanted]
        if done:
            return min(done, key=lambda switch: (total[switch], switch))
        grown = list(within)
        for switch in range(network.switches):
            for near in neighbours[switch]:
                grown[switch] |= within[near]
            new = (grown[switch] & ~within[switch] & wanted).bit_count()
            total[switch] += (distance + 1) * new
        within = grown
    raise TopologyError("No switch reaches all processors; the tree of the plane needs a connected network, or edges")


def _with_processors(parent: Mapping[int, int | None], homes: Iterable[int]) -> dict[int, int | None]:
    """Return the root and all switches with processors at or below them."""
    kept: dict[int, int | None] = {switch: above for switch, above in parent.items() if above is None}
    for home in homes:
        switch: int | None = home
        while switch is not None and switch not in kept:
            if switch not in parent:
                raise TopologyError(
                    f"Switch {switch} has processors and is not in the tree; the tree must reach all processors",
                    item=str(switch),
                )
            kept[switch] = parent[switch]
            switch = kept[switch]
    return kept
