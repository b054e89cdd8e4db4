"""Figures of collective operations: latencies, rounds, and bandwidths as users of NCCL know them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hydranoc.reports.table import aligned
from sim_model.collectives.bandwidth import bus_factor
from sim_model.engines.cycle.state import NONE
from sim_model.engines.results import Results

if TYPE_CHECKING:
    from sim_model.collective_plane.model import PlaneResults
    from sim_model.programs.performances import Collective, Performance

BITS_PER_BYTE = 8


class Performances(NamedTuple):
    """Collective operations of a run.

    Members:
        collectives: All operations.
        performances: All performances of them.
        plane: Results of the contributions to the plane; None if there are none.
        startup_cycles: Of a host per operation on the plane.
    """

    collectives: "Sequence[Collective]"
    performances: "Sequence[Performance]"
    plane: "PlaneResults | None" = None
    startup_cycles: int = 0


def collective_figures(results: Results, performed: Performances, flit_bits: int) -> list[dict[str, Any]]:
    """Return the figures of each operation as plain values for JSON.

    The latency of a performance is in cycles, from the start of its first message, start-up included, to the end of its
    last member: the arrival of its last tail, and the computations behind it. On the plane it is from the start of the
    first host's start-up to the end of the last result. It is None if a message did not arrive, or a result is missing.
    Bandwidths are in bytes per cycle, of the mean latency: the algorithm bandwidth is the size of one member's vector
    over the latency, the bus bandwidth that times a factor of the operation (``sim_model/collectives/bandwidth.py``).

    Parameters:
        results
        performed
        flit_bits: Data bits of a flit.
    """
    found: list[list[tuple[Performance, tuple[int, int] | None]]] = [[] for _ in performed.collectives]
    for performance in performed.performances:
        on_plane = performed.plane is not None and len(performance.contributions) > 0
        span = _plane_span(performed, performance) if on_plane else _span(results, performance)
        found[performance.collective].append((performance, span))
    return [_figures(*both, flit_bits) for both in zip(performed.collectives, found, strict=True)]


def plane_figures(performed: Performances, word_hops: int, word_bits: int) -> dict[str, Any]:
    """Return the figures of the plane as plain values for JSON.

    Parameters:
        performed: With results of the plane.
        word_hops: Words that arrived on links.
        word_bits: Bits of a word.

    Returns:
        dict: Number of operations and of those with a wrong or missing result, by integer arithmetic; words that
            arrived on links, headers included.
    """
    from sim_model.collective_plane.exact import wrong_operations

    assert performed.plane is not None
    operations = [one.contributions for one in performed.performances if one.contributions]
    wrong = wrong_operations(operations, performed.plane, word_bits)
    return {"operations": len(operations), "wrong": len(wrong), "word_hops": word_hops}


def plane_line(figures: Mapping[str, Any]) -> str:
    """Return the figures of the plane for display."""
    operations, wrong = figures["operations"], figures["wrong"]
    verdict = f"{wrong:,} wrong" if wrong else "all results right"
    return f"plane: {operations:,} operations, {verdict}, {figures['word_hops']:,} words moved over links"


def _plane_span(performed: Performances, performance: "Performance") -> tuple[int, int] | None:
    """Return the cycles of start and end of an operation on the plane; None if a result is missing."""
    assert performed.plane is not None
    calls = np.asarray(performance.contributions, dtype=np.int64)
    done = performed.plane.done_cycle[calls]
    if (done == NONE).any():
        return None
    return int(performed.plane.start_cycle[calls].min()) - performed.startup_cycles, int(done.max())


def _span(results: Results, performance: "Performance") -> tuple[int, int] | None:
    """Return the cycles of start and end; None if a message did not arrive."""
    numbers = np.asarray(performance.messages, dtype=np.int64)
    last = results.last_arrival_cycle[numbers]
    if not len(numbers) or (last == NONE).any():
        return None
    end = int(last.max())
    messages = results.messages
    for (message, processor), delay in performance.delays.items():
        first = int(messages.offsets[message])
        position = first + int(np.searchsorted(messages.destinations_of(message), processor))
        end = max(end, int(results.arrival_cycle[position]) + delay)
    return int(results.start_cycle[numbers].min()), end


def _figures(
    one: "Collective", performed: "Sequence[tuple[Performance, tuple[int, int] | None]]", flit_bits: int
) -> dict[str, Any]:
    latencies = [None if span is None else span[1] - span[0] for _, span in performed]
    complete = [latency for latency in latencies if latency is not None]
    mean = float(np.mean(complete)) if complete else None
    factor = bus_factor(one.operation, len(one.processors))
    algorithm_bandwidth = one.flits * flit_bits / BITS_PER_BYTE / mean if mean and one.flits else None
    return {
        "operation": one.operation,
        "algorithm": one.algorithm,
        "chosen": one.chosen,
        "members": len(one.processors),
        "flits": one.flits,
        "rounds": performed[0][0].rounds,
        "messages": sum(len(performance.messages) for performance, _ in performed),
        "start_cycles": [None if span is None else span[0] for _, span in performed],
        "latencies_cycles": latencies,
        "mean_latency_cycles": mean,
        "max_latency_cycles": max(complete, default=None),
        "algorithm_bytes_per_cycle": algorithm_bandwidth,
        "bus_bytes_per_cycle": None if factor is None or algorithm_bandwidth is None else factor * algorithm_bandwidth,
    }


COLUMNS = (
    "members",
    "flits",
    "rounds",
    "messages",
    "mean_latency_cycles",
    "max_latency_cycles",
    "algorithm_bytes_per_cycle",
    "bus_bytes_per_cycle",
)
TITLES = ("members", "flits", "rounds", "messages", "mean cycles", "max cycles", "alg. B/cycle", "bus B/cycle")


def algorithm_text(figures: Mapping[str, Any]) -> str:
    """Return the name of an operation's algorithm, marked if it was chosen."""
    return f"{figures['algorithm']} (chosen)" if figures["chosen"] else figures["algorithm"]


def value_text(value: float | None) -> str:
    """Return a value of ``COLUMNS`` for display."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}" if value >= 100 else f"{value:,.3g}"


def collective_lines(figures: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of all operations for display; latencies are in cycles."""
    rows = [("collective", "algorithm", *TITLES)]
    rows += [(one["operation"], algorithm_text(one), *(value_text(one[name]) for name in COLUMNS)) for one in figures]
    return aligned(rows)
