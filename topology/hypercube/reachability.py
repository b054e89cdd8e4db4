"""Proof that every message of a hypercube reaches its destination, on any of its route candidates.

A header that could run in circles does not count as arriving.
"""

from topology.hypercube.routing import HypercubeRouting
from topology.hypercube.ways import Header, Ways


def unreached_pairs(routing: HypercubeRouting) -> list[tuple[int, int]]:
    """Return pairs (source, destination) of nodes for which some message may fail to arrive; empty if right."""
    ways = Ways(routing)
    arrivals: dict[Header, bool] = {}
    missing = set()
    for header in ways.starts():
        if not _arrives(ways, header, arrivals):
            source = ways.network.channels[header.lane].sink
            missing |= {(source ^ shift, header.key ^ shift) for shift in ways.shifts}
    return sorted(missing)


def _arrives(ways: Ways, header: Header, arrivals: dict[Header, bool]) -> bool:
    """Return whether a header arrives on all its route candidates; ``arrivals`` holds known results."""
    if header not in arrivals:
        arrivals[header] = False  # as long as it is not known: who comes back to here runs in circles
        steps = ways.candidates(header) + ways.escapes(header)
        home = ways.network.delivery_channel(header.key)
        arrivals[header] = bool(steps) and all(
            step.lane == home if step.delivers else _arrives(ways, Header(step.lane, header.key ^ step.shift), arrivals)
            for step in steps
        )
    return arrivals[header]
