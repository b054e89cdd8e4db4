"""Proof that every message of a hypercube reaches its destination, on any of its route candidates.

A header that could run in circles does not count as arriving.
"""

from topology.hypercube.header_paths import Header, HypercubePaths
from topology.hypercube.routing import HypercubeRouting


def unreached_pairs(routing: HypercubeRouting) -> list[tuple[int, int]]:
    """Return pairs (source, destination) of nodes for which some message may fail to arrive; empty if right."""
    paths = HypercubePaths(routing)
    arrivals: dict[Header, bool] = {}
    missing = set()
    for header in paths.starts():
        if not _arrives(paths, header, arrivals):
            source = paths.network.channels[header.vc].sink
            missing |= {(source ^ shift, header.key ^ shift) for shift in paths.shifts}
    return sorted(missing)


def _arrives(paths: HypercubePaths, header: Header, arrivals: dict[Header, bool]) -> bool:
    """Return whether a header arrives on all its route candidates; ``arrivals`` holds known results."""
    if header not in arrivals:
        arrivals[header] = False  # as long as it is not known: who comes back to here runs in circles
        steps = paths.candidates(header) + paths.escapes(header)
        home = paths.network.delivery_channel(header.key)
        arrivals[header] = bool(steps) and all(
            step.vc == home if step.delivers else _arrives(paths, Header(step.vc, header.key ^ step.shift), arrivals)
            for step in steps
        )
    return arrivals[header]
