"""Hypercubes whose flits are moved by planes."""

from typing import Any

import numpy as np

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.plane.layout import room_for
from sim_model.engines.plane.model import PlaneEngine, PlaneRun
from sim_model.hypercube.planes.loop import cube_loop
from sim_model.hypercube.planes.state import make_cube_state, offsets_of
from sim_model.messages.messages import Messages
from topology.common.lanes import REUSE_EMPTY
from topology.hypercube.graph import HypercubeNetwork


class HypercubePlanes(PlaneEngine):
    """A hypercube whose flits are moved by planes.

    Parameters
    ----------
    model : HypercubeModel
    """

    def __init__(self, model: Any):
        self._model = model

    def obstacle(self, messages: Messages) -> str:
        """Return why planes cannot move messages, or an empty string. None is for its own source: all are routable."""
        if (messages.destination_counts > 1).any():
            return "for messages that have several destinations"
        if self._model.lane_reuse != REUSE_EMPTY:
            return "for lanes that are given again behind a tail"
        return ""

    def start(self, state: EngineState, messages: Messages) -> PlaneRun:
        """Return a run before cycle 0."""
        model, network = self._model, self._model.network
        channels, adaptive_lanes = network.injection_channels_per_processor, model.routing.adaptive_lanes
        loop = cube_loop(network.dimensions, network.lanes, room_for(model.buffer_flits), channels, adaptive_lanes)
        planes: Any = make_cube_state(state, messages.destinations.astype(np.int64), model)
        return PlaneRun(planes, None, loop, self._places_of_counts)

    def _places_of_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the position among the counts of a switch, and the switch, of each channel."""
        return places_of_counts(self._model.network, offsets_of(self._model)["OUTPUTS"])


def places_of_counts(network: HypercubeNetwork, outputs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the position among the counts of a switch, and the switch, of each channel."""
    slots, switches = [], []
    for channel, dimension in zip(network.channels, network.dimension_of, strict=True):
        injects = not network.is_switch(channel.source)
        if injects:
            slots.append(network.lanes * outputs + channel.source_port)
        else:
            slots.append(network.lane_of[channel.index] * outputs + (outputs - 1 if dimension is None else dimension))
        switches.append(channel.sink if injects else channel.source)
    return np.array(slots), np.array(switches)
