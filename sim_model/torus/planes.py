"""Tori and meshes for the engine that moves planes: directions are moves of planes, and dimension order the way."""

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.state import NONE, EngineState
from sim_model.engines.plane.counts import places_of_counts
from sim_model.engines.plane.layout import PlaneLayout, plane_layout, ports_of_vector, room_for
from sim_model.engines.plane.loop import plane_loop
from sim_model.engines.plane.model import PlaneEngine, PlaneRun
from sim_model.engines.plane.state import Moves, make_plane_state, moves_of
from sim_model.loops.compiled import compiled
from sim_model.messages.messages import Messages
from sim_model.torus.router import direction_and_distance, vcs_of_direction
from sim_model.torus.state import TorusRoutes, make_routes, turns_taken
from sim_model.vc.model import VcModel
from topology.common.virtual_channels import ATOMIC, PRIORITY_LOW
from topology.torus.graph import TorusNetwork
from topology.torus.grid import DIRECTIONS, Grid, along_row
from topology.torus.routing import TorusRouting

PORTS = DIRECTIONS + 1
"""Directions of travel, and the host."""
HOST = DIRECTIONS
WIDTH = ports_of_vector(PORTS)


class PlaneRoutes(NamedTuple):
    """Data for routing by planes."""

    routes: TorusRoutes
    high: np.ndarray  # int64[input VCs, switches], as in ``ARRIVAL_FIELDS``


@compiled
def find_route(switch, port, vc, message, _state, plane_routes):
    """Return the output and its VCs for a head of a message on an input VC."""
    routes = plane_routes.routes
    direction, distance = direction_and_distance(routes.switches[switch], routes.headers[message])
    if direction == NONE:
        return HOST, 1
    came_high = port == direction and plane_routes.high[vc * WIDTH + port, switch] != 0
    return direction, vcs_of_direction(direction, distance, came_high, routes)


def make_neighbours(grid: Grid) -> np.ndarray:
    """Return int64[directions, switches]: the sinks of channels; the node itself at the end of a mesh."""
    row, column = np.divmod(np.arange(grid.nodes), grid.columns)
    found = []
    for direction in range(DIRECTIONS):
        position, side = (column if along_row(direction) else row) + 1 - 2 * (direction & 1), grid.side(direction)
        position = position % side if grid.wraps else np.clip(position, 0, side - 1)
        found.append(row * grid.columns + position if along_row(direction) else position * grid.columns + column)
    return np.stack(found)


def all_are_routable(routing: TorusRouting, messages: Messages) -> bool:
    """Return whether all messages stay off the rim of a mesh, and have one destination other than their source."""
    grid = routing.network.grid
    destinations = messages.destinations[messages.offsets[:-1]]
    if len(destinations) != len(messages.destinations) or (destinations == messages.source).any():
        return False
    if grid.wraps or not messages.operation.any():
        return True
    turned, shortest = turns_taken(routing, messages), grid.shortest_directions(messages.source, destinations)
    here, there = np.divmod(messages.source, grid.columns), np.divmod(destinations, grid.columns)
    wrong = (here[1] != there[1]) & (shortest[0] != turned[:, 0])
    wrong |= (here[0] != there[0]) & (shortest[1] != turned[:, 1])
    return not wrong.any()


class TorusPlanes(PlaneEngine):
    """A torus or mesh whose flits are moved by planes.

    Parameters:
        model: Its routing is that of a torus.
    """

    def __init__(self, model: VcModel):
        self._model = model
        self._network: TorusNetwork = model.routing.network

    def obstacle(self, messages: Messages) -> str:
        """Return why messages cannot be moved by planes, or an empty string."""
        if not all_are_routable(self._model.routing, messages):
            return "for unroutable messages"
        return ""

    def start(self, state: EngineState, messages: Messages) -> PlaneRun:
        """Return a run before cycle 0."""
        model = self._model
        neighbours, moves = self._layout
        planes = make_plane_state(
            state,
            self._planes,
            neighbours,
            moves,
            routing_cycles=model.routing_cycles,
            empty_reuse=model.vc_reallocation == ATOMIC,
            low_injection=model.injection_priority == PRIORITY_LOW,
        )
        routes = make_routes(model.routing, messages)
        loop = plane_loop(self._planes, Path(__file__).parent)
        return PlaneRun(planes, PlaneRoutes(routes, self._high_arrivals(routes)), loop, self._places_of_counts)

    @cached_property
    def _layout(self) -> tuple[np.ndarray, tuple[Moves, Moves]]:
        """Neighbours and moves, which do not depend on messages."""
        neighbours = make_neighbours(self._network.grid)
        return neighbours, moves_of(neighbours)

    def _high_arrivals(self, routes: TorusRoutes) -> np.ndarray:
        """Return ``high_arrivals`` of ``PlaneRoutes``."""
        network = self._network
        high = np.zeros((network.vcs * WIDTH, network.switches), dtype=np.int64)
        slots, sinks, channels = self._arrivals
        high[slots, sinks] = routes.arrivals.high[channels]
        return high

    @cached_property
    def _arrivals(self) -> np.ndarray:
        """int64[3, VCs between switches]: input VC, switch, and channel."""
        network = self._network
        return np.array(
            [
                (network.vc_of[channel.index] * WIDTH + direction, channel.sink, channel.index)
                for channel, direction in zip(network.channels, network.direction_of, strict=True)
                if direction is not None
            ]
        ).T

    def _places_of_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the position among the counts of a switch, and the switch, of each channel."""
        return places_of_counts(self._network, self._network.direction_of, self._planes)

    @property
    def _planes(self) -> PlaneLayout:
        """Layout of the planes."""
        return plane_layout(PORTS, self._network.vcs, room_for(self._model.buffer_flits), find_route)
