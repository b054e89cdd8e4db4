"""Random hypercubes."""

from verification.campaign.draws.random import Draw, Section


def network(draw: Draw) -> Section:
    """Return a section ``network``: 2 to 64 nodes, with all three rules of VC reallocation: the last can deadlock."""
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
