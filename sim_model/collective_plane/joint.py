"""A run of planes and network, in which calls wait for messages, and messages for results.

Both run in turns. No result ends before a bound: the closed form of its operation after the last call. Up to the
bound, the network runs first and the planes follow, since only its messages start calls. If the bound is over, a turn
is one cycle: registers show the results that end in it before it is run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim_model.collective_plane.calls import Call, PlaneModel, merged_results
from sim_model.collective_plane.contributions import Contribution
from sim_model.collective_plane.held_messages import HeldMessages
from sim_model.collective_plane.model import CollectivePlane, PlaneResults
from sim_model.collective_plane.state import WORD_HOPS
from sim_model.engines.cycle.clock import LIMIT
from sim_model.engines.cycle.records import NEVER, NONE
from topology.common.host_pattern import EAGER, HostBehaviour


@dataclass(frozen=True)
class JointResults:
    """Results of calls, and the starts of messages behind them.

    Members:
        results: Of all calls.
        cycles: Cycle behind the end of the last result; 0 without results.
        word_hops: Words that arrived on links.
        release_cycle (mapping of int to int): By message that waits for results: cycle before which it does not start;
            -1 if a result is missing.
    """

    results: PlaneResults
    cycles: int
    word_hops: int
    release_cycle: Mapping[int, int]


def run_jointly(
    model: PlaneModel,
    calls: Sequence[Call],
    hosts: HostBehaviour = EAGER,
    network: HeldMessages | None = None,
    *,
    longest_turn: int = NEVER,
) -> JointResults:
    """Run a plane to the end of all calls, with the messages that calls wait for and that wait for results.

    Parameters:
        model: Golden model of the plane.
        calls: Those of a processor to a group in their order.
        hosts: Pauses of sources and stalls of receivers.
        network: Messages; None if no call waits for one.
        longest_turn: Maximum cycles of a turn. Results do not depend on it.
    """
    return _JointRun(model, calls, hosts, network, longest_turn).run()


class _JointRun:
    def __init__(
        self,
        model: PlaneModel,
        calls: Sequence[Call],
        hosts: HostBehaviour,
        network: HeldMessages | None,
        longest_turn: int,
    ):
        self._calls, self._network, self._longest_turn = calls, network, longest_turn
        self._places: list[tuple[int, int]] = []
        self._followers: dict[int, list[tuple[int, int]]] = {}  # calls of other planes, with their delays
        self._ended = 0
        shares: list[list[Contribution]] = [[] for _ in model.tables.groups] if model.barriers_only else [[]]
        for number, call in enumerate(calls):
            plane = model.plane_of(call.contribution)
            self._places.append((plane, len(shares[plane])))
            shares[plane].append(self._contribution(number, call, plane))
        self._call_at = {place: number for number, place in enumerate(self._places)}
        self._planes = model.planes(shares, hosts)
        self._bounds = [_Bounds(plane) for plane in self._planes]

    def _contribution(self, number: int, call: Call, plane: int) -> Contribution:
        """Return a call as a contribution to its plane, held by all events outside of that plane."""
        after, delay, held = None, 0, int(bool(call.messages))
        for result, cycles in self._last_results(call):
            other, position = self._places[result]
            if other == plane and after is None:
                after, delay = position, cycles
            else:
                held += 1
                self._followers.setdefault(result, []).append((number, cycles))
        return replace(call.contribution, after=after, delay_cycles=delay, held=held)

    def _last_results(self, call: Call) -> Iterator[tuple[int, int]]:
        """Yield the results that a call waits for, with their delays, without those that end before others.

        Results with words end in the order of a group's calls. A barrier may end before words that its host still has
        to take.
        """
        behind: dict[int, int] = {}  # largest delay behind later results, by group
        for result, cycles in sorted(call.results.items(), reverse=True):
            own = self._calls[result].contribution
            if cycles > behind.get(own.group, NONE):
                yield result, cycles
                if len(own.words):
                    behind[own.group] = cycles

    @property
    def _is_alone(self) -> bool:
        """True if nothing outside of a single plane matters."""
        return self._network is None and len(self._planes) == 1 and not self._followers

    def run(self) -> JointResults:
        """Run to the end."""
        if self._is_alone:
            self._planes[0].run()
        else:
            self._run_in_turns()
        results = merged_results(self._planes, self._places, [call.contribution for call in self._calls])
        if not self._is_alone and self._ended != int((results.done_cycle != NONE).sum()):
            raise RuntimeError("A result of the plane came before its bound; please report the configuration")
        word_hops = sum(int(plane.state.counters[WORD_HOPS]) for plane in self._planes)
        released = {} if self._network is None else self._network.release_cycle
        return JointResults(results, int(results.done_cycle.max(initial=NONE)) + 1, word_hops, released)

    def _run_in_turns(self) -> None:
        cycle, is_running = 0, True
        while is_running:
            for number in self._due(cycle):
                self._end(number, cycle)
            bound = min(bounds.next_result_cycle(cycle) for bounds in self._bounds)
            until = min(max(bound, cycle + 1), cycle + self._longest_turn)
            is_running = self._step_network(until)
            for plane in self._planes:
                if plane.left and plane.cycle < until:
                    is_running |= plane.run(until) == LIMIT
            cycle = until

    def _step_network(self, until_cycle: int) -> bool:
        """Run the network and start the calls behind its messages. Returns False if nothing is left to happen there."""
        if self._network is None:
            return False
        is_running = self._network.run(until_cycle)
        for number, start_cycle in self._network.started_calls():
            is_running = True
            self._release(number, start_cycle)
        return is_running

    def _due(self, cycle: int) -> Iterator[int]:
        """Yield the calls whose results end in a cycle that the planes run next."""
        for number, plane in enumerate(self._planes):
            if plane.cycle == cycle and plane.left:
                for job in plane.due_jobs():
                    yield self._call_at[number, plane.contribution_of(job)]

    def _end(self, number: int, cycle: int) -> None:
        """Start what waits for a result that ends in a cycle."""
        self._ended += 1
        for follower, delay in self._followers.get(number, ()):
            self._release(follower, cycle + delay)
        if self._network is not None:
            self._network.end_result(number, cycle)

    def _release(self, number: int, start_cycle: int) -> None:
        plane, position = self._places[number]
        self._planes[plane].release(position, start_cycle)


class _Bounds:
    """Lower bounds of the cycles in which results of a plane end.

    Members of a group call operations in one order, so the first operation without all its results ends first.
    """

    def __init__(self, plane: CollectivePlane):
        self._state, tables = plane.state, plane.tables
        self._jobs: list[np.ndarray] = []  # by member and operation, of each group with operations
        self._ends: list[np.ndarray] = []  # cycles from the call of each member to the first result, without words
        self._next: list[int] = []
        groups, depth = len(tables.groups), tables.tree.depth
        for group in tables.groups:
            members = np.array(group.members)
            row = plane.state.members[members * groups + group.number]
            counts = row["end"].astype(np.int64) - row["next"].astype(np.int64)
            if counts.min() == 0:
                continue
            own = row["next"].astype(np.int64)[:, None] + np.arange(counts.min())
            top = depth[tables.top_switch[group.number]]
            up = np.array([depth[tables.tree.processors[member]] - top for member in group.members])
            ends = [plane.barrier_cycles(levels, int(up.min())) for levels in up.tolist()]
            self._jobs.append(own)
            self._ends.append(np.array(ends))
            self._next.append(0)

    def next_result_cycle(self, cycle: int) -> int:
        """Return a cycle before which no result ends; at least ``cycle`` for calls that have not started by then."""
        return min((self._of_group(group, cycle) for group in range(len(self._jobs))), default=NEVER)

    def _of_group(self, group: int, cycle: int) -> int:
        own = self._jobs[group]
        while True:
            if self._next[group] == own.shape[1]:
                return NEVER
            jobs = self._state.jobs[own[:, self._next[group]]]
            if (jobs["done_cycle"] == NONE).any():
                break
            self._next[group] += 1
        is_known = (jobs["held"] == 0) & (jobs["after"] == NONE)
        starts = np.where(is_known, np.maximum(jobs["start_cycle"], cycle), cycle)
        starts = np.where(jobs["first_cycle"] == NONE, starts, jobs["first_cycle"])
        return int((starts + self._ends[group]).max()) + int(jobs["words"].min())
