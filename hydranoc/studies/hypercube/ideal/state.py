"""State of an ideal hypercube: arrays of records, all fields int64.

Inputs of a node are its VCs, by dimension and then by VC, and behind them its injection queues; outputs are its VCs.
Masks have one bit per input or output. Events for a node are in lists by the cycle of their arrival, modulo the number
of lists, a power of two.
"""

from typing import Any, NamedTuple

import numpy as np

from hydranoc.studies.hypercube.ideal.cube import CHOICE_OF_DIMENSIONS, IdealCube
from sim_model.engines.cycle.records import make_records
from topology.common.virtual_channels import ATOMIC
from topology.hypercube.binomial_tree import binomial_tree, sends_over
from topology.hypercube.routing import HypercubeRouting

NONE = -1
DELIVERY = 62
"""Placeholder for the output of worms at their destination; nodes have fewer outputs."""
NEVER = np.iinfo(np.int64).max

# Positions in ``counters``.
CYCLE = 0  # next cycle to be run
NEXT_GENERATION = 1  # position of the first message that is not generated yet
OUTSTANDING = 2  # messages in queues or in the network
FLITS_SENT = 3  # out of injection queues
FLITS_DELIVERED = 4
QUIET_CYCLES = 5  # without a flit that moved, up to now
WATCHED_LEFT = 6  # generations between the next two that have not arrived everywhere; NEVER if none are watched
FIRST_WATCHED = 7
END_WATCHED = 8
RANDOM = 9  # state of the generator of random numbers
COUNTERS = 10

NODE_FIELDS = (
    "heads",  # inputs with a header that looks for a VC
    "free",  # outputs that a header can have: without a worm, and with enough room
    "ready",  # outputs whose worm has both a flit here and room behind
    "delivering",  # inputs with a flit for the node itself
    "deliveries",  # worms that the node takes
)
INPUT_FIELDS = (
    "flits",  # in the buffer; for a queue, those of its first message that are left
    "taken",  # flits that ever left the buffer, and so the position of the first one in its ring
    "remaining",  # dimensions that the header at the front has still to cross
    "output",  # of the worm at the front; NONE for a header without one
    "first",  # of a queue: the message at the front, or NONE
    "last",  # of a queue: meaningful if there is a first one
)
OUTPUT_FIELDS = (
    "input",  # that the worm comes from, or NONE
    "room",  # credits: free slots in the buffer behind, as far as is known here
    "sent",  # flits that ever left, and so the position of the next one in the ring behind
    "start",  # cycle from which the worm may move
)
PORT_FIELDS = (
    "request",  # input whose flit is to leave next, or NONE
    "turn",  # VC that is first in turn
)
LINK_FIELDS = (
    "turn",  # VC that is first in turn
    "flits",  # moved so far
)
MESSAGE_FIELDS = (
    "destination",
    "generation",  # that it belongs to
    "next",  # in its queue, or NONE
    "arrival_cycle",  # in which the node took its tail, or NONE
)
GENERATION_FIELDS = (
    "cycle",
    "source",
    "first_dimension",  # base of a broadcast; NONE for a unicast
    "queue",  # of a unicast
    "first_message",  # those of a broadcast stand together, in the order of its tree
    "missing",  # messages that have not arrived
)
EDGE_FIELDS = (
    "receiver",  # exclusive-or with the source
    "dimension",
    "first_child",  # edge over which the receiver sends first
    "children",
)


class Events(NamedTuple):
    """Lists of inputs, outputs or messages with an event, by cycle."""

    counts: np.ndarray  # int64[lists]
    listed: np.ndarray  # int64[lists, most], node << 6 | input or output, or message


class IdealState(NamedTuple):
    """A cube and its messages."""

    dimensions: int
    vcs: int  # of a node: n V
    inputs_of_node: int
    injection_channels: int
    flits: int
    buffer_flits: int
    slot_mask: int  # slots of a ring - 1
    hop_cycles: int
    link_cycles: int
    credit_cycles: int
    host_cycles: int
    delivery_vcs: int
    single_requests: int
    chooses_dimensions: int
    least_room: int  # credits without which no header can have a VC: all of them, or 1
    candidates: np.ndarray  # int64[nodes], masks of outputs by remaining dimensions, like the next one
    escapes: np.ndarray
    dimension_of: np.ndarray  # int64[VCs of a node]
    vcs_of: np.ndarray  # int64[dimensions], masks of outputs
    edges: np.recarray  # EDGE_FIELDS, by base and edge of the tree
    nodes: np.recarray  # NODE_FIELDS
    inputs: np.recarray  # INPUT_FIELDS, by node and input
    outputs: np.recarray  # OUTPUT_FIELDS, by node and output
    links: np.recarray  # LINK_FIELDS, by node and dimension
    slots: np.ndarray  # int64[nodes, VCs of a node, slots], rings of flits: twice the message, plus 1 for a tail
    ports: np.recarray  # PORT_FIELDS, by node and dimension, injection queues last
    worms: Events  # inputs whose worms begin to move
    arrivals: Events  # flits that arrive in buffers
    credits: Events  # room, to the outputs before it
    tails: Events  # messages whose tails nodes have taken
    messages: np.recarray  # MESSAGE_FIELDS
    generations: np.recarray  # GENERATION_FIELDS, in order of cycles
    counters: np.ndarray  # int64[COUNTERS]


