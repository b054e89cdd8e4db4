"""Input and result of a lock-step comparison of a collective plane."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rtl.collectives.parameters import PlaneParameters as HardwareParameters
from rtl.collectives.plan import PlanePlan
from sim_model.collective_plane.barriers import barrier_planes
from sim_model.collective_plane.contributions import Contribution, Contributions
from sim_model.collective_plane.model import CollectivePlane
from sim_model.collective_plane.parameters import Event, PlaneParameters
from topology.collectives.operators import SUM
from topology.collectives.tables import PlaneTables
from topology.common.host_pattern import EAGER, HostBehaviour

NO_OPERATOR_NEEDED = (SUM,)


@dataclass(frozen=True)
class PlaneRun:
    """Work of the hosts in one run of a plane, from reset on.

    Members:
        cycles: Cycles to compare.
        contributions
        events: Flushes, resets and cleared errors.
        hosts: Pauses and stalls.
        interleaved: Packets to several groups alternate, beat by beat.
    """

    cycles: int
    contributions: Contributions | tuple[Contribution, ...] = ()
    events: tuple[Event, ...] = ()
    hosts: HostBehaviour = EAGER
    interleaved: bool = False


@dataclass(frozen=True)
class PlaneComparison:
    """Input of a lock-step comparison of a plane.

    Members:
        tables: Groups over a tree.
        parameters: Of the hardware.
        runs: Runs of the golden model with its hosts; the hardware gets the recorded inputs.
        timeout_cycles: Value of the hardware's input; 0 for no timeouts.
    """

    tables: PlaneTables
    parameters: HardwareParameters
    runs: tuple[PlaneRun, ...] = ()
    timeout_cycles: int = 0

    @cached_property
    def plan(self) -> PlanePlan:
        """Plan of the hardware."""
        return PlanePlan(self.tables, self.parameters)

    @property
    def cycles(self) -> int:
        """Cycles of all runs."""
        return sum(run.cycles for run in self.runs)

    @property
    def model_parameters(self) -> PlaneParameters:
        """Parameters of the golden model."""
        plane = self.parameters
        return PlaneParameters(
            word_bits=plane.word_bits,
            operators=plane.operators or NO_OPERATOR_NEEDED,
            window=plane.window,
            link_cycles=plane.link_cycles,
            buffer_words=plane.buffer_words,
            result_words=plane.result_words,
            timeout_cycles=self.timeout_cycles,
        )

    def models(self, run: PlaneRun) -> tuple[CollectivePlane, ...]:
        """Return the golden model before a run: a plane, or one per group if the plane has barriers alone."""
        given = (self.tables, self.model_parameters, run.contributions)
        if self.parameters.barriers_only:
            return barrier_planes(*given, hosts=run.hosts, events=run.events)
        return (CollectivePlane(*given, hosts=run.hosts, events=run.events, interleaved=run.interleaved),)


@dataclass(frozen=True)
class PlaneDifference:
    """The first difference between hardware and golden model.

    Members:
        run: Number of the run.
        cycle: Cycle since the run's reset.
        field: First observed field that differs.
        expected: Value of the model's field.
        seen (int or None): Value of the hardware's field; None with unknown bits.
        report: All differences of the cycle, as text.
    """

    run: int
    cycle: int
    field: str
    expected: int
    seen: int | None
    report: str


@dataclass(frozen=True)
class PlaneOutcome:
    """Result of a comparison of a plane.

    Members:
        compared_cycles: Cycles in which every observed bit was equal.
        difference: The first one; None if there is none.
        simulator: Name and version.
        build_seconds: Wall time; 0 if the simulator came from the cache.
        cycles_per_second: Per CPU second of model and simulator together.
        waveform: Written on request, and for a difference.
        models: Golden models of the runs that have begun, after their last recorded block.
    """

    compared_cycles: int
    difference: PlaneDifference | None
    simulator: str
    build_seconds: float
    cycles_per_second: float
    waveform: Path | None
    models: Sequence[tuple[CollectivePlane, ...]]
