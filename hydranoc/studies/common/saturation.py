"""Saturation: whether a network keeps up with its traffic, and the part of a curve on which it does.

A multicast that software sends as several messages counts as one message here: a group of ``Messages``.
"""

from collections.abc import Iterable
from typing import Protocol, TypeVar

import numpy as np

from hydranoc.studies.common.whole_runs import finish
from sim_model.common.messages import Messages
from sim_model.common.results import Results
from sim_model.common.simulation import Simulation


class _LoadPoint(Protocol):
    @property
    def load(self) -> float: ...

    @property
    def saturated(self) -> bool: ...


Point = TypeVar("Point", bound=_LoadPoint)


def waiting_share(results: Results, cycle: int) -> float:
    """Share of all messages that have started before a cycle and have not arrived everywhere."""
    started = _first_starts(results.messages) < cycle
    return float(np.mean(started & (results.group_latency_cycles < 0)))


def run_while_keeping_up(
    simulation: Simulation, cycles: int, *, most_waiting: float, looks: int = 1
) -> tuple[Results, bool]:
    """Run to the end, unless it turns out before the last message starts that the network does not keep up.

    Parameters
    ----------
    simulation : Simulation
    cycles : int
        Cycles in which messages start.
    most_waiting : float
        The run is given up when a larger share of all messages waits: the backlog grows, and no mean exists.
    looks : int
        How often to look, evenly spread over ``cycles``; the last look is at their end.

    Returns
    -------
    results : Results
        Of the whole run, or up to where it was given up.
    saturated : bool
    """
    for look in range(1, looks + 1):
        until_cycle = cycles * look // looks
        results = simulation.run(until_cycle)
        if waiting_share(results, until_cycle) > most_waiting:
            return results, True
    return finish(simulation), False


def before_saturation(points: Iterable[Point]) -> list[Point]:
    """Points of one curve by load, up to the first at which the network is saturated."""
    stable: list[Point] = []
    for point in sorted(points, key=lambda point: point.load):
        if point.saturated:
            break
        stable.append(point)
    return stable


def _first_starts(messages: Messages) -> np.ndarray:
    """Start of each group's first message, in the order of group numbers."""
    groups, position = np.unique(messages.group, return_inverse=True)
    first = np.full(len(groups), np.iinfo(np.int64).max)
    given = messages.parent_counts == 0
    np.minimum.at(first, position[given], messages.start_cycle[given])
    return first
