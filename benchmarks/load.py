"""Unicasts in the golden model with the arrivals of other simulators: Bernoulli processes in every node.

The sources' queues are unbounded, and a packet is one message.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from sim_model.engines.model import Model
from sim_model.engines.simulation import Simulation
from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Messages

PACKET_FLITS = 16
UNIFORM, TRANSPOSE = PATTERNS = ("uniform", "transpose")
SEED = 1
ALONE = 2000  # cycles between messages that do not meet


@dataclass(frozen=True)
class Window:
    """Measurement window: after ``warmup`` cycles for ``cycles`` cycles."""

    warmup: int
    cycles: int


@dataclass(frozen=True)
class Run:
    """Results of a run; members as those of ``booksim.PeerRun``.

    ``latency`` is nan if messages of the window were still under way long after it.
    """

    latency: float
    accepted: float
    flit_hops: int
    cpu_seconds: float


def senders(pattern: str, nodes: int) -> np.ndarray:
    """Return the nodes that send to other nodes, bool[nodes]: with transpose traffic not those on the diagonal."""
    sources = np.arange(nodes)
    return mirrored(sources, nodes) != sources if pattern == TRANSPOSE else np.ones(nodes, dtype=bool)


def mirrored(sources: np.ndarray, nodes: int) -> np.ndarray:
    """Return the destinations of transpose traffic: row y and column x from row x and column y.

    All nodes are in a square, row by row. In a cube, the two halves of a node's number are exchanged.

    Raises
    ------
    ValueError
        If the nodes are not a square.
    """
    side = isqrt(nodes)
    if side * side != nodes:
        raise ValueError(f"Nodes must be a square number for {TRANSPOSE} traffic, not {nodes}")
    rows, columns = np.divmod(sources, side)
    return columns * side + rows


def patterns_of(nodes: int) -> tuple[str, ...]:
    """Return the patterns possible with this number of nodes."""
    return PATTERNS if isqrt(nodes) ** 2 == nodes else (UNIFORM,)


def pairs(pattern: str, nodes: int) -> list[tuple[int, int]]:
    """Return all pairs of source and destination, all equally likely."""
    if pattern == TRANSPOSE:
        sources = np.flatnonzero(senders(pattern, nodes))
        return list(zip(sources.tolist(), mirrored(sources, nodes).tolist(), strict=True))
    everyone = range(nodes)
    return [(source, destination) for source in everyone for destination in everyone if source != destination]


def mean_links(pattern: str, nodes: int, links: Callable[[int, int], int]) -> float:
    """Return the mean number of channels between switches on a message's route; ``links`` returns it for a pair."""
    ways = pairs(pattern, nodes)
    return sum(links(source, destination) for source, destination in ways) / len(ways)


def no_operations(source: np.ndarray, _destination: np.ndarray, _generator: np.random.Generator) -> np.ndarray:
    """Return the operations of messages in a family without operations."""
    return np.zeros(len(source))


@dataclass(frozen=True)
class LoadedModel:
    """A golden model, and messages for it.

    Parameters
    ----------
    model : Model
    operations : function
        Of sources, destinations and a random generator: the operation of each message.
    """

    model: Model
    operations: Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray] = no_operations

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.model.network.processors)

    def offered_messages(self, pattern: str, load: float, cycles: int, seed: int = SEED) -> Messages:
        """Return the messages of all nodes in order of start.

        Parameters
        ----------
        pattern : str
            One of ``PATTERNS``: to any other node, or to the mirrored one.
        load : float
            Flits per sending node and cycle.
        cycles : int
        seed : int
        """
        generator = np.random.default_rng(seed)
        begins = generator.random((cycles, self.nodes)) < load / PACKET_FLITS
        starts, source = np.nonzero(begins & senders(pattern, self.nodes))
        if pattern == UNIFORM:
            drawn = generator.integers(self.nodes - 1, size=len(source))
            destination = drawn + (drawn >= source)
        else:
            destination = mirrored(source, self.nodes)
        return _unicasts(self.model, starts, source, destination, self.operations(source, destination, generator))

    def measure(self, pattern: str, load: float, window: Window) -> Run:
        """Measure one run. Sending continues after the window, until the window's messages have had time to arrive."""
        last = window.warmup + window.cycles
        end = last + window.warmup
        messages = self.offered_messages(pattern, load, end)
        Simulation(self.model, messages).run(1)  # compiles, or loads compiled loops
        simulation = Simulation(self.model, messages)
        begin = time.process_time()
        results = simulation.run(end)
        seconds = time.process_time() - begin
        arrival = results.arrival_cycle
        flits = int(((arrival >= window.warmup) & (arrival < last)).sum()) * PACKET_FLITS
        accepted = flits / window.cycles / int(senders(pattern, self.nodes).sum())
        created = (messages.start_cycle >= window.warmup) & (messages.start_cycle < last)
        took = arrival[created] - messages.start_cycle[created]
        latency = float(took.mean()) if len(took) and (arrival[created] >= 0).all() else float("nan")
        return Run(latency, accepted, results.flit_hops, seconds)

    def zero_load_latency(self, pattern: str) -> float:
        """Return the mean latency of messages that are alone in the network."""
        ways = np.array(pairs(pattern, self.nodes))
        starts = ALONE * np.arange(len(ways))
        messages = _unicasts(self.model, starts, ways[:, 0], ways[:, 1], np.zeros(len(ways)))
        return float((Simulation(self.model, messages).run().arrival_cycle - starts).mean())


def _unicasts(
    model: Model, starts: np.ndarray, source: np.ndarray, destination: np.ndarray, operations: np.ndarray
) -> Messages:
    flits = np.full(len(source), PACKET_FLITS)
    columns = MessageColumns.of(source=source, destinations=destination, flits=flits, start_cycle=starts)
    columns = replace(columns, operation=operations.astype(np.int32))
    return columns.checked(processors=len(model.network.processors), header_flits=model.header_flits)
