"""State of AXI4 ends and of both networks before cycle 0."""

from typing import Literal

import numpy as np

from sim_model.axi4.data import Axi4Data
from sim_model.axi4.messages import Axi4Messages
from sim_model.axi4.state import (
    CAUSES,
    CHANNELS,
    COUNTERS,
    LEFT,
    MANAGER_FIELDS,
    MAX_SLOTS,
    PORT_FIELDS,
    REQUEST_FIELDS,
    RESPONSE_FIELDS,
    RING,
    SINK_FIELDS,
    SLOT_FIELDS,
    SOURCE_FIELDS,
    SUBORDINATE_FIELDS,
    TRANSACTION_FIELDS,
    B,
    EndState,
    R,
)
from sim_model.axi4.system import Axi4System
from sim_model.axi4.transactions import Transactions
from sim_model.engines.cycle.endpoints import make_endpoints
from sim_model.engines.cycle.records import NONE, make_records
from sim_model.engines.cycle.state import UNSENT, EngineState, make_state
from sim_model.engines.model import Model
from sim_model.messages.messages import Messages
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import (
    LEVELS,
    RECEIVER,
    SOURCE,
    HostBehaviour,
    first_positions,
    ring_of_levels,
)
from topology.common.link_stages import LinkStages

PATIENCE_CYCLES = 4_096
"""Cycles without a handshake or a moving flit, besides waits of hosts, after which none comes any more."""
_HOLDING_BACK = HostBehaviour(pause_level=LEVELS - 1, stall_level=LEVELS - 1)


def make_network(model: Model, messages: Messages) -> EngineState:
    """Return the state of a network whose hosts never act, so that its ends move all words: see ``streams.py``."""
    endpoints = make_endpoints(model.network, messages, _HOLDING_BACK, model.header_flits)
    state = make_state(
        LinkStages(model.network, model.link_cycles),
        messages,
        endpoints._replace(pause_level=LEVELS, stall_level=LEVELS),
        buffer_depth_flits=model.buffer_depth_flits,
        startup_cycles=0,
        registers_wake=model.registers_wake,
    )
    state.hosts["queue_end"] = state.hosts["queued"]
    state.counters[UNSENT] = 0
    return state


def make_ends(
    system: Axi4System,
    given: Transactions,
    messages: Axi4Messages,
    data: Axi4Data,
    hosts: HostBehaviour,
    *,
    memory_cycles: int,
    outstanding: int,
    answers: np.ndarray,
) -> EndState:
    """Return interfaces and hosts in their state before cycle 0, the second one after a reset.

    Parameters:
        system, given, messages, data
        hosts: Pauses and stalls.
        memory_cycles: From a request to its first response, at least 1.
        outstanding: Transactions that a manager has under way, in both directions together.
        answers (int64[responses]): Of the memories.
    """
    managers, subordinates = np.array(system.managers), np.array(system.areas.subordinates)
    first = np.searchsorted(given.manager, managers)
    next_write, first_write = _writes_in_turn(given, first)
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[LEFT] = len(given)
    requests, responses = system.requests.network, system.responses.network
    own = (len(managers), len(subordinates))
    return EndState(
        outstanding=system.format.outstanding,
        host_outstanding=outstanding,
        request_words=system.request_words,
        write_beats=system.write_beats,
        pipelined=int(system.pipelined),
        repeats=int(system.copies or system.cut_beats > 0),
        copies=int(system.copies),
        whole=int(system.whole),
        pending=system.pending,
        timeout_cycles=system.timeout_cycles,
        key_cycles=system.key_cycles,
        memory_cycles=memory_cycles,
        pause_level=hosts.pause_level,
        stall_level=hosts.stall_level,
        patience_cycles=_patience(given, hosts, memory_cycles),
        managers=_manager_records(given, managers, first, first_write),
        ports=make_records(2 * len(managers), PORT_FIELDS, offer=NONE, transaction=NONE, ready=1),
        slots=make_records(2 * len(managers) * MAX_SLOTS, SLOT_FIELDS),
        completes=np.zeros((len(managers), MAX_SLOTS), dtype=np.int64),
        subordinates=make_records(len(subordinates), SUBORDINATE_FIELDS),
        **{name: np.zeros((own[1], RING), dtype=np.int64) for name in ("write_ring", "read_ring", "b_due", "r_due")},
        request_sources=_sources(requests, managers, header_word=False),
        response_sinks=_sinks(responses, managers, system.buffer_flits, header_word=system.header_words),
        request_sinks=_sinks(requests, subordinates, system.buffer_flits, header_word=False),
        response_sources=_sources(responses, subordinates, header_word=system.header_words),
        response_buffers=np.zeros((len(managers), system.buffer_flits), dtype=np.int64),
        request_buffers=np.zeros((len(subordinates), system.buffer_flits), dtype=np.int64),
        transactions=_transaction_records(system, given, messages, data, managers, next_write),
        requests=_request_records(messages),
        responses=_response_records(messages, data, subordinates, answers),
        phases=_phases(hosts.seed, *own),
        ring=ring_of_levels(hosts),
        blockades=_blockades(hosts, managers, subordinates),
        written=data.written,
        masks=data.masks,
        memory=data.memory,
        places=data.places,
        read=np.zeros((len(data.places), data.memory.shape[1]), dtype=np.int64),
        stalls=np.zeros(len(CAUSES), dtype=np.int64),
        counters=counters,
    )


