"""Runs of an ideal hypercube, and their measurements."""

from dataclasses import dataclass

import numpy as np

from hydranoc.studies.hypercube.ideal.cube import IdealCube
from hydranoc.studies.hypercube.ideal.cycle import DEADLOCK, LIMIT, run_cycles
from hydranoc.studies.hypercube.ideal.state import (
    CYCLE,
    END_WATCHED,
    FIRST_WATCHED,
    FLITS_DELIVERED,
    FLITS_SENT,
    NEVER,
    NONE,
    OUTSTANDING,
    WATCHED_LEFT,
    make_state,
)
from hydranoc.studies.hypercube.ideal.traffic import Generated, PoissonSources, with_generated

RUN_OUT = 4
"""Messages that start at the end of a run have a quarter of it to arrive."""


class IdealDeadlock(RuntimeError):
    """Nothing can ever move again. With buffers that hold flits of two worms, Duato's condition does not hold."""


class IdealRun:
    """A cube whose time advances on request.

    Parameters:
        seed: 1 to 2^32 - 1: of the choice among VCs.

    Members:
        state (IdealState): Its tables change in place, and grow with ``add``.
    """

    def __init__(self, cube: IdealCube, seed: int = 1):
        if not 1 <= seed < 1 << 32:
            raise ValueError(f"Seed is {seed!r}; it must be 1 to 2^32 - 1")
        self.state = make_state(cube, seed)

    def add(self, generated: Generated) -> None:
        """Add unicasts and broadcasts: in order of cycles, none before existing ones, none in the past."""
        self.state = with_generated(self.state, generated)

    def watch(self, first: int, end: int) -> None:
        """Let ``advance`` end when all of these unicasts and broadcasts, counted from 0, have arrived everywhere.

        At first, and again with ``first`` = ``end``, there are none, and it goes on to the cycle that it is given.
        """
        counters = self.state.counters
        counters[FIRST_WATCHED], counters[END_WATCHED] = first, end
        missing = np.count_nonzero(self.state.generations.missing[first:end])
        counters[WATCHED_LEFT] = missing if first < end else NEVER

    def advance(self, until_cycle: int = NEVER) -> bool:
        """Run to a cycle, or until all that is watched has arrived. Returns whether it has.

        Raises:
            IdealDeadlock: If nothing can ever move again.
        """
        reason = run_cycles(self.state, until_cycle)
        if reason == DEADLOCK:
            outstanding = self.state.counters[OUTSTANDING]
            raise IdealDeadlock(f"Deadlock before cycle {self.cycle}, with {outstanding} messages on their way")
        return reason != LIMIT

    @property
    def cycle(self) -> int:
        """The next cycle to be run."""
        return int(self.state.counters[CYCLE])

    @property
    def flits_sent(self) -> int:
        """Flits that have left injection queues."""
        return int(self.state.counters[FLITS_SENT])

    @property
    def flits_delivered(self) -> int:
        """Flits that nodes have taken."""
        return int(self.state.counters[FLITS_DELIVERED])

    def latencies(self, first: int, end: int) -> np.ndarray:
        """Return cycles from the start of the cycle of generation to the end of that of the last arrival.

        They are in the order of generation; all of them must have arrived.
        """
        return (self.last_arrivals() + 1 - self.state.generations.cycle)[first:end]

    def last_arrivals(self) -> np.ndarray:
        """Return the cycle of the last tail of each unicast and broadcast so far, int64, in order of generation."""
        first = self.state.generations.first_message
        return np.maximum.reduceat(self.state.messages.arrival_cycle, first) if len(first) else first.copy()


@dataclass(frozen=True)
class IdealOutcome:
    """Outcome of a run, for M unicasts and broadcasts in order of generation.

    Members:
        start_cycle (int64[M]): Of generation.
        end_cycle (int64[M]): Behind the one in which the last node took the tail; -1 if one has not.
        is_broadcast (bool[M])
        link_flits (int64[parts + 1, nodes, n]): Flits that had moved over each link, by the node and the dimension over
            which it leaves: at the beginning of each part of the run, and at the end of the last.
    """

    start_cycle: np.ndarray
    end_cycle: np.ndarray
    is_broadcast: np.ndarray
    link_flits: np.ndarray


def simulate(
    cube: IdealCube, rate: float, broadcast_fraction: float, seed: int, cycles: int, parts: int = 1
) -> IdealOutcome:
    """Simulate Poisson traffic and return arrivals and loads.

    Sources generate for ``cycles`` cycles; then the run continues until all has arrived, or a quarter as long again.

    Parameters:
        rate: λ_g, messages that a node generates per cycle, greater than 0 and finite.
        broadcast_fraction: β, greater than 0 and at most 1.
        seed: At least 0. The same seed gives the same outcome.
        cycles: At least as many as there are parts.
        parts: At least 1.

    Raises:
        ValueError: "X is Z; it must be Y".
        IdealDeadlock: If the cube is one that can deadlock, and has.
    """
    if parts < 1:
        raise ValueError(f"Parts are {parts!r}; they must be at least 1")
    if cycles < parts:
        raise ValueError(f"A run is {cycles!r}; it must be at least {parts} cycles long")
    if seed < 0:
        raise ValueError(f"Seed is {seed!r}; it must be at least 0")
    generator = np.random.default_rng(seed)
    sources = PoissonSources(cube, rate, broadcast_fraction, generator)
    run = IdealRun(cube, seed=int(generator.integers(1, 1 << 32)))
    run.add(sources.draw_until(cycles))
    link_flits = []
    for part in range(parts + 1):
        run.advance(-(-part * cycles // parts))
        link_flits.append(run.state.links.flits.copy())
    generations = run.state.generations
    if len(generations):
        run.watch(0, len(generations))
        run.advance(cycles + cycles // RUN_OUT)
    return IdealOutcome(
        start_cycle=generations.cycle.copy(),
        end_cycle=np.where(generations.missing == 0, run.last_arrivals() + 1, NONE),
        is_broadcast=generations.first_dimension != NONE,
        link_flits=np.array(link_flits),
    )
