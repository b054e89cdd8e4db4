"""Random networks of SPAM."""

from math import prod

from verification.campaign.draws.random import Draw, Section


def network(draw: Draw) -> Section:
    """Return a section ``network``: any topology of 2 to 16 switches, or 64 of them."""
    flit_bits = draw.one_of((8, 16, 32, 64, 128, 512), (3, 6, 6, 3, 1, 1))
    section: Section = {
        "family": "spam",
        "topology": _topology(draw),
        "flit_bits": flit_bits,
        "buffer_flits": draw.one_of((1, 2, 3, 4, 8, 40), (4, 4, 2, 2, 1, 1)),
        "routing_cycles": draw.one_of((1, 2, 3, 4, 7), (5, 2, 1, 1, 1)),
        "link_cycles": draw.one_of((1, 2, 3, 5), (6, 2, 1, 1)),
    }
    if draw.chance(0.25):
        section["worm_guard"] = True
    return section


def _topology(draw: Draw) -> Section:
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
