"""Wires between switches of a hypercube besides the links: credits, and releases of virtual channels."""

from topology.common.side_wires import SideWire
from topology.common.virtual_channels import VcNetwork, credit_wires


def vc_wires(network: VcNetwork, released_vcs: int) -> tuple[SideWire, ...]:
    """Return all credit wires, and then for each of them, in the same order, the release wires of its VCs.

    A VC is released when the tail has left its buffer, which is empty then: another worm may have it.

    Parameters:
        released_vcs: Number of VCs of a channel, the first ones, that are released. With 0 there are no such wires.
    """
    credits = credit_wires(network)
    releases = (
        SideWire(
            wire.source,
            wire.output.replace("credits", "releases"),
            wire.sink,
            wire.input.replace("credited", "released"),
            released_vcs,
        )
        for wire in credits
    )
    return (*credits, *releases) if released_vcs else credits
