"""Lock-step comparison of a plane: all observed bits of the hardware against the golden model, in every cycle."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator, NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.process import DirectBench, row_text
from hydranoc.lockstep.pending_build import BUILDING, PendingBuild
from hydranoc.lockstep.plane.comparison import PlaneComparison, PlaneDifference, PlaneOutcome
from hydranoc.lockstep.plane.fields import PlaneFields
from hydranoc.lockstep.plane.icarus import IcarusBench, build_icarus
from hydranoc.lockstep.plane.records import Block, RunRecords
from hydranoc.lockstep.plane.report import difference_of
from hydranoc.lockstep.plane.source import GIVEN, plane_source
from hydranoc.reports.progress import Progress, Work
from sim_model.collective_plane.model import CollectivePlane

BLOCK_CYCLES = 1021
"""Cycles that are recorded at a time."""
RESET_CYCLES = 10
"""Cycles of reset before each run: cycle n of the first one lasts from 100 + 10 n ns to 110 + 10 n ns in a waveform."""
CYCLES_BEFORE_MISMATCH, CYCLES_AFTER_MISMATCH = 500, 16
WAVE_CYCLES = 2_000
WAVE_FILE = "plane.vcd"
COMPARING = "comparing the plane"
NEVER = 1 << 62
Blocks = Iterable[Block]
"""Rows of a run, from reset on."""


class PlaneBench(AbstractContextManager["PlaneBench"], Protocol):
    """A simulator that compares rows.

    Members:
        wave (Path): File of the waveform.
        cpu_seconds: CPU time of its process; 0 if it is unknown.
    """

    wave: Path

    @property
    def cpu_seconds(self) -> float: ...

    def run(
        self, given: np.ndarray, expected: np.ndarray | None = None, *, dumped: bool = False
    ) -> tuple[int, str] | None:
        """Run a block of cycles; return the first row that differs, and the hardware's bits in it, highest first."""
        ...


class VerilatorBench:
    """A plane in Verilator, with the members of ``PlaneBench``.

    Parameters:
        source, built: Result of ``plane_source``, and of ``build_directly`` for it.
        bits: Observed bits.
        folder: Folder of the waveform, if there is one.
    """

    def __init__(self, source: BenchSource, built: BuiltSimulator, bits: int, folder: Path):
        self.wave = folder.absolute() / WAVE_FILE
        self._bench = DirectBench(source, built, self.wave if built.waves else None)
        self._bits = bits

    @property
    def cpu_seconds(self) -> float:
        """CPU time of the process."""
        return self._bench.cpu_seconds

    def run(
        self, given: np.ndarray, expected: np.ndarray | None = None, *, dumped: bool = False
    ) -> tuple[int, str] | None:
        """Run a block of cycles; return the first row that differs, and the hardware's bits in it, highest first."""
        bench = self._bench
        rows = None if expected is None else _padded(expected, bench.row_bytes)
        found = bench.run_rows(GIVEN, _padded(given, bench.port_bytes(GIVEN)), rows, dumped=dumped)
        return found and (found[0], row_text(found[1], self._bits))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bench.close()


def _padded(rows: np.ndarray, row_bytes: int) -> np.ndarray:
    found = np.zeros((len(rows), row_bytes), dtype=np.uint8)
    found[:, : rows.shape[1]] = rows
    return found


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
        simulator: ``verilator`` or ``icarus``.
        folder: Folder of the waveform, if there is one.
        source: Result of ``plane_source``, if it is made already or is not that of the plan.
        more: Rows of more runs, behind those of the comparison, from any other source. After a difference they are read
            a second time.
        waves: Write a waveform of the first 2,000 cycles. A difference is always run again with a waveform of the
            cycles around it.
        progress: Called with cycles.
        pending: Build of ``plane_source`` in progress; only for Verilator.

    Raises:
        ToolMissing: If a program is missing.
        SimulatorFailed: If the simulator does not build or does not finish.
        MachineTrouble: If the folder of simulators cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    benches = _Benches(comparison, simulator, folder, source, progress)
    passing = _Pass(comparison, benches.fields, more, progress)
    built = pending.result(progress) if pending else benches.build(waves=waves)
    try:
        difference = passing.over(benches.open(built))
    except NotFromRegisters:  # a hardware fault, which is compared all the same
        benches.allow_blocks = False
        built = benches.build(waves=waves)
        difference = passing.over(benches.open(built))
    equal, speed, models = passing.compared_cycles, passing.cycles_per_second, passing.models
    waveform = None
    if difference is not None:
        waveform = _wave_of(passing, benches, equal - CYCLES_BEFORE_MISMATCH, equal + CYCLES_AFTER_MISMATCH)
    elif waves:
        waveform = _wave_of(passing, benches, 0, WAVE_CYCLES)
    return PlaneOutcome(equal, difference, built.version, built.build_seconds, speed, waveform, models)


