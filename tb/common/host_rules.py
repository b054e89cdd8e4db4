"""Schedule of the messages that hosts offer, computed from docs/look_up/timing.md, "Host".

The bench drives the hardware by these rules, not by the model's hosts. The rules depend on tails alone: out of
injectors, and into processors. The tails of model and hardware are equal up to the first difference, which ends the
comparison; a wrong start, wait or pause of the model is therefore such a difference.
"""

import functools
from typing import Any

import numpy as np

from sim_model.engines.cycle.state import NEVER, NONE, Trace
from sim_model.messages.messages import Messages
from tb.common.host_loop import (
    FIRST,
    HOST_COLUMNS,
    PHASE,
    PREPARING,
    WAKE,
    HostState,
    add_given,
    offer_messages,
)
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import LEVELS, PERIOD_CYCLES, SOURCE, HostBehaviour, first_positions, ring_of_states


class HostRules:
    """All hosts of a network, from cycle 0 on.

    Parameters:
        hosts: Pauses of sources.
    """

    def __init__(self, network: ChannelNetwork, messages: Messages, startup_cycles: int, hosts: HostBehaviour):
        injectors, ports = len(network.injection_channels), network.injection_channels_per_processor
        first_child, child, delay = _children(messages)
        injector = messages.source.astype(np.int64) * ports + messages.injection
        records = np.zeros((injectors, HOST_COLUMNS), dtype=np.int64)
        records[:, PHASE] = first_positions(hosts.seed, ((SOURCE, number) for number in range(injectors)))
        records[:, FIRST] = np.searchsorted(np.sort(injector), np.arange(injectors))
        records[:, WAKE], records[:, PREPARING] = NEVER, NONE
        self._state = HostState(
            startup_cycles=startup_cycles,
            injection=_numbers(network.injection_channels),
            delivery=_numbers(network.delivery_channels),
            processor=_numbers(network.delivery_processors),
            source=_numbers(messages.source),
            injector=injector,
            first_copy=_numbers(messages.offsets),
            destination=_numbers(messages.destinations),
            copies_left=_numbers(messages.copies),
            first_child=first_child,
            child=child,
            delay=delay,
            earliest=_numbers(messages.start_cycle),
            parents_left=_numbers(messages.parent_counts),
            hosts=records,
            ready=np.zeros(len(messages), dtype=np.int64),
            pauses=_pauses_in_ring(hosts.pause_level),
        )
        self._found = np.empty((0, 3), dtype=np.int64)  # reused
        add_given(self._state)

    def offers(self, first_cycle: int, recording: Trace) -> np.ndarray:
        """Return the messages that hosts offer in the cycles of a recording; call it with consecutive recordings.

        Parameters:
            first_cycle: Cycle of the recording's first row.

        Returns:
            int64 array, shape (offers, 3): Row of the recording, injector and message, in the order of rows and
            injectors.
        """
        most = len(recording.flits) * len(self._state.injection)
        if len(self._found) < most:
            self._found = np.empty((most, 3), dtype=np.int64)
        return self._found[: offer_messages(self._state, first_cycle, recording.flits, self._found)]


def offers_by_row(offers: np.ndarray) -> dict[int, list[tuple[int, int]]]:
    """Return (injector, message) of ``HostRules.offers`` by row."""
    found: dict[int, list[tuple[int, int]]] = {}
    for row, injector, message in offers.tolist():
        found.setdefault(row, []).append((injector, message))
    return found


def _numbers(column: Any) -> np.ndarray:
    """Return a copy as int64."""
    return np.array(column, dtype=np.int64)


@functools.cache
def _pauses_in_ring(level: int) -> np.ndarray:
    """Return the cycles until a source does not pause, by its state's position in the ring."""
    sends = np.flatnonzero(np.tile(ring_of_states() % LEVELS >= level, 2))  # twice around, so that the search may wrap
    positions = np.arange(PERIOD_CYCLES)
    return sends[np.searchsorted(sends, positions)] - positions


def _children(messages: Messages) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the position of each parent's first child, and the children and their delays by parent."""
    order = np.argsort(messages.parents, kind="stable")
    child = np.repeat(np.arange(len(messages)), messages.parent_counts)[order]
    first = np.searchsorted(messages.parents[order], np.arange(len(messages) + 1))
    return _numbers(first), _numbers(child), _numbers(messages.delay_cycles[order])
