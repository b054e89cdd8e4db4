"""Runs of an ideal hypercube, and what they measure."""

from dataclasses import dataclass

import numpy as np

from sim_model.common.statistics import Interval, interval_of_run
from sim_model.hypercube.ideal.cube import IdealCube
from sim_model.hypercube.ideal.cycle import DEADLOCK, LIMIT, run_cycles
from sim_model.hypercube.ideal.state import (
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
from sim_model.hypercube.ideal.traffic import Generated, PoissonSources, with_generated

BATCHES = 20
"""For the intervals of confidence."""
SHARE_OF_NEXT_DRAW = 0.1
"""Of what was drawn at first, each time that it was not enough."""


class IdealDeadlock(RuntimeError):
    """Nothing can ever move again. With buffers that hold flits of two worms, Duato's condition does not hold."""


class IdealRun:
    """A cube in which time goes on as far as it is told to.

    Parameters
    ----------
    cube : IdealCube
    seed : int
        1 to 2^32 - 1: of the choice among lanes.

    Members
    -------
    state : IdealState
        Its tables change in place, and grow with ``add``.
    """

    def __init__(self, cube: IdealCube, seed: int = 1):
        if not 1 <= seed < 1 << 32:
            raise ValueError(f"Seed must be 1 to 2^32 - 1, not {seed!r}")
        self.state = make_state(cube, seed)

    def add(self, generated: Generated) -> None:
        """More unicasts and broadcasts: in order of cycles, none before those that are there, none in the past."""
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

        Raises
        ------
        IdealDeadlock
            If nothing can ever move again.
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
        """Cycles from the start of the cycle of generation to the end of that of the last arrival, for some of all.

        Unicasts and broadcasts stand as they were generated; all of them must have arrived.
        """
        arrivals, generations = self.state.messages.arrival_cycle, self.state.generations
        last = np.maximum.reduceat(arrivals, generations.first_message)[first:end]
        return last + 1 - generations.cycle[first:end]


@dataclass(frozen=True)
class IdealOutcome:
    """What a run measured between its warm-up and the last of the broadcasts that were asked for.

    Members
    -------
    latency : Interval
        Mean latency of broadcasts in cycles, from generation to the last arrival of a tail, with 95 % confidence by
        batch means.
    unicast_latency : Interval
        The same for unicasts; without any, the mean is NaN.
    broadcast_latencies, unicast_latencies : int64 array
        One by one, in order of generation.
    link_loads : float array, shape (nodes, n)
        Flits per cycle on every link, from 0 to 1, by the node and the dimension over which it leaves.
    cycles : int
        In which this was measured, without the warm-up.
    flit_hops : int
        Flits that moved over links in the whole run.
    """

    latency: Interval
    unicast_latency: Interval
    broadcast_latencies: np.ndarray
    unicast_latencies: np.ndarray
    link_loads: np.ndarray
    cycles: int
    flit_hops: int

    @property
    def link_load(self) -> float:
        """Mean load of the links in flits per cycle."""
        return float(self.link_loads.mean())


def simulate(
    cube: IdealCube,
    rate: float,
    broadcast_fraction: float,
    seed: int,
    broadcasts: int = 800,
    warmup_messages: int = 20_000,
) -> IdealOutcome:
    """Latencies and loads under Poisson traffic.

    The warm-up ends with the generation of so many unicasts and broadcasts. What is generated from then on, up to the
    last of so many broadcasts, is measured. Sources go on until all of that has arrived.

    Parameters
    ----------
    cube : IdealCube
    rate : float
        λ_g, messages that a node generates per cycle, greater than 0 and finite.
    broadcast_fraction : float
        β, greater than 0 and at most 1.
    seed : int
        At least 0. The same seed gives the same outcome.
    broadcasts : int
        At least 1.
    warmup_messages : int
        At least 0.

    Returns
    -------
    IdealOutcome

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    IdealDeadlock
        If the cube is one that can deadlock, and has.
    """
    if broadcasts < 1:
        raise ValueError(f"Broadcasts must be at least 1, not {broadcasts!r}")
    if warmup_messages < 0:
        raise ValueError(f"Warm-up must be at least 0 messages, not {warmup_messages!r}")
    if seed < 0:
        raise ValueError(f"Seed must be at least 0, not {seed!r}")
    generator = np.random.default_rng(seed)
    sources = PoissonSources(cube, rate, broadcast_fraction, generator)
    run = IdealRun(cube, seed=int(generator.integers(1, 1 << 32)))

    drawn = warmup_messages + int(broadcasts / broadcast_fraction) + 1
    run.add(sources.draw(drawn))
    more = 1 + int(SHARE_OF_NEXT_DRAW * drawn)
    while (end := _end_of_broadcasts(run, warmup_messages, broadcasts)) is None:
        run.add(sources.draw(more))
    first_cycle = int(run.state.generations.cycle[warmup_messages])
    run.watch(warmup_messages, end)
    run.advance(first_cycle)
    flits_before = run.state.links.flits.copy()
    # The last cycle that is drawn may go on in the next draw.
    while not run.advance(int(run.state.generations.cycle[-1])):
        run.add(sources.draw(more))
    return _outcome(run, warmup_messages, end, first_cycle, flits_before)


def _end_of_broadcasts(run: IdealRun, first: int, broadcasts: int) -> int | None:
    """Position behind the last of so many broadcasts from a position on; None if there are not so many."""
    positions = np.flatnonzero(run.state.generations.first_dimension[first:] != NONE)
    return first + int(positions[broadcasts - 1]) + 1 if len(positions) >= broadcasts else None


def _outcome(run: IdealRun, first: int, end: int, first_cycle: int, flits_before: np.ndarray) -> IdealOutcome:
    latencies, flits = run.latencies(first, end), run.state.links.flits
    is_broadcast = run.state.generations.first_dimension[first:end] != NONE
    broadcasts, unicasts = latencies[is_broadcast], latencies[~is_broadcast]
    cycles = run.cycle - first_cycle
    return IdealOutcome(
        latency=interval_of_run(broadcasts, BATCHES),
        unicast_latency=interval_of_run(unicasts, BATCHES),
        broadcast_latencies=broadcasts,
        unicast_latencies=unicasts,
        link_loads=(flits - flits_before) / cycles,
        cycles=cycles,
        flit_hops=int(flits.sum()),
    )
