"""Choice of an algorithm by members, size and start-up, from the closed forms without contention."""

from collections.abc import Callable
from math import sqrt

from sim_model.collectives.algorithm import Case
from sim_model.collectives.closed_forms import form_of
from sim_model.collectives.registry import OPERATIONS, SEGMENTED

HOP_CYCLES = 24
"""Cycles of a message besides start-up and body in the estimate: header, injection, path and delivery."""


def best_segments(members: int, flits: int, startup_cycles: int) -> int:
    """Return the number of segments with which a pipelined chain takes the least time without contention."""
    best = sqrt(max(members - 2, 0) * flits / (startup_cycles + HOP_CYCLES))
    return max(1, min(round(best), flits))


def choose(
    operation: str,
    case: Case,
    flits: int,
    startup_cycles: int = 0,
    compute_cycles_per_flit: float = 0.0,
    is_allowed: Callable[[str], bool] = lambda _: True,
) -> str:
    """Return the algorithm with the least estimated time; of equal ones the first.

    Parameters:
        operation: Name.
        case: ``segments`` is that of pipelined algorithms.
        flits: Length of the vector.
        startup_cycles: Of a host per message.
        compute_cycles_per_flit: Of a host that combines.
        is_allowed: Predicate of algorithms by name; at least one must fulfil it.
    """

    def estimate(algorithm: str) -> float:
        form = form_of(operation, algorithm, case)
        return form.cycles(flits, startup_cycles, HOP_CYCLES, compute_cycles_per_flit)

    return min(filter(is_allowed, OPERATIONS[operation]), key=estimate)


def needs_segments(algorithm: str) -> bool:
    """Return True if an algorithm cuts the vector into segments."""
    return algorithm in SEGMENTED
