"""Poisson sources of unicasts and broadcasts (Sec. 2)."""

from typing import NamedTuple

import numpy as np

from hydranoc.studies.hypercube.ideal.cube import IdealCube
from hydranoc.studies.hypercube.ideal.state import GENERATION_FIELDS, MESSAGE_FIELDS, NONE, IdealState
from sim_model.engines.cycle.records import make_records

SHARE_OF_NEXT_DRAW = 0.1
"""Fraction of the first draw that is drawn again while it does not suffice."""


class Generated(NamedTuple):
    """Unicasts and broadcasts in order of time; all int64, of one length.

    Members:
        cycle, source (array)
        base (array): First dimension of a broadcast; NONE for a unicast.
        destination, queue (array): Of a unicast. Those of a broadcast do not matter.
    """

    cycle: np.ndarray
    source: np.ndarray
    base: np.ndarray
    destination: np.ndarray
    queue: np.ndarray


class PoissonSources:
    """All nodes of a cube as sources.

    The bases of each node go round from one of its broadcasts to the next one. The first one is drawn, as if the run
    had begun long before: with 0 everywhere, a short run would load the dimensions unevenly.

    Parameters:
        rate: Messages that a node generates per cycle, greater than 0 and finite.
        broadcast_fraction: Share of broadcasts among them, greater than 0 and at most 1.
        generator (numpy.random.Generator)

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    def __init__(self, cube: IdealCube, rate: float, broadcast_fraction: float, generator: np.random.Generator):
        if not 0 < rate < float("inf"):
            raise ValueError(f"Rate is {rate!r}; it must be greater than 0 and finite")
        if not 0 < broadcast_fraction <= 1:
            raise ValueError(f"Broadcast fraction is {broadcast_fraction!r}; it must be greater than 0 and at most 1")
        self.cube = cube
        self.gap_cycles = 1 / (rate * cube.nodes)
        self.broadcast_fraction = broadcast_fraction
        self._generator = generator
        self._time = 0.0
        self._next_base = generator.integers(cube.dimensions, size=cube.nodes)

    def draw_until(self, cycle: int) -> Generated:
        """Return all unicasts and broadcasts before a cycle; those drawn beyond it are lost."""
        expected = int((cycle - self._time) / self.gap_cycles)
        drawn = [self.draw(expected + 1)]
        while drawn[-1].cycle[-1] < cycle:
            drawn.append(self.draw(1 + int(SHARE_OF_NEXT_DRAW * expected)))
        columns = [np.concatenate(column) for column in zip(*drawn, strict=True)]
        before = columns[0] < cycle
        return Generated(*(column[before] for column in columns))

    def draw(self, count: int) -> Generated:
        """Return the next unicasts and broadcasts of all nodes; cycles are rounded down."""
        draw, cube = self._generator, self.cube
        times = self._time + np.cumsum(draw.exponential(self.gap_cycles, count))
        self._time = float(times[-1])
        source = draw.integers(cube.nodes, size=count)
        is_broadcast = draw.random(count) < self.broadcast_fraction
        destination = source ^ draw.integers(1, cube.nodes, size=count)
        queue = draw.integers(cube.injection_channels, size=count)
        base = np.full(count, NONE)
        for position in np.flatnonzero(is_broadcast):
            node = source[position]
            base[position] = self._next_base[node]
            self._next_base[node] = (base[position] + 1) % cube.dimensions
        return Generated(times.astype(np.int64), source, base, destination, queue)


def with_generated(state: IdealState, generated: Generated) -> IdealState:
    """Return a state with more unicasts and broadcasts, behind those that it has."""
    is_broadcast = generated.base != NONE
    receivers = len(state.nodes) - 1
    missing = np.where(is_broadcast, receivers, 1)
    before = len(state.generations)
    first = len(state.messages) + np.cumsum(missing) - missing
    generations = make_records(
        len(missing),
        GENERATION_FIELDS,
        cycle=generated.cycle,
        source=generated.source,
        first_dimension=generated.base,
        queue=generated.queue,
        first_message=first,
        missing=missing,
    )
    destination = np.repeat(generated.destination, missing)
    for position in np.flatnonzero(is_broadcast):
        copies = slice(first[position] - len(state.messages), first[position] - len(state.messages) + receivers)
        destination[copies] = generated.source[position] ^ state.edges.receiver[generated.base[position]]
    messages = make_records(
        len(destination),
        MESSAGE_FIELDS,
        destination=destination,
        generation=np.repeat(np.arange(before, before + len(missing)), missing),
        next=NONE,
        arrival_cycle=NONE,
    )
    return state._replace(
        generations=np.concatenate((state.generations, generations)).view(np.recarray),
        messages=np.concatenate((state.messages, messages)).view(np.recarray),
    )
