"""Positions of all parts in a picture of a network, without overlaps of unrelated parts.

Links are straight where they meet no switch, else arcs. Links without such an arc, and those round the picture, end in
stubs with the name of the switch at the other end, if there is room. Then processors get the places with the most
room. All lengths are in units of the distance of the closest switches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.layout import arrivals, switch_positions
from hydranoc.pictures.surroundings import MARGIN, Surroundings, meet
from topology.common.channels import ChannelNetwork

Link = tuple[int, int]
RADIUS = 0.21
MAX_NAME_IN_CIRCLE = 4  # 1023
LETTER = 0.078
"""Width of a letter of names in boxes and behind stubs."""
LINE_HALF = 0.08
BOX_PADDING = 0.055
BENDS = (0.12, 0.2, 0.28, 0.35)
MAX_ARC_OF_A_GRID = 2.3
"""Longest arc in networks with their own positions, where longer links would lie across the picture."""
ARC_POINTS = 12
STUB_LENGTH = 0.42
STUB_LENGTHS = (STUB_LENGTH, 0.34, 0.54, 0.66, 0.8, 0.95, 1.1)
PROCESSOR_DISTANCES = (0.42, 0.36, 0.5, 0.6, 0.7)
ENOUGH_ROOM = 0.18
BOX_SIDES = (0.2, 0.17, 0.14, 0.11, 0.08, 0.05)
NAME_GAPS = (0.08, 0.14, 0.22, 0.32)
"""Distances of a name from the box of its switch."""
EDGES_AT_A_TIME = 256


class Stub(NamedTuple):
    """An end of a link that is not drawn whole: it leaves ``switch``, and names ``other``, where the link leads to."""

    switch: int
    other: int
    tip: np.ndarray
    name_at: np.ndarray
    link: Link


@dataclass
class Placement:
    """A picture in numbers.

    Members:
        switches (float array, shape (switches, 2))
        halves (float array, shape (switches, 2)): Half the width and height of each; circles count as squares.
        boxed: Names are in boxes and not in circles.
        lines (dict of (int, int) to float array, shape (points, 2)): Links drawn whole.
        stubs
        homes: Switch of each processor, followed by those of places where processors receive at another switch.
        processors (float array, shape (len(homes), 2))
        side: Width and height of a processor.
    """

    switches: np.ndarray
    halves: np.ndarray
    boxed: bool
    lines: dict[Link, np.ndarray] = field(default_factory=dict)
    stubs: list[Stub] = field(default_factory=list)
    homes: list[int] = field(default_factory=list)
    processors: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    side: float = BOX_SIDES[0]


def short_name(name: str) -> str:
    """Return a switch's number if it has no name of its own."""
    number = name.removeprefix("s")
    return number if number.isdecimal() else name


def name_half(name: str) -> np.ndarray:
    """Return half the width and height of a name behind a stub."""
    return np.array([LETTER * len(short_name(name)) / 2, LINE_HALF])


def place(network: ChannelNetwork, links: LinkClasses) -> Placement:
    """Place all parts of a picture.

    Parameters:
        links: The family's classes of links.
    """
    boxed = max(len(short_name(name)) for name in network.switch_names) > MAX_NAME_IN_CIRCLE
    halves = [name_half(name) + BOX_PADDING if boxed else (RADIUS, RADIUS) for name in network.switch_names]
    placement = Placement(switch_positions(network, links), np.array(halves), boxed)
    cut = _draw_lines(placement, network, links)
    surroundings = _drawn(placement, network)
    _place_stubs(placement, network, surroundings, cut)
    placement.homes = [*network.processors, *(switch for switch, _ in arrivals(network))]
    _place_processors(placement, _drawn(placement, network))
    return placement


def _drawn(placement: Placement, network: ChannelNetwork) -> Surroundings:
    """Return all lines and boxes so far, with the names of stubs."""
    pieces = [np.stack([line[:-1], line[1:]], axis=1) for line in placement.lines.values()]
    centres, halves = [placement.switches], [placement.halves]
    for stub in placement.stubs:
        pieces.append(np.stack([placement.switches[stub.switch], stub.tip])[np.newaxis])
        centres.append(stub.name_at[np.newaxis])
        halves.append(name_half(network.switch_names[stub.other])[np.newaxis])
    segments = np.concatenate(pieces) if pieces else np.zeros((0, 2, 2))
    return Surroundings(segments, np.concatenate(centres), np.concatenate(halves))


def surroundings_of(placement: Placement, network: ChannelNetwork) -> Surroundings:
    """Return all lines and boxes of a picture, with those of processors."""
    found = _drawn(placement, network)
    half = np.full(2, placement.side / 2)
    for home, processor in zip(placement.homes, placement.processors, strict=True):
        found.add(placement.switches[home], processor, half)
    return found


def _draw_lines(placement: Placement, network: ChannelNetwork, links: LinkClasses) -> list[Link]:
    """Fill ``lines``, and return the links that end in stubs."""
    cut = [] if links.rule else sorted(links.around)
    whole = [link for link in dict.fromkeys(network.edges) if link not in links.around or link in links.tree]
    blocked = _blocked(placement, whole)
    for link, is_blocked in zip(whole, blocked, strict=True):
        ends = placement.switches[list(link)]
        line = _arc(placement, link, network.positions is not None) if is_blocked else ends
        if line is None:
            cut.append(link)
        else:
            placement.lines[link] = line
    return cut