def make_state(cube: IdealCube, seed: int) -> IdealState:
    """Return a cube before cycle 0, without messages; the seed, 1 to 2^32 - 1, is that of the choice among VCs."""
    nodes, vcs, depth = cube.nodes, cube.dimensions * cube.vcs, cube.buffer_flits
    inputs = vcs + cube.injection_channels
    routing = HypercubeRouting(cube.network, flit_bits=32)
    dimension_of = np.arange(vcs) // cube.vcs
    slots = 1 << (depth - 1).bit_length()
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[WATCHED_LEFT] = NEVER
    counters[RANDOM] = seed
    return IdealState(
        dimensions=cube.dimensions,
        vcs=vcs,
        inputs_of_node=inputs,
        injection_channels=cube.injection_channels,
        flits=cube.flits,
        buffer_flits=depth,
        slot_mask=slots - 1,
        hop_cycles=cube.hop_cycles,
        link_cycles=cube.link_cycles,
        credit_cycles=cube.credit_cycles,
        host_cycles=cube.host_cycles,
        delivery_vcs=cube.delivery_vcs,
        single_requests=int(cube.single_requests),
        chooses_dimensions=int(cube.choice == CHOICE_OF_DIMENSIONS),
        least_room=depth if cube.vc_reallocation == ATOMIC else 1,
        candidates=routing.candidates_by_remaining.copy(),
        escapes=routing.escapes_by_remaining[0].copy(),  # nodes of both parities have the same, with Duato's rule
        dimension_of=dimension_of,
        vcs_of=((1 << cube.vcs) - 1) << np.arange(cube.dimensions) * cube.vcs,
        edges=tree_edges(cube.dimensions),
        nodes=make_records(nodes, NODE_FIELDS, free=(1 << vcs) - 1),
        inputs=_table(nodes, inputs, INPUT_FIELDS, output=NONE, first=NONE),
        outputs=_table(nodes, vcs, OUTPUT_FIELDS, input=NONE, room=depth),
        links=_table(nodes, cube.dimensions, LINK_FIELDS),
        slots=np.zeros((nodes, vcs, slots), dtype=np.int64),
        ports=_table(nodes, cube.dimensions + cube.injection_channels, PORT_FIELDS, request=NONE),
        worms=_no_events(cube.hop_cycles, nodes * inputs),
        arrivals=_no_events(cube.link_cycles, nodes * cube.dimensions),
        credits=_no_events(cube.credit_cycles, nodes * vcs),
        tails=_no_events(cube.host_cycles, nodes * inputs),
        messages=make_records(0, MESSAGE_FIELDS),
        generations=make_records(0, GENERATION_FIELDS),
        counters=counters,
    )


def tree_edges(dimensions: int) -> np.recarray:
    """Return the binomial trees of all bases as records (EDGE_FIELDS), shape (bases, 2^n - 1)."""
    edges = (1 << dimensions) - 1
    records = _table(dimensions, edges, EDGE_FIELDS)
    for base in range(dimensions):
        next_child = dimensions  # the source's own edges come first
        for number, edge in enumerate(binomial_tree(dimensions, 0, base)):
            children = len(sends_over(dimensions, base, edge.dimension))
            records[base, number] = (edge.receiver, edge.dimension, next_child, children)
            next_child += children
    return records


def _table(rows: int, columns: int, fields: tuple[str, ...], /, **values: int) -> np.recarray:
    records: Any = make_records(rows * columns, fields, **values).reshape(rows, columns)
    return records


def _no_events(delay_cycles: int, most: int) -> Events:
    """Return lists for events at most ``delay_cycles`` cycles later."""
    lists = 1 << delay_cycles.bit_length()
    return Events(np.zeros(lists, dtype=np.int64), np.zeros((lists, most), dtype=np.int64))
