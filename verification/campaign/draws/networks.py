"""Random networks: a section ``network`` of each family."""

from collections.abc import Callable
from math import prod

from topology.harts.graph import HexMesh
from verification.campaign.draws.random import Draw, Section


def spam_network(draw: Draw) -> Section:
    """Return any topology of 2 to 16 switches, or 64 of them."""
    flit_bits = draw.one_of((8, 16, 32, 64, 128, 512), (3, 6, 6, 3, 1, 1))
    section: Section = {
        "family": "spam",
        "topology": _spam_topology(draw),
        "flit_bits": flit_bits,
        "buffer_flits": draw.one_of((1, 2, 3, 4, 8, 40), (4, 4, 2, 2, 1, 1)),
        "routing_cycles": draw.one_of((1, 2, 3, 4, 7), (5, 2, 1, 1, 1)),
        "link_cycles": draw.one_of((1, 2, 3, 5), (6, 2, 1, 1)),
    }
    if draw.chance(0.25):
        section["worm_guard"] = True
    return section


def _spam_topology(draw: Draw) -> Section:
    kind = draw.one_of(
        ("lattice", "irregular", "mesh", "torus", "hypercube", "tree", "ring", "large"), (3, 5, 2, 2, 1, 2, 1, 1)
    )
    if kind == "large":
        return draw.one_of(
            (
                {"kind": "lattice", "switches": 64, "seed": draw.whole(0, 999)},
                {"kind": "irregular", "switches": 64, "ports": 6, "seed": draw.whole(0, 999)},
                {"kind": "mesh", "shape": [8, 8]},
            )
        )
    if kind in ("lattice", "irregular"):
        topology = {"kind": kind, "switches": draw.whole(2, 16), "ports": 10, "seed": draw.whole(0, 9999)}
        return topology | {"processors_per_switch": draw.one_of((1, 2, 3), (6, 2, 1))}
    if kind in ("mesh", "torus"):
        shapes = [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (2, 2, 2), (2, 2, 3), (5,), (9,)]
        shape = draw.one_of([shape for shape in shapes if prod(shape) <= 16])
        return {"kind": kind, "shape": list(shape)}
    if kind == "hypercube":
        return {"kind": kind, "dimensions": draw.whole(1, 4)}
    if kind == "ring":
        return {"kind": kind, "switches": draw.whole(3, 12)}
    arity, levels = draw.one_of(((2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)))
    return {"kind": "tree", "arity": arity, "levels": levels, "leaves_only": draw.chance(0.5)}


SMALL_STAGES = ((2, 1), (2, 2), (3, 2), (4, 1), (4, 2), (2, 3))
"""Radix and stages."""
LARGE_STAGES = ((2, 4), (3, 3), (4, 3), (2, 5), (8, 2))
"""Up to 80 switches."""


def min_network(draw: Draw) -> Section:
    """Return any kind, of 1 to 80 switches."""
    radix, stages = draw.one_of(LARGE_STAGES if draw.chance(0.3) else SMALL_STAGES)
    topology: Section = {
        "kind": draw.one_of(("baseline", "butterfly", "omega", "bi-butterfly")),
        "radix": radix,
        "stages": stages,
        "consumption_channels": draw.one_of((1, radix), (2, 1)),
    }
    section: Section = {
        "family": "min",
        "topology": topology,
        "flit_bits": draw.one_of((8, 16, 32, 64)),
        "buffer_flits": draw.one_of((1, 2, 3, 4, 8, 40), (4, 4, 2, 2, 1, 1)),
        "routing_cycles": draw.one_of((1, 2, 3, 5), (5, 2, 1, 1)),
        "link_cycles": draw.one_of((1, 2, 3, 5), (6, 2, 1, 1)),
    }
    if draw.chance(0.25):
        section["worm_guard"] = True
    return section


def harts_network(draw: Draw) -> Section:
    """Return 7 to 61 nodes, mostly 7 and 19."""
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


SMALL_GRIDS = ((1, 2), (2, 2), (1, 5), (2, 3), (3, 3), (3, 4), (4, 4), (2, 8), (5, 3))
LARGE_GRIDS = ((5, 5), (6, 6), (8, 8))


def torus_network(draw: Draw) -> Section:
    """Return 2 to 64 nodes."""
    rows, columns = draw.one_of(LARGE_GRIDS if draw.chance(0.2) else SMALL_GRIDS)
    kind = draw.one_of(("mesh", "torus"))
    vcs = draw.one_of(
        (1, 2, 3, 4, 8) if kind == "mesh" else (2, 3, 4, 8), (2, 4, 2, 1, 1) if kind == "mesh" else (4, 2, 1, 1)
    )
    return {
        "family": "torus",
        "topology": {"kind": kind, "rows": rows, "columns": columns},
        "flit_bits": draw.one_of((16, 32, 64)),
        "buffer_flits": draw.one_of((1, 2, 3, 4, 5, 8, 16), (3, 2, 2, 4, 1, 2, 1)),
        "routing_cycles": draw.one_of((1, 2, 3, 5), (5, 2, 1, 1)),
        "virtual_channels": vcs,
        "vc_rule": draw.one_of(("dally-seitz", "dateline", "balanced")),
        "vc_reallocation": draw.one_of(("non-atomic", "atomic"), (2, 1)),
        "injection_priority": draw.one_of(("equal", "low"), (2, 1)),
    }


def hypercube_network(draw: Draw) -> Section:
    """Return 2 to 64 nodes, with all three rules of VC reallocation: the last can deadlock."""
    dimensions = draw.one_of((1, 2, 3, 4, 5, 6), (1, 3, 4, 4, 1, 1))
    return {
        "family": "hypercube",
        "topology": {"kind": "hypercube", "dimensions": dimensions},
        "flit_bits": draw.one_of((16, 32, 64)),
        "buffer_flits": draw.one_of((1, 2, 3, 4, 5, 8, 16), (2, 2, 2, 4, 1, 2, 1)),
        "virtual_channels": draw.one_of((1, 2, 3, 4), (1, 5, 2, 1)),
        "vc_reallocation": draw.one_of(("atomic", "non-atomic-escape", "non-atomic"), (4, 2, 1)),
        "injection_channels": draw.one_of((1, dimensions), (2, 1)),
    }


NETWORKS: dict[str, Callable[[Draw], Section]] = {
    "spam": spam_network,
    "min": min_network,
    "harts": harts_network,
    "torus": torus_network,
    "hypercube": hypercube_network,
}
