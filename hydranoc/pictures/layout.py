"""Where a picture puts switches and processors, and which links have to bend around switches in their way."""

import math
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import networkx as nx
import numpy as np

from hydranoc.families.reports import LinkClasses
from topology.common.channels import ChannelNetwork

LAYERED_UP_TO_SWITCHES = 20
BESIDE_A_SWITCH = 0.3
"""A link that passes a switch nearer than this, in units of the closest switches' distance, is bent."""
WIDEST = 2000
"""A picture is no wider than so many times the distance of the closest switches; closer ones are drawn as one."""
PROCESSOR_DISTANCE = 0.42
STUB_LENGTH = 0.5


def switch_positions(network: ChannelNetwork, links: LinkClasses) -> np.ndarray:
    """Positions of the switches, float, shape (switches, 2); the closest two are 1 apart.

    Those of the network if it has any; small networks otherwise get their tree drawn level by level, larger ones the
    layout of Kamada and Kawai, which keeps distances like those in the network, with crowded switches pushed apart.
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
    """Leaves of the tree side by side, every switch above the middle of what hangs on it."""
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
    """(switch, processor): where messages come out of the network at another switch than they go in at."""
    ends = zip(network.delivery_channels, network.delivery_processors, strict=True)
    found = [(network.channels[channel].source, processor) for channel, processor in ends]
    return [(switch, processor) for switch, processor in found if switch != network.processors[processor]]


class Stub(NamedTuple):
    """An end of a link round the picture: it leaves ``switch`` away from ``other``, where the link leads to."""

    switch: int
    other: int
    tip: np.ndarray


def stubs(positions: np.ndarray, around: Collection[tuple[int, int]]) -> Iterator[Stub]:
    """Both ends of links that lead round the picture."""
    for ends in sorted(around):
        for switch, other in (ends, ends[::-1]):
            away = positions[switch] - positions[other]
            yield Stub(switch, other, positions[switch] + STUB_LENGTH * away / max(np.hypot(*away), 1e-9))


def processor_positions(
    network: ChannelNetwork,
    positions: np.ndarray,
    homes: Sequence[int],
    widened: float = 1.0,
    around: Collection[tuple[int, int]] = (),
) -> np.ndarray:
    """Positions round their switches, in the gaps between links; float, shape (len(homes), 2).

    Parameters
    ----------
    positions : float array, shape (switches, 2)
    homes : sequence of int
        Switch of each.
    widened : float
        How many times farther they are at the sides than above, to clear switches drawn as wide boxes.
    around : collection of (int, int)
        Links that lead round the picture.
    """
    spots = np.zeros((len(homes), 2))
    offsets: dict[int, list[np.ndarray]] = {switch: [] for switch in range(network.switches)}
    for a, b in network.edges:
        offsets[a].append(positions[b] - positions[a])
        offsets[b].append(positions[a] - positions[b])
    for stub in stubs(positions, around):
        offsets[stub.switch].append(stub.tip - positions[stub.switch])
    for switch in range(network.switches):
        hosts = [i for i, home in enumerate(homes) if home == switch]
        angles = sorted({round(math.atan2(y, x), 6) for x, y in offsets[switch]})
        for processor, angle in zip(hosts, _free_angles(angles, len(hosts)), strict=True):
            spots[processor] = positions[switch] + PROCESSOR_DISTANCE * np.array(
                [widened * math.cos(angle), math.sin(angle)]
            )
    return spots


def _free_angles(angles: list[float], count: int) -> list[float]:
    """``count`` directions far from those of the links: gap by gap, the widest first."""
    if not angles:
        return [math.pi / 2 + 2 * math.pi * i / max(count, 1) for i in range(count)]
    gaps = [(angles[(i + 1) % len(angles)] - a) % (2 * math.pi) or 2 * math.pi for i, a in enumerate(angles)]
    shares = [0] * len(gaps)
    for _ in range(count):
        widest = max(range(len(gaps)), key=lambda i: (round(gaps[i] / (shares[i] + 1), 6), -i))
        shares[widest] += 1
    return [
        angle + gap * (k + 1) / (share + 1)
        for angle, gap, share in zip(angles, gaps, shares, strict=True)
        for k in range(share)
    ]


def bend_of(positions: np.ndarray, a: int, b: int) -> float:
    """How far a link is to bend, as a part of its length; 0 if the straight line meets no other switch."""
    start, along = positions[a], positions[b] - positions[a]
    length = float(np.hypot(*along))
    if length == 0:  # a file may put two switches in one place
        return 0.0
    offsets = positions - start
    share = offsets @ along / length**2
    beside = np.abs(offsets[:, 0] * along[1] - offsets[:, 1] * along[0]) / length
    in_the_way = (share > 0.01) & (share < 0.99) & (beside < BESIDE_A_SWITCH)
    in_the_way[[a, b]] = False
    return min(0.35, 0.1 + 0.6 / length) if in_the_way.any() else 0.0
