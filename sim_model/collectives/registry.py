"""All operations and algorithms by name."""

from sim_model.collectives import (
    all_gather,
    all_reduce,
    all_to_all,
    barrier,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scan,
    scatter,
)
from sim_model.collectives.algorithm import Algorithm, Case
from sim_model.collectives.schedule import ALL_TO_ALL, BARRIER, Schedule

OPERATIONS: dict[str, dict[str, Algorithm]] = {
    BARRIER: barrier.ALGORITHMS,
    "broadcast": broadcast.ALGORITHMS,
    "reduce": reduce.ALGORITHMS,
    "gather": gather.ALGORITHMS,
    "scatter": scatter.ALGORITHMS,
    "all-reduce": all_reduce.ALGORITHMS,
    "all-gather": all_gather.ALGORITHMS,
    "reduce-scatter": reduce_scatter.ALGORITHMS,
    ALL_TO_ALL: all_to_all.ALGORITHMS,
    "scan": scan.ALGORITHMS,
}
"""Algorithms of each operation."""
ROOTED = ("broadcast", "reduce", "gather", "scatter")
"""Operations whose result depends on the choice of a root."""
SEGMENTED = ("chain",)
"""Algorithms that cut the vector into segments."""

PLANE = "plane"
"""The algorithm of operations that the collective plane performs, without a schedule."""
ON_PLANE = ("barrier", "reduce", "all-reduce")
"""Operations that the collective plane performs; a reduce is an all-reduce of which the others drop the result."""


def schedule_of(operation: str, algorithm: str, case: Case) -> Schedule:
    """Return the schedule of an operation by one of its algorithms.

    Raises:
        KeyError: If there is no such operation or algorithm.
    """
    return OPERATIONS[operation][algorithm].schedule(operation, case)
