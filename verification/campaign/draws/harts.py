"""Random hexagonal meshes, some of them with faults."""

from topology.harts.graph import HexMesh
from verification.campaign.draws.random import Draw, Section


def network(draw: Draw) -> Section:
    """Return a section ``network``: 7 to 61 nodes, mostly 7 and 19."""
    size = draw.one_of((2, 3, 4, 5), (8, 6, 2, 1))
    gap_frames = draw.whole(1, 3)
    section: Section = {
        "family": "harts",
        "topology": {"kind": "hexmesh", "size": size},
        "flit_bits": draw.one_of((64, 128), (4, 1)),
        "packet_flits": draw.one_of((4, 8, 17, 33)),
        "buffer_flits": draw.one_of((1, 2, 4), (3, 1, 1)),
        "gap_frames": gap_frames,
        "relay_frames": draw.whole(1, 3),
        "link_cycles": draw.one_of((1, 2, 3), (4, 1, 1)) if gap_frames > 1 else draw.one_of((1, 2), (4, 1)),
        "guard": draw.chance(0.3),
        "worm_guard": draw.chance(0.3),
    }
    if draw.chance(0.4):
        section["faults"] = _faults(draw, size)
    return section


def _faults(draw: Draw, size: int) -> Section:
    """Return one or two failed nodes or links of some kinds, all nodes different."""
    mesh = HexMesh(size)
    nodes = draw.some_of(range(mesh.nodes), 6)
    faults: Section = {}
    if draw.chance(0.4):
        faults["silent_nodes"] = nodes[:1]
    if draw.chance(0.5):
        faults["corrupting_nodes"] = nodes[1 : draw.whole(2, 3)]
    if draw.chance(0.3):
        faults["forging_nodes"] = [nodes[3:5]]
    if draw.chance(0.6) or not faults:
        node = nodes[5]
        faults["dead_links"] = [[node, (node + draw.one_of(mesh.offsets)) % mesh.nodes]]
    return faults