def _wave_of(passing: "_Pass", benches: "_Benches", first: int, end: int) -> Path | None:
    """Run again, with a waveform of some cycles; a failure here must not lose the result."""
    try:
        bench = benches.open(benches.build(waves=True))
        passing.over(bench, wave_first=max(0, first), end=end)
    except SimulatorFailed:
        return None
    return bench.wave if bench.wave.exists() else None


class _Benches:
    """Simulators of one plane.

    fields: Of the plane.
    allow_blocks: False compiles every instance of every module separately.
    """

    def __init__(
        self,
        comparison: PlaneComparison,
        simulator: str,
        folder: Path,
        source: BenchSource | None,
        progress: Progress | None,
    ):
        self.fields = PlaneFields(comparison.plan)
        self.allow_blocks = True
        self._source = source or plane_source(comparison.plan)
        self._simulator, self._folder, self._progress = simulator, folder, progress

    def build(self, *, waves: bool) -> BuiltSimulator:
        if self._progress:
            self._progress(BUILDING, 0, 0)
        if self._simulator == "icarus":
            return build_icarus(self._source, self.fields, self._progress)
        return build_directly(self._source, waves=waves, allow_blocks=self.allow_blocks, progress=self._progress)

    def open(self, built: BuiltSimulator) -> PlaneBench:
        """Start a simulator; its context ends it."""
        if self._simulator == "icarus":
            return IcarusBench(built, self._folder)
        return VerilatorBench(self._source, built, self.fields.observed_packing.bits, self._folder)


class _Pass:
    """All runs, to be run in a simulator from the beginning.

    compared_cycles: Equal cycles of all runs.
    cycles_per_second: Of both sides, without the build.
    models: Golden models of the runs that have begun.
    """

    def __init__(
        self, comparison: PlaneComparison, fields: PlaneFields, more: Sequence[Blocks], progress: Progress | None
    ):
        self._comparison, self._fields, self._more, self._progress = comparison, fields, more, progress
        self._begin()

    def _begin(self) -> None:
        self.compared_cycles, self.cycles_per_second = 0, 0.0
        self.models: list[tuple[CollectivePlane, ...]] = []

    def over(self, bench: PlaneBench, *, wave_first: int = NEVER, end: int = NEVER) -> PlaneDifference | None:
        """Run all runs in a simulator, and end it.

        Parameters:
            bench
            wave_first: First cycle of the waveform, of all runs; with one nothing is compared.
            end: First cycle that is not run.
        """
        self._begin()
        started = time.process_time()
        with bench:
            for number, blocks in enumerate(self._runs()):
                dumped = self.compared_cycles >= wave_first
                bench.run(self._reset_rows(), dumped=dumped)
                difference = self._one(bench, number, blocks, wave_first, end)
                if difference is not None or self.compared_cycles >= end:
                    break
            else:
                difference = None
            seconds = time.process_time() - started + bench.cpu_seconds
        self.cycles_per_second = self.compared_cycles / seconds if seconds else 0.0
        return difference

    def _runs(self) -> Iterator[Blocks]:
        for run in self._comparison.runs:
            records = RunRecords(self._comparison, run, self._fields)
            self.models.append(records.models)
            yield records.blocks(BLOCK_CYCLES)
        yield from self._more

    def _reset_rows(self) -> np.ndarray:
        packing = self._fields.input_packing
        values = packing.matrix(RESET_CYCLES)
        values[:, packing.place["rst"]] = 1
        return packing.pack(values)

    def _one(self, bench: PlaneBench, number: int, blocks: Blocks, wave_first: int, end: int) -> PlaneDifference | None:
        """Run one run, and count its equal cycles."""
        cycle = 0
        for block in blocks:
            if self._progress:
                self._progress(Work(COMPARING, "cycles"), self.compared_cycles, self._comparison.cycles)
            for given, expected in _pieces(block, wave_first - self.compared_cycles, end - self.compared_cycles):
                dumped = self.compared_cycles >= wave_first
                found = bench.run(given, expected if wave_first == NEVER else None, dumped=dumped)
                equal = len(given) if found is None else found[0]
                self.compared_cycles += equal
                cycle += equal
                if found is not None:
                    wanted = row_text(expected[equal].tobytes(), self._fields.observed_packing.bits)
                    return difference_of(self._fields, number, cycle, self.compared_cycles, found[1], wanted)
            if self.compared_cycles >= end:
                break
        return None


def _pieces(block: Block, wave_first: int, end: int) -> Iterator[Block]:
    """Yield the rows before the waveform and those in it, up to the end; all counted from the block's first one."""
    rows = min(len(block.given), end)
    border = min(max(wave_first, 0), rows)
    for begin, stop in ((0, border), (border, rows)):
        if begin < stop:
            yield Block(block.given[begin:stop], block.expected[begin:stop])
