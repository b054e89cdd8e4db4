"""Planes move over the links of tori and meshes: each router gets the bit of the one before it, or the one behind."""

import numpy as np
import pytest

from sim_model.engines.plane.layout import ports_of_vector
from sim_model.engines.plane.state import moves_of, plane_of
from sim_model.loops.vector_operations import turn_operations
from sim_model.torus.planes import make_neighbours
from topology.torus.grid import DIRECTIONS, Grid

SIDES = [(4, 4), (8, 8), (16, 16), (3, 5), (1, 9), (2, 2), (7, 20), (5, 64), (33, 3), (100, 2)]
PLACES = ports_of_vector(DIRECTIONS + 1)
rotated = turn_operations(PLACES)["rotated"]
GRIDS = [Grid(*sides, wraps=wraps) for sides in SIDES for wraps in (True, False)]


def moved(bits, moves, direction):
    """Bits that arrive over the channels of a direction, from a bit of each router; by words, like the loop."""
    plane = plane_of(bits)
    found = np.zeros_like(plane)
    for word in range(len(plane)):
        for part in range(moves.begins[word], moves.begins[word + 1]):
            came = rotated(np.full(PLACES, plane[moves.word[part]]), moves.turn[part]) & moves.mask[part]
            found[word] |= came[direction]
    return found


@pytest.mark.parametrize("grid", GRIDS)
def test_neighbours_are_those_of_the_grid(grid):
    for direction, neighbours in enumerate(make_neighbours(grid)):
        found = [grid.neighbour(node, direction) for node in range(grid.nodes)]
        assert neighbours.tolist() == [node if behind is None else behind for node, behind in enumerate(found)]


@pytest.mark.parametrize("grid", GRIDS)
def test_bits_move_along_channels_and_back(grid):
    ahead, back = moves_of(make_neighbours(grid))
    bits = np.random.default_rng(grid.nodes).random(grid.nodes) < 0.5
    for direction in range(DIRECTIONS):
        gets, returned = np.zeros((2, grid.nodes), dtype=bool)
        for node in range(grid.nodes):
            behind = grid.neighbour(node, direction)
            if behind is not None:
                gets[behind], returned[node] = bits[node], bits[behind]
        assert np.array_equal(moved(bits, ahead, direction), plane_of(gets))
        assert np.array_equal(moved(bits, back, direction), plane_of(returned))
