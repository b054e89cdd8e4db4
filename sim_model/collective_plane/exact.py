"""Results of a plane against integer arithmetic."""

from collections.abc import Iterator, Sequence

import numpy as np

from sim_model.collective_plane.contributions import Contributions
from sim_model.collective_plane.model import PlaneResults
from topology.collectives.operators import OPERATORS, combine_arrays

ALL_OPERATORS = tuple(range(len(OPERATORS)))


def positions_in_groups(contributions: Contributions) -> np.ndarray:
    """Return the position of each contribution among those of its member to its group, int64."""
    count = len(contributions)
    order = np.lexsort((np.arange(count), contributions.group, contributions.processor))
    member = np.stack((contributions.processor, contributions.group))[:, order]
    is_first = np.ones(count, dtype=bool)
    is_first[1:] = (member[:, 1:] != member[:, :-1]).any(axis=0)
    found = np.empty(count, dtype=np.int64)
    found[order] = np.arange(count) - np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    return found


def wrong_results(
    results: PlaneResults, word_bits: int, operators: tuple[int, ...], operation: np.ndarray | None = None
) -> list[str]:
    """Return what is wrong with results that are complete, one text for each; none is right.

    An operation of members that differ in operator or length, or of an operator that is not built, must end with an
    error at each member; any other one without an error and with the exact words. With one operator built, that of a
    contribution does not count.

    Parameters:
        results
        word_bits
        operators (tuple of int): Operators that are built.
        operation (int array, shape (contributions,)): Number of the operation of each contribution, of one group.
            Default: its position among those of its member and group.
    """
    given = results.contributions
    numbers = positions_in_groups(given) if operation is None else operation
    order = np.lexsort((given.processor, numbers, given.group))
    group, number = given.group[order], numbers[order]
    borders = np.flatnonzero((np.diff(group) != 0) | (np.diff(number) != 0)) + 1
    rows = np.split(order, borders) if len(order) else []
    return [text for own in rows for text in _wrong(results, word_bits, operators, own.tolist())]


def wrong_operations(operations: Sequence[Sequence[int]], results: PlaneResults, word_bits: int) -> list[int]:
    """Return the positions of operations with a wrong or missing result at a member.

    Parameters:
        operations: Positions of the contributions to each operation.
        results
        word_bits
    """
    return [
        position
        for position, rows in enumerate(operations)
        if (results.done_cycle[list(rows)] < 0).any() or any(_wrong(results, word_bits, ALL_OPERATORS, list(rows)))
    ]


def _wrong(results: PlaneResults, word_bits: int, operators: tuple[int, ...], rows: list[int]) -> Iterator[str]:
    """Yield what is wrong with one operation."""
    given, every = results.contributions, np.array(rows)
    done = every[results.done_cycle[every] >= 0]
    if not len(done):
        return
    lengths = set((given.offsets[every + 1] - given.offsets[every]).tolist())
    chosen = set(given.operator[every].tolist() if len(operators) > 1 else operators)
    is_wrong = len(lengths) > 1 or (lengths != {0} and (len(chosen) > 1 or not chosen <= set(operators)))
    if (is_wrong or lengths == {0}) and (results.error[done] == is_wrong).all():
        return
    words = [given.words_of(row) for row in rows]
    expected = words[0] if is_wrong or lengths == {0} else combine_arrays(chosen.pop(), words, word_bits)
    for row in done.tolist():
        name = f"result of contribution {row} (processor {given.processor[row]}, group {given.group[row]})"
        if bool(results.error[row]) != is_wrong:
            yield f"{name} has {'no ' if is_wrong else ''}error mark"
        elif not is_wrong and not np.array_equal(results.words_of(row), expected):
            yield f"{name} is {results.words_of(row).tolist()}; it must be {expected.tolist()}"
