"""Skips of steady stretches, which ``steady.py`` finds: nothing changes from period to period but words.

The control of a plane (``control.py``) follows from itself, until a contribution ends, a host starts one, or an event
comes. If it is that of a period before, it repeats itself, and with it all moves of words. In each period every member
of a group that moves sends and receives the same number of words. All are of one operation: otherwise a header would
move through the plane, and with it the control. A result is the operator over the members' words in any order, since
all operators are associative and commutative.

Registers hold words that have not arrived. So the hosts first skip to the last periods before the end of the stretch,
and these are run. They are enough for all words of earlier ones to leave the plane. Then the receivers skip the rest,
and its results are calculated.
"""

from dataclasses import dataclass

import numpy as np

from sim_model.collective_plane.state import (
    CYCLE,
    NEXT_EVENT,
    STEADY_CYCLE,
    STEADY_HOPS,
    STEADY_LEFT,
    STEADY_MODE,
    STEADY_PERIOD,
    WORD_HOPS,
    PlaneState,
)
from sim_model.collective_plane.steady import SKIP, STRETCH, WATCH, WATCH_CYCLES
from sim_model.engines.cycle.records import NEVER, NONE
from topology.collectives.operators import combine_arrays


@dataclass(frozen=True)
class _Packets:
    """Packets of the members of a group that streams, one of each.

    Members:
        group
        members, jobs (int64 arrays): Positions in the state.
        step: Words of each in a period.
        received (int64 array): Result words of each when the skip begins.
    """

    group: int
    members: np.ndarray
    jobs: np.ndarray
    step: int
    received: np.ndarray


