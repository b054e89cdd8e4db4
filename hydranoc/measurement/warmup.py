"""End of the warm-up of a run: the truncation that leaves the mean with the smallest standard error (MSER).

White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (6), 1997.
"""

from collections.abc import Sequence

import numpy as np

from hydranoc.measurement.observations import COUNTED_PARTS, Observations


def mser(series: np.ndarray) -> int:
    """Return the number of initial values to drop, at most half of them.

    Parameters:
        series (float array): In order of time; NaN without observations.

    Returns:
        The number ``d`` for which the sum of squares of the rest about its mean, over the square of its count, is
            least.
    """
    errors = [_squared_error(series[dropped:]) for dropped in range(len(series) // 2 + 1)]
    return int(np.argmin(errors))


def beginning(series: np.ndarray) -> int:
    """Return the number of values that MSER drops, if their mean is lower than the rest.

    Runs begin empty, and so with short latencies. MSER would also drop a queue that was long by chance, and the mean of
    many runs would come out too low for it.
    """
    dropped = mser(series)
    is_low = dropped and np.nanmean(series[:dropped]) < np.nanmean(series[dropped:])
    return dropped if is_low else 0


def filled(series: np.ndarray) -> int:
    """Return the number of initial values to drop while the network fills: up to the first that reaches the mean.

    MSER may keep a warm-up that is short against the noise, although it biases the mean of many runs.
    """
    later = series[len(series) // 2 :]
    if np.isnan(later).all():
        return len(series) // 2
    reached = series >= np.nanmean(later)
    return min(int(np.argmax(reached)) + 1, len(series) // 2) if reached.any() else len(series) // 2


def _squared_error(rest: np.ndarray) -> float:
    values = rest[~np.isnan(rest)]
    return float(((values - values.mean()) ** 2).sum() / len(values) ** 2) if len(values) > 1 else np.inf


def warmup_parts(runs: Sequence[Observations], kinds: int) -> int:
    """Return the warm-up of the runs in parts: the longest that any kind of message needs.

    The mean of each part is over all runs, so that chance in a single one does not count as warm-up.

    Parameters:
        runs: Runs of the same length.
        kinds: Kinds of messages.
    """
    series = [_mean_by_part(runs, kind) for kind in range(kinds)]
    return max(max(beginning(one), filled(one)) for one in series)


def _mean_by_part(runs: Sequence[Observations], kind: int) -> np.ndarray:
    """Return the mean latency by part, float[COUNTED_PARTS]; NaN where no message of the kind started."""
    total, count = np.zeros(COUNTED_PARTS), np.zeros(COUNTED_PARTS)
    for run in runs:
        latency, part = run.latency_cycles, run.part
        wanted = (run.kind == kind) & ~np.isnan(latency) & (part < COUNTED_PARTS)
        total += np.bincount(part[wanted], weights=latency[wanted], minlength=COUNTED_PARTS)
        count += np.bincount(part[wanted], minlength=COUNTED_PARTS)
    return np.divide(total, count, out=np.full(COUNTED_PARTS, np.nan), where=count > 0)
