"""Schedule of the messages that hosts offer, computed in plain Python from docs/look_up/timing.md, "Host".

The bench drives the hardware by these rules, not by the model's hosts. The rules depend on tails alone: out of
injectors, and into processors. The tails of model and hardware are equal up to the first difference, which ends the
comparison; a wrong start, wait or pause of the model is therefore such a difference.
"""

import functools
import heapq
from collections import defaultdict

import numpy as np

from sim_model.engines.cycle.state import Trace
from sim_model.loops.bits import MESSAGE_SHIFT, TAIL
from sim_model.messages.messages import Messages
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import (
    PERIOD_CYCLES,
    SOURCE,
    HostBehaviour,
    first_positions,
    holds_back,
    ring_of_states,
)

Offers = dict[int, list[tuple[int, int]]]
"""(injector, message), by row of a recording."""


class _Host:
    """State of one injector's host."""

    def __init__(self, phase: int):
        self.phase = phase
        self.ready: list[tuple[int, int]] = []  # heap of start and message
        self.idle_from = 0
        self.sending = False
        self.preparing: tuple[int, int] | None = None  # cycle of the offer and message


class HostRules:
    """All hosts of a network, from cycle 0 on.

    Parameters:
        hosts: Pauses of sources.
    """

    def __init__(self, network: ChannelNetwork, messages: Messages, startup_cycles: int, hosts: HostBehaviour):
        self._startup_cycles = startup_cycles
        self._pauses = _pauses_in_ring(hosts.pause_level)
        self._injection, self._delivery = list(network.injection_channels), list(network.delivery_channels)
        self._processors = network.delivery_processors
        self._source = messages.source.tolist()
        ports = network.injection_channels_per_processor
        self._injector = (messages.source.astype(np.int64) * ports + messages.injection).tolist()
        self._earliest, self._parents_left = messages.start_cycle.tolist(), messages.parent_counts.tolist()
        self._waiting = _waiting_by_event(messages)
        self._copies_left = dict(
            zip(
                zip(messages.message_of_destination.tolist(), messages.destinations.tolist(), strict=True),
                messages.copies.tolist(),
                strict=True,
            )
        )
        self._hosts = [
            _Host(phase)
            for phase in first_positions(hosts.seed, ((SOURCE, i) for i in range(len(self._injection)))).tolist()
        ]
        self._wakes: list[tuple[int, int]] = []  # heap of cycle and injector; a host may be woken in vain
        for message in np.flatnonzero(messages.parent_counts == 0).tolist():
            self._make_ready(message)

    def offers(self, first_cycle: int, recording: Trace) -> Offers:
        """Return the messages that hosts offer in each cycle of a recording; call it with consecutive recordings.

        Parameters:
            first_cycle: Cycle of the recording's first row.
        """
        leaving = _tails(recording.flits[:, self._injection])
        arriving = _tails(recording.flits[:, self._delivery])
        end, found = first_cycle + len(recording.flits), defaultdict(list)
        busy = sorted({first_cycle + row for row in (*leaving, *arriving)}, reverse=True)
        while True:
            woken = self._wakes[0][0] if self._wakes else end
            cycle = min(woken, busy[-1] if busy else end)
            if cycle >= end:
                return found
            if busy and busy[-1] == cycle:
                busy.pop()
            row = cycle - first_cycle
            for channel, message in arriving.get(row, ()):
                self._arrive(cycle, message, self._processors[channel])
            for injector, message in leaving.get(row, ()):
                self._leave(cycle, injector, message)
            for injector in self._woken(cycle):
                offered = self._act(cycle, injector)
                if offered is not None:
                    found[row].append((injector, offered))

    def _woken(self, cycle: int) -> list[int]:
        woken = set()
        while self._wakes and self._wakes[0][0] <= cycle:
            woken.add(heapq.heappop(self._wakes)[1])
        return sorted(woken)

    def _make_ready(self, message: int) -> None:
        """Schedule a message whose start is determined."""
        injector = self._injector[message]
        heapq.heappush(self._hosts[injector].ready, (self._earliest[message], message))
        heapq.heappush(self._wakes, (self._earliest[message], injector))

    def _arrive(self, cycle: int, message: int, processor: int) -> None:
        left = self._copies_left.get((message, processor), 0) - 1
        self._copies_left[message, processor] = left
        if left == 0:
            self._event(cycle, message, processor)

    def _leave(self, cycle: int, injector: int, message: int) -> None:
        host = self._hosts[injector]
        host.sending, host.idle_from = False, cycle + 1
        heapq.heappush(self._wakes, (cycle + 1, injector))
        self._event(cycle, message, self._source[message])

    def _event(self, cycle: int, message: int, processor: int) -> None:
        """Schedule the messages that wait for a tail which arrived at a processor, or left it."""
        for waiting, delay in self._waiting.get((message, processor), ()):
            self._earliest[waiting] = max(self._earliest[waiting], cycle + delay)
            self._parents_left[waiting] -= 1
            if self._parents_left[waiting] == 0:
                self._make_ready(waiting)

    def _act(self, cycle: int, injector: int) -> int | None:
        """Run one cycle of a host that is awake; return the message that it offers, if any."""
        host = self._hosts[injector]
        if host.sending or cycle < host.idle_from:
            return None  # its tail wakes it
        if host.preparing is None:
            if not host.ready or host.ready[0][0] > cycle:
                self._wake_at(host.ready[0][0] if host.ready else None, injector)
                return None
            host.preparing = (cycle + self._startup_cycles, heapq.heappop(host.ready)[1])
        offer_cycle, message = host.preparing
        eager_cycle = self._first_without_pause(host, max(offer_cycle, cycle))
        if cycle < eager_cycle:
            self._wake_at(eager_cycle, injector)
            return None
        host.preparing, host.sending = None, True
        return message

    def _wake_at(self, cycle: int | None, injector: int) -> None:
        if cycle is not None:
            heapq.heappush(self._wakes, (cycle, injector))

    def _first_without_pause(self, host: _Host, cycle: int) -> int:
        """Return the first cycle from this one on in which the host's source does not pause."""
        position = (host.phase + cycle) % PERIOD_CYCLES
        return cycle + self._pauses.index(0, position) - position


@functools.cache
def _pauses_in_ring(level: int) -> bytes:
    """Return whether a source pauses in each state of the ring; twice around, so that searches need not wrap."""
    return 2 * bytes(holds_back(int(state), level) for state in ring_of_states())


def _waiting_by_event(messages: Messages) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return the messages with their delays, by the event and place that they wait for."""
    waiting: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for message in np.flatnonzero(messages.parent_counts).tolist():
        first, end = messages.parent_offsets[message : message + 2].tolist()
        source = int(messages.source[message])
        for wait in range(first, end):
            waiting[int(messages.parents[wait]), source].append((message, int(messages.delay_cycles[wait])))
    return waiting


def _tails(flits: np.ndarray) -> dict[int, list[tuple[int, int]]]:
    """Return column and message of every tail among packed flits, by row."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    rows, columns = np.nonzero((flits >= 0) & (flits & TAIL != 0))
    tails = (flits[rows, columns] >> MESSAGE_SHIFT).tolist()
    for row, column, message in zip(rows.tolist(), columns.tolist(), tails, strict=True):
        found[row].append((column, message))
    return found
