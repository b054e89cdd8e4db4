"""Static proof of deadlock freedom for multistage networks with token groups (Sec. 3, and its proof mended).

Single paths cannot wait in a circle: channels lead forward, and after the turn backward. Two messages that branch can
close a circle: each holds an output that the other requests, behind two of their branches. A switch keeps one order of
headers for all its outputs, so the two must branch at different switches, and both must reach two switches in common.
So a network passes when

1. every header finds an output, and the path dependencies have no cycle;
2. any two switches of one stage whose branches meet again share a token;
3. the token is released only when every branch of the message is sure of its path to the processors.
"""

from collections.abc import Iterator
from functools import partial, reduce
from itertools import combinations
from operator import or_
from typing import Any

import networkx as nx
import numpy as np

from topology.common.channel_order import NoOrder, rising_order
from topology.common.deadlock import DeadlockVerdict, find_cycle, walk_dependencies
from topology.min.graph import FORWARD, MinNetwork
from topology.min.groups import EXACT, NO_TOKEN, TokenGroups, branch_ports, token_rings
from topology.min.routing import MinRouting

PathDependencies = tuple[nx.DiGraph, tuple[tuple[int, int], ...]]


def check_min_deadlock(
    routing: MinRouting,
    buffer_depth_flits: int,
    token: str = EXACT,
    link_cycles: int = 1,
    dependencies: PathDependencies | None = None,
) -> DeadlockVerdict:
    """Prove a network free from deadlock, or return what breaks the proof.

    Parameters:
        buffer_depth_flits: Flits that an input buffer holds.
        token: Token rule, or ``none``.
        link_cycles: Cycles of a link between switches.
        dependencies (tuple or None): Result of ``min_dependencies``, if known.
    """
    network, groups = routing.network, routing.groups
    path, dead_ends = min_dependencies(routing) if dependencies is None else dependencies
    splits = [switch for switch in range(network.switches) if len(branches_of(routing, switch)) > 1]
    sizes = (len(network.channels), path.number_of_edges(), len(splits))
    if dead_ends:
        channel, key = dead_ends[0]
        name = network.channels[channel].name
        reason = f"a header with key {key} that arrives on {name} has no output ({len(dead_ends)} such cases)"
        return DeadlockVerdict(False, reason, (), *sizes)
    cycle = find_cycle(path)
    if cycle:
        names = tuple(network.channels[channel].name for channel in cycle)
        return DeadlockVerdict(False, "the path dependencies have a cycle", names, *sizes)
    for first, second, cycle in _rivals(routing, splits, token):
        names = (network.switch_names[first], network.switch_names[second])
        reason = f"messages that branch at {names[0]} and {names[1]} can each hold what the other waits for"
        return DeadlockVerdict(False, reason, cycle, *sizes)
    for switch in range(network.switches):
        if token == NO_TOKEN or groups.group_of[switch] is None:
            continue
        given = groups.release_flits(switch, buffer_depth_flits, link_cycles, token)
        needed = groups.release_flits(switch, buffer_depth_flits, link_cycles, EXACT)
        if given < needed:
            reason = (
                f"{network.switch_names[switch]} passes the token on after {given} flits, when a header may still wait "
                f"behind them; {needed} are needed"
            )
            return DeadlockVerdict(False, reason, (), *sizes)
    kept = "no branches meet again" if token == NO_TOKEN else f"{len(groups.groups)} token groups keep branches apart"
    reason = f"path dependencies acyclic, {kept}"
    return DeadlockVerdict(True, reason, (), *sizes)


def min_dependencies(routing: MinRouting) -> PathDependencies:
    """Return the path dependencies of all headers, as of ``walk_dependencies``."""
    network, keys = routing.network, np.ones(routing.keys, dtype=bool)
    return walk_dependencies(network, keys, partial(_taken, routing), _first_to_last(network))


def _first_to_last(network: MinNetwork) -> list[int]:
    """Return the channels in path order: up stage by stage, and then, in bidirectional networks, down again."""

    def rank(channel: int) -> tuple[int, int]:
        source = network.channels[channel].source
        if not network.is_switch(source):
            return 0, 0
        position = network.switch_positions[source]
        if network.input_class(channel) == FORWARD:
            return 1, position.stage
        return 2, -position.stage + (position.distributor is not None)

    return sorted(range(len(network.channels)), key=rank)


