"""Routing data of a torus: positions of switches, directions of virtual channels, and the headers of all messages."""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.object_cache import cached_per_object
from sim_model.engines.cycle.state import NONE, make_records
from sim_model.messages.messages import Messages
from topology.torus.grid import DIRECTIONS
from topology.torus.operations import turns_of
from topology.torus.routing import DALLY_SEITZ, DATELINE, TorusRouting

SWITCH_FIELDS = (
    "row",
    "column",
    "host_vc",  # VC port to the processor
)
ARRIVAL_FIELDS = (
    "direction",  # in which the VC travels; NONE from a host
    "high",  # 1 if it closes a ring or is of class 1: what rules that look at the arrival go by
)
HEADER_FIELDS = (
    "row",  # of the destination, like the next one
    "column",
    "y_negative",
    "x_negative",
)


class TorusRoutes(NamedTuple):
    """Positions, directions and headers; constant during a run."""

    classed: int  # 1 if VCs fall into classes
    looks_ahead: int  # 1 if the class depends on whether the channel that closes the ring is ahead
    looks_back: int  # 1 if it depends on the VC of arrival
    low_vcs: int  # how many VCs class 0 has
    high_vcs: int  # and class 1, which has all of them without classes
    first_vc: np.ndarray  # int64[switches, directions], VC port of VC 0, or NONE where there is no channel
    switches: np.recarray  # SWITCH_FIELDS
    arrivals: np.recarray  # ARRIVAL_FIELDS, by channel
    headers: np.recarray  # HEADER_FIELDS, by message


def make_routes(routing: TorusRouting, messages: Messages) -> TorusRoutes:
    """Return positions and headers, laid out for the router."""
    fixed = cached_per_object(routing, "routes", lambda: _without_headers(routing))
    return fixed._replace(headers=_headers(routing, messages))


def _without_headers(routing: TorusRouting) -> TorusRoutes:
    """Return the data that do not depend on messages."""
    network, grid = routing.network, routing.network.grid
    rows, columns = np.divmod(np.arange(grid.nodes), grid.columns)
    low_vcs = network.vcs // 2 if routing.classed else 0
    return TorusRoutes(
        classed=int(routing.classed),
        looks_ahead=int(routing.vc_rule != DATELINE),
        looks_back=int(routing.vc_rule != DALLY_SEITZ),
        low_vcs=low_vcs,
        high_vcs=network.vcs - low_vcs,
        first_vc=_first_vcs(routing),
        switches=make_records(
            grid.nodes,
            SWITCH_FIELDS,
            row=rows,
            column=columns,
            host_vc=[network.channels[network.delivery_channel(node)].source_port for node in range(grid.nodes)],
        ),
        arrivals=make_records(
            len(network.channels),
            ARRIVAL_FIELDS,
            direction=[NONE if direction is None else direction for direction in network.direction_of],
            high=[
                int(direction is not None and (network.closes_ring[vc] or routing.vc_class(vc) == 1))
                for vc, direction in enumerate(network.direction_of)
            ],
        ),
        headers=make_records(0, HEADER_FIELDS),
    )


def _first_vcs(routing: TorusRouting) -> np.ndarray:
    network = routing.network
    table = np.full((network.switches, DIRECTIONS), NONE, dtype=np.int64)
    for vc, direction in enumerate(network.direction_of):
        if direction is not None and network.vc_of[vc] == 0:
            table[network.channels[vc].source, direction] = network.channels[vc].source_port
    return table


def turns_taken(routing: TorusRouting, messages: Messages) -> np.ndarray:
    """Return bool[messages, 2]: whether each message goes in the negative direction along its row, and its column."""
    destination = messages.destinations[messages.offsets[:-1]]
    turned = np.stack(routing.network.grid.shortest_directions(messages.source, destination), axis=1)
    for operation in np.flatnonzero(np.bincount(messages.operation)).tolist():
        given = turns_of(operation)
        if given is not None:
            turned[messages.operation == operation] = given
    return turned


def _headers(routing: TorusRouting, messages: Messages) -> np.recarray:
    """Return the destinations and turns of all messages."""
    row, column = np.divmod(messages.destinations[messages.offsets[:-1]], routing.network.grid.columns)
    turned = turns_taken(routing, messages)
    return make_records(
        len(messages),
        HEADER_FIELDS,
        row=row,
        column=column,
        y_negative=turned[:, 0],
        x_negative=turned[:, 1],
    )
