"""Positions of switches in a picture."""

import networkx as nx
import numpy as np

from hydranoc.families.reports import LinkClasses
from topology.common.channels import ChannelNetwork

LAYERED_UP_TO_SWITCHES = 20
WIDEST = 2000
"""Maximum width of a picture in distances of the closest switches; closer ones are drawn as one."""


def switch_positions(network: ChannelNetwork, links: LinkClasses) -> np.ndarray:
    """Return positions of the switches, float, shape (switches, 2); the closest two are 1 apart.

    These are the network's own if it has any. Otherwise small networks get a tree drawn level by level, larger ones the
    layout of Kamada and Kawai, with distances similar to those in the network, and crowded switches pushed apart.
    """
    if network.positions is not None:
        positions = np.array(network.positions, dtype=float)
    elif links.level is not None and network.switches <= LAYERED_UP_TO_SWITCHES:
        positions = _layered(network, links)
    else:
        positions = _spread(network)
    apart = _distances(positions)
    closest = max(apart[apart > 0].min(), apart.max() / WIDEST) if (apart > 0).any() else 1.0
    return positions / closest


def _distances(positions: np.ndarray) -> np.ndarray:
    return np.linalg.norm(positions[:, np.newaxis] - positions[np.newaxis], axis=2)


def _layered(network: ChannelNetwork, links: LinkClasses) -> np.ndarray:
    """Return positions with the leaves of the tree side by side, and every switch above the middle of its subtree."""
    level = links.level or (0,) * network.switches
    children: list[list[int]] = [[] for _ in range(network.switches)]
    for a, b in sorted(links.tree):
        upper, lower = (a, b) if level[a] < level[b] else (b, a)
        children[upper].append(lower)
    positions = np.zeros((network.switches, 2))
    taken = 0.0
    for switch in _postorder(children, links.root or 0):
        if children[switch]:
            x = float(np.mean([positions[child][0] for child in children[switch]]))
        else:
            x, taken = taken, taken + 1.0
        positions[switch] = (x, -level[switch])
    return positions


def _postorder(children: list[list[int]], root: int) -> list[int]:
    order, stack = [], [root]
    while stack:
        switch = stack.pop()
        order.append(switch)
        stack.extend(children[switch])
    return order[::-1]


def _spread(network: ChannelNetwork) -> np.ndarray:
    graph = network.switch_graph
    placed = nx.kamada_kawai_layout(graph, pos=nx.circular_layout(graph))
    positions = np.array([placed[switch] for switch in range(network.switches)])
    apart = _distances(positions) + np.diag(np.full(network.switches, np.inf))
    return _pushed_apart(1.5 * positions / np.median(apart.min(axis=1)))


def _pushed_apart(positions: np.ndarray, rounds: int = 100) -> np.ndarray:
    """Move switches that are closer than 1 away from each other, a little in each round."""
    for _ in range(rounds):
        offsets = positions[:, np.newaxis] - positions[np.newaxis]
        apart = np.maximum(_distances(positions), 1e-6)
        push = np.where(apart < 1, (1 - apart) / apart, 0)
        np.fill_diagonal(push, 0)
        positions = positions + 0.3 * (push[:, :, np.newaxis] * offsets).sum(axis=1)
    return positions


def arrivals(network: ChannelNetwork) -> list[tuple[int, int]]:
    """Return pairs (switch, processor) of processors that receive at another switch than they send at."""
    ends = zip(network.delivery_channels, network.delivery_processors, strict=True)
    found = [(network.channels[channel].source, processor) for channel, processor in ends]
    return [(switch, processor) for switch, processor in found if switch != network.processors[processor]]
