"""Small planes at random, each with several short runs, faulty operations among them."""

from dataclasses import replace

import numpy as np

from hydranoc.lockstep.plane.comparison import PlaneComparison, PlaneRun
from rtl.collectives.parameters import PlaneParameters
from sim_model.collective_plane.contributions import Contribution
from sim_model.collective_plane.parameters import ClearErrors, Event, Flush, Reset
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree
from topology.common.host_pattern import HostBehaviour

LEVELS = (0, 77, 230)
"""Pauses and stalls: none, in 3 of 10 cycles, in 9 of 10."""
TREES = {
    "chain": PlaneTree({0: None, 1: 0, 2: 1}, (0, 1, 2, 2)),
    "star": PlaneTree({0: None, 1: 0, 2: 0, 3: 0}, (1, 2, 3, 0, 3)),
    "square": PlaneTree({0: None, 1: 0, 2: 0, 3: 1}, (0, 1, 2, 3)),
    "one": PlaneTree({0: None}, (0, 0, 0)),
    "irregular": PlaneTree({4: None, 0: 4, 2: 4, 1: 2, 5: 2, 3: 1}, (0, 1, 1, 3, 5, 4, 2)),
}


def random_hosts(random: np.random.Generator) -> HostBehaviour:
    """Pauses and stalls at random."""
    levels = int(random.choice(LEVELS)), int(random.choice(LEVELS))
    return HostBehaviour(*levels, seed=int(random.integers(0, 1 << 16)))


def random_clears(random: np.random.Generator, tree: PlaneTree, cycles: int, count: int) -> list[Event]:
    """Writes to error masks at random."""
    found: list[Event] = []
    for _ in range(count):
        masks = [int(mask) for mask in random.integers(0, 1 << 31, 2)]
        found.append(ClearErrors(int(random.choice(tree.switches)), int(random.integers(0, cycles)), *masks))
    return found


def random_run(random: np.random.Generator, job: PlaneComparison, cycles: int, *, faults: bool) -> PlaneRun:
    """Contributions at random, close together or far apart; with faults wrong ones among them, and events."""
    groups, plane = job.tables.groups, job.parameters
    fault = float(random.choice([0, 0.03, 0.1])) * faults
    span = int(random.choice([1, cycles // 2, cycles]))
    found = [
        one
        for group in groups
        for start in sorted(random.integers(0, span, int(random.integers(1, 12))).tolist())
        for one in _operation(random, job, group.number, start, fault)
    ]
    events: list[Event] = []
    if faults:
        events += [
            Flush(group.number, int(random.integers(0, cycles)), plane.link_cycles + 3 + int(random.integers(0, 4)))
            for group in groups
            if random.random() < 0.5
        ]
        starts = sorted(random.choice(cycles // 8, int(random.integers(0, 3)), replace=False).tolist())
        events += [Reset(8 * start, int(random.integers(1, 4))) for start in starts]
        events += random_clears(random, job.tables.tree, cycles, 4)
    hosts = random_hosts(random)
    found.sort(key=lambda one: one.start_cycle)
    interleaved = faults and bool(random.integers(0, 2))
    return PlaneRun(cycles, tuple(found), tuple(events), hosts, interleaved=interleaved)


def _operation(
    random: np.random.Generator, job: PlaneComparison, group: int, start: int, fault: float
) -> list[Contribution]:
    plane, found = job.parameters, []
    words = 0 if plane.barriers_only else int(random.choice([0, 0, 1, 2, 7]))
    operator = int(random.choice(plane.operators or (0,)))
    for member in job.tables.groups[group].members:
        if random.random() < fault / 4:
            continue  # it never comes
        own, chosen = words, operator
        if random.random() < fault and not plane.barriers_only:
            own = int(random.integers(0, 5))
        if random.random() < fault:
            chosen = int(random.integers(0, 8))
        values = random.integers(0, 1 << plane.word_bits, own, dtype=np.uint64)
        found.append(Contribution(member, group, start, chosen, values))
    return found


def random_job(seed: int, cycles: int = 200, runs: int = 4) -> PlaneComparison:
    """A plane at random with several runs; the first one without faults."""
    random = np.random.default_rng(seed)
    names = list(TREES)
    tree = TREES[names[seed % len(names)]]
    processors = len(tree.processors)
    groups = groups_of(
        random.choice(processors, int(random.integers(1, processors + 1)), replace=False).tolist()
        for _ in range(int(random.choice([1, 2, 3, 5, 8])))
    )
    operators = random.choice(8, int(random.choice([0, 1, 1, 2, 5, 8])), replace=False).tolist()
    plane = PlaneParameters(
        len(groups),
        word_bits=int(random.choice([8, 9, 31, 64])),
        operators=tuple(sorted(operators)),
        buffer_words=int(random.integers(2, 9)),
        result_words=int(random.integers(2, 7)),
        window=int(random.integers(1, 5)),
        link_cycles=int(random.integers(1, 4)),
        timeouts=bool(random.random() < 0.75),
    )
    limit = int(random.choice([0, 1, 5, 40])) if plane.timeouts else 0
    empty = PlaneComparison(PlaneTables(tree, groups), plane, timeout_cycles=limit)
    return replace(empty, runs=tuple(random_run(random, empty, cycles, faults=number > 0) for number in range(runs)))
