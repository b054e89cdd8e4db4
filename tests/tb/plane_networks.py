"""Twelve planes for long comparisons: all families, one switch, a chain, a star; with faults, flushes and resets.

Their runs are random operations in which some members have a wrong operator, a wrong length, or never come. A flush of
the group or a reset follows later.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hydranoc.lockstep.plane.comparison import PlaneComparison, PlaneRun
from rtl.collectives.parameters import PlaneParameters
from sim_model.collective_plane.contributions import Contributions
from sim_model.collective_plane.exact import positions_in_groups
from sim_model.collective_plane.parameters import Event, Flush, Reset
from sim_model.collective_plane.random_operations import random_operations
from tests.networks import figure_1, random_irregular
from tests.tb.plane_jobs import LEVELS, random_clears
from topology.collectives.operators import AND, MAX, MIN, OR, SIGNED_MAX, SIGNED_MIN, SUM, XOR
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree, plane_tree
from topology.common.graph import Network
from topology.common.host_pattern import HostBehaviour
from topology.common.regular import hypercube_network, mesh_network
from topology.harts.graph import HexMesh
from topology.min.graph import MinNetwork
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid

ALL = tuple(range(8))


def _chain(length: int) -> Network:
    return Network(length, [(a, a + 1) for a in range(length - 1)], list(range(length)))


@dataclass(frozen=True)
class LongPlane:
    """A plane of a long comparison: its tree, the shape of its hardware, and the limit of its timeouts."""

    tree: PlaneTree
    parameters: PlaneParameters
    timeout_cycles: int = 0


SMALLEST = "smallest"
"""Name of a plane that is built fast."""
LONG_PLANES = {
    "8 x 8 mesh": LongPlane(
        plane_tree(TorusNetwork(Grid(8, 8, wraps=False), 2)), PlaneParameters(4, 32, ALL, window=2), 300
    ),
    "8 x 8 torus": LongPlane(
        plane_tree(TorusNetwork(Grid(8, 8), 1)), PlaneParameters(2, 64, (SUM, SIGNED_MIN), window=4, timeouts=False)
    ),
    "hypercube": LongPlane(
        plane_tree(hypercube_network(5)), PlaneParameters(8, 8, (MIN, MAX, XOR), window=1, buffer_words=2), 40
    ),
    "hexagonal mesh": LongPlane(
        plane_tree(HexMesh(3)), PlaneParameters(3, 17, ALL, window=2, link_cycles=2, buffer_words=6), 5
    ),
    "multistage": LongPlane(plane_tree(MinNetwork("omega", 2, 4)), PlaneParameters(1, 31, ALL, window=3), 64),
    "bidirectional multistage": LongPlane(
        plane_tree(MinNetwork("bi-butterfly", 2, 3)), PlaneParameters(5, 32, (), window=4), 30
    ),
    "figure 1": LongPlane(
        plane_tree(figure_1()), PlaneParameters(4, 64, ALL, window=4, buffer_words=3, result_words=2), 20
    ),
    "irregular": LongPlane(
        plane_tree(random_irregular(7, 11)),
        PlaneParameters(6, 24, (SIGNED_MAX, AND, OR), window=3, result_words=7),
        100,
    ),
    "one switch": LongPlane(plane_tree(Network(1, [], [0] * 31)), PlaneParameters(2, 16, (SUM,), window=2), 15),
    "chain": LongPlane(
        plane_tree(_chain(32), root=0), PlaneParameters(2, 9, ALL, window=4, link_cycles=3, buffer_words=8), 500
    ),
    "star of 32": LongPlane(
        plane_tree(Network(32, [(0, leaf) for leaf in range(1, 32)], list(range(32)))),
        PlaneParameters(3, 12, (SUM, MIN, SIGNED_MIN, XOR), window=1),
        25,
    ),
    "edges": LongPlane(
        plane_tree(mesh_network([2, 3]), edges=[[0, 5], [1, 5], [2, 0], [3, 0], [4, 5]]),
        PlaneParameters(7, 40, ALL, window=2, buffer_words=5, result_words=3),
        1,
    ),
}
SMALLEST_PLANE = LongPlane(PlaneTree({0: None, 1: 0}, (0, 1)), PlaneParameters(2, 8, (SUM, MAX)), 30)

FAULTS = 0.03
"""Share of operations with a wrong operator, and with a wrong length."""
EPOCH_CYCLES = 900
HANGING_SHARE = 0.2
"""Part of the time before a flush or a reset in which a member may not come."""


@dataclass(frozen=True)
class LongRun:
    """A run and the number of the operation that each of its contributions belongs to."""

    run: PlaneRun
    operation: np.ndarray


def long_comparison(
    name: str, cycles: int, runs: int = 5, seed: int = 0, epoch_cycles: int = EPOCH_CYCLES
) -> tuple[PlaneComparison, list[LongRun]]:
    """Return the comparison of one of the twelve planes. The first run has neither faults nor events.

    Parameters:
        name: Of ``LONG_PLANES``, or ``SMALLEST``.
        cycles: Of all runs.
        runs: Each has other pauses and stalls.
        seed
        epoch_cycles: Mean cycles between flushes of a group, and half the mean between resets.
    """
    random = np.random.default_rng([seed, *name.encode()])
    plane = SMALLEST_PLANE if name == SMALLEST else LONG_PLANES[name]
    processors = len(plane.tree.processors)
    members: list[Sequence[int]] = [range(processors)]
    for _ in range(plane.parameters.groups - 1):
        count = int(random.choice([1, 2, max(1, processors // 2), processors]))
        members.append(sorted(random.choice(processors, min(count, processors), replace=False).tolist()))
    tables = PlaneTables(plane.tree, groups_of(members))
    empty = PlaneComparison(tables, plane.parameters, timeout_cycles=plane.timeout_cycles)
    levels = [(0, 0), *((pause, stall) for pause in LEVELS for stall in LEVELS if pause + stall)]
    order = [levels[0], *(levels[1 + number] for number in random.permutation(len(levels) - 1))]
    found = [
        _long_run(
            random,
            empty,
            cycles // runs,
            HostBehaviour(*order[number % len(order)], seed=number + 1),
            epoch_cycles if number else None,
        )
        for number in range(runs)
    ]
    return replace(empty, runs=tuple(one.run for one in found)), found


def _long_run(
    random: np.random.Generator, job: PlaneComparison, cycles: int, hosts: HostBehaviour, epoch_cycles: int | None
) -> LongRun:
    """Return a run; without faults and events if there are no epochs."""
    plane = job.parameters
    given = random_operations(
        job.tables,
        plane.operators,
        plane.word_bits,
        cycles=cycles,
        seed=int(random.integers(0, 1 << 32)),
        window=plane.window,
        link_cycles=plane.link_cycles,
    )
    operation = positions_in_groups(given)
    if epoch_cycles is None:
        return LongRun(PlaneRun(cycles, given, (), hosts), operation)
    events, ends = _events(random, job, cycles, epoch_cycles)
    stays = _without_missing(random, given, ends)
    faulty = _with_faults(random, given, stays, plane.word_bits, barriers_only=plane.barriers_only)
    events += random_clears(random, job.tables.tree, cycles, cycles // 200)
    return LongRun(PlaneRun(cycles, faulty, tuple(events), hosts), operation[stays])


def _events(
    random: np.random.Generator, job: PlaneComparison, cycles: int, epoch_cycles: int
) -> tuple[list[Event], dict[int, list[int]]]:
    """Return flushes and resets; and for each group the cycles before which operations start that they abandon."""
    events: list[Event] = []
    ends: dict[int, list[int]] = {group.number: [] for group in job.tables.groups}
    resets = np.cumsum(random.integers(epoch_cycles, 3 * epoch_cycles, 1 + cycles // epoch_cycles))
    for start in resets[resets < cycles].tolist():
        reset = Reset(start, int(random.integers(1, 5)))
        events.append(reset)
        for own in ends.values():
            own.append(reset.end_cycle)
    for group, own in ends.items():
        starts = np.cumsum(random.integers(epoch_cycles // 2, 3 * epoch_cycles // 2, 1 + 2 * cycles // epoch_cycles))
        for start in starts[starts < cycles].tolist():
            flush = Flush(group, start, job.parameters.link_cycles + 3 + int(random.integers(0, 6)))
            events.append(flush)
            own.append(flush.end_cycle + 1)
    return events, {group: sorted(own) for group, own in ends.items()}


def _without_missing(random: np.random.Generator, given: Contributions, ends: dict[int, list[int]]) -> np.ndarray:
    """Return the contributions that remain: before half of the events of a group one member does not come any more."""
    stays = np.ones(len(given), dtype=bool)
    for group, own in ends.items():
        of_group = given.group == group
        members = np.unique(given.processor[of_group])
        for begin, end in zip([0, *own], own, strict=False):
            if len(members) and random.random() < 0.5:
                first = int(end - random.uniform(0, HANGING_SHARE) * (end - begin))
                late = (given.start_cycle >= max(first, begin)) & (given.start_cycle < end)
                stays &= ~(of_group & late & (given.processor == random.choice(members)))
    return stays


def _with_faults(
    random: np.random.Generator, given: Contributions, stays: np.ndarray, word_bits: int, *, barriers_only: bool
) -> Contributions:
    """Return the contributions that remain, some with another operator or length, and with new words."""
    operator, lengths = given.operator[stays], np.diff(given.offsets)[stays]
    share = FAULTS / max(1, len(np.unique(given.processor)))  # of contributions: an operation has one of each member
    wrong = random.random(len(operator)) < share
    operator = np.where(wrong, random.integers(0, 8, len(operator)), operator)
    wrong = random.random(len(operator)) < share
    lengths = np.where(wrong & (not barriers_only), random.integers(0, 9, len(operator)), lengths)
    return Contributions.of_columns(
        given.processor[stays],
        given.group[stays],
        given.start_cycle[stays],
        operator,
        lengths,
        random.integers(0, 1 << word_bits, int(lengths.sum()), dtype=np.uint64),
    )
