"""Fairness among the sources of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.observations import COUNTED_PARTS, Observations
from sim_model.engines.cycle.records import NONE
from sim_model.engines.results import Results
from sim_model.statistics.latency import Interval, confidence_interval

STARVING_SHARE = 0.1
"""A source starves if its next message waits longer for the network than this share of the measured cycles."""


@dataclass(frozen=True)
class Fairness:
    """Fairness among the sources that offered messages.

    The throughput of a source is the number of its delivered messages over that of its offered ones, so sources that
    offer less are not wronged.

    Members:
        jain: Jain's index of the throughputs: (sum x)^2 / (n sum x^2). 1 if all are equal, 1 / n if one has everything.
        least: Least throughput over the mean of all.
        least_processor: Source of the least throughput, the first one of several.
    """

    jain: float
    least: float
    least_processor: int


def jain_index(runs: Sequence[Observations], warmup: int) -> Interval | None:
    """Return the mean of Jain's index over runs, with its interval; None without known sources or deliveries.

    Parameters:
        runs: Runs of the same length.
        warmup: Parts of the warm-up, which do not count.
    """
    first, last = runs[0].cycle_of(warmup), runs[0].cycle_of(COUNTED_PARTS)
    found = [
        fairness_of(*counts_of(run.source, run.start_cycle, run.end_cycle, first, last))
        for run in runs
        if run.source is not None
    ]
    jains = [fairness.jain for fairness in found if fairness is not None]
    return confidence_interval(jains) if jains else None


def counts_of(
    source: np.ndarray, start_cycle: np.ndarray, end_cycle: np.ndarray, first: int, last: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the messages of each source that start, and that end, in cycles ``first`` to ``last - 1``.

    Parameters:
        source, start_cycle, end_cycle (int[M])
    """
    processors = int(source.max(initial=0)) + 1
    counted = ((cycle >= first) & (cycle < last) for cycle in (start_cycle, end_cycle))
    offered, delivered = (np.bincount(source[which], minlength=processors) for which in counted)
    return offered, delivered


def fairness_of(offered: np.ndarray, delivered: np.ndarray) -> Fairness | None:
    """Return the fairness among sources; None if nothing was delivered.

    Parameters:
        offered, delivered (int64[processors]): Messages of each source.
    """
    sources = np.flatnonzero(offered)
    shares = delivered[sources] / offered[sources]
    total = float(shares.sum())
    if total == 0:
        return None
    least = int(shares.argmin())
    jain = total**2 / (len(sources) * float((shares**2).sum()))
    return Fairness(jain, float(shares[least]) * len(sources) / total, int(sources[least]))


@dataclass(frozen=True)
class LongestWait:
    """Longest time that a source's next message had to wait for the network.

    Members:
        processor: The source, the first one of several.
        cycles: From the start of a message, but not before the acceptance of the message before, to its acceptance by
            the injector.
        first_cycle: Cycle in which the wait began.
    """

    processor: int
    cycles: int
    first_cycle: int


def longest_wait(results: Results) -> LongestWait | None:
    """Return the longest wait of a next message; None if no message started.

    A message that was never accepted has waited until the end of the run.
    """
    messages = results.messages
    started = np.flatnonzero(results.start_cycle != NONE)
    if not len(started):
        return None
    source, start = messages.source[started], results.start_cycle[started]
    accepted = results.accepted_cycle[started]
    accepted = np.where(accepted == NONE, results.cycles, accepted)
    order = np.lexsort((start, accepted, source))
    source, start, accepted = source[order], start[order], accepted[order]
    behind = np.flatnonzero(source[1:] == source[:-1]) + 1
    begin = start.copy()
    begin[behind] = np.maximum(begin[behind], accepted[behind - 1])
    waits = accepted - begin
    longest = int(waits.argmax())
    return LongestWait(int(source[longest]), int(waits[longest]), int(begin[longest]))
