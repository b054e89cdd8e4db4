"""Static proof of deadlock freedom for tori and meshes with virtual channels.

The nodes of the graph are VCs, and an edge c -> d says that some header that any node may send can arrive on VC c and
request VC d. Headers of all directions are walked, not only those of the shorter ways, because directed subnetworks
send others. If this graph has no cycle there is no deadlock:

Number the VCs so that edges lead to greater numbers. Suppose that flits are left and none can ever move again, and take
the greatest VC c with flits in its buffer. The first of them waits for a VC d, because processors take everything.
Edges lead to greater VCs, so the buffer of d is empty and d has all its credits. If the flit belongs to the worm that
has d, or d is free, it can move: requests that cannot be fulfilled are dropped, so VCs that share a channel do not wait
for each other, nor does a flit from a processor with low priority block others. Otherwise another worm has d. Its
header has passed every VC behind d, so nothing is before its flits there; the nearest of them is the first in its
buffer or in the source, and the VC before it is empty and this worm's own. So that flit can move, a contradiction.

VC reallocation does not affect the proof. With non-atomic reallocation, several worms may be in one buffer, one behind
the other. Only the first of them waits for another VC, and its header requested that from this VC. So a VC waits only
for VCs that headers may request from it, which are the edges.
"""

from collections.abc import Iterable

import networkx as nx

from topology.common.deadlock import DeadlockVerdict, find_cycle
from topology.torus.header_paths import Heading, TorusPaths, headings
from topology.torus.routing import TorusRouting


def check_torus_deadlock(routing: TorusRouting) -> DeadlockVerdict:
    """Prove a torus or mesh free from deadlock, or return what breaks the proof."""
    network = routing.network
    path, dead_ends = torus_dependencies(routing)
    sizes = (len(network.channels), path.number_of_edges(), 0)
    if dead_ends:
        vc, key = dead_ends[0]
        fields = routing.key_format.unpack(key)
        node = network.vertex_name(network.grid.node(fields.row, fields.column))
        reason = f"a header for {node} that arrives on {network.channels[vc].name} is unroutable in dimension order"
        return DeadlockVerdict(False, f"{reason} ({len(dead_ends)} such cases)", (), *sizes)
    cycle = find_cycle(path)
    if cycle:
        names = tuple(network.channels[vc].name for vc in cycle)
        return DeadlockVerdict(False, "the dependencies between VCs have a cycle", names, *sizes)
    rings = f"VCs in two classes ({routing.vc_rule})" if routing.classed else "rings too short to wait in"
    kept = rings if network.grid.wraps else "a mesh has no rings"
    return DeadlockVerdict(True, f"dependencies between VCs acyclic, {kept}", (), *sizes)


def torus_dependencies(routing: TorusRouting) -> tuple[nx.DiGraph, tuple[tuple[int, int], ...]]:
    """Return the dependencies of all headers that any node may send.

    Returns:
        nx.DiGraph: Nodes are VCs; an edge c -> d says that some header that arrived on c may request d.
        tuple of (int, int): VCs and keys that come there and are unroutable.
    """
    walk = _Walk(routing)
    for heading in headings(routing.network.grid.columns):
        walk.along_rows(heading)
    for heading in headings(routing.network.grid.rows):
        walk.along_columns(heading)
    path = nx.DiGraph()
    path.add_nodes_from(range(len(routing.network.channels)))
    path.add_edges_from((vc, following) for vc, found in enumerate(walk.found) for following in found)
    return path, tuple(sorted(walk.dead_ends))


class _Walk:
    """Results of the walk: the VCs that headers request from each VC, and unroutable headers."""

    def __init__(self, routing: TorusRouting):
        self.paths = TorusPaths(routing)
        self.found: list[set[int]] = [set() for _ in routing.network.channels]
        self.turning: set[int] = set()
        """VCs on which headers turn into their columns."""
        self.dead_ends: list[tuple[int, int]] = []

    def along_rows(self, heading: Heading) -> None:
        paths, network = self.paths, self.paths.network
        work = [vc for vc in network.injection_channels if heading.suits(paths.grid, paths.position(vc)[1])]
        seen = set(work)
        for vc in work:
            if paths.position(vc)[1] == heading.end:
                self.turning.add(vc)
                continue
            vcs = paths.along_row(vc, heading)
            if not vcs:
                self.dead_ends.append((vc, paths.row_key(vc, heading)))
            work += self._new(vc, vcs, seen)

    def along_columns(self, heading: Heading) -> None:
        paths = self.paths
        work = [vc for vc in sorted(self.turning) if heading.suits(paths.grid, paths.position(vc)[0])]
        work = [vc for vc in work if not paths.at_home(vc, heading)]
        seen = set(work)
        for vc in work:
            if not paths.ends_at_switch(vc):
                continue
            vcs = paths.along_column(vc, heading)
            if not vcs:
                self.dead_ends.append((vc, paths.column_key(vc, heading)))
            work += self._new(vc, vcs, seen)

    def _new(self, vc: int, vcs: Iterable[int], seen: set[int]) -> list[int]:
        """Return the VCs that have not been visited; all of them are requested."""
        self.found[vc].update(vcs)
        new = [following for following in vcs if following not in seen]
        seen.update(new)
        return new
