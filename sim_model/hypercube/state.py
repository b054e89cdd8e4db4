"""State of the switches of a hypercube: words of switches (vc/registers.py), arrays of records, and lists.

Masks of VCs have one bit per VC port of a switch; VC port d V + v is VC v of dimension d. Ports are dimensions, and
behind them the processor's.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim_model.engines.cycle.discards import Discards, make_discards
from sim_model.engines.cycle.records import byte, make_records, number, whole
from sim_model.engines.cycle.state import NONE, EngineState
from sim_model.hypercube.orders import make_orders
from sim_model.messages.messages import Messages
from sim_model.vc.state import INPUT_VC_FIELDS as VC_FIELDS
from sim_model.vc.state import make_rows, place_of, registers_of, with_arrivals
from topology.common.choice_orders import ORDER_SEED
from topology.common.virtual_channels import MIN_ROOM_BUFFER_FLITS, ROOM_FLITS, credit_wires
from topology.hypercube.diagonals import input_codes
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import ADAPTIVE_ONLY, HypercubeRouting, parity

HYPERCUBE_FOLDER = Path(__file__).parent
DIAGONAL_NUMBERS = 32
"""Maximum number of inputs, outputs and diagonals (``topology/hypercube/diagonals.py``)."""

INPUT_VC_FIELDS = (
    *(field for field in VC_FIELDS if field not in (byte("target"), number("delay"))),
    whole("target"),  # output VC of the active worm, or NONE if it is drained
    number("code"),  # of its input on diagonals; never changes
    "candidates",  # output VCs that the head at the front can have
    "escapes",  # the one that it can have if it leads and can have none of these
)
ELECTION_FIELDS = (
    "parity",  # of the ones in the switch's number; never changes
    "leader",  # input VC, or NONE
    "examined",  # the leader of the cycle before, or NONE
    "adaptive",  # whether that one picked one of the outputs for any head
    "escape",  # otherwise, mask of the escape channel that it requests
    "line",  # diagonal along which inputs look at outputs
    "state",  # of the shift register behind the random order
)


class HypercubeState(NamedTuple):
    """Registers of all switches, and what they route by."""

    dimensions: int
    has_escapes: int
    most_flits_with_room: int  # in a delivery buffer
    host_vcs: int  # mask of the input VCs from the processor
    delivery_vcs: int  # mask of the output VCs to the processor
    shared_vcs: int  # mask of the VCs between switches that are given away behind a tail, in and out alike
    queue_vcs: int  # mask of the input VCs whose buffers can hold flits of several worms
    tail_vcs: int  # mask of the output VCs that can be given away when a tail has been sent
    vcs_of: np.ndarray  # int64[DIAGONAL_NUMBERS], masks of VC ports; 0 where there is no port
    orders: np.recarray  # see orders.py, by cycle + 1 modulo their number
    candidates: np.ndarray  # int64[nodes], masks of output VCs by the dimensions that remain
    escapes: np.ndarray  # int64[2, nodes], the same by parity of the switch and dimensions
    key: np.ndarray  # int64[messages], destination
    random_order: np.ndarray  # int64[switches, dimensions]
    discards: Discards
    switches: int
    rows: int  # of eight switches each
    most_vcs: int  # input VCs of a switch
    most_ports: int  # inputs of a switch
    words: np.ndarray  # int64, rows of registers (vc/registers.py)
    target_masks: np.ndarray  # int64, rows of masks, one for each input VC: the output VC of its active worm
    port_vcs: np.ndarray  # int64, rows of the VCs of each input; never changes
    input_vcs: np.recarray  # INPUT_VC_FIELDS
    output_vcs: np.recarray  # OUTPUT_VC_FIELDS, by channel
    outputs: np.recarray  # OUTPUT_FIELDS, by switch and port
    elections: np.recarray  # ELECTION_FIELDS, by switch
    next_cycle: np.ndarray  # int64[rows], the one after the last one that was run
    requests: np.ndarray  # uint32[2, ...], input VCs with a request for a VC of a link, or for one to the processor
    deliveries: np.ndarray  # uint32, output VCs whose delivery buffer is not empty, or was not in the last cycle
    chosen: np.ndarray  # uint32, input VCs that have been chosen in this cycle
    counts: np.ndarray  # int64[COUNTS], how many entries these lists have
    buffers: np.recarray  # BUFFER_FIELDS
    slots: np.ndarray  # int64[delivery buffers, slots], ring buffers of packed flits
    credit_ends: np.ndarray  # int64[VCs between switches, 2], place and VC port at the source, as recorded
    release_ends: np.ndarray  # the same, of VCs that are released

    def with_arrivals(self, state: EngineState) -> EngineState:
        """Return the state of links, which enters arrivals here."""
        return with_arrivals(state, self.words)

    @property
    def routers(self) -> dict[str, np.ndarray]:
        """All registers, by name and switch."""
        elections: Any = self.elections
        return registers_of(self.words, self.switches) | {name: elections[name] for name in ELECTION_FIELDS}

    @property
    def vcs(self) -> np.recarray:
        """INPUT_VC_FIELDS by switch and VC port."""
        vcs: Any = self.input_vcs.reshape(self.switches, self.most_vcs)
        return vcs

    @property
    def output_requests(self) -> np.ndarray:
        """Masks of inputs that request a VC of an output: int64[switches, ports]."""
        return self.outputs["requests"].reshape(-1, self.most_ports)


def make_hypercube_state(
    routing: HypercubeRouting, messages: Messages, *, buffer_flits: int, unshared_vcs: int
) -> HypercubeState:
    """Return all switches in their state before cycle 0.

    Parameters:
        buffer_flits: Flits that the buffer of a VC holds.
        unshared_vcs: Number of VCs of a channel, the first ones, that hold one worm at a time.

    Raises:
        ValueError: If a message has several destinations.
    """
    if (messages.destination_counts > 1).any():
        raise ValueError("A message in a hypercube must have 1 destination: multicasts are made of several messages")
    network = routing.network
    delivery_flits = max(buffer_flits, MIN_ROOM_BUFFER_FLITS)
    vcs_of = _vcs_of(network)
    host_vcs, delivery_vcs = int(vcs_of[network.dimensions :].sum()), int(vcs_of[network.dimensions])
    shared = sum(1 << d * network.vcs + v for d in range(network.dimensions) for v in range(unshared_vcs, network.vcs))
    rows = make_rows(network, INPUT_VC_FIELDS, buffer_flits, delivery_flits, room=delivery_vcs, next_room=delivery_vcs)
    inputs = rows["most_ports"]
    codes = np.array(input_codes(network.dimensions, network.injection_channels_per_processor))
    rows["input_vcs"]["code"] = codes[rows["input_vcs"]["port"]]
    return HypercubeState(
        dimensions=network.dimensions,
        has_escapes=int(routing.rule != ADAPTIVE_ONLY),
        most_flits_with_room=delivery_flits - ROOM_FLITS,
        host_vcs=host_vcs,
        delivery_vcs=delivery_vcs,
        shared_vcs=shared,
        queue_vcs=host_vcs | shared,
        tail_vcs=delivery_vcs | shared,
        vcs_of=vcs_of,
        orders=make_orders(vcs_of[:inputs].tolist(), network.vcs),
        candidates=routing.candidates_by_remaining,
        escapes=routing.escapes_by_remaining,
        key=messages.destinations.astype(np.int64),
        random_order=np.tile(np.arange(network.dimensions), (network.switches, 1)),
        discards=make_discards(network),
        elections=_elections(network),
        next_cycle=np.zeros(rows["rows"], dtype=np.int64),
        credit_ends=_wire_ends(network, network.vcs),
        release_ends=_wire_ends(network, unshared_vcs),
        **rows,
    )


def _vcs_of(network: HypercubeNetwork) -> np.ndarray:
    masks = np.zeros(DIAGONAL_NUMBERS, dtype=np.int64)
    for vc_port, vc in enumerate(network.input_channel[0]):
        masks[network.links.channels[network.link_of[vc]].sink_port] |= 1 << vc_port
    return masks


def _elections(network: HypercubeNetwork) -> np.recarray:
    return make_records(
        network.switches,
        ELECTION_FIELDS,
        parity=[parity(switch) for switch in range(network.switches)],
        leader=NONE,
        examined=NONE,
        state=ORDER_SEED,
    )


def _wire_ends(network: HypercubeNetwork, vcs: int) -> np.ndarray:
    """Return the place of the switch and VC port of each bit of the wires for the first VCs of each channel."""
    rows = []
    for wire in credit_wires(network):
        port = int(wire.input.rpartition("_")[2])
        rows += [(place_of(wire.sink, network.switches), port * network.vcs + vc) for vc in range(vcs)]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)
