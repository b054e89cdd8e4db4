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
from sim_model.common.vc.state import BUFFER_FIELDS
from sim_model.hypercube.orders import make_orders
from topology.common.choice_orders import ORDER_SEED
from topology.common.lanes import LEAST_ROOM_BUFFER_FLITS, ROOM_FLITS, credit_wires
from topology.hypercube.diagonals import input_codes
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import ADAPTIVE_ONLY, HypercubeRouting, parity

HYPERCUBE_FOLDER = Path(__file__).parent
DIAGONAL_NUMBERS = 32
"""As many as inputs, outputs and diagonals can have (``topology/hypercube/diagonals.py``)."""

CREDIT_WEIGHTS = (1, 2, 4, 8, 16)
"""Of the bits in a number of credits."""

INPUT_LANE_FIELDS = (
    "channel",  # never changes, like the next two
    "port",
    "code",  # of its input on diagonals
    "candidates",  # output lanes that the head at the front can have
    "escapes",  # the one that it can have if it leads and can have none of these
    "target",  # output lane of the active worm, or NONE if it is drained
)
OUTPUT_LANE_FIELDS = (
    "port",  # never changes, like the next one
    "buffer",  # number of the delivery buffer before the register of this lane, or NONE
)
INPUT_FIELDS = (
    "turn",  # lane that has first choice
    "lane",  # of the request
    "output",  # of the request
)
ROUTER_FIELDS = (
    "parity",  # of the ones in the switch's number; never changes
    "requesting",  # inputs with a request
    "active",  # input lanes whose worm has an output lane, or is drained
    "closing",  # of these, the ones whose tail left in the last cycle
    "nowhere",  # input lanes whose head, or active worm, has no way
    "read",  # input lanes from the processor whose head has been read
    "free",  # output lanes that can be given away
    "credits_1",  # output lanes in whose number of credits this bit is set, like the next four
    "credits_2",
    "credits_4",
    "credits_8",
    "credits_16",
    "credited",  # output lanes that have credits
    "room",  # 1 if the delivery buffer had room in the last cycle
    "leader",  # input lane, or NONE
    "examined",  # the leader of the cycle before, or NONE
    "adaptive",  # whether that one picked one of the outputs for any head
    "escape",  # and if not, mask of the escape lane that it wants
    "line",  # diagonal along which inputs look at outputs
    "chose",  # 1 if a choice at random was made in the last cycle
    "state",  # of the shift register behind the random order
    "delivering",  # output lanes whose delivery buffer is not empty
    "next_cycle",  # the one after the last one that was run
)


class HypercubeState(NamedTuple):
    """Registers of all switches, and what they route by."""

    dimensions: int
    has_escapes: int
    most_flits_with_room: int  # in a delivery buffer
    host_lanes: int  # mask of the input lanes from the processor
    delivery_lanes: int  # mask of the output lanes to the processor
    shared_lanes: int  # mask of the lanes between switches that are given away behind a tail, in and out alike
    queue_lanes: int  # mask of the input lanes whose buffers can hold flits of several worms
    tail_lanes: int  # mask of the output lanes that can be given away when a tail has been sent
    lanes_of: np.ndarray  # int64[DIAGONAL_NUMBERS], masks of lane-ports; 0 where there is no port
    orders: np.recarray  # see orders.py, by cycle + 1 modulo their number
    candidates: np.ndarray  # int64[nodes], masks of output lanes by the dimensions that remain
    escapes: np.ndarray  # int64[2, nodes], the same by parity of the switch and dimensions
    key: np.ndarray  # int64[messages], destination
    random_order: np.ndarray  # int64[switches, dimensions]
    discards: Discards
    input_lanes: np.recarray  # INPUT_LANE_FIELDS, by switch and lane-port
    output_lanes: np.recarray  # OUTPUT_LANE_FIELDS, by channel
    inputs: np.recarray  # INPUT_FIELDS, by switch and port
    requests: np.ndarray  # int64[switches, outputs], masks of the inputs that request one of the lanes
    routers: np.recarray  # ROUTER_FIELDS, by switch
    wires: np.ndarray  # int64[vertices, 2], output lanes whose credit is on the wire, by cycle modulo 2
    releases: np.ndarray  # int64[vertices, 2], the same for releases
    buffers: np.recarray  # BUFFER_FIELDS, delivery buffers
    slots: np.ndarray  # int64[delivery buffers, slots], ring buffers of packed flits
    credit_ends: np.ndarray  # int64[lanes between switches, 2], switch and lane-port at the source, as recorded
    release_ends: np.ndarray  # the same, of lanes that are released


