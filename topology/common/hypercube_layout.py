"""Positions of the switches of a hypercube in pictures: projected, so that edges of a dimension are parallel.

With more dimensions, cubes of the first ones are drawn side by side, in rows and columns.

The steps are chosen so that in every hypercube of up to six dimensions no edge comes near a switch that it does not
lead to: in units of the closest switches' distance never closer than 0.3.
"""

import numpy as np

STEPS = ((1.57, -0.32), (0.44, 1.52), (1.04, 0.68), (6.04, 0.05), (1.13, -6.4), (2.52, 2.88))
"""Steps by dimension, from a switch to its neighbour."""


CUBE_DIMENSIONS = 4
"""Dimensions of each of the cubes that stand side by side."""
CUBE_DISTANCES = (11.5, 4.8)
"""Distance from one of these cubes to the next, across and down."""
MAX_STUBS = 4
"""Maximum number of stubs, links to other cubes, at a switch."""


def drawn_dimensions(dimensions: int) -> int:
    """Return the dimensions whose links fit a picture; those of the others lead from one cube in it to another."""
    return dimensions if dimensions <= len(STEPS) else CUBE_DIMENSIONS


def hypercube_positions(dimensions: int) -> np.ndarray:
    """Return the positions of the switches, float, shape (switches, 2)."""
    nodes, drawn = np.arange(1 << dimensions), drawn_dimensions(dimensions)
    inside = (nodes[:, np.newaxis] >> np.arange(drawn) & 1) @ np.array(STEPS[:drawn]).reshape(-1, 2)
    cube, columns = nodes >> drawn, 1 << max(dimensions - drawn - 1, 0) // 2
    place = np.stack([_gray_place(cube % columns), -_gray_place(cube // columns)], axis=1)
    return inside + place * np.array(CUBE_DISTANCES)


def _gray_place(code: np.ndarray) -> np.ndarray:
    """Return the place of each number in Gray code: neighbours differ in one bit."""
    place, shifted = code.copy(), code >> 1
    while shifted.any():
        place ^= shifted
        shifted >>= 1
    return place
