"""Wires between switches of a hypercube besides the links: credits, and releases of lanes."""

from topology.common.lanes import LaneNetwork, credit_wires
from topology.common.side_wires import SideWire


def lane_wires(network: LaneNetwork, released_lanes: int) -> tuple[SideWire, ...]:
    """Return all credit wires, and then for each of them, in the same order, the wires on which lanes are released.

    A lane is released when the tail has left its buffer, which is empty then: another worm may have it.

    Parameters
    ----------
    network : LaneNetwork
    released_lanes : int
        How many lanes of a channel, the first ones, are released. With 0 there are no such wires.
    """
    credits = credit_wires(network)
    releases = (
        SideWire(
            wire.source,
            wire.output.replace("credits", "releases"),
            wire.sink,
            wire.input.replace("credited", "released"),
            released_lanes,
        )
        for wire in credits
    )
    return (*credits, *releases) if released_lanes else credits
