"""State of the nodes of a hexagonal mesh: arrays of records, and maps of who has work in a slot.

Masks have one bit per output port of a node: six directions and the host.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.discards import Discards, make_discards
from sim_model.engines.cycle.records import make_records, number, signed, whole
from sim_model.engines.cycle.state import NONE
from sim_model.engines.cycle.wakeups import BIT_MASK, WORD_SHIFT, alarm_words
from sim_model.harts.page_sets import words_for
from sim_model.messages.messages import Messages
from topology.common.flits import bits_for
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS, STAGES, TAGS, Leg, initial_legs, relayed_legs
from topology.harts.frame import PROCESSOR_SLOT, SLOTS
from topology.harts.graph import DIRECTIONS, HexMesh
from topology.harts.guard import expected_arrivals
from topology.harts.routing import UNICAST, HartsRouting, operation

HEADER_FIELDS = (
    signed("stage"),  # as in the packet header, like all down to forwarded
    signed("tag"),
    whole("distance"),
    signed("hops"),
    signed("m0"),
    signed("m1"),
    signed("m2"),
    signed("direction"),
    signed("forwarded"),
    signed("spoilt"),  # 1 if a node has spoilt the body
)
RECEIVER_FIELDS = (
    signed("landing"),  # page that is kept for the next packet, or NONE
    signed("for_any"),  # 1 if a packet of any level may have it
    "changed_cycle",  # when that last changed: for ``link_cycles`` the node before still sees what was before
    signed("landing_before"),
    signed("page"),  # page that the arriving packet is stored in, or NONE
    signed("outputs"),  # where it will have to be sent from there
    signed("transmitter"),  # output that the arriving packet goes on to at once, or NONE
)
TRANSMITTER_FIELDS = (
    signed("page"),  # page that is being sent, or NONE
    "position",  # next flit of it
    signed("owned"),  # 1 while a receiver sends
    "free_cycle",  # no packet starts before this cycle
    signed("turn"),  # page that is first in turn
    signed("wish"),  # level of the packet that waits most urgently for a page of the next node; 0 if none waits
    "wish_changed_cycle",  # for ``link_cycles`` the next node still sees what was before
    signed("wish_before"),
)
PAGE_FIELDS = (
    "message",
    "flits",  # in all
    "stored_cycle",  # in which the tail came off its link
    signed("outputs"),  # where it has to be sent
    signed("sends"),  # sends that are not finished
    number("fresh"),  # frames until the network processor has dealt with it
    *HEADER_FIELDS,
)
NODE_FIELDS = (
    signed("dead"),  # mask of outputs behind which nothing lives; never changes, like the next one
    signed("corrupting"),
    signed("first_free"),  # position in the ring of free pages
    signed("free"),  # how many
    "logged",  # entry of the log of the last packet that was read for the host, or NONE
)
WORD_FIELDS = (
    "flit",
    "channel",  # to whose register it goes
)
# Positions in ``counters``.
LAST_CHANGE = 0  # last cycle in which anything changed
COPIES = 1  # entries of the log
WORDS = 2  # entries of ``words``
ENDED = 3  # entries of ``ended``
COUNTERS = 4
LOG_FIELDS = (
    "message",
    "node",
    "direction",
    "hops",
    "stage",
    "spoilt",
    "stored_cycle",  # in which the tail came off its link
    "cycle",  # in which the tail is delivered to the host
)


class HartsState(NamedTuple):
    """Tables and registers of all nodes."""

    pages: int  # per node
    levels: int  # links of the longest way
    level_bits: int  # that a level has on a side wire
    classed: int  # 0: any packet may have any page (negative control)
    gap_cycles: int
    link_cycles: int
    relay_frames: int
    guard: int  # 1: packets of broadcasts that cannot be honest are not let in
    memory_hosts: int  # 1: hosts get packets where they are stored, not over their ports
    source: np.ndarray  # int64[messages], as the headers have it
    operation: np.ndarray  # int64[messages]
    tags: np.ndarray  # int64[messages, 3]
    relay_outputs: np.ndarray  # int64[operations, stages + 1, distances, tags], masks of turns
    relay_legs: np.ndarray  # int64[operations, stages + 1, distances, tags, turns, 3], distance, stage and tag
    arrivals: np.ndarray  # int64[operations, nodes, directions, 3], what may arrive, by node less source
    heads: np.recarray  # HEADER_FIELDS of the last packet on each channel
    receivers: np.recarray  # RECEIVER_FIELDS, by channel (which stands for the input at its sink)
    transmitters: np.recarray  # TRANSMITTER_FIELDS, by channel (the output at its source)
    packets: np.recarray  # PAGE_FIELDS, by node and page
    free: np.ndarray  # int64[nodes, pages], rings of free pages
    waiting: np.ndarray  # int64[nodes, outputs, words], sets of pages whose packets wait for an output
    fresh: np.ndarray  # int64[nodes, words], of pages with a whole packet that the processor has not dealt with
    nodes: np.recarray  # NODE_FIELDS
    due: np.ndarray  # int64[slots, words], nodes with work in a slot (``alarms.py``); stays till done
    words: np.recarray  # WORD_FIELDS, words that the buses and packet memories have carried in this cycle
    ended: np.ndarray  # int64[2 nodes], pages (by node and page) whose last send has ended: free after the next cycle
    counters: np.ndarray  # int64[COUNTERS]
    discards: Discards
    log: np.recarray  # LOG_FIELDS, one entry per delivered copy


def make_harts_state(
    routing: HartsRouting,
    messages: Messages,
    *,
    pages: int,
    gap_cycles: int,
    link_cycles: int,
    relay_frames: int,
    classed: bool,
) -> HartsState:
    """Return all nodes in their state before cycle 0: every page is free."""
    mesh = routing.mesh
    outputs, legs = relay_tables(mesh, algorithm_a=routing.algorithm_a)
    channels = len(mesh.channels)
    faults = routing.faults
    return HartsState(
        pages=pages,
        levels=routing.levels,
        level_bits=bits_for(routing.levels + 1),
        classed=int(classed),
        gap_cycles=gap_cycles,
        link_cycles=link_cycles,
        relay_frames=relay_frames,
        guard=int(routing.guard),
        memory_hosts=0,
        source=np.array([faults.claimed_source(node) for node in range(mesh.nodes)])[messages.source],
        operation=messages.operation.astype(np.int64),
        tags=_tags(routing, messages),
        relay_outputs=outputs,
        relay_legs=legs,
        arrivals=arrival_table(routing),
        heads=make_records(channels, HEADER_FIELDS),
        receivers=make_records(
            channels,
            RECEIVER_FIELDS,
            landing=NONE,
            changed_cycle=NONE,
            landing_before=NONE,
            page=NONE,
            transmitter=NONE,
        ),
        transmitters=make_records(channels, TRANSMITTER_FIELDS, page=NONE, wish_changed_cycle=NONE),
        packets=make_records(mesh.nodes * pages, PAGE_FIELDS),
        free=np.tile(np.arange(pages, dtype=np.int64), (mesh.nodes, 1)),
        waiting=np.zeros((mesh.nodes, DIRECTIONS + 1, words_for(pages)), dtype=np.int64),
        fresh=np.zeros((mesh.nodes, words_for(pages)), dtype=np.int64),
        nodes=make_records(
            mesh.nodes,
            NODE_FIELDS,
            dead=[faults.dead_outputs(mesh, node) for node in range(mesh.nodes)],
            corrupting=[int(node in faults.corrupting_nodes) for node in range(mesh.nodes)],
            free=pages,
            logged=NONE,
        ),
        due=_everybody_due(mesh.nodes),
        words=make_records(2 * mesh.nodes, WORD_FIELDS),
        ended=np.zeros(2 * mesh.nodes, dtype=np.int64),
        counters=np.zeros(COUNTERS, dtype=np.int64),
        discards=make_discards(mesh),
        log=make_records(_most_copies(messages), LOG_FIELDS),
    )


def _everybody_due(nodes: int) -> np.ndarray:
    """Return every receiver as due for a page; no packet has arrived for the network processors."""
    due = np.zeros((SLOTS, alarm_words(nodes)), dtype=np.int64)
    for node in range(nodes):
        due[:PROCESSOR_SLOT, node >> WORD_SHIFT] |= 1 << (node & BIT_MASK)
    return due


def _tags(routing: HartsRouting, messages: Messages) -> np.ndarray:
    """Return the routing tags of ordinary packets, which depend on the difference of node numbers."""
    nodes = routing.mesh.nodes
    tags_of = np.array([routing.tags(0, ahead) for ahead in range(nodes)], dtype=np.int64)
    tags = tags_of[(messages.destinations[messages.offsets[:-1]] - messages.source) % nodes]
    tags[messages.operation != UNICAST] = 0
    return tags


def _most_copies(messages: Messages) -> int:
    """Return the maximum of copies: of a broadcast, one over each link into a node."""
    broadcasts = messages.operation != UNICAST
    return int(np.where(broadcasts, (messages.destination_counts + 1) * DIRECTIONS, 1).sum())


def arrival_table(routing: HartsRouting) -> np.ndarray:
    """Return the legal arrivals of a broadcast by operation, node less source, and direction; NONE for none."""
    mesh = routing.mesh
    table = np.full((len(ALGORITHMS) + 1, mesh.nodes, DIRECTIONS, 3), NONE, dtype=np.int64)
    for algorithm in ALGORITHMS if routing.guard else ():
        if algorithm == ALGORITHM_A and not routing.algorithm_a:
            continue
        for row, arrival in expected_arrivals(mesh, algorithm).items():
            table[operation(algorithm), *row] = arrival
    return table


def relay_tables(mesh: HexMesh, *, algorithm_a: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the sends of a node with a delivered copy, by operation, stage, distance and tag.

    Returns:
        outputs (int64 array, shape (operations, stages + 1, distances, tags)): Mask of turns (0: straight on, 1: left,
            and so on); of directions in stage 0, where the host sends.
        legs (int64 array, the same and turns, 3): Distance, stage and tag of what is sent there.
    """
    distances = mesh.nodes if algorithm_a else mesh.size
    shape = (len(ALGORITHMS) + 1, STAGES + 1, distances, TAGS)
    outputs, legs = np.zeros(shape, dtype=np.int64), np.zeros((*shape, DIRECTIONS, 3), dtype=np.int64)

    def enter(row: tuple[int, int, int, int], sent: tuple[Leg, ...]) -> None:
        for leg in sent:
            outputs[row] |= 1 << leg.direction
            legs[(*row, leg.direction)] = leg.distance, leg.stage, leg.tag

    for place, algorithm in enumerate(ALGORITHMS):
        if algorithm == ALGORITHM_A and not algorithm_a:
            continue
        enter((place + 1, 0, 0, 0), initial_legs(algorithm, mesh.size))
        for stage in range(1, STAGES + 1):
            for left in range(mesh.size):
                for tag in range(TAGS):
                    arrived = Leg(0, left + 1, stage, tag)
                    enter((place + 1, stage, left, tag), relayed_legs(algorithm, mesh.size, arrived, left))
    return outputs, legs
