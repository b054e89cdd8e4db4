"""Simulators that compare rows."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.process import DirectBench, row_text
from hydranoc.lockstep.pending_build import BUILDING
from hydranoc.lockstep.rows.icarus import IcarusBench, build_icarus, wave_file
from hydranoc.lockstep.rows.subject import RowSubject
from hydranoc.reports.progress import Progress

GIVEN = "given"
"""Port with all inputs."""


class RowBench(AbstractContextManager["RowBench"], Protocol):
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
    """A top in Verilator, with the members of ``RowBench``.

    Parameters:
        source, built: Verilog, and result of ``build_directly`` for it.
        bits: Observed bits.
        wave: File of the waveform, if there is one.
    """

    def __init__(self, source: BenchSource, built: BuiltSimulator, bits: int, wave: Path):
        self.wave = wave.absolute()
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


class RowBenches:
    """Simulators of one subject.

    Parameters:
        subject
        simulator: ``verilator`` or ``icarus``.
        folder: Folder of the waveform, if there is one.
        source: Verilog in place of the subject's.
        progress: Called if another process builds it.

    Members:
        allow_blocks: False compiles every instance of every module separately.
    """

    def __init__(
        self,
        subject: RowSubject,
        simulator: str,
        folder: Path,
        source: BenchSource | None,
        progress: Progress | None,
    ):
        self.allow_blocks = True
        self._subject, self._source = subject, source or subject.source()
        self._simulator, self._folder, self._progress = simulator, folder, progress

    def build(self, *, waves: bool) -> BuiltSimulator:
        """Build a simulator, or find it in the cache."""
        if self._progress:
            self._progress(BUILDING, 0, 0)
        if self._simulator == "icarus":
            return build_icarus(self._source, self._subject, self._progress)
        return build_directly(self._source, waves=waves, allow_blocks=self.allow_blocks, progress=self._progress)

    def open(self, built: BuiltSimulator) -> RowBench:
        """Start a simulator; its context ends it."""
        if self._simulator == "icarus":
            return IcarusBench(built, self._folder / wave_file(self._subject))
        wave = self._folder / f"{self._subject.name}.vcd"
        return VerilatorBench(self._source, built, self._subject.fields.observed_packing.bits, wave)
