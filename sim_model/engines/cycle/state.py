"""State of links, hosts and deliveries: arrays of records.

One record per channel, vertex, injector, message, and pair of message and destination.
Few arrays instead of one per field, because Numba passes every array as seven arguments. Masks have one bit per
port of a vertex.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.calendar import Calendar, make_calendar
from sim_model.engines.cycle.endpoints import EJECTOR_FLITS, EndpointState
from sim_model.engines.cycle.object_cache import cached_per_object
from sim_model.engines.cycle.occupied_outputs import BETWEEN_SWITCHES, FROM_PROCESSOR, INTO_PROCESSOR, ROLES
from sim_model.engines.cycle.records import (
    NEVER,
    NONE,
    NUMBER,
    aligned_words,
    byte,
    copied_records,
    make_records,
    number,
    short,
    signed,
)
from sim_model.engines.cycle.wakeups import make_alarms
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, MESSAGE_SHIFT
from sim_model.messages.messages import Messages
from topology.common.channels import Channel, ChannelNetwork
from topology.common.counter_bus import COUNTED
from topology.common.link_stages import STAGE_FLITS, LinkStages

# Positions in ``counters``.
CYCLE = 0  # next cycle to be run
FLIT_HOPS = 1  # flits moved over channels
FLITS_IN_NETWORK = 2  # in registers and buffers, each copy counted
UNSENT = 3  # messages whose start is known and that no injector has accepted yet
STRAY = 4  # tails that arrived at a processor that is no destination of their message
DISORDERED = 5  # flits that arrived at a processor and were not the next one of their message
NEXT_HOST_CYCLE = 6  # no host does anything before this cycle
COUNTERS = 7

CHANNEL_FIELDS = (
    number("source"),  # vertex; never changes, like the next four
    number("sink"),
    byte("source_port"),
    byte("sink_port"),
    byte("role"),  # see ``movers.py``
    "register",  # packed flit in the output register, meaningful where occupied
    short("front"),  # slot of the first flit in the buffer
    signed("count"),  # flits in the buffer, one that arrives in this cycle included; for ejectors see ``endpoints.py``
    "expected",  # into a processor: next flit, without its tail bit; NONE - 1 - it behind a tail; NONE before any flit
)
STAGE_FIELDS = (
    "holding",  # stages that hold a flit; bit 0 is the first stage, like the next one
    "full",  # stages that hold two
    "entering",  # 1 if a flit enters the first stage in this cycle
    "flits",  # in all stages
    "first_hop",  # bit of the first stage in ``moved``; never changes, like the next one
    "last",  # mask of the last stage; 0 for a channel without stages
)
VERTEX_FIELDS = (
    number("first_output"),  # channel at output port 0; never changes
    number("inputs"),  # how many; never changes
    "occupied",  # output registers that hold a flit
    "blocked",  # occupied registers known to have a full buffer behind them
    "nonempty",  # inputs with a flit at the start of the cycle
    "arrived",  # inputs where a flit arrives in this cycle
)
HOST_FIELDS = (
    "channel",  # of the injector; never changes
    "preparing",  # message in start-up or NONE
    "sending",  # message in the injector or NONE
    "idle_from_cycle",  # first cycle in which the injector is idle again
    "queued",  # position in the queue of the next message with a given start
    "queue_end",  # position behind the last one; never changes
    "released",  # front of the heap of dependent messages that wait for no parent any more, or NONE
)
JOB_FIELDS = (
    "source",  # processor; never changes, like all down to end_child
    "injector",
    "flits",  # whole message
    "first_destination",  # position in deliveries
    "end_destination",
    "first_child",  # position in children
    "end_child",
    "parents_left",  # parents that it still waits for
    "earliest_cycle",  # start as far as the parents that have arrived, or left, demand it
    "start_cycle",  # NONE while not known
    "accepted_cycle",  # NONE before the injector accepts the message
    "released_left",  # in a host's heap, front of one of the two parts behind this message, or NONE
    "released_right",  # the same of the other part
)
CHILD_FIELDS = (
    "message",  # that waits; never changes, like the next one
    "delay_cycles",  # from the parent's event to its earliest start
)
DELIVERY_FIELDS = (
    "destination",  # processor, ascending within a message; never changes
    "wanted",  # copies that are to arrive; never changes
    "arrival_cycle",  # arrival of the last of their tails, NONE before
    "copies",  # tails that arrived
)


class ArrivalRows(NamedTuple):
    """``arrived`` of all vertices in rows of eight, among what else a family has there. It looks at all of it."""

    words: np.ndarray  # int64
    row_words: int  # from a row to the next one


class EngineState(NamedTuple):
    """Everything but the routers."""

    switches: int
    startup_cycles: int
    buffer_depth_flits: int
    slot_mask: int  # slots of a ring buffer - 1, a power of two - 1
    registers_wake: int  # 1 if a switch has work when an output register is emptied, 0 if it goes by credits
    link_stages: int  # register stages of the longest link between switches
    channels: np.recarray  # CHANNEL_FIELDS
    slots: np.ndarray  # int64[channels, slots], ring buffers of packed flits, those in stages included
    stages: np.recarray  # STAGE_FIELDS, by channel; no records if links have no stages
    movers: np.ndarray  # uint32[ROLES, channels], channels whose flit may move, by role (``movers.py``)
    mover_counts: np.ndarray  # int64[ROLES], how many
    alarms: np.ndarray  # int64[2, words], switches with work, by cycle modulo 2 (``alarms.py``)
    staged_inputs: np.ndarray  # int64[vertices], masks of inputs whose links have flits in stages
    vertices: np.recarray  # VERTEX_FIELDS
    arrivals: ArrivalRows | None  # None where vertices have ``arrived``
    input_channel: np.ndarray  # uint32[vertices, most ports]
    hosts: np.recarray  # HOST_FIELDS, by injector
    calendar: Calendar  # cycles in which idle hosts do something next, by injector behind the entries of an engine
    first_host_entry: int
    senders: np.ndarray  # int64[injectors], those that accept a message in this cycle
    jobs: np.recarray  # JOB_FIELDS, by message
    deliveries: np.recarray  # DELIVERY_FIELDS, by message and destination
    queue: np.ndarray  # int64, messages with a given start by injector, in order of start
    children: np.recarray  # CHILD_FIELDS, by parent and then by message
    counters: np.ndarray  # int64[COUNTERS]
    tallies: np.ndarray  # int64[channels, kinds and one], see ``counts.py``; no rows if nothing is counted
    endpoints: EndpointState  # hosts with back-pressure; no records if none does


class Trace(NamedTuple):
    """Rows of a recording, one per cycle; no rows when nothing is recorded."""

    flits: np.ndarray  # int64[rows, hops], the packed flit that moved; NONE for none; hops see LinkStages.moved_bits
    accepted_message: np.ndarray  # int32[rows, injectors], NONE for none
    variants: np.ndarray  # int64[rows, hops], what the family says about the flit; 0: it is as its source sent it
    signals: np.ndarray  # uint8[rows, bits], side wires and status outputs in the order of the model
    delivery_channels: np.ndarray  # int64[delivery channels], never changes

    @property
    def moved(self) -> np.ndarray:
        """bool[rows, hops]: whether a flit moved."""
        return self.flits != NONE

    @property
    def ejected_message(self) -> np.ndarray:
        """int64[rows, delivery channels]: message of the flit that moved on a channel into a processor, or NONE."""
        return self.flits[:, self.delivery_channels] >> MESSAGE_SHIFT

    @property
    def ejected_flit(self) -> np.ndarray:
        """int64[rows, delivery channels]: index of that flit in its message, or NONE."""
        flits = self.flits[:, self.delivery_channels]
        return np.where(flits == NONE, NONE, flits >> INDEX_SHIFT & INDEX_MASK)


def make_trace(rows: int, links: LinkStages, signal_bits: int) -> Trace:
    """Return an empty recording of ``rows`` cycles, with ``signal_bits`` bits of side wires and status outputs."""
    network = links.network
    return Trace(
        flits=np.full((rows, links.moved_bits), NONE, dtype=np.int64),
        accepted_message=np.full((rows, len(network.injection_channels)), NONE, dtype=np.int32),
        variants=np.zeros((rows, links.moved_bits), dtype=np.int64),
        signals=np.zeros((rows, signal_bits), dtype=np.uint8),
        delivery_channels=np.array(network.delivery_channels, dtype=np.int64),
    )


def make_state(
    links: LinkStages,
    messages: Messages,
    endpoints: EndpointState,
    *,
    buffer_depth_flits: int,
    startup_cycles: int,
    registers_wake: bool = True,
    count_channels: bool = False,
) -> EngineState:
    """Return the state before cycle 0.

    Parameters:
        links: The network and how long its links are.
        buffer_depth_flits: Flits that the input buffer of a switch holds.
        startup_cycles: Cycles that a host prepares each message.
        registers_wake: Wake a switch when one of its output registers is emptied.
        count_channels: Keep the tallies, which makes a run slower.
    """
    network = links.network
    injector = messages.source.astype(np.int64) * network.injection_channels_per_processor + messages.injection
    jobs, children = _make_jobs(messages, injector)
    hosts, queue = _make_hosts(messages, injector, network)
    slots = 1 << (buffer_depth_flits + STAGE_FLITS * links.most - 1).bit_length()
    ejector = buffer_depth_flits - EJECTOR_FLITS if len(endpoints.receivers) else 0
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[UNSENT] = len(queue)
    counters[NEXT_HOST_CYCLE] = NEVER
    return EngineState(
        switches=network.switches,
        startup_cycles=startup_cycles,
        buffer_depth_flits=buffer_depth_flits,
        slot_mask=slots - 1,
        registers_wake=int(registers_wake),
        link_stages=links.most,
        channels=copied_records(
            cached_per_object(network, ("channels", ejector), lambda: _make_channels(network, ejector))
        ),
        slots=np.zeros((len(network.channels), slots), dtype=np.int64),
        stages=_make_stages(links),
        movers=np.zeros((ROLES, len(network.channels)), dtype=NUMBER),
        mover_counts=np.zeros(ROLES, dtype=np.int64),
        alarms=make_alarms(network.vertices),
        staged_inputs=np.zeros(network.vertices, dtype=np.int64),
        vertices=copied_records(cached_per_object(network, "vertices", lambda: _make_vertices(network))),
        arrivals=None,
        input_channel=cached_per_object(network, "inputs", lambda: _input_channels(network)),
        hosts=hosts,
        calendar=make_calendar(len(hosts)),
        first_host_entry=0,
        senders=np.zeros(len(hosts), dtype=np.int64),
        jobs=jobs,
        deliveries=make_records(
            len(messages.destinations),
            DELIVERY_FIELDS,
            destination=messages.destinations,
            wanted=messages.copies,
            arrival_cycle=NONE,
        ),
        queue=queue,
        children=children,
        counters=counters,
        tallies=aligned_words(len(network.channels) if count_channels else 0, len(COUNTED) + 1),
        endpoints=endpoints,
    )


def _make_channels(network: ChannelNetwork, empty_ejector: int) -> np.recarray:
    """Return all channels, empty; ``empty_ejector`` is the count of those into processors."""
    return make_records(
        len(network.channels),
        CHANNEL_FIELDS,
        source=[channel.source for channel in network.channels],
        source_port=[channel.source_port for channel in network.channels],
        sink=[channel.sink for channel in network.channels],
        sink_port=[channel.sink_port for channel in network.channels],
        role=[_role(channel, network) for channel in network.channels],
        count=[0 if network.is_switch(channel.sink) else empty_ejector for channel in network.channels],
        expected=NONE,
    )


def _make_vertices(network: ChannelNetwork) -> np.recarray:
    return make_records(
        network.vertices,
        VERTEX_FIELDS,
        first_output=[channels[0] for channels in network.output_channel],
        inputs=[len(channels) for channels in network.input_channel],
    )


def _role(channel: Channel, network: ChannelNetwork) -> int:
    if not network.is_switch(channel.source):
        return FROM_PROCESSOR
    return BETWEEN_SWITCHES if network.is_switch(channel.sink) else INTO_PROCESSOR


def _make_stages(links: LinkStages) -> np.recarray:
    channels = len(links.network.channels)
    stages = make_records(channels if links.most else 0, STAGE_FIELDS)
    for position, (channel, stage) in enumerate(links.hops):
        stages.last[channel] = 1 << stage - 1
        if stage == 1:
            stages.first_hop[channel] = channels + position
    return stages


def _input_channels(network: ChannelNetwork) -> np.ndarray:
    table = np.zeros((network.vertices, max(map(len, network.input_channel))), dtype=NUMBER)
    for vertex, channels in enumerate(network.input_channel):
        table[vertex, : len(channels)] = channels
    return table


def _make_jobs(messages: Messages, injector: np.ndarray) -> tuple[np.recarray, np.recarray]:
    by_parent = np.argsort(messages.parents, kind="stable")
    waiting = np.repeat(np.arange(len(messages)), messages.parent_counts)[by_parent]
    delays = messages.delay_cycles[by_parent]
    children = make_records(len(waiting), CHILD_FIELDS, message=waiting, delay_cycles=delays)
    first_child = _first_positions(messages.parents, len(messages))
    jobs = make_records(
        len(messages),
        JOB_FIELDS,
        source=messages.source,
        injector=injector,
        flits=messages.flits,
        first_destination=messages.offsets[:-1],
        end_destination=messages.offsets[1:],
        first_child=first_child[:-1],
        end_child=first_child[1:],
        parents_left=messages.parent_counts,
        earliest_cycle=messages.start_cycle,
        start_cycle=np.where(messages.parent_counts == 0, messages.start_cycle, NONE),
        accepted_cycle=NONE,
        released_left=NONE,
        released_right=NONE,
    )
    return jobs, children


def _make_hosts(messages: Messages, injector: np.ndarray, network: ChannelNetwork) -> tuple[np.recarray, np.ndarray]:
    injectors = len(network.injection_channels)
    given = np.flatnonzero(messages.parent_counts == 0)
    queue = _by_injector(given, messages.start_cycle[given], injector[given])
    first = _first_positions(injector[given], injectors)
    hosts = make_records(
        injectors,
        HOST_FIELDS,
        channel=network.injection_channels,
        preparing=NONE,
        sending=NONE,
        queued=first[:-1],
        queue_end=first[1:],
        released=NONE,
    )
    return hosts, queue


def _by_injector(given: np.ndarray, start_cycle: np.ndarray, injector: np.ndarray) -> np.ndarray:
    """Return messages sorted by injector, then start, then number. Messages of drawn traffic are in order of start."""
    # sorted in linear time where numbers are so short
    small = injector.astype(np.uint16) if injector.max(initial=0) < 1 << 16 else injector
    if (np.diff(start_cycle) >= 0).all():
        return given[np.argsort(small, kind="stable")]
    return given[np.lexsort((given, start_cycle, small))]


def _first_positions(owner: np.ndarray, owners: int) -> np.ndarray:
    """Return the index of each owner's first entry in a list sorted by owner, and the end. int64[owners + 1]."""
    return np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=owners)))).astype(np.int64)
