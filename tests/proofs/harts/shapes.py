"""The shapes of nodes that are proved."""

from rtl.harts.parameters import HartsNodeParameters
from topology.harts.graph import HexMesh
from topology.harts.header import harts_header, most_hops
from topology.harts.pages import least_pages

SIZE = 2
FLIT_BITS = 34


def smallest_node(*, packet_flits: int = 3, gap_frames: int = 1, relay_frames: int = 1) -> HartsNodeParameters:
    """A node of the smallest mesh, with as few pages as are safe."""
    mesh = HexMesh(SIZE)
    levels = most_hops(mesh, algorithm_a=False)
    return HartsNodeParameters(
        header=harts_header(mesh, FLIT_BITS),
        size=SIZE,
        levels=levels,
        pages=least_pages(levels),
        packet_flits=packet_flits,
        gap_frames=gap_frames,
        relay_frames=relay_frames,
    )
