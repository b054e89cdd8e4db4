"""Bound of a word's time in a plane, under random contention of up to eight groups."""

import numpy as np
import pytest

from sim_model.collective_plane.model import CollectivePlane
from sim_model.collective_plane.parameters import PlaneParameters
from sim_model.collective_plane.random_operations import random_operations
from tests.each import each
from tests.sim_model.test_collective_plane import random_tables
from topology.collectives.operators import combiner_stages
from topology.collectives.proof import PlaneFacts, PlaneSizes, check_plane
from topology.collectives.tables import PlaneTables

NEVER = 1 << 40


def words_of(marks: np.ndarray, group: int) -> tuple[np.ndarray, np.ndarray]:
    """Cycles in which a column has a word of a group, and whether each is the last one of its operation."""
    cycles = np.flatnonzero((marks >= 0) & (marks >> 2 == group))
    return cycles, marks[cycles] & 1 != 0


def delivered_cycles(down: np.ndarray, results: np.ndarray, group: int) -> np.ndarray:
    """Cycles in which each word of a group is delivered: headers as they arrive, words as they are taken.

    The result register holds a word for one cycle, since receivers take it at once.
    """
    arrived, lasts = words_of(down, group)
    taken, _ = words_of(results, group)
    begins = np.concatenate(([True], lasts[:-1])) if len(lasts) else lasts
    cycles = np.where(begins, arrived + lasts, NEVER)  # a barrier is done one cycle later
    slots = np.flatnonzero(~begins)[: len(taken)]
    cycles[slots] = taken[: len(slots)]
    return cycles


def times_of_words(plane: CollectivePlane, cycles: int) -> list[np.ndarray]:
    """Return for each group the cycles from a word's last contribution, or the end of the word before, to its end."""
    trace, tree = plane.record(cycles), plane.tables.tree
    column = {branch.number: place for place, branch in enumerate(tree.branches) if branch.is_processor}
    found = []
    for group in plane.tables.groups:
        sent, ended = [], []
        for member in group.members:
            sent.append(words_of(trace.up_marks[:, column[member]], group.number)[0])
            down, results = trace.down_marks[:, column[member]], trace.result_marks[:, member]
            ended.append(delivered_cycles(down, results, group.number))
        count = min(map(len, ended))
        last = np.max([cycle[:count] for cycle in ended], axis=0)
        begins = np.maximum(np.max([cycle[:count] for cycle in sent], axis=0), np.concatenate(([0], last[:-1]))[:count])
        found.append((last - begins)[last < NEVER])
    return found


def bounds_of(tables: PlaneTables, plane: PlaneParameters) -> tuple[int, ...]:
    """The bound of each group, as ``hydranoc check`` states it."""
    stages = combiner_stages(plane.operators)
    sizes = PlaneSizes(plane.window, plane.buffer_words, plane.result_words, plane.link_cycles, stages=stages)
    return check_plane(PlaneFacts.of(tables), sizes).word_cycles


def check_bound(seed: int, cycles: int = 400) -> float:
    """Return the largest share of the bound that a word of a random plane takes; no word exceeds it."""
    random = np.random.default_rng(seed)
    tables = random_tables(random)
    parameters = PlaneParameters(
        operators=(0,) if seed % 3 == 0 else tuple(range(8)),
        window=int(random.integers(1, 5)),
        link_cycles=int(random.integers(1, 4)),
        buffer_words=int(random.integers(2, 9)),
        result_words=int(random.integers(2, 9)),
    )
    work = random_operations(
        tables,
        parameters.operators,
        parameters.word_bits,
        cycles=cycles,
        seed=seed,
        window=parameters.window,
        link_cycles=parameters.link_cycles,
    )
    worst = 0.0
    plane = CollectivePlane(tables, parameters, work)
    for times, bound in zip(times_of_words(plane, cycles), bounds_of(tables, parameters), strict=True):
        assert (times <= bound).all(), (times.max(), bound)
        worst = max(worst, times.max(initial=0) / bound)
    return worst


def test_no_word_exceeds_its_bound():
    assert max(check_bound(seed) for seed in range(40)) > 0.5  # so the bound is no empty one


@pytest.mark.slow
@each("seed", range(40, 400))
def test_no_word_exceeds_its_bound_in_more_planes(seed):
    check_bound(seed, 1_000)
