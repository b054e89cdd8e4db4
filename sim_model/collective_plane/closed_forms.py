"""Latencies and rates of a plane without contention, without a simulation.

``c = 1 + link_cycles`` is the time of a level, ``d`` the largest number of links between switches from a member up to
the top of its group, ``m`` the largest number down from it, and ``e = 2`` the time of an endpoint on either side. Words
behind a header take ``stages`` cycles more in each of the ``d + 1`` switches that combine them.

A plane that has barriers alone has no endpoints, and one register per level.
"""

from topology.collectives.tables import PlaneTables

ENDPOINT_CYCLES = 2


def barrier_cycles(up_levels: int, down_levels: int, link_cycles: int = 1) -> int:
    """Return the cycles from the request of all members to the last ``barrier_done``: 2e + c (d + m) + 1.

    Parameters:
        up_levels, down_levels (int): d and m.
        link_cycles: Cycles of a link between switches.

    >>> barrier_cycles(8, 8)
    37
    """
    return 2 * ENDPOINT_CYCLES + (1 + link_cycles) * (up_levels + down_levels) + 1


def lone_barrier_cycles(up_levels: int, down_levels: int, link_cycles: int = 1) -> int:
    """Return the cycles from the request of all members to ``barrier_done`` in a plane that has barriers alone.

    Parameters:
        up_levels, down_levels (int): d and m.
        link_cycles: Cycles of a link between switches.

    >>> lone_barrier_cycles(8, 8)
    17
    """
    return link_cycles * (up_levels + down_levels) + 1


def all_reduce_cycles(up_levels: int, down_levels: int, words: int, link_cycles: int = 1, stages: int = 3) -> int:
    """Return the cycles from the first beats of all members to the last result beat.

    Parameters:
        up_levels, down_levels (int): d and m.
        words: F, words of a member, at least 1.
        link_cycles: Cycles of a link between switches.
        stages: Registers of the combiner's pipeline, ``combiner_stages``.

    >>> all_reduce_cycles(8, 8, 1)
    65
    """
    return barrier_cycles(up_levels, down_levels, link_cycles) + words + stages * (up_levels + 1)


def group_cycles(
    tables: PlaneTables,
    group: int,
    words: int = 0,
    link_cycles: int = 1,
    stages: int = 3,
    *,
    barriers_only: bool = False,
) -> int:
    """Return the cycles of an operation of a group, 0 words for a barrier.

    Parameters:
        tables
        group: Number of the group.
        words: Words of a member.
        link_cycles: Cycles of a link between switches.
        stages: Registers of the combiner's pipeline.
        barriers_only: The plane has barriers alone.
    """
    levels = tables.depth_of(group)
    if barriers_only:
        return lone_barrier_cycles(levels, levels, link_cycles)
    if not words:
        return barrier_cycles(levels, levels, link_cycles)
    return all_reduce_cycles(levels, levels, words, link_cycles, stages)


def credit_cycles(link_cycles: int = 1, stages: int = 3) -> int:
    """Return the cycles from the grant of a word to the next one with its credit: buffers for full rate.

    Parameters:
        link_cycles: Cycles of the link.
        stages: Registers of the combiner's pipeline.
    """
    return 2 * link_cycles + 2 + stages


def words_per_cycle(latency_cycles: int, words: int, window: int) -> float:
    """Return the rate of operations that follow each other: min(1, W (F + 1) / (latency + F)), headers counted.

    It holds where all buffers have room for ``credit_cycles`` words.

    Parameters:
        latency_cycles: Of an operation of the group, less its words.
        words: F, words of a member.
        window: W, operations under way.
    """
    return min(1.0, window * (words + 1) / (latency_cycles + words))
