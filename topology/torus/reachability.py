"""Proof that every message of a torus or mesh reaches its destination, on any of its route candidates.

All directions that a message can be sent in are checked, not only those of the shorter ways. A header that could run in
circles does not count as arriving. Sets of headings along the column are bits of integers.
"""

from functools import reduce
from operator import and_

from topology.torus.routing import TorusRouting
from topology.torus.ways import Heading, Ways, headings


def unreached_pairs(routing: TorusRouting) -> list[tuple[int, int]]:
    """Return pairs (source, destination) of nodes for which some message may fail to arrive; empty if right."""
    ways, grid = Ways(routing), routing.network.grid
    turned = _arrivals_after_turns(ways)
    needed = [
        sum(_bit(heading) for heading in headings(grid.rows) if heading.suits(grid, row)) for row in range(grid.rows)
    ]
    missing = set()
    for heading in headings(grid.columns):
        arrivals: dict[int, int] = {}
        for source in range(grid.nodes):
            row, column = grid.position(source)
            if not heading.suits(grid, column):
                continue
            starts = routing.network.injection_channels_of(source)
            arriving = reduce(and_, (_from_row(ways, start, heading, turned, arrivals) for start in starts))
            lost = needed[row] & ~arriving
            if lost:
                ends = {along.end for along in headings(grid.rows) if lost & _bit(along)}
                missing |= {(source, grid.node(end, heading.end)) for end in ends}
    return sorted((source, destination) for source, destination in missing if source != destination)


def _bit(heading: Heading) -> int:
    return 1 << 2 * heading.end + heading.negative


def _arrivals_after_turns(ways: Ways) -> list[int]:
    """Return, by VC, the headings along the column with which headers arrive that are in their column at its end."""
    turned = [0] * len(ways.network.channels)
    for heading in headings(ways.grid.rows):
        arrivals: dict[int, bool] = {}
        for lane in range(len(turned)):
            if ways.ends_at_switch(lane) and _from_column(ways, lane, heading, arrivals):
                turned[lane] |= _bit(heading)
    return turned


def _from_column(ways: Ways, lane: int, heading: Heading, arrivals: dict[int, bool]) -> bool:
    """Return whether a header on a VC arrives that is in its column; ``arrivals`` holds known results."""
    if lane not in arrivals:
        arrivals[lane] = False  # as long as it is not known: who comes back to here runs in circles
        target = ways.network.delivery_channel(ways.grid.node(heading.end, ways.position(lane)[1]))
        lanes = ways.along_column(lane, heading)
        arrivals[lane] = bool(lanes) and all(
            following == target or (ways.ends_at_switch(following) and _from_column(ways, following, heading, arrivals))
            for following in lanes
        )
    return arrivals[lane]


def _from_row(ways: Ways, lane: int, heading: Heading, turned: list[int], arrivals: dict[int, int]) -> int:
    """Return the headings along the column with which headers on a VC arrive that have this heading along the row."""
    if ways.position(lane)[1] == heading.end:
        return turned[lane]
    if lane not in arrivals:
        arrivals[lane] = 0  # as above
        behind = [_from_row(ways, following, heading, turned, arrivals) for following in ways.along_row(lane, heading)]
        arrivals[lane] = reduce(and_, behind) if behind else 0
    return arrivals[lane]
