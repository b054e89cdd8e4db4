"""Unicasts on square tori in the golden model, as other simulators make them: Bernoulli arrivals in every node.

The sources' queues have no end, and a packet is one message. Where both ways round a ring are alike a message takes
either, at random.
"""

import time
from dataclasses import dataclass

import numpy as np

from sim_model.common.messages import Messages
from sim_model.common.simulation import Simulation
from sim_model.torus.model import TorusModel
from topology.torus.grid import Grid, Turns
from topology.torus.operations import operation

PACKET_FLITS = 16
UNIFORM, TRANSPOSE = PATTERNS = ("uniform", "transpose")
SEED = 1
ALONE = 2000  # cycles between messages that are not to meet


@dataclass(frozen=True)
class Window:
    """When is measured: after ``warmup`` cycles for ``cycles`` cycles."""

    warmup: int
    cycles: int


@dataclass(frozen=True)
class Run:
    """What a run has measured; members as those of ``booksim.PeerRun``.

    ``latency`` is nan if messages of the window were still under way long after it.
    """

    latency: float
    accepted: float
    flit_hops: int
    cpu_seconds: float


def senders(pattern: str, nodes: int) -> np.ndarray:
    """Which nodes send to other nodes, bool[nodes]: with transpose traffic not those on the diagonal."""
    side = round(nodes**0.5)
    rows, columns = np.divmod(np.arange(nodes), side)
    return (rows != columns) | (pattern != TRANSPOSE)


def offered_messages(grid: Grid, pattern: str, load: float, cycles: int, seed: int = SEED) -> Messages:
    """Messages of all nodes in order of start.

    Parameters
    ----------
    grid : Grid
        A square one.
    pattern : str
        One of ``PATTERNS``: to any other node, or from row x and column y to row y and column x.
    load : float
        Flits per sending node and cycle.
    cycles : int
    seed : int
    """
    generator = np.random.default_rng(seed)
    starts, source = np.nonzero(
        (generator.random((cycles, grid.nodes)) < load / PACKET_FLITS) & senders(pattern, grid.nodes)
    )
    if pattern == UNIFORM:
        drawn = generator.integers(grid.nodes - 1, size=len(source))
        destination = drawn + (drawn >= source)
    else:
        row, column = np.divmod(source, grid.columns)
        destination = column * grid.columns + row
    return _unicasts(starts, source, destination, _operations(grid, source, destination, generator))


def measure(model: TorusModel, pattern: str, load: float, window: Window) -> Run:
    """One run. Messages go on being sent behind the window, until those of the window have had time to arrive."""
    last = window.warmup + window.cycles
    end = last + window.warmup
    messages = offered_messages(model.routing.network.grid, pattern, load, end)
    Simulation(model, messages).run(1)  # compiles, or loads what was compiled
    simulation = Simulation(model, messages)
    begin = time.process_time()
    results = simulation.run(end)
    seconds = time.process_time() - begin
    arrival = results.arrival_cycle
    flits = int(((arrival >= window.warmup) & (arrival < last)).sum()) * PACKET_FLITS
    accepted = flits / window.cycles / int(senders(pattern, model.routing.network.grid.nodes).sum())
    created = (messages.start_cycle >= window.warmup) & (messages.start_cycle < last)
    took = arrival[created] - messages.start_cycle[created]
    latency = float(took.mean()) if len(took) and (arrival[created] >= 0).all() else float("nan")
    return Run(latency, accepted, results.flit_hops, seconds)


def pairs(grid: Grid, pattern: str) -> list[tuple[int, int]]:
    """All pairs of source and destination, each as often as the others."""
    sources = np.flatnonzero(senders(pattern, grid.nodes)).tolist()
    if pattern == TRANSPOSE:
        return [(source, grid.node(*grid.position(source)[::-1])) for source in sources]
    return [(source, destination) for source in sources for destination in sources if source != destination]


def mean_links(grid: Grid, pattern: str) -> float:
    """Mean number of channels between switches on the way of a message."""
    ways = pairs(grid, pattern)
    return sum(sum(1 for _ in grid.path(source, destination)) for source, destination in ways) / len(ways)


def zero_load_latency(model: TorusModel, pattern: str) -> float:
    """Mean latency of messages that are alone in the network."""
    ways = np.array(pairs(model.routing.network.grid, pattern))
    starts = ALONE * np.arange(len(ways))
    messages = _unicasts(starts, ways[:, 0], ways[:, 1], np.zeros(len(ways)))
    return float((Simulation(model, messages).run().arrival_cycle - starts).mean())


def _operations(grid: Grid, source: np.ndarray, destination: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Turns as operations; either of two ways that are alike."""
    unique, which = np.unique(source * grid.nodes + destination, return_inverse=True)
    choices = np.array([_shortest_ways(grid, *divmod(pair, grid.nodes)) for pair in unique.tolist()])
    return choices[which, generator.integers(4, size=len(source))] if len(unique) else source


def _shortest_ways(grid: Grid, source: int, destination: int) -> list[int]:
    """Four operations, of which any may be drawn."""
    y, x = grid.shortest(source, destination)
    (row, column), (to_row, to_column) = grid.position(source), grid.position(destination)
    other_y = not y if 2 * abs(column - to_column) == grid.columns else y
    other_x = not x if 2 * abs(row - to_row) == grid.rows else x
    return [operation(Turns(a, b)) for a in (y, other_y) for b in (x, other_x)]


def _unicasts(starts: np.ndarray, source: np.ndarray, destination: np.ndarray, operations: np.ndarray) -> Messages:
    count = len(source)
    return Messages(
        source=source.astype(np.int32),
        offsets=np.arange(count + 1),
        destinations=destination.astype(np.int32),
        flits=np.full(count, PACKET_FLITS, dtype=np.int32),
        start_cycle=starts.astype(np.int64),
        parent=np.full(count, -1, dtype=np.int32),
        delay_cycles=np.zeros(count, dtype=np.int64),
        group=np.arange(count, dtype=np.int32),
        operation=operations.astype(np.int32),
        injection=np.zeros(count, dtype=np.int32),
        copies=np.ones(count, dtype=np.int32),
    )
