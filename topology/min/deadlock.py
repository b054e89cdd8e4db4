"""Static proof of deadlock freedom for multistage networks with token groups (paper 3, and its proof mended).

Single paths cannot wait in a circle: channels lead forward, and after the turn backward. What can close a circle are
two messages that branch: each holds an output that the other wants, behind two branches of theirs. A switch keeps one
order of headers for all its outputs, so the two must branch at different switches, and both must reach two switches
in common. So a network passes when

1. the path dependencies have no cycle;
2. any two switches of one stage whose branches meet again share a token;
3. the token goes on only when every branch of the message is sure to have its way to the processors.
"""

from collections.abc import Iterator
from itertools import combinations

import networkx as nx

from topology.common.deadlock import DeadlockVerdict, find_cycle
from topology.min.groups import EXACT, NO_TOKEN, branch_ports
from topology.min.routing import MinRouting


def check_min_deadlock(routing: MinRouting, buffer_depth_flits: int, token: str = EXACT) -> DeadlockVerdict:
    """Prove a network free from deadlock, or say what stands against it.

    Parameters
    ----------
    routing : MinRouting
    buffer_depth_flits : int
        Flits that an input buffer holds.
    token : str
        When a token goes on, or ``none``.
    """
    network, groups = routing.network, routing.groups
    path = path_dependencies(routing)
    splits = [switch for switch in range(network.switches) if len(_branches(routing, switch)) > 1]
    sizes = (len(network.channels), path.number_of_edges(), len(splits))
    cycle = find_cycle(path)
    if cycle:
        names = tuple(network.channels[channel].name for channel in cycle)
        return DeadlockVerdict(False, "the path dependencies have a cycle", names, *sizes)
    for first, second, cycle in _rivals(routing, splits):
        if token == NO_TOKEN or groups.group_of[first] != groups.group_of[second]:
            names = (network.switch_names[first], network.switch_names[second])
            reason = f"messages that branch at {names[0]} and {names[1]} can each hold what the other waits for"
            return DeadlockVerdict(False, reason, cycle, *sizes)
    for switch in range(network.switches):
        if token == NO_TOKEN or groups.group_of[switch] is None:
            continue
        given = groups.release_flits(switch, buffer_depth_flits, token)
        needed = groups.release_flits(switch, buffer_depth_flits, EXACT)
        if given < needed:
            reason = (
                f"{network.switch_names[switch]} passes the token on after {given} flits, when a header may still wait "
                f"behind them; {needed} are needed"
            )
            return DeadlockVerdict(False, reason, (), *sizes)
    kept = "no branches meet again" if token == NO_TOKEN else f"{len(groups.groups)} token groups keep branches apart"
    reason = f"path dependencies acyclic, {kept}"
    return DeadlockVerdict(True, reason, (), *sizes)


def path_dependencies(routing: MinRouting) -> nx.DiGraph:
    """Channels that a header on a channel may ask for, from the routing tables."""
    network = routing.network
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(network.channels)))
    for channel in network.channels:
        if not network.is_switch(channel.sink):
            continue
        arrival = routing.input_class(channel.index)
        masks = int(routing.routes[channel.sink, :, arrival].max(initial=0))
        for mask in routing.routes[channel.sink, :, arrival].tolist():
            masks |= mask
        outputs = network.output_channel[channel.sink]
        ports = {port for port in range(len(outputs)) if masks >> port & 1} | set(_branches(routing, channel.sink))
        graph.add_edges_from((channel.index, outputs[port]) for port in ports)
    return graph


def _branches(routing: MinRouting, switch: int) -> list[int]:
    """Ports at which a message may branch."""
    ports = branch_ports(routing.network, switch)
    return [port for port in ports if routing.reach[switch, port].any()]


def _rivals(routing: MinRouting, splits: list[int]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Pairs of switches of a stage whose branches meet again at two outputs, and the circle that this can close."""
    network = routing.network
    by_stage: dict[int, list[int]] = {}
    for switch in splits:
        by_stage.setdefault(network.places[switch].stage, []).append(switch)
    for switches in by_stage.values():
        for first, second in combinations(switches, 2):
            meeting = _meeting(routing, first, second)
            if len(meeting) > 1:
                a, b = meeting[:2]
                name = [network.channels[channel].name for channel in (a, b)]
                yield first, second, (name[0], name[1])


def _meeting(routing: MinRouting, first: int, second: int) -> list[int]:
    """Outputs behind different branches that messages from both switches may want; without private ones."""
    found = []
    for ports in zip(_branches(routing, first), _branches(routing, second), strict=True):
        behind = [_last_shared(routing, switch, port) for switch, port in zip((first, second), ports, strict=True)]
        common = sorted(behind[0] & behind[1])
        if common:
            found.append(common[0])
    return found


def _last_shared(routing: MinRouting, switch: int, port: int) -> frozenset[int]:
    """Outputs of later switches behind a branch that several inputs of their switch may want."""
    network = routing.network
    pending, found = [network.channels[network.output_channel[switch][port]].sink], set()
    while pending:
        vertex = pending.pop()
        if not network.is_switch(vertex):
            continue
        outputs = network.output_channel[vertex]
        for branch in _branches(routing, vertex):
            if len(network.input_channel[vertex]) > 1:
                found.add(outputs[branch])
            pending.append(network.channels[outputs[branch]].sink)
    return frozenset(found)
