"""Networks of all families under load, with host back-pressure."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hydranoc.lockstep.compare import Comparison
from sim_model.engines.simulation import Simulation
from tests.networks import random_irregular
from tests.tb.harts_workloads import loaded
from tests.tb.min_workloads import job as min_job
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from topology.common.graph import Network
from topology.common.host_pattern import EAGER, Blockade, HostBehaviour, level_of
from topology.harts.faults import NO_FAULTS, Faults
from topology.min.graph import KINDS

BLOCKED_CYCLES = 10_000
QUIET_CYCLES = 40
SOME, MOST = level_of(0.3), level_of(0.9)
BEHAVIOURS = {
    "eager": EAGER,
    "0.3": HostBehaviour(SOME, SOME, seed=1),
    "0.9": HostBehaviour(MOST, MOST, seed=2),
    "blocked": HostBehaviour(SOME, 0, seed=3, blocked=(Blockade(1, 20_000, BLOCKED_CYCLES),)),
}
SMALL_SPAM = Network(3, [(0, 1), (1, 2), (0, 2)], [0, 0, 1, 1, 2, 2])


def holding_back(job: Comparison, hosts: HostBehaviour, most_cycles: int | None = None) -> Comparison:
    """The same messages with host back-pressure: in the model all of them arrive."""
    results = Simulation(job.model, job.messages, job.startup_cycles, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    cycles = results.cycles + QUIET_CYCLES
    return replace(job, hosts=hosts, cycles=cycles if most_cycles is None else min(cycles, most_cycles))


def small_spam(cycles: int = 160) -> Comparison:
    shape = Shape(flit_bits=16)
    routing = shape.routing(SMALL_SPAM)
    return comparison(routing, shape, staged_traffic(routing, cycles, 1, loads=(0.3, 0.9), flits=8))


def small_min(cycles: int = 160) -> Comparison:
    """Two channels into each processor."""
    return min_job("bi-butterfly", 2, 2, 2, 16, 2, 1, cycles=cycles)


def small_harts(cycles: int = 300) -> Comparison:
    return loaded(2, cycles)


SMALL: dict[str, Callable[[], Comparison]] = {"spam": small_spam, "min": small_min, "harts": small_harts}


def random_spam(number: int, cycles: int) -> Comparison:
    random = np.random.default_rng(number)
    shape = Shape(*(int(random.choice(choices)) for choices in ((16, 32, 64), (1, 2, 4), (1, 2, 3))))
    routing = shape.routing(random_irregular(number + 50, switches=3 + number))
    return comparison(routing, shape, staged_traffic(routing, cycles, number), cycles=cycles)


def random_min(number: int, cycles: int) -> Comparison:
    random = np.random.default_rng(number)
    radix, stages = ((2, 2), (2, 3), (4, 2), (3, 2), (2, 4))[number % 5]
    settings = (int(random.choice(choices)) for choices in ((1, radix), (16, 32, 64), (1, 2, 4), (1, 2, 3)))
    return min_job(KINDS[number % len(KINDS)], radix, stages, *settings, cycles=cycles, seed=number)


def random_harts(number: int, cycles: int) -> Comparison:
    random, size = np.random.default_rng(number), 3 if number % 5 == 4 else 2
    faults = Faults((), (3,), ()) if number % 2 else NO_FAULTS  # no links over which packets would be dropped
    buffer_flits, gap_frames, relay_frames = (int(random.integers(1, 4)) for _ in range(3))
    return loaded(
        size,
        cycles,
        faults=faults,
        seed=number,
        guard=bool(number % 3),
        buffer_flits=buffer_flits,
        gap_frames=gap_frames,
        relay_frames=relay_frames,
    )


RANDOM = {"spam": random_spam, "min": random_min, "harts": random_harts}
