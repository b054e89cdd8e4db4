"""Lock-step comparison of a network's Verilog with its golden model, and the report of the first difference."""

from dataclasses import replace
from pathlib import Path

from hydranoc.lockstep.bench_source import BuiltSimulator, NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.comparison import Comparison, ComparisonOutcome, harness_source
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.compare import COMPARING, run_directly
from hydranoc.lockstep.pending_build import BUILDING, PendingBuild
from hydranoc.reports.progress import Progress
from tb.common.job import LockstepResult

__all__ = ["COMPARING", "Comparison", "compare_network", "harness_source", "runs_directly"]

CYCLES_BEFORE_MISMATCH, CYCLES_AFTER_MISMATCH = 500, 16
WAVE_CYCLES = 2_000


def runs_directly(simulator: str) -> bool:
    """Return True if a comparison in a simulator needs no cocotb."""
    return simulator == "verilator"


def compare_network(
    comparison: Comparison,
    simulator: str,
    folder: Path,
    *,
    waves: bool = False,
    progress: Progress | None = None,
    pending: PendingBuild | None = None,
    cocotb: bool = False,
) -> ComparisonOutcome:
    """Compare hardware and golden model in every cycle.

    Parameters:
        simulator: ``verilator`` or ``icarus``.
        folder: Folder of the waveform, if there is one.
        waves: Write a waveform of the first 2,000 cycles. A mismatch is always run again with a waveform of the cycles
            around it.
        pending: Build of the simulator in progress; only if the comparison ``runs_directly``.
        cocotb: Compare under cocotb, as every simulator but Verilator does.

    Raises:
        ToolMissing: If a program is missing.
        SimulatorFailed: If the simulator does not build or does not finish.
    """
    direct = runs_directly(simulator) and not cocotb
    bench = _Bench(comparison, simulator, folder, progress, direct=direct)
    built = pending.result(progress) if pending else bench.build(waves=waves)
    try:
        result, waveform = bench.run(comparison, built)
    except NotFromRegisters:  # a hardware fault, which is compared all the same
        bench.allow_blocks = False
        built = bench.build(waves=waves)
        result, waveform = bench.run(comparison, built)
    if result.mismatch_cycle is not None:
        waveform = bench.wave_of_mismatch(result.mismatch_cycle)
    elif waves:
        waveform = bench.run(_shortened(comparison, WAVE_CYCLES), built, 0)[1]
    speed = result.compared_cycles / result.cpu_seconds if result.cpu_seconds else 0.0
    return ComparisonOutcome(result, built.version, built.build_seconds, speed, waveform)


class _Bench:
    """Simulators for one comparison."""

    def __init__(
        self, comparison: Comparison, simulator: str, folder: Path, progress: Progress | None, *, direct: bool
    ):
        self._comparison, self._simulator = comparison, simulator
        self._folder, self._progress, self._direct = folder, progress, direct
        self.allow_blocks = True

    def build(self, *, waves: bool) -> BuiltSimulator:
        source, options = self._comparison.harness, {"progress": self._progress, "allow_blocks": self.allow_blocks}
        if self._progress:
            self._progress(BUILDING, 0, 0)
        if self._direct:
            return build_directly(source, waves=waves, **options)
        from hydranoc.lockstep.simulator import build_simulator

        return build_simulator(source, self._simulator, waves=waves, **options)

    def run(
        self, comparison: Comparison, built: BuiltSimulator, wave_first: int | None = None
    ) -> tuple[LockstepResult, Path | None]:
        """Run the whole comparison, with a waveform from ``wave_first`` on if given."""
        if self._direct:
            return run_directly(comparison, built, self._folder, wave_first, self._progress)
        from hydranoc.lockstep.cocotb_run import run_under_cocotb

        return run_under_cocotb(comparison, built, self._folder, wave_first, self._progress)

    def wave_of_mismatch(self, cycle: int) -> Path | None:
        """Run again, with a waveform around the first difference; a failure here must not lose the report."""
        short = replace(_shortened(self._comparison, cycle + CYCLES_AFTER_MISMATCH), stop_at_mismatch=False)
        try:
            built = self.build(waves=True)
            return self.run(short, built, max(0, cycle - CYCLES_BEFORE_MISMATCH))[1]
        except SimulatorFailed:
            return None


def _shortened(comparison: Comparison, cycles: int) -> Comparison:
    """Return the comparison up to a cycle."""
    cycles = min(comparison.cycles, cycles)
    return replace(comparison, cycles=cycles, resets=tuple(reset for reset in comparison.resets if reset < cycles))
