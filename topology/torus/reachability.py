"""Proof that every message of a torus or mesh reaches its destination, on any of its route candidates.

All directions that a message can be sent in are checked, not only those of the shorter ways. A header that could run in
circles does not count as arriving. Sets of headings along the column are bits of integers.
"""

from functools import reduce
from operator import and_

from topology.torus.header_paths import Heading, TorusPaths, headings
from topology.torus.routing import TorusRouting


def unreached_pairs(routing: TorusRouting) -> list[tuple[int, int]]:
    """Return pairs (source, destination) of nodes for which some message may fail to arrive; empty if right."""
    paths, grid = TorusPaths(routing), routing.network.grid
    turned = _arrivals_after_turns(paths)
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
            arriving = reduce(and_, (_from_row(paths, start, heading, turned, arrivals) for start in starts))
            lost = needed[row] & ~arriving
            if lost:
                ends = {along.end for along in headings(grid.rows) if lost & _bit(along)}
                missing |= {(source, grid.node(end, heading.end)) for end in ends}
    return sorted((source, destination) for source, destination in missing if source != destination)


def _bit(heading: Heading) -> int:
    return 1 << 2 * heading.end + heading.negative


def _arrivals_after_turns(paths: TorusPaths) -> list[int]:
    """Return, by VC, the headings along the column with which headers arrive that are in their column at its end."""
    turned = [0] * len(paths.network.channels)
    for heading in headings(paths.grid.rows):
        arrivals: dict[int, bool] = {}
        for vc in range(len(turned)):
            if paths.ends_at_switch(vc) and _from_column(paths, vc, heading, arrivals):
                turned[vc] |= _bit(heading)
    return turned


def _from_column(paths: TorusPaths, vc: int, heading: Heading, arrivals: dict[int, bool]) -> bool:
    """Return whether a header on a VC arrives that is in its column; ``arrivals`` holds known results."""
    if vc not in arrivals:
        arrivals[vc] = False  # as long as it is not known: who comes back to here runs in circles
        target = paths.network.delivery_channel(paths.grid.node(heading.end, paths.position(vc)[1]))
        vcs = paths.along_column(vc, heading)
        arrivals[vc] = bool(vcs) and all(
            following == target
            or (paths.ends_at_switch(following) and _from_column(paths, following, heading, arrivals))
            for following in vcs
        )
    return arrivals[vc]


def _from_row(paths: TorusPaths, vc: int, heading: Heading, turned: list[int], arrivals: dict[int, int]) -> int:
    """Return the headings along the column with which headers on a VC arrive that have this heading along the row."""
    if paths.position(vc)[1] == heading.end:
        return turned[vc]
    if vc not in arrivals:
        arrivals[vc] = 0  # as above
        behind = [_from_row(paths, following, heading, turned, arrivals) for following in paths.along_row(vc, heading)]
        arrivals[vc] = reduce(and_, behind) if behind else 0
    return arrivals[vc]
