"""Lock-step comparison of networks with AXI4 ends: all ports and both networks' channels, in every cycle."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hydranoc.lockstep.axi4.fields import Axi4Fields
from hydranoc.lockstep.axi4.records import Axi4Records
from hydranoc.lockstep.axi4.source import axi4_source
from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.pending_build import PendingBuild
from hydranoc.lockstep.rows.compare import BLOCK_CYCLES, RowComparison, RowDifference, RowOutcome
from hydranoc.lockstep.rows.report import difference_report, is_unknown
from hydranoc.lockstep.rows.subject import Blocks
from hydranoc.reports.progress import Progress
from rtl.axi4.network import Axi4Plan
from sim_model.axi4.simulation import Axi4Simulation


class Axi4Subject:
    """Networks with AXI4 ends as a ``RowSubject``.

    Parameters:
        plan: The hardware.
        simulation: Returns the golden model before cycle 0.
        cycles: To be compared.
    """

    name, title, settling_cycles = "axi4", "AXI4 ends", 1

    def __init__(self, plan: Axi4Plan, simulation: Callable[[], Axi4Simulation], cycles: int):
        self.fields = Axi4Fields(plan)
        self.cycles = cycles
        self._plan, self._simulation = plan, simulation

    def source(self) -> BenchSource:
        """Return the Verilog."""
        return axi4_source(self._plan)

    def runs(self) -> Iterator[Blocks]:
        """Yield the rows of the run."""
        yield Axi4Records(self._simulation(), self.fields, self.cycles).blocks(BLOCK_CYCLES)


@dataclass(frozen=True)
class Axi4Verdict:
    """Result of a comparison.

    Members:
        rows: Cycles compared, speed, and the first difference.
        report: It as text; empty if there is none.
        waveform: Written on request, and for a difference.
    """

    rows: RowOutcome
    report: str
    waveform: Path | None


def compare_axi4(
    subject: Axi4Subject,
    simulator: str,
    folder: Path,
    *,
    source: BenchSource | None = None,
    waves: bool = False,
    progress: Progress | None = None,
    pending: PendingBuild | None = None,
) -> Axi4Verdict:
    """Compare hardware and golden model in every cycle; the first difference ends it.

    Parameters:
        subject
        simulator, folder, waves, progress, pending: As of ``RowComparison``.
        source: Result of ``axi4_source``, if it is made already or is not that of the plan.

    Raises:
        ToolMissing, SimulatorFailed, MachineTrouble: As ``RowComparison.compare``.
    """
    rows = RowComparison(*(subject, simulator, folder), source=source, waves=waves, progress=progress, pending=pending)
    found = rows.compare()
    report = _report(subject.fields, found.difference) if found.difference else ""
    return Axi4Verdict(found, report, rows.waveform(found))


def _report(fields: Axi4Fields, found: RowDifference) -> str:
    """Return the fields that differ, as text."""
    texts, end = [], len(found.seen)
    for name, bits in fields.observed:
        own, other = found.seen[end - bits : end], found.expected[end - bits : end]
        end -= bits
        if own != other:
            texts.append((name, _value(own), _value(other)))
    return difference_report("AXI4 ends", found, texts)


def _value(bits: str) -> str:
    return f"unknown ({bits})" if is_unknown(bits) else f"{int(bits, 2):#x}"
