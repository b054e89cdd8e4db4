"""Choice of an algorithm by members, size, start-up and distances, from the closed forms."""

from collections.abc import Callable, Sequence
from math import sqrt

from sim_model.collectives.algorithm import Case
from sim_model.collectives.closed_forms import AHEAD, ALL, HOP_CYCLES, NEXT, ONE_BIT, Costs, form_of
from sim_model.collectives.powers import ceil_log2, floor_log2
from sim_model.collectives.registry import OPERATIONS


def best_segments(members: int, flits: int, startup_cycles: int) -> int:
    """Return the number of segments with which a pipelined chain takes the least time without contention."""
    best = sqrt(max(members - 2, 0) * flits / (startup_cycles + HOP_CYCLES))
    return max(1, min(round(best), flits))


def contention_of(distances: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the factors by which contention lengthens exchanges of all members, by partners; see ``Costs``.

    Each factor is the mean distance of the partners in units of the distance of the nearest members: messages of all
    members that each take several links share these links.

    Parameters:
        distances: Links between any two members.
    """
    p = len(distances)
    places = 1 << floor_log2(p)
    pairs = {
        NEXT: [(m, (m + 1) % p) for m in range(p)],
        ONE_BIT: [(m, m ^ 1 << bit) for bit in range(floor_log2(p)) for m in range(places)],
        AHEAD: [(m, (m + (1 << bit)) % p) for bit in range(ceil_log2(p)) for m in range(p)],
        ALL: [(m, other) for m in range(p) for other in range(p) if m != other],
    }
    nearest = min((distances[m][other] for m, other in pairs[ALL] if distances[m][other] > 0), default=1.0)
    return {
        name: max(1.0, sum(distances[m][other] for m, other in both) / len(both) / nearest)
        for name, both in pairs.items()
    }


def choose(
    operation: str, case: Case, flits: int, costs: Costs, is_allowed: Callable[[str], bool] = lambda _: True
) -> str:
    """Return the algorithm with the least estimated time; of equal ones that with the nearest partners, or the first.

    Parameters:
        operation: Name.
        case: ``segments`` is that of pipelined algorithms.
        flits: Length of the vector.
        costs: Costs of hosts and network.
        is_allowed: Predicate of algorithms by name; at least one must fulfil it.
    """

    def estimate(algorithm: str) -> tuple[float, float]:
        form = form_of(operation, algorithm, case)
        return form.cycles(flits, costs), costs.contention.get(form.partners, 1.0)

    return min(filter(is_allowed, OPERATIONS[operation]), key=estimate)
