"""The golden model of a plane: runs, recordings, results."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim_model.collective_plane.closed_forms import barrier_cycles
from sim_model.collective_plane.contributions import Contribution, Contributions, check_contributions
from sim_model.collective_plane.due import due_jobs
from sim_model.collective_plane.loop import STEADY, run_plane
from sim_model.collective_plane.parameters import ClearErrors, Event, PlaneParameters, check_events
from sim_model.collective_plane.state import CYCLE, LEFT, QUIET, STRAY, WORD_HOPS, make_state, order_of_jobs
from sim_model.collective_plane.stretches import SteadyStretches
from sim_model.collective_plane.trace import PlaneTrace, make_trace
from sim_model.collective_plane.word_places import word_places
from sim_model.engines.cycle.records import NEVER, NONE
from topology.collectives.tables import PlaneTables
from topology.common.errors import FieldError
from topology.common.host_pattern import EAGER, HostBehaviour

DEFAULT_PARAMETERS = PlaneParameters()


@dataclass(frozen=True)
class PlaneResults:
    """Results of all contributions, in the order in which they were given.

    Parameters:
        contributions
        start_cycle (int64 array): First cycle in which the host may offer it; of one that still waits for a result, the
            given start.
        first_cycle (int64 array): Cycle of the first beat, or of the request; -1 if there was none.
        done_cycle (int64 array): Cycle of the last result beat, or of ``barrier_done``; -1 if the result is not
            complete.
        error (bool array): True if the result had an error mark.
        received (int64 array): Result words.
        words (uint64 array): Result words, each where the contribution has its own in ``contributions.words``.
    """

    contributions: Contributions
    start_cycle: np.ndarray
    first_cycle: np.ndarray
    done_cycle: np.ndarray
    error: np.ndarray
    received: np.ndarray
    words: np.ndarray

    def words_of(self, number: int) -> np.ndarray:
        """Return the result words of a contribution, uint64.

        Parameters:
            number: Its position.
        """
        begin = self.contributions.offsets[number]
        return self.words[begin : begin + self.received[number]]

    @property
    def latency_cycles(self) -> np.ndarray:
        """Cycles from the first beat or request to the end of the result, int64; -1 if it is not complete."""
        return np.where(self.done_cycle == NONE, NONE, self.done_cycle - self.first_cycle)


class CollectivePlane:
    """A plane with its hosts, from the first cycle after reset.

    Parameters:
        tables
        parameters
        contributions (Contributions or iterable of Contribution)
        hosts: Pauses of sources and stalls of receivers.
        events (iterable of Flush, Reset and ClearErrors)
        interleaved: Hosts alternate between the packets of several groups, beat by beat. Groups may then wait for each
            other in a circle, as packets that come in different orders do.

    Raises:
        FieldError: "X is Z; it must be Y".
    """

    def __init__(
        self,
        tables: PlaneTables,
        parameters: PlaneParameters = DEFAULT_PARAMETERS,
        contributions: Contributions | Iterable[Contribution] = (),
        *,
        hosts: HostBehaviour = EAGER,
        events: Iterable[Event] = (),
        interleaved: bool = False,
    ):
        self.tables = tables
        self.parameters = parameters
        given = contributions if isinstance(contributions, Contributions) else Contributions.of(contributions)
        self.contributions = given
        check_contributions(given, tables, parameters.word_bits)
        listed = tuple(events)
        check_events(listed, parameters, len(tables.groups))
        for event in listed:
            if isinstance(event, ClearErrors) and event.switch not in tables.tree.position:
                raise FieldError("switch", f"Switch of cleared errors is {event.switch!r}; it must be in the tree")
        if hosts.blocked:
            raise FieldError("blocked", "hosts of a plane have blockades; they must have none")
        self.state = make_state(tables, parameters, given, hosts, listed, interleaved=interleaved)
        self._stretches = SteadyStretches(self.state, parameters.word_bits)

    @property
    def cycle(self) -> int:
        """Next cycle."""
        return int(self.state.counters[CYCLE])

    @property
    def left(self) -> int:
        """Contributions without a complete result that are not abandoned."""
        return int(self.state.counters[LEFT])

    @property
    def word_hops(self) -> int:
        """Words that have arrived on links."""
        return int(self.state.counters[WORD_HOPS])

    @property
    def strays(self) -> int:
        """Result words without a contribution that awaits them; 0 unless the plane is wrong."""
        return int(self.state.counters[STRAY])

    def run(self, until_cycle: int = NEVER) -> int:
        """Run to the end of all contributions, to a cycle, or until nothing can change any more.

        Parameters:
            until_cycle: First cycle that is not run.

        Returns:
            ``FINISHED``, ``LIMIT`` or ``DEADLOCKED`` of ``sim_model/engines/cycle/clock.py``.
        """
        nothing = make_trace(0, self.tables)
        self._stretches.begin_run()
        while (reason := self._run_loop(nothing, until_cycle)) == STEADY:
            self._stretches.step(until_cycle)
        return reason

    def barrier_cycles(self, up_levels: int, down_levels: int) -> int:
        """Return the cycles of a barrier without contention.

        Parameters:
            up_levels, down_levels (int): Levels from the member up to the top, and from there to a member.
        """
        return barrier_cycles(up_levels, down_levels, self.parameters.link_cycles)

    def due_jobs(self) -> list[int]:
        """Return the jobs whose results end in the next cycle, which registers show before it is run."""
        return due_jobs(self.cycle, self.state)

    def release(self, number: int, cycle: int) -> None:
        """Count an event outside of the plane for a held contribution, which does not start before the last of them.

        Parameters:
            number: Position of the contribution.
            cycle: Cycle of the event; at least the next one of the plane.
        """
        jobs, job = self.state.jobs, self._job[number]
        jobs["held"][job] -= 1
        jobs["start_cycle"][job] = max(jobs["start_cycle"][job], cycle)
        self.state.endpoints["wake_cycle"][self.contributions.processor[number]] = 0
        self.state.counters[QUIET] = 0

    def contribution_of(self, job: int) -> int:
        """Return the position of a job's contribution.

        Parameters:
            job: Its number in the state.
        """
        return int(self._order[job])

    @cached_property
    def _order(self) -> np.ndarray:
        """Contribution of each job."""
        return order_of_jobs(self.contributions)

    @cached_property
    def _job(self) -> np.ndarray:
        """Job of each contribution."""
        job = np.empty(len(self._order), dtype=np.int64)
        job[self._order] = np.arange(len(job))
        return job

    def record(self, cycles: int) -> PlaneTrace:
        """Return a recording of the next cycles, which are run.

        Parameters:
            cycles: Number of cycles.
        """
        trace = make_trace(cycles, self.tables)
        self._run_loop(trace, self.cycle + cycles)
        return trace

    def _run_loop(self, trace: PlaneTrace, until_cycle: int) -> int:
        return int(run_plane(self.state, trace, until_cycle) or 0)

    @property
    def mismatches(self) -> dict[int, int]:
        """Mask of branches with a wrong operator or length, by switch; switches without any are left out."""
        return self._masks(self.state.switches["mismatches"])

    @property
    def timeouts(self) -> dict[int, int]:
        """Mask of branches that were missing at a timeout, by switch; switches without any are left out."""
        return self._masks(self.state.switches["timeouts"])

    def _masks(self, masks: np.ndarray) -> dict[int, int]:
        pairs = zip(self.tables.tree.switches, masks.tolist(), strict=True)
        return {switch: mask for switch, mask in pairs if mask}

    def branch_names(self, switch: int, mask: int) -> list[str]:
        """Return the names of branches in a mask: ``s3`` for a switch, ``p3`` for a processor.

        Parameters:
            switch
            mask
        """
        branches = self.tables.tree.branches_of(switch)
        return [f"{'p' if one.is_processor else 's'}{one.number}" for one in branches if mask >> one.port & 1]

    def results(self) -> PlaneResults:
        """Return the results so far."""

        def ordered(field: str) -> np.ndarray:
            return self.state.jobs[field][self._job].astype(np.int64)

        received, words = ordered("received"), np.zeros(len(self.contributions.words), dtype=np.uint64)
        values = self.state.result_values.view(np.uint64)
        begins = self.contributions.offsets[:-1]
        for spread, dense in word_places(ordered("first_word"), ordered("stride"), received, begins):
            words[dense] = values[spread]
        return PlaneResults(
            contributions=self.contributions,
            start_cycle=ordered("start_cycle"),
            first_cycle=ordered("first_cycle"),
            done_cycle=ordered("done_cycle"),
            error=ordered("error").astype(bool),
            received=received,
            words=words,
        )