def make_hypercube_state(
    routing: HypercubeRouting, messages: Messages, *, buffer_flits: int, unshared_lanes: int
) -> HypercubeState:
    """All switches as they are before cycle 0.

    Parameters
    ----------
    routing : HypercubeRouting
    messages : Messages
    buffer_flits : int
        Flits that the buffer of a lane holds.
    unshared_lanes : int
        How many lanes of a channel, the first ones, have one worm at a time.

    Raises
    ------
    ValueError
        If a message has several destinations.
    """
    if (messages.destination_counts > 1).any():
        raise ValueError("A message in a hypercube must have 1 destination: multicasts are made of several messages")
    network = routing.network
    deliveries = network.delivery_channels
    buffer = np.full(len(network.channels), NONE)
    buffer[list(deliveries)] = np.arange(len(deliveries))
    delivery_flits = max(buffer_flits, LEAST_ROOM_BUFFER_FLITS)
    lanes_of = _lanes_of(network)
    host_lanes, delivery_lanes = int(lanes_of[network.dimensions :].sum()), int(lanes_of[network.dimensions])
    shared = sum(
        1 << d * network.lanes + v for d in range(network.dimensions) for v in range(unshared_lanes, network.lanes)
    )
    inputs = network.dimensions + network.injection_channels_per_processor
    return HypercubeState(
        dimensions=network.dimensions,
        has_escapes=int(routing.rule != ADAPTIVE_ONLY),
        most_flits_with_room=delivery_flits - ROOM_FLITS,
        host_lanes=host_lanes,
        delivery_lanes=delivery_lanes,
        shared_lanes=shared,
        queue_lanes=host_lanes | shared,
        tail_lanes=delivery_lanes | shared,
        lanes_of=lanes_of,
        orders=make_orders(lanes_of[:inputs].tolist(), network.lanes),
        candidates=routing.candidates_by_remaining,
        escapes=routing.escapes_by_remaining,
        key=messages.destinations.astype(np.int64),
        random_order=np.tile(np.arange(network.dimensions), (network.switches, 1)),
        discards=make_discards(network),
        input_lanes=_input_lanes(network),
        output_lanes=make_records(
            len(network.channels),
            OUTPUT_LANE_FIELDS,
            port=[network.links.channels[link].source_port for link in network.link_of],
            buffer=buffer,
        ),
        inputs=_grid(network.switches, inputs, INPUT_FIELDS),
        requests=np.zeros((network.switches, network.dimensions + 1), dtype=np.int64),
        routers=_routers(network, buffer_flits),
        wires=np.zeros((network.vertices, 2), dtype=np.int64),
        releases=np.zeros((network.vertices, 2), dtype=np.int64),
        buffers=make_records(len(deliveries), BUFFER_FIELDS),
        slots=np.zeros((len(deliveries), 1 << (delivery_flits - 1).bit_length()), dtype=np.int64),
        credit_ends=_wire_ends(network, network.lanes),
        release_ends=_wire_ends(network, unshared_lanes),
    )


def _lanes_of(network: HypercubeNetwork) -> np.ndarray:
    masks = np.zeros(DIAGONAL_NUMBERS, dtype=np.int64)
    for lane_port, lane in enumerate(network.input_channel[0]):
        masks[network.links.channels[network.link_of[lane]].sink_port] |= 1 << lane_port
    return masks


def _routers(network: HypercubeNetwork, buffer_flits: int) -> np.recarray:
    lanes = (1 << len(network.output_channel[0])) - 1
    return make_records(
        network.switches,
        ROUTER_FIELDS,
        parity=[parity(switch) for switch in range(network.switches)],
        free=lanes,
        room=1,
        leader=NONE,
        examined=NONE,
        state=ORDER_SEED,
        credited=lanes,
        **{f"credits_{weight}": lanes if buffer_flits & weight else 0 for weight in CREDIT_WEIGHTS},
    )


def _grid(rows: int, columns: int, fields: tuple[str, ...]) -> Any:
    return make_records(rows * columns, fields).reshape(rows, columns)


def _input_lanes(network: HypercubeNetwork) -> np.recarray:
    count = network.dimensions * network.lanes + network.injection_channels_per_processor
    records = _grid(network.switches, count, INPUT_LANE_FIELDS)
    codes = input_codes(network.dimensions, network.injection_channels_per_processor)
    for switch in range(network.switches):
        for lane_port, lane in enumerate(network.input_channel[switch]):
            port = network.links.channels[network.link_of[lane]].sink_port
            records["channel"][switch, lane_port] = lane
            records["port"][switch, lane_port] = port
            records["code"][switch, lane_port] = codes[port]
    return records


def _wire_ends(network: HypercubeNetwork, lanes: int) -> np.ndarray:
    """Switch and lane-port of each bit of wires that tell of the first lanes of each channel."""
    rows = []
    for wire in credit_wires(network):
        port = int(wire.input.rpartition("_")[2])
        rows += [(wire.sink, port * network.lanes + lane) for lane in range(lanes)]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def credits_of(router: Any, lane_port: int) -> int:
    """Credits of an output lane."""
    return sum(weight for weight in CREDIT_WEIGHTS if int(router[f"credits_{weight}"]) >> lane_port & 1)