def _blocked(placement: Placement, links: Sequence[Link]) -> list[bool]:
    """Return for each link True if its straight line meets a third switch."""
    found: list[bool] = []
    for first in range(0, len(links), EDGES_AT_A_TIME):
        some = np.array(links[first : first + EDGES_AT_A_TIME])
        starts, ends = placement.switches[some[:, 0]], placement.switches[some[:, 1]]
        hit = meet(starts, ends, placement.switches, placement.halves + MARGIN)
        rows = np.arange(len(some))
        hit[rows, some[:, 0]] = hit[rows, some[:, 1]] = False
        found.extend(bool(row.any()) for row in hit)
    return found


def _arc(placement: Placement, link: Link, is_grid: bool) -> np.ndarray | None:
    """Return the flattest arc that meets no other switch; None if there is none, or it would be too long."""
    start, end = placement.switches[list(link)]
    length = float(np.hypot(*(end - start)))
    if length == 0 or (is_grid and length > MAX_ARC_OF_A_GRID):
        return None if length else np.stack([start, end])  # a file may put two switches in one place
    others = np.ones(len(placement.switches), dtype=bool)
    others[list(link)] = False
    for bend in BENDS:
        for side in (1, -1):
            line = curve(start, end, side * bend)
            if not meet(line[:-1], line[1:], placement.switches[others], placement.halves[others] + MARGIN).any():
                return line
    return None


def curve(start: np.ndarray, end: np.ndarray, bend: float) -> np.ndarray:
    """Return the points of an arc; ``bend`` is a fraction of its length, and upwards (or to the right) if positive."""
    along = end - start
    aside = np.array([-along[1], along[0]])
    if aside[1] < 0 or (aside[1] == 0 and aside[0] < 0):
        aside = -aside  # all arcs of a row on the same side
    middle = (start + end) / 2 + bend * aside
    t = np.linspace(0, 1, ARC_POINTS)[:, np.newaxis]
    return (1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end


def _place_stubs(
    placement: Placement, network: ChannelNetwork, surroundings: Surroundings, cut: Iterable[Link]
) -> None:
    """Place stubs at both ends of links that are not drawn whole, as closely as possible away from the other end."""
    ends: dict[int, list[tuple[int, Link]]] = {}
    for link in cut:
        for switch, other in (link, link[::-1]):
            ends.setdefault(switch, []).append((other, link))
    for switch, others in ends.items():
        start = placement.switches[switch]
        near = surroundings.near(start)
        for other, link in others:
            half = name_half(network.switch_names[other])
            tips, names = _stub_places(start, start - placement.switches[other], half)
            best = int(np.argmax(near.free(start, names, half)))  # the first one, in order of preference
            placement.stubs.append(Stub(switch, other, tips[best], names[best], link))
            for part in (near, surroundings):
                part.add(start, names[best], half)


def _stub_places(start: np.ndarray, away: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return tips and middles of names, the best places first."""
    straight = float(np.arctan2(away[1], away[0]))
    turns = sorted((k * np.pi / 18 for k in range(-17, 19)), key=lambda turn: (abs(turn), -turn))
    places = [(straight + turn, length) for turn in turns for length in STUB_LENGTHS]
    directions = np.array([(np.cos(angle), np.sin(angle)) for angle, _ in places])
    tips = start + directions * np.array([length for _, length in places])[:, np.newaxis]
    reach = np.abs(directions) @ half + MARGIN
    return tips, tips + directions * reach[:, np.newaxis]


def _place_processors(placement: Placement, surroundings: Surroundings) -> None:
    """Place processors round the switches, in boxes of the largest size without overlaps."""
    for side in BOX_SIDES:
        placement.side = side
        spots, all_free = _spots(placement, surroundings, side)
        if all_free:
            break
    placement.processors = spots


def _spots(placement: Placement, surroundings: Surroundings, side: float) -> tuple[np.ndarray, bool]:
    spots, all_free = np.zeros((len(placement.homes), 2)), True
    hosts: dict[int, list[int]] = {}
    for processor, home in enumerate(placement.homes):
        hosts.setdefault(home, []).append(processor)
    placed = Surroundings(np.zeros((0, 2, 2)), np.zeros((0, 2)), np.zeros((0, 2)))
    half = np.array([side, side]) / 2
    for home, processors in hosts.items():
        start = placement.switches[home]
        places = _places(start, placement.halves[home])
        near = surroundings.near(start).joined(placed.near(start))
        for processor in processors:
            free = near.free(start, places, half)
            all_free &= bool(free.any())
            room = np.minimum(near.room(places), ENOUGH_ROOM)
            best = int(np.argmax(np.where(free, 1 + room, room)))
            spots[processor] = places[best]
            near.add(start, places[best], half)
            placed.add(start, places[best], half)
    return spots, all_free


def _places(start: np.ndarray, home_half: np.ndarray) -> np.ndarray:
    """Return the middles of boxes round a switch, the nearest first, from the top counter-clockwise."""
    angles = np.pi / 2 + np.arange(48) * np.pi / 24
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    beyond = np.maximum(home_half / RADIUS, 1)
    return np.concatenate([start + distance * directions * beyond for distance in PROCESSOR_DISTANCES])


def places_around(start: np.ndarray, home_half: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return middles of a name's box round a switch, the nearest first, from the top counter-clockwise.

    Parameters:
        start: Middle of the switch.
        home_half: Half of its width and height.
        half: Half the width and height of the box.
    """
    angles = np.pi / 2 + np.arange(48) * np.pi / 24
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    reach = np.abs(directions) @ half + np.abs(directions) @ home_half
    return np.concatenate([start + directions * (reach + gap)[:, np.newaxis] for gap in NAME_GAPS])
