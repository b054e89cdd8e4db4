"""Regular networks: mesh, torus, hypercube, ring and tree, with positions for pictures.

In all of them, processors are numbered switch by switch.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from topology.common.errors import TopologyError
from topology.common.graph import Network

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


def mesh_network(shape: Sequence[int], *, processors_per_switch: int = 1, ports: int | None = None) -> Network:
    """Return a mesh of any number of dimensions.

    The switch at ``(x, y, z, ...)`` has number ``x + shape[0] * (y + shape[1] * (z + ...))``.

    Parameters:
        shape: Switches along each dimension, each at least 1.
        processors_per_switch: Processors on each switch, at least 1.
        ports: Largest number of links a switch may have; None sets no bound.

    Raises:
        TopologyError: For parameters out of range, or if a switch needs more ports.
    """
    return _grid_network(shape, wrapped=False, processors_per_switch=processors_per_switch, ports=ports)


def torus_network(shape: Sequence[int], *, processors_per_switch: int = 1, ports: int | None = None) -> Network:
    """Return a torus of any number of dimensions, numbered as in ``mesh_network``.

    A dimension of 2 has one link between its two switches, not two.

    Parameters:
        shape: Switches along each dimension, each at least 1.
        processors_per_switch: Processors on each switch, at least 1.
        ports: Largest number of links a switch may have; None sets no bound.

    Raises:
        TopologyError: For parameters out of range, or if a switch needs more ports.
    """
    return _grid_network(shape, wrapped=True, processors_per_switch=processors_per_switch, ports=ports)


def hypercube_network(dimensions: int, *, processors_per_switch: int = 1, ports: int | None = None) -> Network:
    """Return a hypercube; switches whose numbers differ in one bit are linked.

    Parameters:
        dimensions: 0 to 10.
        processors_per_switch, ports: As in ``mesh_network``.

    Raises:
        TopologyError: For parameters out of range, or if a switch needs more ports.
    """
    if not 0 <= dimensions <= 10:
        raise TopologyError(f"dimensions is {dimensions!r}; it must be 0 to 10", item=str(dimensions))
    switches = 1 << dimensions
    edges = [(a, a | 1 << k) for a in range(switches) for k in range(dimensions) if not a >> k & 1]
    processors, positions = _processors(switches, processors_per_switch), hypercube_positions(dimensions)
    return _shaped(Network(switches, edges, processors, ports=ports, positions=positions), (2,) * dimensions)


def ring_network(switches: int, *, processors_per_switch: int = 1, ports: int | None = None) -> Network:
    """Return a ring of at least 3 switches, drawn as a circle.

    Parameters:
        switches: At least 3.
        processors_per_switch: Processors on each switch, at least 1.
        ports: Largest number of links a switch may have; None sets no bound.

    Raises:
        TopologyError: For parameters out of range, or if a switch needs more ports.
    """
    if switches < 3:
        raise TopologyError(f"A ring must have at least 3 switches, not {switches!r}", item=str(switches))
    edges = [(switch, (switch + 1) % switches) for switch in range(switches)]
    angles = math.pi / 2 - 2 * math.pi * np.arange(switches) / switches
    radius = max(1.0, switches / (2 * math.pi))
    positions = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    processors = _processors(switches, processors_per_switch)
    return _shaped(Network(switches, edges, processors, ports=ports, positions=positions), (switches,))


def tree_network(
    arity: int, levels: int, *, processors_per_switch: int = 1, leaves_only: bool = True, ports: int | None = None
) -> Network:
    """Return a complete tree; switch 0 is the top, numbers go level by level.

    Parameters:
        arity: Switches below each switch, at least 1.
        levels: Levels of switches, at least 1; a tree of 1 level is one switch.
        processors_per_switch: Processors on each switch that has any, at least 1.
        leaves_only: Attach processors to the lowest level only; otherwise to every switch.
        ports: Largest number of links a switch may have; None sets no bound.

    Raises:
        TopologyError: For parameters out of range, or if a switch needs more ports.
    """
    for name, value in (("arity", arity), ("levels", levels)):
        if value < 1:
            raise TopologyError(f"{name} is {value!r}; it must be at least 1", item=str(value))
    sizes = [arity**level for level in range(levels)]
    switches = sum(sizes)
    edges = [((switch - 1) // arity, switch) for switch in range(1, switches)]
    positions = np.array([_tree_position(level, i, sizes) for level in range(levels) for i in range(sizes[level])])
    holders = range(switches - sizes[-1], switches) if leaves_only else range(switches)
    processors = [holders[i] for i in _processors(len(holders), processors_per_switch)]
    return Network(switches, edges, processors, ports=ports, positions=positions)


def _tree_position(level: int, index: int, sizes: Sequence[int]) -> tuple[float, float]:
    width = sizes[-1] / sizes[level]  # lowest-level switches under this one
    height = max(1.0, sizes[-1] / (3 * len(sizes)))
    return (index + 0.5) * width, -level * height


def _processors(switches: int, per_switch: int) -> list[int]:
    if per_switch < 1:
        raise TopologyError(f"processors_per_switch is {per_switch!r}; it must be at least 1", item=str(per_switch))
    return [switch for switch in range(switches) for _ in range(per_switch)]


def _grid_network(shape: Sequence[int], *, wrapped: bool, processors_per_switch: int, ports: int | None) -> Network:
    if not shape or any(size < 1 for size in shape):
        raise TopologyError(f"shape is {list(shape)!r}; it must be sizes of at least 1", item=str(list(shape)))
    strides = [math.prod(shape[:dimension]) for dimension in range(len(shape))]
    edges = []
    for place in itertools.product(*(range(size) for size in shape)):
        switch = sum(i * stride for i, stride in zip(place, strides, strict=True))
        for i, size, stride in zip(place, shape, strides, strict=True):
            if i + 1 < size:
                edges.append((switch, switch + stride))
            elif wrapped and size > 2:
                edges.append((switch, switch - i * stride))
    switches = math.prod(shape)
    processors = _processors(switches, processors_per_switch)
    return _shaped(Network(switches, edges, processors, ports=ports, positions=_grid_positions(shape)), tuple(shape))


def _shaped(network: Network, shape: tuple[int, ...]) -> Network:
    network.shape = shape
    return network


def _grid_positions(shape: Sequence[int]) -> np.ndarray:
    """Return positions: two dimensions make a plane, a third goes aslant, more set blocks side by side."""
    steps, extent = [], [1.0, 1.0]
    for dimension, size in enumerate(shape):
        if dimension == 2:
            steps.append((0.62 / size, 0.44 / size))
            continue
        axis = dimension % 2 if dimension < 2 else (dimension - 3) % 2
        length = extent[axis] + (0.4 if dimension > 2 else 0.0)
        steps.append((length, 0.0) if axis == 0 else (0.0, length))
        extent[axis] = length * size
    switches = np.arange(math.prod(shape))
    positions = np.zeros((len(switches), 2))
    for size, step in zip(shape, steps, strict=True):
        positions += np.outer(switches % size, step)
        switches = switches // size
    return positions
