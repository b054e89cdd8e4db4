"""Random tori and meshes with virtual channels."""

from verification.campaign.draws.random import Draw, Section

SMALL = ((1, 2), (2, 2), (1, 5), (2, 3), (3, 3), (3, 4), (4, 4), (2, 8), (5, 3))
LARGE = ((5, 5), (6, 6), (8, 8))


def network(draw: Draw) -> Section:
    """Return a section ``network``: 2 to 64 nodes."""
    rows, columns = draw.one_of(LARGE if draw.chance(0.2) else SMALL)
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
