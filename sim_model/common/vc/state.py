"""State of routers with lanes: arrays of records.

Masks of lanes have one bit per lane-port of a switch, masks of inputs and outputs one per port of its links. Of a lane,
which is a channel, one record says how the input lane at its sink stands, and one the output lane at its source.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim_model.common.engine.discards import Discards, make_discards
from sim_model.common.engine.once import once_for
from sim_model.common.engine.records import Field, copied_records, make_records, number
from sim_model.common.engine.state import NONE
from topology.common.channels import ChannelNetwork
from topology.common.lanes import LaneNetwork

VC_FOLDER = Path(__file__).parent

CREDIT_WEIGHTS = (1, 2, 4, 8, 16)
"""Of the bits in a number of credits."""
DRAIN = 62
"""Stands for the output lane of worms without a way; no switch has so many."""

INPUT_LANE_FIELDS = (
    number("channel"),  # never changes, like the next one
    number("port"),  # of the link
    "candidates",  # output lane of the active worm, or those that routing gives for the head at the front
    "escapes",  # for heads, those that come after the candidates
    "delay",  # cycles that the head at the front has waited
)
OUTPUT_LANE_FIELDS = (
    number("port"),  # of the link; never changes, like the next one
    "buffer",  # number of the delivery buffer before the register of this lane, or NONE
)
INPUT_FIELDS = (
    "lanes",  # mask; never changes
    number("turn"),  # lane that has first choice
    number("lane"),  # of the request
    number("target"),  # output lane of the request
    number("output"),  # port of its link
)
OUTPUT_FIELDS = (
    number("turn"),  # input that has first choice
    "requests",  # inputs that request one of the lanes
)
ROUTER_FIELDS = (
    "yielding",  # inputs that come after all others; never changes
    "requesting",  # inputs with a request for an output lane
    "draining",  # inputs with the request of a worm that is drained
    "active",  # input lanes whose worm has an output lane, or is drained
    "looked_up",  # input lanes that know where the head at their front can go
    "free",  # output lanes without a worm
    "credits_1",  # output lanes in whose number of credits this bit is set, like the next four
    "credits_2",
    "credits_4",
    "credits_8",
    "credits_16",
    "credited",  # output lanes that have credits
    "delivering",  # output lanes whose delivery buffer is not empty
)
BUFFER_FIELDS = (
    "front",  # slot of the first flit
    "count",
)


class LaneState(NamedTuple):
    """Registers of all routers, and what their family routes by."""

    routing_cycles: int
    empty_reuse: int  # 1 if a head can have a lane only with all its credits
    discards: Discards
    input_lanes: np.recarray  # INPUT_LANE_FIELDS, by switch and lane-port
    output_lanes: np.recarray  # OUTPUT_LANE_FIELDS, by channel
    inputs: np.recarray  # INPUT_FIELDS, by switch and port
    outputs: np.recarray  # OUTPUT_FIELDS, by switch and port
    routers: np.recarray  # ROUTER_FIELDS, by switch
    wires: np.ndarray  # int64[vertices, 2], output lanes whose credit is on the wire, by cycle modulo 2
    buffers: np.recarray  # BUFFER_FIELDS, delivery buffers
    slots: np.ndarray  # int64[delivery buffers, slots], ring buffers of packed flits
    credit_wires: np.ndarray  # int64[lanes between switches, 2], switch and lane-port at the source, as recorded
    routes: Any  # a named tuple of the family


def make_lane_state(
    network: LaneNetwork,
    routes: Any,
    *,
    depth_flits: int,
    routing_cycles: int,
    empty_reuse: bool,
    low_injection: bool,
) -> LaneState:
    """All routers as they are before cycle 0.

    Parameters
    ----------
    network : LaneNetwork
    routes : named tuple of arrays
        What the family's routing function looks at.
    depth_flits : int
        Flits that the buffer of a lane holds.
    routing_cycles : int
    empty_reuse : bool
        A head can have a lane only when the buffer behind it is known to be empty.
    low_injection : bool
        Inputs from processors come after all others.
    """
    first = once_for(
        network, ("lanes", depth_flits, low_injection), lambda: _first(network, depth_flits, low_injection)
    )
    deliveries = len(network.delivery_channels)
    return LaneState(
        routing_cycles=routing_cycles,
        empty_reuse=int(empty_reuse),
        discards=make_discards(network),
        input_lanes=copied_records(first.input_lanes),
        output_lanes=first.output_lanes,
        inputs=copied_records(first.inputs),
        outputs=copied_records(first.outputs),
        routers=copied_records(first.routers),
        wires=np.zeros((network.vertices, 2), dtype=np.int64),
        buffers=make_records(deliveries, BUFFER_FIELDS),
        slots=np.zeros((deliveries, 1 << (depth_flits - 1).bit_length()), dtype=np.int64),
        credit_wires=first.credit_wires,
        routes=routes,
    )


class _First(NamedTuple):
    """What is the same before cycle 0 of all runs, as in ``LaneState``."""

    input_lanes: np.recarray
    output_lanes: np.recarray
    inputs: np.recarray
    outputs: np.recarray
    routers: np.recarray
    credit_wires: np.ndarray


def _first(network: LaneNetwork, depth_flits: int, low_injection: bool) -> _First:
    channels, deliveries = network.channels, network.delivery_channels
    buffer = np.full(len(channels), NONE)
    buffer[list(deliveries)] = np.arange(len(deliveries))
    return _First(
        input_lanes=_input_lanes(network),
        output_lanes=make_records(
            len(channels),
            OUTPUT_LANE_FIELDS,
            port=[network.links.channels[link].source_port for link in network.link_of],
            buffer=buffer,
        ),
        inputs=_inputs(network),
        outputs=_by_port(network.links.output_channel[: network.switches], OUTPUT_FIELDS),
        routers=_routers(network, depth_flits, low_injection),
        credit_wires=np.array(
            [(c.source, c.source_port) for c in channels if max(c.source, c.sink) < network.switches], dtype=np.int64
        ).reshape(-1, 2),
    )


def _routers(network: LaneNetwork, depth_flits: int, low_injection: bool) -> np.recarray:
    """All lanes are free, and all credits are there."""
    lanes = np.array([(1 << len(lanes)) - 1 for lanes in network.output_channel[: network.switches]])
    yielding = [_host_inputs(network.links, switch) if low_injection else 0 for switch in range(network.switches)]
    routers: Any = make_records(
        network.switches, ROUTER_FIELDS, free=lanes, credited=lanes, yielding=np.array(yielding)
    )
    for weight in CREDIT_WEIGHTS:
        routers[f"credits_{weight}"] = lanes if depth_flits & weight else 0
    return routers


def _host_inputs(links: ChannelNetwork, switch: int) -> int:
    """The inputs of a switch that come from processors."""
    ports = enumerate(links.input_channel[switch])
    return sum(1 << port for port, channel in ports if not links.is_switch(links.channels[channel].source))


def credits_of(router: Any, lane_port: int) -> int:
    """Credits of an output lane."""
    return sum(weight for weight in CREDIT_WEIGHTS if int(router[f"credits_{weight}"]) >> lane_port & 1)


def _input_lanes(network: LaneNetwork) -> np.recarray:
    inputs, links = network.input_channel[: network.switches], network.links.channels
    records: Any = _by_port(inputs, INPUT_LANE_FIELDS)
    channel, port = records["channel"], records["port"]
    for switch, lanes in enumerate(inputs):
        channel[switch, : len(lanes)] = lanes
        port[switch, : len(lanes)] = [links[network.link_of[lane]].sink_port for lane in lanes]
    return records


def _inputs(network: LaneNetwork) -> np.recarray:
    inputs = network.links.input_channel[: network.switches]
    records: Any = _by_port(inputs, INPUT_FIELDS)
    masks = records["lanes"]
    for switch, links in enumerate(inputs):
        for port, link in enumerate(links):
            masks[switch, port] = sum(1 << network.channels[lane].sink_port for lane in network.lanes_of[link])
    return records


def _by_port(channels: Sequence[Sequence[int]], fields: tuple[Field, ...]) -> np.recarray:
    """Records by switch and port, as many as the largest switch needs."""
    most = max(map(len, channels))
    records: Any = make_records(len(channels) * most, fields).reshape(len(channels), most)
    return records
