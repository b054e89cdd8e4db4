"""Routing tables of large SPAM networks, computed on lookup (Sec. 3.1 and 3.2).

The data grow as the network and not as its square, but for three bits per pair of switches: the distance modulo 3
(``topology/common/hops.py``), and whether one is an extended ancestor of the other.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.intervals import ReachIntervals
from sim_model.loops.compiled import compiled
from sim_model.loops.lookups import computed_by
from topology.common.total_order import TOTAL
from topology.spam.graph import TREE, UP
from topology.spam.routing import SpamRouting

FARTHEST = 3
FREE, HERE = -1, 0
"""At a switch: each header turns where it may, or all of them do."""


@compiled
def candidates_by_labels(switch, key, arrival_class, routes):
    """Return the entry of ``SpamRouting.routes`` for a switch, a key and the class of the arrival channel."""
    switches = len(routes.first_output)
    goal = key
    if arrival_class == UP and routes.turning[switch] != FREE:
        if routes.turning[switch] != HERE:
            return routes.turning[switch]
        arrival_class = TREE
    if key >= switches:
        goal = routes.home[key - switches]
        if goal == switch:
            return 1 << routes.host_port[key - switches]
    elif key == switch:
        return 0
    first, last = routes.first, routes.last
    place = first[key]
    if arrival_class == TREE and key < switches and place <= first[switch] < last[key]:
        return 0  # at or below the key: split phase
    here = _hops(switch, goal, routes)
    nearest = FARTHEST
    mask = 0
    for number in range(routes.first_output[switch], routes.end_switch_output[switch]):
        sink, kind = routes.sink[number], routes.channel_class[number]
        if kind == TREE:
            allowed = first[sink] <= place < last[sink]
        elif kind == UP:
            allowed = arrival_class == UP
        else:
            allowed = arrival_class != TREE and _bit(sink, goal, routes.extended_bits) != 0
        if not allowed:
            continue
        farther = (_hops(sink, goal, routes) - here + 4) % 3  # 0: one hop nearer, 1: as near, 2: one farther
        if farther < nearest:
            nearest = farther
            mask = 0
        if farther == nearest:
            mask |= 1 << number - routes.first_output[switch]
    return mask


@compiled
def _bit(row, column, bits):
    return bits[row, column >> 3] >> (column & 7) & 1


@compiled
def _hops(switch, goal, routes):
    """Return the distance modulo 3."""
    return _bit(switch, goal, routes.hops_low) + 2 * _bit(switch, goal, routes.hops_high)


@computed_by(candidates_by_labels)
class SpamRoutes(NamedTuple):
    """Named tuple in place of ``SpamRouting.routes``."""

    first: np.ndarray  # int64[vertices], see SpamLabels, like the next one
    last: np.ndarray  # int64[vertices]
    home: np.ndarray  # int64[processors], the switch of each
    host_port: np.ndarray  # int64[processors], the port there
    first_output: np.ndarray  # int64[switches], number of the channel at port 0
    end_switch_output: np.ndarray  # int64[switches], behind that of the last one to another switch
    sink: np.ndarray  # int64[channels]
    channel_class: np.ndarray  # int64[channels]
    extended_bits: np.ndarray  # uint8[switches, bytes], see SpamLabels
    hops_low: np.ndarray  # uint8[switches, bytes], see HopBits, like the next one
    hops_high: np.ndarray  # uint8[switches, bytes]
    turning: np.ndarray  # int64[switches], mask of the output that all headers on up channels take, HERE or FREE


def spam_routes(routing: SpamRouting) -> SpamRoutes:
    """Return the data that routes follow from."""
    labels, network = routing.labels, routing.network
    outputs = network.output_channel[: network.switches]
    deliveries = [network.channels[network.delivery_channel(p)] for p in range(len(network.processors))]
    first_output = np.array([channels[0] for channels in outputs], dtype=np.int64)
    between = [sum(other < network.switches for other in network.neighbours[s]) for s in range(network.switches)]
    return SpamRoutes(
        first=labels.first,
        last=labels.last,
        home=np.array(network.processors, dtype=np.int64),
        host_port=np.array([channel.source_port for channel in deliveries], dtype=np.int64),
        first_output=first_output,
        end_switch_output=first_output + np.array(between, dtype=np.int64),
        sink=np.array([channel.sink for channel in network.channels], dtype=np.int64),
        channel_class=labels.channel_class.astype(np.int64),
        extended_bits=labels.extended_bits,
        hops_low=network.hops.low,
        hops_high=network.hops.high,
        turning=_turning(routing),
    )


def _turning(routing: SpamRouting) -> np.ndarray:
    if routing.ordering != TOTAL:
        return np.full(routing.network.switches, FREE)
    return np.array([routing.upward(switch) for switch in range(routing.network.switches)], dtype=np.int64)


def spam_reach(routing: SpamRouting) -> ReachIntervals:
    """Return the intervals of the tree in place of ``SpamRouting.reach``."""
    labels, network = routing.labels, routing.network
    outputs = network.output_channel[: network.switches]
    sink = np.array([channel.sink for channel in network.channels])
    down = labels.channel_class == TREE
    return ReachIntervals(
        place=labels.first[network.switches :],
        begin=np.where(down, labels.first[sink], 0),
        end=np.where(down, labels.last[sink], 0),
        first_output=np.array([channels[0] for channels in outputs], dtype=np.int64),
        end_output=np.array([channels[-1] + 1 for channels in outputs], dtype=np.int64),
    )
