"""Offered and accepted load of one run, and the test of a run beyond saturation (docs/understand/verdicts.md)."""

from dataclasses import asdict
from typing import Any

from hydranoc.measurement.fairness import STARVING_SHARE, counts_of, fairness_of, longest_wait
from hydranoc.measurement.growth import growth_of
from hydranoc.measurement.network import UNICAST_AND_MULTICAST, observations_of
from hydranoc.measurement.observations import NOT_DELIVERED, Observations
from hydranoc.measurement.stability import ERROR_RATE, MAX_GROWTH
from sim_model.engines.results import Results
from sim_model.messages.header_lengths import distinct


def load_figures(results: Results, *, nodes: int, first: int, last: int) -> dict[str, Any]:
    """Return load and fairness of a run under random traffic, as plain values for JSON.

    Parameters:
        results: Of the run, to its end.
        nodes: Processors that may send.
        first, last (int): Loads are those of cycles ``first`` to ``last - 1``. Messages start in cycles 0 to ``last -
            1``.

    Returns:
        dict: Messages and delivered flits per node and cycle, offered and accepted, and ``beyond_saturation``: the
            backlog of unicasts or of multicasts grows by more than 1 % of the offered messages, in the run and in its
            first half. The error rate is 5 %. ``fairness`` has Jain's index, the least source's share of the mean
            throughput, and the longest wait of a source; see ``hydranoc.measurement.fairness``.
    """
    run = observations_of(results, last, UNICAST_AND_MULTICAST)
    cycles = nodes * (last - first)
    started = (run.start_cycle >= first) & (run.start_cycle < last)
    arrived = (run.end_cycle != NOT_DELIVERED) & (run.end_cycle >= first) & (run.end_cycle < last)
    kinds = distinct(run.kind).tolist()
    growths = [growth_of([run], kind) for kind in kinds]
    return {
        "first_cycle": first,
        "last_cycle": last - 1,
        "offered_messages_per_node_per_cycle": int(started.sum()) / cycles,
        "accepted_messages_per_node_per_cycle": int(arrived.sum()) / cycles,
        "offered_flits_per_node_per_cycle": int(run.flits[started].sum()) / cycles,
        "accepted_flits_per_node_per_cycle": int(run.flits[arrived].sum()) / cycles,
        "beyond_saturation": any(growth.above(MAX_GROWTH, ERROR_RATE / len(kinds)) for growth in growths),
        **_fairness(results, run, first, last),
    }


def _fairness(results: Results, run: Observations, first: int, last: int) -> dict[str, Any]:
    """Return the fairness among sources in cycles ``first`` to ``last - 1``; nothing if no message was delivered."""
    counts = counts_of(results.group_source, run.start_cycle, run.end_cycle, first, last)
    fairness, wait = fairness_of(*counts), longest_wait(results)
    if fairness is None or wait is None:
        return {}
    starving = wait.cycles > STARVING_SHARE * (last - first)
    return {"fairness": {**asdict(fairness), "longest_wait": asdict(wait), "starving": starving}}
