"""Lock-step comparison of a plane: all observed bits of the hardware against the golden model, in every cycle."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.pending_build import PendingBuild
from hydranoc.lockstep.plane.comparison import PlaneComparison, PlaneOutcome
from hydranoc.lockstep.plane.fields import PlaneFields
from hydranoc.lockstep.plane.records import RunRecords
from hydranoc.lockstep.plane.report import difference_of
from hydranoc.lockstep.plane.source import plane_source
from hydranoc.lockstep.rows.compare import BLOCK_CYCLES, RowComparison
from hydranoc.lockstep.rows.subject import Blocks
from hydranoc.reports.progress import Progress
from sim_model.collective_plane.model import CollectivePlane


class PlaneSubject:
    """A plane as a ``RowSubject``.

    Parameters:
        comparison

    Members:
        models: Golden models of the runs that have begun.
    """

    name, title, settling_cycles = "plane", "plane", 0

    def __init__(self, comparison: PlaneComparison):
        self.fields = PlaneFields(comparison.plan)
        self.models: list[tuple[CollectivePlane, ...]] = []
        self._comparison = comparison

    @property
    def cycles(self) -> int:
        """Cycles of all runs."""
        return self._comparison.cycles

    def source(self) -> BenchSource:
        """Return the Verilog."""
        return plane_source(self._comparison.plan)

    def runs(self) -> Iterator[Blocks]:
        """Yield the rows of each run."""
        self.models = []
        for run in self._comparison.runs:
            records = RunRecords(self._comparison, run, self.fields)
            self.models.append(records.models)
            yield records.blocks(BLOCK_CYCLES)


def compare_plane(
    comparison: PlaneComparison,
    simulator: str,
    folder: Path,
    *,
    source: BenchSource | None = None,
    more: Sequence[Blocks] = (),
    waves: bool = False,
    progress: Progress | None = None,
    pending: PendingBuild | None = None,
) -> PlaneOutcome:
    """Compare a plane's hardware with its golden model in every cycle of all runs; the first difference ends it.

    Parameters:
        comparison
        simulator, folder, more, waves, progress, pending: As of ``RowComparison``.
        source: Result of ``plane_source``, if it is made already or is not that of the plan.

    Raises:
        ToolMissing, SimulatorFailed, MachineTrouble: As ``RowComparison.compare``.
    """
    subject = PlaneSubject(comparison)
    rows = RowComparison(
        *(subject, simulator, folder), source=source, more=more, waves=waves, progress=progress, pending=pending
    )
    found = rows.compare()
    models = subject.models
    return PlaneOutcome(
        found.compared_cycles,
        found.difference and difference_of(subject.fields, found.difference),
        found.simulator,
        found.build_seconds,
        found.cycles_per_second,
        rows.waveform(found),
        models,
    )
