"""Latencies of a run in classes of equal width, and in figures."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_model.engines.results import Results
from sim_model.statistics.latency import Summary

CLASSES = 40
SHOWN_SHARE = 99.5
"""Percentile at which the classes end; longer latencies are counted separately."""
STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Histogram:
    """Latencies of one kind of messages.

    Members:
        kind
        width_cycles: Width of a class; the first one begins at ``first_cycles``.
        first_cycles
        counts: Messages in each class.
        beyond: Messages beyond the last class.
        summary
    """

    kind: str
    width_cycles: int
    first_cycles: int
    counts: tuple[int, ...]
    beyond: int
    summary: Summary


def histogram_figures(found: list[Histogram]) -> dict[str, Any]:
    """Return the messages in classes of equal width, by kind, for JSON."""
    return {
        item.kind: {
            "first_cycles": item.first_cycles,
            "width_cycles": item.width_cycles,
            "messages": list(item.counts),
            "beyond": item.beyond,
        }
        for item in found
    }


def _percentile(sample: np.ndarray, share: float) -> float:
    """Return ``np.percentile(sample, share)`` without its load of NumPy's masked arrays."""
    place = (len(sample) - 1) * (share / 100)
    below = int(place)
    ranks = [below, min(below + 1, len(sample) - 1)]
    low, high = np.partition(sample, ranks)[ranks].tolist()
    part = place - below
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def histograms(results: Results, warmup_cycles: int) -> list[Histogram]:
    """Return histograms of unicasts and multicasts after the warm-up, for each kind with messages, on one scale."""
    found = {
        name: results.complete_latencies(multicast=several, warmup_cycles=warmup_cycles)
        for name, several in (("unicast", False), ("multicast", True))
    }
    everything = np.concatenate(list(found.values()))
    if len(everything) == 0:
        return []
    end = max(int(_percentile(latencies, SHOWN_SHARE)) for latencies in found.values() if len(latencies))
    first = int(everything.min())
    width = _round_up(-(-(end - first + 1) // CLASSES))
    first -= first % width
    edges = np.arange(first, end + width + 1, width)
    return [
        Histogram(
            kind,
            width,
            first,
            tuple(np.histogram(latencies[latencies < edges[-1]], edges)[0].tolist()),
            int((latencies >= edges[-1]).sum()),
            Summary.of(latencies),
        )
        for kind, latencies in found.items()
        if len(latencies)
    ]


def _round_up(width: int) -> int:
    """Return the next 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for step in STEPS:
            if step * power >= width:
                return step * power
        power *= 10