def _taken(routing: MinRouting, channel: int) -> np.ndarray:
    """Return whether a header that arrived on ``channel`` may take an output, bool array, shape (outputs, keys)."""
    switch = routing.network.channels[channel].sink
    outputs = np.arange(len(routing.network.output_channel[switch]))[:, np.newaxis]
    routes = routing.routes[switch, :, routing.input_class(channel)]
    branching = np.zeros(routing.keys, dtype=bool)
    branching[list(routing.multicast_keys)] = True
    branches = np.isin(outputs, branches_of(routing, switch))
    return (routes >> outputs & 1).astype(bool) | (branches & branching & (routes == 0))


def branch_channels(routing: MinRouting) -> list[int]:
    """Return the channels to which a worm that branches may be sent."""
    network = routing.network
    switches = range(network.switches)
    return [network.output_channel[switch][port] for switch in switches for port in branches_of(routing, switch)]


def branches_of(routing: MinRouting, switch: int) -> list[int]:
    """Return the ports at which a message may branch."""
    ports = branch_ports(routing.network, switch)
    return [port for port in ports if routing.reach[switch, port].any()]


def _rivals(routing: MinRouting, splits: list[int], token: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield pairs of switches of a stage, without a common token, whose branches meet again at two outputs.

    With each pair the circle that this can close.
    """
    network, groups = routing.network, routing.groups
    behind = _behind_branches(routing)
    by_stage: dict[int, list[int]] = {}
    for switch in splits:
        by_stage.setdefault(network.switch_positions[switch].stage, []).append(switch)
    for switches in by_stage.values():
        if token != NO_TOKEN and _are_apart(groups, switches, behind):
            continue
        for first, second in combinations(switches, 2):
            if token != NO_TOKEN and groups.group_of[first] == groups.group_of[second]:
                continue
            met = [a & b for a, b in zip(behind[first], behind[second], strict=True) if a & b]
            if len(met) > 1:
                # the lowest bit of a set is an output that both request
                names = [network.channels[(common & -common).bit_length() - 1].name for common in met[:2]]
                yield first, second, (names[0], names[1])


def _are_apart(groups: TokenGroups, switches: list[int], behind: dict[int, list[int]]) -> bool:
    """Return whether the groups of a stage have no output behind their branches in common: pairs need no test then.

    Switches without a token count as a group each.
    """
    wanted: dict[int, int] = {}
    for switch in switches:
        group = groups.group_of[switch]
        number = -1 - switch if group is None else group
        wanted[number] = reduce(or_, behind[switch], wanted.get(number, 0))
    seen = 0
    for outputs in wanted.values():
        if seen & outputs:
            return False
        seen |= outputs
    return True


def _behind_branches(routing: MinRouting) -> dict[int, list[int]]:
    """Return, per switch and branch, the shared outputs of later switches as a bit set."""
    network = routing.network
    found: dict[int, list[int]] = {}

    def look(switch: int) -> list[int]:
        if switch not in found:
            found[switch] = [
                outputs_from(network.channels[network.output_channel[switch][port]].sink)
                for port in branches_of(routing, switch)
            ]
        return found[switch]

    def outputs_from(vertex: int) -> int:
        if not network.is_switch(vertex):
            return 0
        wanted = 0
        for port, later in zip(branches_of(routing, vertex), look(vertex), strict=True):
            wanted |= later
            if len(network.input_channel[vertex]) > 1:
                wanted |= 1 << network.output_channel[vertex][port]
        return wanted

    for switch in range(network.switches):
        look(switch)
    return found


def min_evidence(
    routing: MinRouting, buffer_depth_flits: int, token: str = EXACT, link_cycles: int = 1
) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters:
        buffer_depth_flits: Flits that an input buffer holds.
        token: Token rule, or ``none``.
        link_cycles: Cycles of a link between switches.

    Returns:
        dict: ``order``: names of all channels; those into switches that share a token come before the branches there.
            ``tokens``: names of the switches that share each token.

    Raises:
        NoOrder: If there is no such order, or tokens do not keep worms apart.
    """
    verdict = check_min_deadlock(routing, buffer_depth_flits, token, link_cycles)
    if not verdict.free:
        raise NoOrder(verdict.reason)
    network = routing.network
    path, _ = min_dependencies(routing)
    rings = sorted(sorted(group.switches) for group in token_rings(routing.groups, token))
    asking = (
        (held, network.output_channel[branching][port])
        for ring in rings
        for waiting in ring
        for held in network.input_channel[waiting]
        for branching in ring
        for port in branches_of(routing, branching)
    )
    order = rising_order(range(len(network.channels)), [*path.edges, *asking])
    return {
        "order": [network.channels[channel].name for channel in order],
        "tokens": [[network.switch_names[switch] for switch in ring] for ring in rings],
    }
