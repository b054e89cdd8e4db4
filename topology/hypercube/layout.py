"""Where to draw the switches of a hypercube: projected, so that edges of a dimension are parallel.

The steps are chosen so that in every hypercube of up to six dimensions no edge comes near a switch that it does not
lead to: in units of the closest switches' distance never closer than 0.3.
"""

import numpy as np

STEPS = ((1.57, -0.32), (0.44, 1.52), (1.04, 0.68), (6.04, 0.05), (1.13, -6.4), (2.52, 2.88))
"""By dimension, from a switch to its neighbour."""


def hypercube_positions(dimensions: int) -> np.ndarray | None:
    """Positions of the switches, float, shape (switches, 2); None for more dimensions than can be told apart."""
    if dimensions > len(STEPS):
        return None
    bits = np.arange(1 << dimensions)[:, np.newaxis] >> np.arange(dimensions) & 1
    return bits @ np.array(STEPS[:dimensions])
