"""Unicasts on square tori in the golden model.

Where both directions round a ring are equally short, a message takes one at random.
"""

import numpy as np

from benchmarks.load import LoadedModel
from sim_model.torus.model import TorusModel
from topology.torus.grid import Grid, Turns
from topology.torus.operations import operation


def loaded_torus(model: TorusModel) -> LoadedModel:
    """Return a torus and messages for it."""
    grid = model.routing.network.grid
    return LoadedModel(model, lambda source, destination, generator: _operations(grid, source, destination, generator))


def links_between(grid: Grid, source: int, destination: int) -> int:
    """Return the number of channels between switches on a shortest route."""
    return sum(1 for _ in grid.path(source, destination))


def _operations(grid: Grid, source: np.ndarray, destination: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return turns as operations; ties between two directions are broken at random."""
    unique, which = np.unique(source * grid.nodes + destination, return_inverse=True)
    choices = np.array([_shortest_ways(grid, *divmod(pair, grid.nodes)) for pair in unique.tolist()])
    return choices[which, generator.integers(4, size=len(source))] if len(unique) else source


def _shortest_ways(grid: Grid, source: int, destination: int) -> list[int]:
    """Return four operations, of which any may be drawn."""
    y, x = grid.shortest(source, destination)
    (row, column), (to_row, to_column) = grid.position(source), grid.position(destination)
    other_y = not y if 2 * abs(column - to_column) == grid.columns else y
    other_x = not x if 2 * abs(row - to_row) == grid.rows else x
    return [operation(Turns(a, b)) for a in (y, other_y) for b in (x, other_x)]
