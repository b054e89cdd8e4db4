"""Operations at random on all groups of a plane."""

import numpy as np

from sim_model.collective_plane.closed_forms import group_cycles
from sim_model.collective_plane.contributions import Contributions
from topology.collectives.tables import Group, PlaneTables

LENGTHS = (0, 0, 1, 2, 3, 5, 9)
"""Words of an operation, all of them as likely: barriers are two of seven."""
LOADS = (0.2, 1.0, 4.0)
"""Starts of operations, compared with the rate at which windows and links can end them."""
OPERATIONS_OF_A_LOAD = 16


def random_operations(
    tables: PlaneTables,
    operators: tuple[int, ...],
    word_bits: int,
    *,
    cycles: int,
    seed: int,
    window: int = 1,
    link_cycles: int = 1,
) -> Contributions:
    """Return contributions of all members to operations of all groups, in the order of groups and members.

    Times of idle groups and of overload alternate. All members may start an operation in the same cycle. The k-th
    contributions of all members of a group have one operator and one length.

    Parameters:
        tables
        operators (tuple of int): Numbers of the operators in use; without any, all operations are barriers.
        word_bits
        cycles: All operations may start before this cycle.
        seed
        window, link_cycles (int): Of the plane; they determine the number of operations.
    """
    random = np.random.default_rng(seed)
    parts = [
        _of_group(random, tables, group, operators, word_bits, cycles, (window, link_cycles)) for group in tables.groups
    ]
    return Contributions.of_columns(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _of_group(
    random: np.random.Generator,
    tables: PlaneTables,
    group: Group,
    operators: tuple[int, ...],
    word_bits: int,
    cycles: int,
    pace: tuple[int, int],
) -> tuple[np.ndarray, ...]:
    """Return processors, groups, start cycles, operators, lengths and words."""
    window, link_cycles = pace
    words_of_all = len(tables.groups) * (float(np.mean(LENGTHS)) + 1)
    mean = max(words_of_all, group_cycles(tables, group.number, int(np.mean(LENGTHS)), link_cycles) / window)
    count = 1 + int(4 * cycles / mean)
    loads = np.repeat(random.choice(LOADS, -(-count // OPERATIONS_OF_A_LOAD)), OPERATIONS_OF_A_LOAD)[:count]
    start = np.floor(np.cumsum(random.exponential(mean, count) / loads)).astype(np.int64)
    start = start[start < cycles]
    lengths = random.choice(LENGTHS if operators else (0,), len(start)).astype(np.int64)
    chosen = random.choice(operators or (0,), len(start)).astype(np.int64)
    members = len(group.members)
    words = random.integers(0, 1 << word_bits, members * int(lengths.sum()), dtype=np.uint64)
    return (
        np.repeat(np.array(group.members, dtype=np.int64), len(start)),
        np.full(members * len(start), group.number, dtype=np.int64),
        *(np.tile(column, members) for column in (start, chosen, lengths)),
        words,
    )
