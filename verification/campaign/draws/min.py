"""Random multistage networks."""

from verification.campaign.draws.random import Draw, Section

SMALL = ((2, 1), (2, 2), (3, 2), (4, 1), (4, 2), (2, 3))
"""Radix and stages."""
LARGE = ((2, 4), (3, 3), (4, 3), (2, 5), (8, 2))
"""Up to 80 switches."""


def network(draw: Draw) -> Section:
    """Return a section ``network``: any kind, of 1 to 80 switches."""
    radix, stages = draw.one_of(LARGE if draw.chance(0.3) else SMALL)
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
