"""State of the switches of a hypercube: arrays of records, all fields int64.

Masks of lanes have one bit per lane-port of a switch; lane-port d V + v is lane v of dimension d. Ports are dimensions,
and behind them the processor's.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim_model.common.engine.discards import Discards, make_discards
from sim_model.common.engine.state import NONE, make_records
from sim_model.common.messages import Messages
from sim_model.common.vc.state import BUFFER_FIELDS, OUTPUT_LANE_FIELDS
from topology.common.choice_orders import ORDER_SEED, cycle_order, lane_order_size, order_size
from topology.common.lanes import LEAST_ROOM_BUFFER_FLITS
from topology.hypercube.diagonals import input_codes
from topology.hypercube.lane_wires import lane_wires
from topology.hypercube.routing import ADAPTIVE_ONLY, WRONG_ESCAPE, HypercubeRouting

HYPERCUBE_FOLDER = Path(__file__).parent

INPUT_LANE_FIELDS = (
    "channel",  # never changes, like the next one
    "port",
    "wanted",  # outputs that the head at the front can use
    "target",  # output lane of the active worm, or NONE if it is drained
    "credits",  # of the active worm
)
INPUT_FIELDS = (
    "turn",  # lane that has first choice
    "lane",  # of the request
    "output",  # of the request
)
ROUTER_FIELDS = (
    "requesting",  # inputs with a request
    "active",  # input lanes whose worm has an output lane, or is drained
    "closing",  # of these, the ones whose tail left in the last cycle
    "nowhere",  # input lanes whose head, or active worm, has no way
    "read",  # input lanes from the processor whose head has been read
    "free",  # output lanes that can be given away
    "room",  # 1 if the delivery buffer had room in the last cycle
    "leader",  # input lane, or NONE
    "examined",  # the leader of the cycle before, or NONE
    "adaptive",  # whether that one picked one of the outputs for any head
    "escape",  # and if not, the dimension of its escape lane, or NONE
    "line",  # diagonal along which inputs look at outputs
    "chose",  # 1 if a choice at random was made in the last cycle
    "state",  # of the shift register behind the random order
    "delivering",  # output lanes whose delivery buffer is not empty
    "busy",  # 1 if anything changed in the last cycle, or a head waits
    "next_cycle",  # the one after the last one that was run
)


class HypercubeState(NamedTuple):
    """Registers of all switches, and what they route by."""

    dimensions: int
    lanes: int
    adaptive_lanes: int
    inputs: int
    has_escapes: int
    turns_escapes: int  # 1 if escapes of switches with an odd number of ones are the highest dimension
    delivery_flits: int
    host_lanes: int  # mask of the input lanes from the processor
    order: np.ndarray  # int64[2 n, n], the orders of the inputs, by cycle + 1 modulo 2 n
    lane_order: np.ndarray  # int64[2 n, n], the same for the lanes of an input
    codes: np.ndarray  # int64[inputs], their numbers on diagonals
    key: np.ndarray  # int64[messages], destination
    random_order: np.ndarray  # int64[switches, dimensions]
    discards: Discards
    input_lanes: np.recarray  # INPUT_LANE_FIELDS, by switch and lane-port
    output_lanes: np.recarray  # OUTPUT_LANE_FIELDS, by channel
    inputs_of: np.recarray  # INPUT_FIELDS, by switch and port
    routers: np.recarray  # ROUTER_FIELDS, by switch
    wires: np.ndarray  # int64[vertices, 2], output lanes whose credit is on the wire, by cycle modulo 2
    releases: np.ndarray  # int64[vertices, 2], the same for releases
    buffers: np.recarray  # BUFFER_FIELDS, delivery buffers
    slots: np.ndarray  # int64[delivery buffers, slots], ring buffers of packed flits
    wire_ends: np.ndarray  # int64[lanes between switches, 2], switch and lane-port at the source, as recorded


def make_hypercube_state(routing: HypercubeRouting, messages: Messages, *, buffer_flits: int) -> HypercubeState:
    """All switches as they are before cycle 0.

    Raises
    ------
    ValueError
        If a message has several destinations.
    """
    if (messages.destination_counts > 1).any():
        raise ValueError("A message in a hypercube must have 1 destination: multicasts are made of several messages")
    network = routing.network
    dimensions, lanes, nodes = network.dimensions, network.lanes, network.switches
    inputs = dimensions + network.injection_channels_per_processor
    ports = order_size(inputs)
    lane_size = lane_order_size(lanes, ports)
    deliveries = network.delivery_channels
    buffer = np.full(len(network.channels), NONE)
    buffer[list(deliveries)] = np.arange(len(deliveries))
    delivery_flits = max(buffer_flits, LEAST_ROOM_BUFFER_FLITS)
    return HypercubeState(
        dimensions=dimensions,
        lanes=lanes,
        adaptive_lanes=routing.adaptive_lanes,
        inputs=inputs,
        has_escapes=int(routing.rule != ADAPTIVE_ONLY),
        turns_escapes=int(routing.rule == WRONG_ESCAPE),
        delivery_flits=delivery_flits,
        host_lanes=(1 << network.injection_channels_per_processor) - 1 << dimensions * lanes,
        order=_orders(ports),
        lane_order=_orders(lane_size),
        codes=np.array(input_codes(dimensions, network.injection_channels_per_processor), dtype=np.int64),
        key=messages.destinations.astype(np.int64),
        random_order=np.tile(np.arange(dimensions), (nodes, 1)),
        discards=make_discards(network),
        input_lanes=_input_lanes(routing),
        output_lanes=make_records(
            len(network.channels),
            OUTPUT_LANE_FIELDS,
            port=[network.links.channels[link].source_port for link in network.link_of],
            buffer=buffer,
        ),
        inputs_of=_grid(nodes, inputs, INPUT_FIELDS),
        routers=make_records(
            nodes,
            ROUTER_FIELDS,
            free=(1 << dimensions * lanes + 1) - 1,
            room=1,
            leader=NONE,
            examined=NONE,
            escape=NONE,
            state=ORDER_SEED,
            busy=1,
        ),
        wires=np.zeros((network.vertices, 2), dtype=np.int64),
        releases=np.zeros((network.vertices, 2), dtype=np.int64),
        buffers=make_records(len(deliveries), BUFFER_FIELDS),
        slots=np.zeros((len(deliveries), 1 << (delivery_flits - 1).bit_length()), dtype=np.int64),
        wire_ends=_wire_ends(routing),
    )


def _orders(size: int) -> np.ndarray:
    return np.array([cycle_order(size, step - 1) for step in range(2 * size)], dtype=np.int64)


def _grid(rows: int, columns: int, fields: tuple[str, ...]) -> Any:
    return make_records(rows * columns, fields).reshape(rows, columns)


def _input_lanes(routing: HypercubeRouting) -> np.recarray:
    network = routing.network
    count = network.dimensions * network.lanes + network.injection_channels_per_processor
    records = _grid(network.switches, count, INPUT_LANE_FIELDS)
    for switch in range(network.switches):
        for lane_port, lane in enumerate(network.input_channel[switch]):
            records["channel"][switch, lane_port] = lane
            records["port"][switch, lane_port] = network.links.channels[network.link_of[lane]].sink_port
    return records


def _wire_ends(routing: HypercubeRouting) -> np.ndarray:
    """Switch and lane-port of each bit of the credit wires."""
    network = routing.network
    wires = lane_wires(network)
    credits = wires[: len(wires) // 2]
    rows = []
    for wire in credits:
        port = int(wire.input.rpartition("_")[2])
        rows += [(wire.sink, port * network.lanes + lane) for lane in range(wire.bits)]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)
