"""Static proof of deadlock freedom for networks whose worms may split.

A worm that holds one channel and requests another makes a dependency between them. For single-path worms freedom from
deadlock follows if the dependencies have no cycle. A worm that splits also makes its branches depend on each other, and
those dependencies always run in circles; what breaks the circles is that a router grants the branches of a worm
together, in one order for all worms. So a network passes when

1. the path dependencies have no cycle;
2. every router enqueues and grants the branches of a worm as one (atomic enqueue);
3. the branches are nested: what can be reached behind two branch channels is disjoint or one inside the other, and a
   worm that splits somewhere has all its branches inside one branch of any other split, or none.

Why that is enough: take a cycle of waiting worms and the split nearest to the sources that it crosses. To come back it
needs a second worm that also holds one branch of this split and waits in the other. By 3 both worms came through this
router and requested both branches there; by 2 one of them had both first, so in neither branch is it behind the other;
by 1 a cycle within one branch is impossible.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import networkx as nx
import numpy as np

from topology.common.channels import ChannelNetwork


def walk_dependencies(
    network: ChannelNetwork,
    sent: np.ndarray,
    taken: Callable[[int], np.ndarray],
    first_to_last: Sequence[int] | None = None,
) -> tuple[nx.DiGraph, tuple[tuple[int, int], ...]]:
    """Return the path dependencies of all headers that any processor may send.

    Parameters:
        sent (bool array, shape (keys,)): Keys that a header can have.
        taken: (arrival channel) -> whether a header that arrived there may take an output of the switch, by key: bool
            array, shape (outputs, keys).
        first_to_last: All channels, in an order in which headers go on from one to a later one. It does not affect the
            result, but with it most channels are visited only once.

    Returns:
        nx.DiGraph: Nodes are channel numbers; an edge c -> d says that some header that arrived on c may request d.
        tuple of (int, int): Arrival channels and keys that come there and have no output.
    """
    present = np.zeros((len(network.channels), len(sent)), dtype=bool)
    path = nx.DiGraph()
    path.add_nodes_from(range(len(network.channels)))
    dead_ends: set[tuple[int, int]] = set()
    order = range(len(network.channels)) if first_to_last is None else first_to_last
    rank = {channel: position for position, channel in enumerate(order)}
    work = [(rank[channel], channel) for channel in network.injection_channels]
    heapify(work)
    waiting = set(network.injection_channels)
    present[list(waiting)] = sent
    while work:
        _, channel = heappop(work)
        waiting.discard(channel)
        switch = network.channels[channel].sink
        if not network.is_switch(switch):
            continue
        outputs = taken(channel)
        stuck = present[channel] & ~outputs.any(axis=0)
        dead_ends.update((channel, int(key)) for key in np.flatnonzero(stuck))
        for port, outgoing in enumerate(network.output_channel[switch]):
            arriving = present[channel] & outputs[port]
            if not arriving.any():
                continue
            path.add_edge(channel, outgoing)
            if (arriving & ~present[outgoing]).any():
                present[outgoing] |= arriving
                if outgoing not in waiting:
                    waiting.add(outgoing)
                    heappush(work, (rank[outgoing], outgoing))
    return path, tuple(sorted(dead_ends))


@dataclass(frozen=True)
class Dependencies:
    """Channels that a worm may wait for while it holds another.

    Parameters:
        path: Nodes are channel numbers; an edge c -> d says that some header that arrived on c may request d.
        splits (dict of (tuple of int) to int): Groups of channels that one header may request together, each with the
            switch where it does.
        atomic: True if a router enqueues and grants the requests of a header as one.
        dead_ends (tuple of (int, int)): Reachable (arrival channel, routing key) without any output; there must be
            none.
    """

    network: ChannelNetwork
    path: nx.DiGraph
    splits: dict[tuple[int, ...], int]
    atomic: bool
    dead_ends: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class DeadlockVerdict:
    """Result of `check_deadlock`.

    Members:
        free: True if the network is proved free from deadlock.
        reason: The proof in one line, or what breaks it.
        cycle: Names of the channels on a cycle of dependencies, each waiting for the next and the last for the first;
            empty if there is none.
        channels, dependencies, splits (int): Sizes of what was examined.
    """

    free: bool
    reason: str
    cycle: tuple[str, ...]
    channels: int
    dependencies: int
    splits: int


def check_deadlock(dependencies: Dependencies) -> DeadlockVerdict:
    """Prove a network free from deadlock or return what breaks the proof."""
    sizes = (len(dependencies.network.channels), dependencies.path.number_of_edges(), len(dependencies.splits))
    if dependencies.dead_ends:
        channel, key = dependencies.dead_ends[0]
        names = dependencies.network
        reason = (
            f"a header for {names.vertex_name(key)} that arrives on {names.channels[channel].name} has no output "
            f"({len(dependencies.dead_ends)} such cases)"
        )
        return DeadlockVerdict(False, reason, (), *sizes)
    cycle = find_cycle(dependencies.path)
    if cycle:
        return DeadlockVerdict(False, "the path dependencies have a cycle", _names(dependencies, cycle), *sizes)
    if not dependencies.atomic:
        cycle = find_cycle(_with_sibling_dependencies(dependencies))
        if cycle:
            reason = "branches of a worm are enqueued one by one, so two worms can each hold what the other waits for"
            return DeadlockVerdict(False, reason, _names(dependencies, cycle), *sizes)
    crossing = _crossing_branches(dependencies)
    if crossing:
        reason = f"the branches {crossing[0]} and {crossing[1]} overlap without one holding the other"
        return DeadlockVerdict(False, reason, (), *sizes)
    proof = ["path dependencies acyclic"]
    if dependencies.splits:
        proof += ["branches nested", "enqueue atomic"]
    return DeadlockVerdict(True, ", ".join(proof), (), *sizes)


def find_cycle(graph: nx.DiGraph) -> tuple[int, ...]:
    """Return the nodes of one cycle of a directed graph, in order; empty if it has none."""
    if nx.is_directed_acyclic_graph(graph):  # takes a time linear in the edges; to look for a cycle can take far longer
        return ()
    return tuple(edge[0] for edge in nx.find_cycle(graph))


def _names(dependencies: Dependencies, channels: Iterable[int]) -> tuple[str, ...]:
    return tuple(dependencies.network.channels[channel].name for channel in channels)


def _with_sibling_dependencies(dependencies: Dependencies) -> nx.DiGraph:
    graph = dependencies.path.copy()
    for group in dependencies.splits:
        graph.add_edges_from((a, b) for a in group for b in group if a != b)
    return graph


def _crossing_branches(dependencies: Dependencies) -> tuple[str, str] | None:
    """Return the names of two branch channels that violate condition 3; sets of channels are bits of integers."""
    behind = _reachable_sets(dependencies.path)
    if _are_nested(dependencies, behind):
        return None
    groups = [(group, sum(1 << channel for channel in group)) for group in dependencies.splits]
    branches = sorted({channel for group in dependencies.splits for channel in group})
    for position, a in enumerate(branches):
        for b in branches[position + 1 :]:
            common = behind[a] & behind[b]
            if common not in (0, behind[a], behind[b]):
                return _pair(dependencies, a, b)
        for group, members in groups:
            if a not in group and members & behind[a] not in (0, members):
                return _pair(dependencies, a, group[0])
    return None


def _are_nested(dependencies: Dependencies, behind: dict[int, int]) -> bool:
    """Return whether condition 3 holds, without a test of all pairs of branches.

    Sets are nested if, taken from the largest to the smallest, each lies within one of those before it, or in none: all
    its members have the same smallest set so far. And a group is inside or outside of each other branch if its members
    are in the same ones, those of the group left out.
    """
    branches = sorted({channel for group in dependencies.splits for channel in group})
    smallest: dict[int, int] = {}
    within: dict[int, set[int]] = {}
    for branch in sorted(branches, key=lambda branch: -behind[branch].bit_count()):
        members = _bits(behind[branch])
        if len({smallest.get(member, -1) for member in members}) > 1:
            return False
        for member in members:
            smallest[member] = branch
            within.setdefault(member, set()).add(branch)
    return all(
        len({frozenset(within.get(member, set()).difference(group)) for member in group}) == 1
        for group in dependencies.splits
    )


def _bits(number: int) -> list[int]:
    """Return the positions of the ones."""
    text = bin(number)[:1:-1]
    return [position for position, bit in enumerate(text) if bit == "1"]


def _pair(dependencies: Dependencies, a: int, b: int) -> tuple[str, str]:
    channels = dependencies.network.channels
    return channels[a].name, channels[b].name


def _reachable_sets(graph: nx.DiGraph) -> dict[int, int]:
    """Return, per node of an acyclic graph, the node and all nodes behind it, as bits."""
    behind: dict[int, int] = {}
    for node in reversed(list(nx.topological_sort(graph))):
        behind[node] = 1 << node
        for successor in graph.successors(node):
            behind[node] |= behind[successor]
    return behind
