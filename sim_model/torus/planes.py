"""Tori and meshes for the engine that moves planes: directions are shifts of planes, and dimension order the way."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.state import NONE
from sim_model.common.messages import Messages
from sim_model.common.planes.loop import PlaneLoop, plane_loop
from sim_model.common.planes.state import Shifts, plane_of
from sim_model.torus.router import direction_and_distance, lanes_of_way
from sim_model.torus.state import TorusRoutes
from topology.torus.graph import TorusNetwork
from topology.torus.grid import DIRECTIONS, Grid, along_row, opposite

PORTS = DIRECTIONS + 1
"""Directions of travel, and the host."""
HOST = DIRECTIONS


class PlaneRoutes(NamedTuple):
    """What routing looks at."""

    routes: TorusRoutes
    high: np.ndarray  # int64[input lanes, switches], as in ``ARRIVAL_FIELDS``


@compiled
def find_way(switch, port, lane, message, _state, plane_routes):
    """Output and its lanes for a head of a message that comes on an input lane."""
    routes = plane_routes.routes
    direction, distance = direction_and_distance(routes.switches[switch], routes.headers[message])
    if direction == NONE:
        return HOST, 1
    came_high = port == direction and plane_routes.high[lane * PORTS + port, switch] != 0
    return direction, lanes_of_way(direction, distance, came_high, routes)


def make_plane_routes(network: TorusNetwork, routes: TorusRoutes) -> PlaneRoutes:
    """The routes, and how lanes of arrival are looked at."""
    high = np.zeros((network.lanes * PORTS, network.switches), dtype=np.int64)
    for channel, way in zip(network.channels, network.direction_of, strict=True):
        if way is not None:
            slot = network.lane_of[channel.index] * PORTS + way
            high[slot, channel.sink] = routes.arrivals.high[channel.index]
    return PlaneRoutes(routes, high)


def make_shifts(grid: Grid) -> Shifts:
    """How planes move in each direction."""
    ends = np.array([[_closes(grid, way, node) for node in range(grid.nodes)] for way in range(DIRECTIONS)])
    begins = np.array([[_closes(grid, opposite(way), node) for node in range(grid.nodes)] for way in range(DIRECTIONS)])
    steps = np.array([(1 if along_row(way) else grid.columns) * (1 - 2 * (way & 1)) for way in range(DIRECTIONS)])
    sides = np.array([grid.side(way) for way in range(DIRECTIONS)])
    return Shifts(
        step=steps,
        wrap=-steps * (sides - 1) * grid.wraps,
        leaves_ring=np.stack([plane_of(nodes) for nodes in ends]),
        enters_ring=np.stack([plane_of(nodes) for nodes in begins]),
    )


def _closes(grid: Grid, direction: int, node: int) -> bool:
    return grid.closes_ring(node, direction)


def make_neighbours(grid: Grid) -> np.ndarray:
    """int64[directions, switches]; the node itself where there is no channel."""
    found = [[grid.neighbour(node, way) for node in range(grid.nodes)] for way in range(DIRECTIONS)]
    return np.array([[node if to is None else to for node, to in enumerate(nodes)] for nodes in found], dtype=np.int64)


def all_have_ways(grid: Grid, messages: Messages, routes: TorusRoutes) -> bool:
    """Whether no message runs into the rim of a mesh, or is sent to its own source."""
    destinations = messages.destinations[messages.offsets[:-1]]
    if (destinations == messages.source).any():
        return False
    if grid.wraps:
        return True
    shortest = grid.shortest_ways(messages.source, destinations)
    here, there = np.divmod(messages.source, grid.columns), np.divmod(destinations, grid.columns)
    rows_differ, columns_differ = here[0] != there[0], here[1] != there[1]
    wrong = columns_differ & (shortest[0] != routes.headers.y_negative)
    wrong |= rows_differ & (shortest[1] != routes.headers.x_negative)
    return not wrong.any()


def torus_plane_loop(lanes: int, depth_flits: int) -> PlaneLoop:
    """The compiled loop."""
    return plane_loop(find_way, PORTS, lanes, depth_flits, Path(__file__).parent)
