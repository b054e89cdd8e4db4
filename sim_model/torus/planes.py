"""Tori and meshes for the engine that moves planes: directions are shifts of planes, and dimension order the way."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.state import NONE, EngineState
from sim_model.common.messages import Messages
from sim_model.common.planes.loop import plane_loop
from sim_model.common.planes.model import PlaneRun
from sim_model.common.planes.state import Shifts, make_plane_state, plane_of
from sim_model.common.vc.model import LaneModel
from sim_model.common.vc.state import LaneState
from sim_model.torus.router import direction_and_distance, lanes_of_way
from sim_model.torus.state import TorusRoutes
from topology.common.lanes import PRIORITY_LOW, REUSE_EMPTY
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
    nodes = range(grid.nodes)
    ends = np.array([[grid.closes_ring(node, way) for node in nodes] for way in range(DIRECTIONS)])
    begins = np.array([[grid.closes_ring(node, opposite(way)) for node in nodes] for way in range(DIRECTIONS)])
    steps = np.array([(1 if along_row(way) else grid.columns) * (1 - 2 * (way & 1)) for way in range(DIRECTIONS)])
    sides = np.array([grid.side(way) for way in range(DIRECTIONS)])
    return Shifts(
        step=steps,
        wrap=-steps * (sides - 1) * grid.wraps,
        ends=_planes_of(ends),
        others_at_ends=_planes_of(~ends),
        begins=_planes_of(begins),
        others_at_begins=_planes_of(~begins),
    )


def _planes_of(switches: np.ndarray) -> np.ndarray:
    return np.stack([plane_of(of_direction) for of_direction in switches])


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


class TorusPlanes:
    """A torus or mesh whose flits are moved by planes.

    Parameters
    ----------
    model : LaneModel
        Its routing is that of a torus.
    """

    def __init__(self, model: LaneModel):
        self._model = model
        self._network: TorusNetwork = model.routing.network

    def obstacle(self, messages: Messages, routers: LaneState) -> str:
        """Why messages cannot be moved so, or nothing."""
        if not all_have_ways(self._network.grid, messages, routers.routes):
            return "for messages that have no way"
        return ""

    def begin(self, state: EngineState, routers: LaneState) -> PlaneRun:
        """A run before cycle 0."""
        network, model = self._network, self._model
        planes = make_plane_state(
            state,
            make_neighbours(network.grid),
            make_shifts(network.grid),
            lanes=network.lanes,
            routing_cycles=model.routing_cycles,
            empty_reuse=model.lane_reuse == REUSE_EMPTY,
            low_injection=model.injection_priority == PRIORITY_LOW,
        )
        routes = make_plane_routes(network, routers.routes)
        loop = plane_loop(find_way, PORTS, network.lanes, model.buffer_flits, Path(__file__).parent)
        return PlaneRun(planes, routes, loop, *_places_of_counts(network))


def _places_of_counts(network: TorusNetwork) -> tuple[np.ndarray, np.ndarray]:
    """Position among the output lanes, and switch, of each channel."""
    slots, switches = [], []
    for channel, way in zip(network.channels, network.direction_of, strict=True):
        injects = not network.is_switch(channel.source)
        lane = network.lane_of[channel.index]
        slots.append(PORTS * network.lanes if injects else lane * PORTS + (HOST if way is None else way))
        switches.append(channel.sink if injects else channel.source)
    return np.array(slots), np.array(switches)
