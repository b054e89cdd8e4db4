"""Routing tables of large multistage networks, computed on lookup (Sec. 2.3, 4.2 and 4.3)."""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.intervals import ReachIntervals, ports_by_interval
from sim_model.loops.compiled import compiled
from sim_model.loops.lookups import computed_by
from topology.min.graph import FORWARD
from topology.min.routing import MinRouting


@compiled
def candidates_by_branches(switch, key, arrival_class, routes):
    """Return the entry of ``MinRouting.routes`` for a switch, a key and the class of the arrival channel."""
    processors = len(routes.branches.place)
    if arrival_class == FORWARD and routes.turns_at_top != 0 and routes.upward[switch] != 0:
        return routes.upward[switch]
    if key < processors:
        onward = ports_by_interval(switch, key, routes.branches)
        if onward != 0 or arrival_class != FORWARD:
            return onward
        return routes.upward[switch]
    if arrival_class == FORWARD and key - processors > routes.stage[switch]:
        return routes.upward[switch]
    return 0


@computed_by(candidates_by_branches)
class MinRoutes(NamedTuple):
    """Named tuple in place of ``MinRouting.routes``."""

    branches: ReachIntervals
    upward: np.ndarray  # int64[switches], mask of the outputs to the next stage of a bidirectional network
    stage: np.ndarray  # int64[switches]
    turns_at_top: int  # whether all messages turn round in the last stage


def min_reach(routing: MinRouting) -> ReachIntervals:
    """Return intervals in place of ``MinRouting.reach``."""
    outputs, intervals = routing.network.output_channel[: routing.network.switches], routing.intervals
    assert intervals is not None
    return ReachIntervals(
        place=intervals.place,
        begin=intervals.begin,
        end=intervals.end,
        first_output=np.array([channels[0] for channels in outputs], dtype=np.int64),
        end_output=np.array([channels[-1] + 1 for channels in outputs], dtype=np.int64),
    )


def min_routes(routing: MinRouting) -> MinRoutes:
    """Return the data that routes follow from."""
    network = routing.network
    return MinRoutes(
        branches=min_reach(routing),
        upward=np.array([routing.upward(switch) for switch in range(network.switches)], dtype=np.int64),
        stage=np.array([position.stage for position in network.switch_positions], dtype=np.int64),
        turns_at_top=int(routing.turns_at_top),
    )
