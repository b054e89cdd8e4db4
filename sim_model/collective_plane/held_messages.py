"""Messages of a network that wait for results of a plane, and calls that wait for messages.

The engine knows parents of messages alone. Two kinds of messages that are never sent stand for the rest: one for each
call, with the messages that the call waits for as its parents, and one as the further parent of all these and of every
message that waits for results. It is its own parent, so it never starts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sim_model.collective_plane.calls import Call
from sim_model.engines.cycle.records import NONE
from sim_model.engines.engine import CYCLE_ENGINE
from sim_model.engines.model import Model
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Messages
from topology.common.host_pattern import EAGER, HostBehaviour


class HeldMessages:
    """The network in a joint run with a plane.

    Parameters:
        model: Golden model of the network.
        messages: All messages.
        held (mapping of int to mapping of int to int): Calls whose results messages wait for, by message, with the
            delay after the end of each result.
        calls: All calls.
        startup_cycles: Of a host per message.
        hosts: Pauses of sources and stalls of receivers.

    Members:
        release_cycle (dict of int to int): By held message: cycle before which it does not start; -1 while a result is
            missing.
    """

    def __init__(
        self,
        model: Model,
        messages: Messages,
        held: Mapping[int, Mapping[int, int]],
        calls: Sequence[Call],
        startup_cycles: int = 0,
        hosts: HostBehaviour = EAGER,
    ):
        self._waiting = [number for number, call in enumerate(calls) if call.messages]
        self._first = len(messages)
        self._left = {message: len(results) for message, results in held.items()}
        self._followers: dict[int, list[tuple[int, int]]] = {}
        for message, results in held.items():
            for call, delay in results.items():
                self._followers.setdefault(call, []).append((message, delay))
        self._latest = dict.fromkeys(held, 0)
        self.release_cycle = dict.fromkeys(held, NONE)
        extended = _with_calls(messages, held, [calls[number] for number in self._waiting], model)
        self._simulation = Simulation(model, extended, startup_cycles, hosts=hosts, engine=CYCLE_ENGINE)

    def run(self, until_cycle: int) -> bool:
        """Run the network to a cycle. Returns False if nothing can happen any more without results."""
        self._simulation.advance(until_cycle)
        return not (self._simulation.finished or self._simulation.deadlocked)

    def started_calls(self) -> Iterator[tuple[int, int]]:
        """Yield the calls behind their last message, each once, with the cycle in which they may start."""
        own = slice(self._first, self._first + len(self._waiting))
        jobs = self._simulation.state.jobs
        parents_left, earliest_cycle = jobs["parents_left"][own], jobs["earliest_cycle"][own]
        for position in np.flatnonzero(parents_left == 1).tolist():
            parents_left[position] = 0  # a view: the call is not found again
            yield self._waiting[position], int(earliest_cycle[position])

    def end_result(self, call: int, cycle: int) -> None:
        """Count the end of a result for all messages that wait for it.

        Parameters:
            call: Its number.
            cycle: At least the next cycle of the network.
        """
        for message, delay in self._followers.get(call, ()):
            self._left[message] -= 1
            self._latest[message] = max(self._latest[message], cycle + delay)
            if not self._left[message]:
                self.release_cycle[message] = self._latest[message]
                self._simulation.release(message, self._latest[message])


def _with_calls(
    messages: Messages, held: Mapping[int, Mapping[int, int]], calls: Sequence[Call], model: Model
) -> Messages:
    """Return the messages, behind them one that is never sent for each call, and one that is never sent at all."""
    never, processors = len(messages) + len(calls), len(model.network.processors)
    sources = np.array([*(call.contribution.processor for call in calls), 0], dtype=np.int32)
    destinations = (sources + 1) % processors
    parents, delays = [], []
    for message in range(len(messages)):
        own = slice(messages.parent_offsets[message], messages.parent_offsets[message + 1])
        more = int(message in held)
        parents.append([*messages.parents[own].tolist(), *[never] * more])
        delays.append([*messages.delay_cycles[own].tolist(), *[0] * more])
    for call in calls:
        parents.append([*call.messages, never])
        delays.append([*call.messages.values(), 0])
    parents.append([never])
    delays.append([0])
    more, first = len(sources), len(messages.destinations)

    def filled(column: np.ndarray, value: int) -> np.ndarray:
        return np.concatenate((column, np.full(more, value, dtype=column.dtype)))

    flits = [model.header_flits([destination]) for destination in destinations.tolist()]
    return replace(
        messages,
        source=np.concatenate((messages.source, sources)),
        offsets=np.concatenate((messages.offsets, first + 1 + np.arange(more))),
        destinations=np.concatenate((messages.destinations, destinations)).astype(np.int32),
        flits=np.concatenate((messages.flits, flits)).astype(np.int32),
        start_cycle=filled(messages.start_cycle, 0),
        parent_offsets=np.concatenate(([0], np.cumsum([len(own) for own in parents]))).astype(np.int64),
        parents=np.array([parent for own in parents for parent in own], dtype=np.int32),
        delay_cycles=np.array([delay for own in delays for delay in own], dtype=np.int64),
        group=np.concatenate((messages.group, len(messages) + np.arange(more))).astype(np.int32),
        operation=filled(messages.operation, 0),
        injection=filled(messages.injection, 0),
        copies=filled(messages.copies, 1),
    )


def released_messages(messages: Messages, release_cycle: Mapping[int, int]) -> Messages:
    """Return the messages with the starts that a joint run has found, without waits for results.

    Parameters:
        messages
        release_cycle: Of ``JointResults``. A message without one waits for itself, so it never starts.
    """
    start_cycle = messages.start_cycle.copy()
    never = []
    for message, cycle in release_cycle.items():
        if cycle == NONE:
            never.append(message)
        else:
            start_cycle[message] = max(start_cycle[message], cycle)
    places = messages.parent_offsets[np.array(never, dtype=np.int64)]
    counts = messages.parent_counts.copy()
    counts[never] += 1
    return replace(
        messages,
        start_cycle=start_cycle,
        parent_offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        parents=np.insert(messages.parents, places, never).astype(np.int32),
        delay_cycles=np.insert(messages.delay_cycles, places, 0),
    )
