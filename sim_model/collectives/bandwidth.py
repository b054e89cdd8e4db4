"""Bandwidths of collective operations as users of NCCL know them.

The algorithm bandwidth is the size of one member's vector, its contribution or its result, over the time of the
operation. The bus bandwidth multiplies it by a factor, so that it can be compared with the rate of a link whatever the
number of members: the factor is the share of the vector that must cross each member's link at least. An all-reduce of n
members sends and receives 2 (n - 1) / n vectors at each of them; operations with one part per member need (n - 1) / n;
broadcast and reduce need 1. Barrier and scan have no such factor.
"""

FACTORS = {
    "broadcast": (0, 1),
    "reduce": (0, 1),
    "gather": (1, 0),
    "scatter": (1, 0),
    "all-reduce": (2, 0),
    "all-gather": (1, 0),
    "reduce-scatter": (1, 0),
    "all-to-all": (1, 0),
}
"""Factors a (n - 1) / n + b of the bus bandwidth, as (a, b)."""


def bus_factor(operation: str, members: int) -> float | None:
    """Return bus bandwidth over algorithm bandwidth; None for operations without one."""
    if operation not in FACTORS:
        return None
    shared, fixed = FACTORS[operation]
    return shared * (members - 1) / members + fixed
