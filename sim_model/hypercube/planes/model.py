"""Hypercubes whose flits are moved by planes."""

from typing import Any

import numpy as np

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.plane.counts import places_of_counts
from sim_model.engines.plane.model import PlaneEngine, PlaneRun
from sim_model.hypercube.planes.loop import cube_loop
from sim_model.hypercube.planes.state import layout_of, make_cube_state
from sim_model.messages.messages import Messages
from topology.common.virtual_channels import ATOMIC


class HypercubePlanes(PlaneEngine):
    """A hypercube whose flits are moved by planes.

    Parameters:
        model (HypercubeModel)
    """

    def __init__(self, model: Any):
        self._model = model

    def obstacle(self, messages: Messages) -> str:
        """Return why planes cannot move messages, or an empty string. None is for its own source: all are routable."""
        if (messages.destination_counts > 1).any():
            return "for messages that have several destinations"
        if self._model.vc_reallocation != ATOMIC:
            return "with non-atomic VC reallocation"
        return ""

    def start(self, state: EngineState, messages: Messages) -> PlaneRun:
        """Return a run before cycle 0."""
        model = self._model
        planes: Any = make_cube_state(state, messages.destinations.astype(np.int64), model)
        return PlaneRun(planes, None, cube_loop(layout_of(model)), self._places_of_counts)

    def _places_of_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the position among the counts of a switch, and the switch, of each channel."""
        network = self._model.network
        return places_of_counts(network, network.dimension_of, layout_of(self._model))
