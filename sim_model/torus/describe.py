"""Readable state of a torus switch: its position, and its virtual channels."""

from sim_model.engines.cycle.state import EngineState
from sim_model.vc.describe import describe_vc_router
from sim_model.vc.state import VcState
from topology.torus.grid import DIRECTION_NAMES
from topology.torus.routing import TorusRouting


def describe_router(routing: TorusRouting, state: EngineState, family: VcState, switch: int) -> str:
    """Return the position of a switch, its outputs' directions, and its virtual channels as text."""
    network = routing.network
    row, column = network.grid.position(switch)
    outputs = " ".join(
        f"{port}: {DIRECTION_NAMES[direction]}" for port, direction in enumerate(network.directions[switch])
    )
    about = f"{network.vertex_name(switch)} is in row {row}, column {column}; outputs {outputs}"
    return f"{about}\n{describe_vc_router(network, state, family, switch)}"