def _manager_records(
    given: Transactions, managers: np.ndarray, first: np.ndarray, first_write: np.ndarray
) -> np.recarray:
    """Return the state of managers."""
    return make_records(
        len(managers),
        MANAGER_FIELDS,
        next=first,
        end=np.searchsorted(given.manager, managers, side="right"),
        w_offer=NONE,
        w_next=first_write,
        w_ready=1,
        front_write=NONE,
        answered=NONE,
        ended=NONE,
    )


def _transaction_records(
    system: Axi4System,
    given: Transactions,
    messages: Axi4Messages,
    data: Axi4Data,
    managers: np.ndarray,
    next_write: np.ndarray,
) -> np.recarray:
    """Return what is known of transactions, which have not begun."""
    return make_records(
        len(given),
        TRANSACTION_FIELDS,
        manager=np.searchsorted(managers, given.manager),
        is_write=given.is_write,
        found=messages.receivers > 0,
        is_multicast=messages.is_multicast,
        by_set=messages.is_multicast & (not system.copies),
        start_cycle=given.start_cycle,
        beats=given.beats,
        id=given.id,
        way=messages.way,
        request=np.where(messages.receivers > 0, messages.own.first[:-1], NONE),
        receivers=messages.receivers,
        first_beat=data.first_beat,
        next_write=next_write,
        offered_cycle=NONE,
        done_cycle=NONE,
    )


def _request_records(messages: Axi4Messages) -> np.recarray:
    """Return the messages of requests."""
    return make_records(
        len(messages.own),
        REQUEST_FIELDS,
        transaction=messages.own.transaction,
        first_beat=messages.own.first_beat,
        beats=messages.own.beats,
        copies_follow=messages.own.copies_follow,
        pieces_follow=messages.own.pieces_follow,
        first_response=messages.own.first_response[:-1],
    )


def _response_records(
    messages: Axi4Messages, data: Axi4Data, subordinates: np.ndarray, answers: np.ndarray
) -> np.recarray:
    """Return the messages of responses."""
    return make_records(
        len(messages.receiver),
        RESPONSE_FIELDS,
        request=messages.request,
        subordinate=np.searchsorted(subordinates, messages.receiver),
        answer=answers,
        first_place=data.first_place,
    )


def _patience(given: Transactions, hosts: HostBehaviour, memory_cycles: int) -> int:
    """Return the cycles without a change after which none can come: no host waits longer."""
    waits = [int(given.start_cycle.max(initial=0)), *(blockade.end_cycle for blockade in hosts.blocked)]
    return max(waits) + memory_cycles + PATIENCE_CYCLES


def _writes_in_turn(given: Transactions, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the manager's next write behind each transaction, and the first one of each manager; NONE for none."""
    writes = np.flatnonzero(given.is_write)
    following = np.concatenate((writes, [NONE]))

    def after(numbers: np.ndarray, manager: np.ndarray, side: Literal["left", "right"]) -> np.ndarray:
        found = following[np.searchsorted(writes, numbers, side=side)]
        return np.where((found != NONE) & (given.manager[found] == manager), found, NONE)

    own = given.manager[np.minimum(first, len(given) - 1)]
    return after(np.arange(len(given)), given.manager, "right"), after(first, own, "left")


def _sources(network: ChannelNetwork, processors: np.ndarray, *, header_word: bool) -> np.recarray:
    channels = np.array(network.injection_channels)[processors]
    fields = {"injector": processors, "channel": channels, "header_word": header_word}
    return make_records(len(processors), SOURCE_FIELDS, **fields)


def _sinks(network: ChannelNetwork, processors: np.ndarray, buffer_flits: int, *, header_word: bool) -> np.recarray:
    into = dict(zip(network.delivery_processors, network.delivery_channels, strict=True))
    channels = [into[processor] for processor in processors.tolist()]
    fields = {"channel": channels, "header_word": header_word, "buffered": buffer_flits > 0}
    return make_records(len(processors), SINK_FIELDS, **fields, expected=NONE, ready=1)


def _phases(seed: int, managers: int, subordinates: int) -> np.ndarray:
    """Return the position of each channel's host in the ring of patterns in cycle 0."""
    ends = []
    for port in range(managers + subordinates):
        for channel in CHANNELS:
            is_source = (port < managers) != (channel in (B, R))
            ends.append((SOURCE if is_source else RECEIVER, len(CHANNELS) * port + channel))
    return first_positions(seed, ends).reshape(-1, len(CHANNELS))


def _blockades(hosts: HostBehaviour, managers: np.ndarray, subordinates: np.ndarray) -> np.ndarray:
    """Return the blockades of all ports of their processors."""
    rows = [
        (port, blockade.start_cycle, blockade.end_cycle)
        for blockade in hosts.blocked
        for port, processor in enumerate((*managers.tolist(), *subordinates.tolist()))
        if processor == blockade.processor
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)
