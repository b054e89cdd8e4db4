"""Comparison by rows: all observed bits of hardware against the golden model, in every cycle."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hydranoc.lockstep.bench_source import BenchSource, NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.direct.process import row_text
from hydranoc.lockstep.pending_build import PendingBuild
from hydranoc.lockstep.rows.benches import RowBench, RowBenches
from hydranoc.lockstep.rows.packing import Block
from hydranoc.lockstep.rows.subject import Blocks, RowSubject, reset_rows
from hydranoc.reports.progress import Progress, Work

BLOCK_CYCLES = 1021
"""Cycles that are recorded at a time."""
RESET_CYCLES = 10
"""Cycles of reset before each run: cycle n of the first one lasts from 100 + 10 n ns to 110 + 10 n ns in a waveform."""
CYCLES_BEFORE_MISMATCH, CYCLES_AFTER_MISMATCH = 500, 16
WAVE_CYCLES = 2_000
NEVER = 1 << 62


@dataclass(frozen=True)
class RowDifference:
    """The first row in which hardware and golden model differ.

    Members:
        run: Number of the run.
        cycle: Cycle since the run's reset.
        compared_cycles: Equal cycles of all runs before it.
        seen, expected: Bits of hardware and model, highest first.
    """

    run: int
    cycle: int
    compared_cycles: int
    seen: str
    expected: str


@dataclass(frozen=True)
class RowOutcome:
    """Result of a comparison by rows.

    Members:
        compared_cycles: Cycles in which every observed bit was equal.
        difference: The first one; None if there is none.
        simulator: Name and version.
        build_seconds: Wall time; 0 if the simulator came from the cache.
        cycles_per_second: Per CPU second of model and simulator together.
    """

    compared_cycles: int
    difference: RowDifference | None
    simulator: str
    build_seconds: float
    cycles_per_second: float


class RowComparison:
    """Hardware and golden model, to be compared in every cycle of all runs; the first difference ends it.

    Parameters:
        subject
        simulator: ``verilator`` or ``icarus``.
        folder: Folder of the waveform, if there is one.
        source: Verilog in place of the subject's.
        more: Rows of more runs, behind those of the subject, from any other source. After a difference they are read
            a second time.
        waves: Write a waveform of the first 2,000 cycles. A difference is always run again with a waveform of the
            cycles around it.
        progress: Called with cycles.
        pending: Build of the source in progress; only for Verilator.
    """

    def __init__(
        self,
        subject: RowSubject,
        simulator: str,
        folder: Path,
        *,
        source: BenchSource | None = None,
        more: Sequence[Blocks] = (),
        waves: bool = False,
        progress: Progress | None = None,
        pending: PendingBuild | None = None,
    ):
        folder.mkdir(parents=True, exist_ok=True)
        self._benches = RowBenches(subject, simulator, folder, source, progress)
        self._pass = _Pass(subject, more, progress)
        self._waves, self._progress, self._pending = waves, progress, pending

    def compare(self) -> RowOutcome:
        """Compare all runs.

        Raises:
            ToolMissing: If a program is missing.
            SimulatorFailed: If the simulator does not build or does not finish.
            MachineTrouble: If the folder of simulators cannot be written.
        """
        benches, passing = self._benches, self._pass
        built = self._pending.result(self._progress) if self._pending else benches.build(waves=self._waves)
        try:
            difference = passing.over(benches.open(built))
        except NotFromRegisters:  # a hardware fault, which is compared all the same
            benches.allow_blocks = False
            built = benches.build(waves=self._waves)
            difference = passing.over(benches.open(built))
        equal, speed = passing.compared_cycles, passing.cycles_per_second
        return RowOutcome(equal, difference, built.version, built.build_seconds, speed)

    def waveform(self, outcome: RowOutcome) -> Path | None:
        """Run again to write the waveform of a difference, or the one that is requested; None if there is none."""
        equal = outcome.compared_cycles
        if outcome.difference is not None:
            return self._wave(equal - CYCLES_BEFORE_MISMATCH, equal + CYCLES_AFTER_MISMATCH)
        return self._wave(0, WAVE_CYCLES) if self._waves else None

    def _wave(self, first: int, end: int) -> Path | None:
        """Run with a waveform of some cycles; a failure here must not lose the result."""
        try:
            bench = self._benches.open(self._benches.build(waves=True))
            self._pass.over(bench, wave_first=max(0, first), end=end)
        except SimulatorFailed:
            return None
        return bench.wave if bench.wave.exists() else None


class _Pass:
    """All runs, to be run in a simulator from the beginning.

    compared_cycles: Equal cycles of all runs.
    cycles_per_second: Of both sides, without the build.
    """

    def __init__(self, subject: RowSubject, more: Sequence[Blocks], progress: Progress | None):
        self._subject, self._more, self._progress = subject, more, progress
        self.compared_cycles, self.cycles_per_second = 0, 0.0

    def over(self, bench: RowBench, *, wave_first: int = NEVER, end: int = NEVER) -> RowDifference | None:
        """Run all runs in a simulator, and end it.

        Parameters:
            bench
            wave_first: First cycle of the waveform, of all runs; with one nothing is compared.
            end: First cycle that is not run.
        """
        self.compared_cycles, self.cycles_per_second = 0, 0.0
        started = time.process_time()
        with bench:
            for number, blocks in enumerate(self._runs()):
                dumped = self.compared_cycles >= wave_first
                bench.run(reset_rows(self._subject, RESET_CYCLES), dumped=dumped)
                difference = self._one(bench, number, blocks, wave_first, end)
                if difference is not None or self.compared_cycles >= end:
                    break
            else:
                difference = None
            seconds = time.process_time() - started + bench.cpu_seconds
        self.cycles_per_second = self.compared_cycles / seconds if seconds else 0.0
        return difference

    def _runs(self) -> Iterator[Blocks]:
        yield from self._subject.runs()
        yield from self._more

    def _one(self, bench: RowBench, number: int, blocks: Blocks, wave_first: int, end: int) -> RowDifference | None:
        """Run one run, and count its equal cycles."""
        cycle = 0
        for block in blocks:
            if self._progress:
                work = Work(f"comparing the {self._subject.title}", "cycles")
                self._progress(work, self.compared_cycles, self._subject.cycles)
            for given, expected in _pieces(block, wave_first - self.compared_cycles, end - self.compared_cycles):
                dumped = self.compared_cycles >= wave_first
                found = bench.run(given, expected if wave_first == NEVER else None, dumped=dumped)
                equal = len(given) if found is None else found[0]
                self.compared_cycles += equal
                cycle += equal
                if found is not None:
                    wanted = row_text(expected[equal].tobytes(), self._subject.fields.observed_packing.bits)
                    return RowDifference(number, cycle, self.compared_cycles, found[1], wanted)
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