class SteadyStretches:
    """The stretches of a plane, one after the other.

    Parameters:
        state: Of the plane.
        word_bits: Bits of a word.
    """

    def __init__(self, state: PlaneState, word_bits: int):
        self._state, self._word_bits = state, word_bits
        self._streams: list[_Packets] = []
        self._run, self._skipped = 0, 0  # periods

    def begin_run(self) -> None:
        """Give up the search in a copy of a plane, whose records are no views of its control."""
        if not np.may_share_memory(self._state.control, self._state.switches):
            self._state.counters[STEADY_CYCLE] = NEVER

    def step(self, until_cycle: int) -> None:
        """Begin a skip in the stretch that has been found, or end one.

        Parameters:
            until_cycle: First cycle that is not run.
        """
        counters = self._state.counters
        if counters[STEADY_MODE] == STRETCH and self._begin(until_cycle):
            return
        if counters[STEADY_MODE] == SKIP:
            self._end()
        counters[STEADY_MODE] = WATCH
        counters[STEADY_LEFT] = NONE
        counters[STEADY_CYCLE] = counters[CYCLE] + WATCH_CYCLES

    def _begin(self, until_cycle: int) -> bool:
        """Let the hosts skip to the last periods of the stretch. Returns False if nothing is before these."""
        state, counters = self._state, self._state.counters
        cycle, period = int(counters[CYCLE]), int(counters[STEADY_PERIOD])
        groups = [self._packets_of(group) for group in range(state.groups)]
        self._streams = [packets for packets in groups if packets is not None and packets.step > 0]
        if None in groups or not self._streams:
            return False
        next_event = int(state.events["cycle"][counters[NEXT_EVENT]])
        end = min(until_cycle, next_event, int(state.endpoints["wake_cycle"].min()))
        periods = min((end - cycle) // period, *map(self._periods_before_an_end, self._streams))
        self._run = max(map(self._periods_to_leave, self._streams))
        self._skipped = periods - self._run
        if self._skipped <= 0:
            return False
        for packets in self._streams:
            state.members["sent"][packets.members] += state.members["sent"].dtype.type(self._skipped * packets.step)
        counters[STEADY_HOPS] = counters[WORD_HOPS] - counters[STEADY_HOPS]
        counters[STEADY_MODE] = SKIP
        counters[STEADY_CYCLE] = cycle + self._run * period
        return True

    def _packets_of(self, group: int) -> _Packets | None:
        """Return the packets of a group; None if the words of a period do not follow from one operation.

        Its members may differ in operator, or send one that is not built: switches have their own. The result of a
        packet that is longer than another one has ended before.
        """
        state = self._state
        shares = state.shares[group :: state.groups]
        shares = shares[shares["taking"] != 0]
        numbers = np.arange(group, len(state.members), state.groups)
        numbers = numbers[state.members["next"][numbers] < state.members["end"][numbers]]
        members = state.members[numbers]
        jobs = members["next"].astype(np.int64)
        steps = np.unique(members["sent"].astype(np.int64) - state.sent_then[numbers])
        step = int(steps[0]) if len(steps) == 1 else 0
        packets = _Packets(group, numbers, jobs, step, state.jobs["received"][jobs].astype(np.int64))
        if len(steps) == 0 or (len(steps) == 1 and step == 0):
            return packets
        operators = {*state.jobs["operator"][jobs].tolist(), *shares["operator"].tolist()}
        has_ended = (members["arriving"] != members["next"]).any()
        return packets if step > 0 and not has_ended and len(operators) == 1 else None

    def _periods_before_an_end(self, packets: _Packets) -> int:
        """Return the periods in which no host sends the last word of its packet."""
        left = self._state.jobs["words"][packets.jobs].astype(np.int64) - 1 - self._sent(packets)
        return int(left.min()) // packets.step

    def _periods_to_leave(self, packets: _Packets) -> int:
        """Return the periods in which all words that hosts have sent leave the plane."""
        return -(-int(self._sent(packets).max() - packets.received.min()) // packets.step)

    def _sent(self, packets: _Packets) -> np.ndarray:
        return self._state.members["sent"][packets.members].astype(np.int64)

    def _end(self) -> None:
        """Let the receivers skip what the hosts have skipped."""
        counters = self._state.counters
        for packets in self._streams:
            self._skip_results(packets)
        counters[WORD_HOPS] += self._skipped * counters[STEADY_HOPS]
        counters[CYCLE] += self._skipped * counters[STEADY_PERIOD]

    def _skip_results(self, packets: _Packets) -> None:
        """Calculate the results of all words of a group from the begin of the skip to its end."""
        jobs = self._state.jobs
        taken = self._run * packets.step
        if (jobs["received"][packets.jobs] != packets.received + taken).any():
            raise RuntimeError("A steady stretch of the plane was none; please report the configuration")
        received = packets.received + taken + self._skipped * packets.step
        jobs["received"][packets.jobs] = received
        span = slice(int(packets.received.min()), int(received.max()))
        operator = int(jobs["operator"][packets.jobs[0]])
        words = self._blocks(self._state.words.view(np.uint64), packets.jobs, span)
        parts = [combine_arrays(operator, block.T, self._word_bits) for block in words]
        result = combine_arrays(operator, parts, self._word_bits)
        for block in self._blocks(self._state.result_values.view(np.uint64), packets.jobs, span):
            block[...] = result[:, None]

    def _blocks(self, values: np.ndarray, jobs: np.ndarray, span: slice) -> list[np.ndarray]:
        """Return views of words of some jobs, with a row for each position and a column for each job.

        One view has all jobs if these are all of an operation, whose words lie side by side.
        """
        first = self._state.jobs["first_word"][jobs].astype(np.int64)
        stride = self._state.jobs["stride"][jobs].astype(np.int64)
        begin, end = (first + span.start * stride).tolist(), (first + span.stop * stride).tolist()
        columns = len(jobs)
        if (stride == columns).all() and (np.diff(first) == 1).all():
            return [values[begin[0] : end[0]].reshape(-1, columns)]
        views = zip(begin, end, stride.tolist(), strict=True)
        return [values[start:stop:step, None] for start, stop, step in views]
