"""Wires between switches of a hypercube besides the links: credits, and releases of virtual channels."""

from topology.common.lanes import LaneNetwork, credit_wires
from topology.common.side_wires import SideWire


def lane_wires(network: LaneNetwork, released_lanes: int) -> tuple[SideWire, ...]:
    """Return all credit wires, and then for each of them, in the same order, the release wires of its VCs.

    A VC is released when the tail has left its buffer, which is empty then: another worm may have it.

    Parameters
    ----------
    network : LaneNetwork
    released_lanes : int
        Number of VCs of a channel, the first ones, that are released. With 0 there are no such wires.
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
