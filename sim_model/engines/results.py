"""Results of a run: deliveries, their cycles, and missing arrivals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sim_model.engines.cycle.state import CYCLE, DISORDERED, FLIT_HOPS, NEVER, NONE, STRAY, EngineState
from sim_model.messages.header_lengths import distinct
from sim_model.messages.messages import Messages

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Results:
    """Deliveries of M messages to F pairs of message and destination.

    Members:
        messages
        start_cycle (int64[M]): Start of each message, -1 if it never started.
        accepted_cycle (int64[M]): Cycle in which the injector accepted the message, -1 if it never did; the host took
            it up ``startup_cycles`` before.
        arrival_cycle (int64[F]): Cycle in which the tail moved over the delivery channel, that of the last copy if
            there are several, by position in ``messages.destinations``; -1 if it never did.
        copies (int64[F]): Tails that arrived there.
        cycles: Cycles run.
        flit_hops: Flits moved over channels, injection and delivery channels included.
        stray: Messages that arrived at a processor that is no destination of theirs.
        disordered: Flits that arrived out of order, or in the middle of another message.
        deadlocked
        copy_log (structured array or None): Every delivered copy, in the order of arrival, where messages have several
            per destination: message, node, direction of travel over the last link, hops (links), stage (sends), spoilt,
            stored_cycle (its tail came off the last link) and cycle (its tail was delivered).
        reception (mapping of str to int): Counts of what hosts make of several copies.
        discarded: Number of unroutable worms.
    """

    messages: Messages
    start_cycle: np.ndarray
    accepted_cycle: np.ndarray
    arrival_cycle: np.ndarray
    copies: np.ndarray
    cycles: int
    flit_hops: int
    stray: int
    disordered: int
    deadlocked: bool
    copy_log: np.ndarray | None = None
    reception: Mapping[str, int] = field(default_factory=dict)
    discarded: int = 0

    @classmethod
    def of(
        cls, messages: Messages, state: EngineState, *, deadlocked: bool, copy_log: np.ndarray | None = None
    ) -> "Results":
        """Return copies of the results that are in a state.

        Parameters:
            messages
            state: Everything but the routers.
            deadlocked
            copy_log (structured array or None): As in the members.
        """
        return cls(
            messages=messages,
            start_cycle=state.jobs.start_cycle.copy(),
            accepted_cycle=state.jobs.accepted_cycle.copy(),
            arrival_cycle=state.deliveries.arrival_cycle.copy(),
            copies=state.deliveries.copies.copy(),
            cycles=int(state.counters[CYCLE]),
            flit_hops=int(state.counters[FLIT_HOPS]),
            stray=int(state.counters[STRAY]),
            disordered=int(state.counters[DISORDERED]),
            deadlocked=deadlocked,
            copy_log=copy_log,
        )

    def __repr__(self) -> str:
        """Return counts in place of the arrays."""
        counts = f"{len(self.messages):,} messages, {self.deliveries:,} deliveries, {self.lost:,} lost"
        end = ", deadlocked" if self.deadlocked else ""
        return f"<Results of {self.cycles:,} cycles: {counts}, {self.flit_hops:,} flit-hops{end}>"

    def to_pandas(self) -> "DataFrame":
        """Return the deliveries as a table with the columns of ``messages.csv``, and the latency.

        Returns:
            pandas.DataFrame: A row for each message and destination, all int64: ``message``, ``source``,
                ``destination``, ``flits``, ``start_cycle``, ``arrival_cycle`` (-1 if it never started or arrived) and
                ``latency_cycles`` (from start to arrival, -1 without one).

        Raises:
            ImportError: If pandas is not installed; it comes with the extra ``sweep``.
        """
        try:
            from pandas import DataFrame
        except ImportError:
            raise ImportError("pandas is not installed; it comes with: pip install hydranoc[sweep]") from None
        messages, message = self.messages, self.messages.message_of_destination
        columns = {
            "message": message,
            "source": messages.source[message],
            "destination": messages.destinations,
            "flits": messages.flits[message],
            "start_cycle": self.start_cycle[message],
            "arrival_cycle": self.arrival_cycle,
            "latency_cycles": np.where(
                self.arrival_cycle == NONE, NONE, self.arrival_cycle - self.start_cycle[message]
            ),
        }
        return DataFrame({name: column.astype(np.int64) for name, column in columns.items()})

    @property
    def deliveries(self) -> int:
        """Messages that arrived at their destinations, each copy counted."""
        return int(np.minimum(self.copies, self.messages.copies).sum())

    @property
    def lost(self) -> int:
        """Arrivals that are missing."""
        return int(self.messages.copies.sum()) - self.deliveries

    @property
    def duplicated(self) -> int:
        """Arrivals beyond those that were to come, and arrivals at processors that are no destination."""
        return int(np.maximum(self.copies - self.messages.copies, 0).sum()) + self.stray

    @cached_property
    def last_arrival_cycle(self) -> np.ndarray:
        """Arrival at the last destination of each message, int64[M]; -1 if one is missing."""
        if len(self.arrival_cycle) == len(self.messages):
            return self.arrival_cycle
        return _last_or_none(self.arrival_cycle, self.messages.message_of_destination, len(self.messages))

    @cached_property
    def latency_cycles(self) -> np.ndarray:
        """Start to last arrival, start-up and waiting at the source included, int64[M]; -1 if not complete."""
        complete = self.last_arrival_cycle != NONE
        return np.where(complete, self.last_arrival_cycle - self.start_cycle, NONE)

    @cached_property
    def _all_alone(self) -> bool:
        """True if every message is a group of its own, in order; there is nothing to gather then."""
        return bool((np.diff(self.messages.group) > 0).all())

    @cached_property
    def groups(self) -> np.ndarray:
        """Distinct group numbers, ascending, int32[G]."""
        return self.messages.group if self._all_alone else distinct(self.messages.group)

    @cached_property
    def group_start_cycle(self) -> np.ndarray:
        """First start in each group, int64[G], by position in ``groups``; beyond all cycles if none started."""
        started = self.start_cycle != NONE
        if self._all_alone:
            return np.where(started, self.start_cycle, NEVER)
        first = np.full(len(self.groups), NEVER)
        np.minimum.at(first, self._group_position[started], self.start_cycle[started])
        return first

    @cached_property
    def group_source(self) -> np.ndarray:
        """Source of the first message of each group, int32[G], by position in ``groups``."""
        if self._all_alone:
            return self.messages.source
        return self.messages.source[np.unique(self._group_position, return_index=True)[1]]

    @cached_property
    def group_latency_cycles(self) -> np.ndarray:
        """First start to last arrival of each group, int64[G], by position in ``groups``; -1 if not complete."""
        if self._all_alone:
            return self.latency_cycles
        last = _last_or_none(self.last_arrival_cycle, self._group_position, len(self.groups))
        return np.where(last != NONE, last - self.group_start_cycle, NONE)

    @cached_property
    def group_destinations(self) -> np.ndarray:
        """Destinations of each group, those of all its messages together, int64[G]."""
        if self._all_alone:
            return self.messages.destination_counts
        return np.bincount(
            self._group_position, weights=self.messages.destination_counts, minlength=len(self.groups)
        ).astype(np.int64)

    @cached_property
    def _group_position(self) -> np.ndarray:
        return np.searchsorted(self.groups, self.messages.group)

    def complete_latencies(self, *, multicast: bool, warmup_cycles: int = 0) -> np.ndarray:
        """Return the latencies of complete groups in order of start (then number), int64.

        Parameters:
            multicast: Groups with several destinations, or with one.
            warmup_cycles: Groups that start before this cycle are left out.
        """
        wanted = (self.group_destinations > 1) == multicast
        wanted &= (self.group_latency_cycles != NONE) & (self.group_start_cycle >= warmup_cycles)
        start, latency = self.group_start_cycle[wanted], self.group_latency_cycles[wanted]
        in_order = (np.diff(start) >= 0).all()  # as those of drawn traffic are
        return latency if in_order else latency[np.argsort(start, kind="stable")]


def _last_or_none(arrival_cycle: np.ndarray, owner: np.ndarray, owners: int) -> np.ndarray:
    """Return the latest arrival of each owner; NONE if any of its arrivals is NONE."""
    last = np.full(owners, NONE, dtype=np.int64)
    np.maximum.at(last, owner, arrival_cycle)
    last[owner[arrival_cycle == NONE]] = NONE
    return last
