"""One point of a sweep with AXI4 transactions: runs with other seeds."""

from typing import Any

import numpy as np

from hydranoc.config.schema import Axi4Traffic
from hydranoc.design import Design
from hydranoc.design.axi4_runs import Axi4Outcome
from sim_model.statistics.latency import confidence_interval

KINDS = ("read", "write", "multicast_write")
AXI4_KINDS = tuple(f"axi4_{kind}" for kind in KINDS)
RATES = ("write_beats_per_cycle", "read_beats_per_cycle")
AXI4_COLUMNS = (
    *(f"{kind}_{name}" for kind in AXI4_KINDS for name in ("mean", "half_width", "p99", "max")),
    *(f"axi4_{name}" for name in RATES),
)


def measure_axi4(design: Design, seeds: int, most_seeds: int, precision: float) -> dict[str, Any]:
    """Return values of a point: means of all runs, with 95 % intervals of the mean latencies of each run.

    A list of transactions is run once.

    Parameters:
        design: With traffic of kind ``axi4``.
        seeds: Minimum runs.
        most_seeds: Maximum runs, for narrow intervals.
        precision: Relative half width of all intervals at which no other run begins.
    """
    traffic = design.config.traffic
    assert isinstance(traffic, Axi4Traffic)
    random = isinstance(traffic.transactions, int)
    outcomes: list[Axi4Outcome] = []
    row: dict[str, Any] = {}
    while not outcomes or (random and (len(outcomes) < seeds or (not row["precise"] and len(outcomes) < most_seeds))):
        outcomes.append(_run(design, traffic, len(outcomes)) if random else design.simulate_axi4())
        row = _values(outcomes, precision)
        if row["deadlocked"]:
            break
    return row


def _run(design: Design, traffic: Axi4Traffic, replication: int) -> Axi4Outcome:
    seed = int(np.random.SeedSequence([traffic.seed, replication]).generate_state(1)[0])
    varied = Design(design.config.with_traffic(traffic.model_copy(update={"seed": seed})))
    varied.axi4 = design.axi4
    return varied.simulate_axi4()


def _values(outcomes: list[Axi4Outcome], precision: float) -> dict[str, Any]:
    row: dict[str, Any] = {
        "cycles": max(outcome.results.cycles for outcome in outcomes),
        "replications": len(outcomes),
        "deadlocked": any(outcome.results.deadlocked for outcome in outcomes),
        "precise": True,
    }
    for name in RATES:
        row[f"axi4_{name}"] = float(np.mean([outcome.figures[name] for outcome in outcomes]))
    for kind, name in zip(KINDS, AXI4_KINDS, strict=True):
        found = [outcome.figures["latency_cycles"][kind] for outcome in outcomes]
        found = [figures for figures in found if figures["count"]]
        if not found:
            continue
        interval = confidence_interval([figures["mean"] for figures in found])
        row["precise"] &= interval.relative <= precision
        row |= {f"{name}_mean": interval.mean, f"{name}_max": float(max(figures["max"] for figures in found))}
        row[f"{name}_p99"] = float(np.mean([figures["p99"] for figures in found]))
        row[f"{name}_half_width"] = interval.half_width if np.isfinite(interval.half_width) else None
    return row
