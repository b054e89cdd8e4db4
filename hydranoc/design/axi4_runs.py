"""Runs of AXI4 transactions: of the golden model alone, and in lock-step with the hardware."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hydranoc.config.axi4_traffic import axi4_hosts, axi4_traffic, build_transactions
from hydranoc.config.hosts import host_figures
from hydranoc.config.load import AXI4, NETWORK, Config
from hydranoc.design.axi4 import RESPONSES, Axi4Ends
from hydranoc.errors import ConfigError
from hydranoc.reports.axi4 import axi4_figures, axi4_text, write_transactions
from hydranoc.reports.progress import Progress, Work
from sim_model.axi4.results import Axi4Results
from sim_model.axi4.simulation import Axi4Simulation
from sim_model.axi4.system import Axi4System
from topology.common.host_pattern import EAGER

CHUNK_CYCLES = 4_096
QUIET_CYCLES = 16
"""Cycles of a comparison after the last response: hardware that still moves flits then is wrong."""


@dataclass(frozen=True)
class Axi4Outcome:
    """Results of a run of AXI4 transactions.

    Members:
        results: Every transaction, in NumPy arrays.
        figures: The summary as plain values, as ``--json`` prints it.
        mismatch_report: First differences of hardware and model; empty without any, and without a comparison.
        waveform: Waveform file of a comparison, if one was requested or there is a difference.
    """

    results: Axi4Results
    figures: dict[str, Any]
    mismatch_report: str = ""
    waveform: Path | None = None

    @property
    def right(self) -> bool:
        """True if all transactions have ended, and hardware and model are equal."""
        return not self.figures["unfinished"] and not self.mismatch_report

    def summary(self) -> str:
        """Return the summary as text."""
        return axi4_text(self.figures)

    def write_transactions(self, path: str | Path) -> None:
        """Write ``transactions.csv``, one row per transaction.

        Parameters:
            path: The file; an existing one is replaced.
        """
        write_transactions(self.results, Path(path))


class Axi4Runs:
    """Runs of a configuration's transactions.

    Parameters:
        config: With traffic of kind ``axi4``.
        ends: Its AXI4 ends.

    Raises:
        ConfigError: For transactions that these ends cannot have.
    """

    def __init__(self, config: Config, ends: Axi4Ends):
        traffic = axi4_traffic(config)
        assert traffic is not None
        self._config, self._ends, self._traffic = config, ends, traffic
        self._system = _system_of(ends)
        self._hosts = axi4_hosts(config, traffic)
        self._transactions = build_transactions(config, traffic, self._system)

    def simulation(self) -> Axi4Simulation:
        """Return the golden model before cycle 0."""
        return Axi4Simulation(self._system, self._transactions, self._hosts)

    def simulate(self, progress: Progress | None) -> Axi4Outcome:
        """Run the golden model to the end."""
        simulation = self.simulation()
        count, results = len(self._transactions), simulation.results()
        while results.unfinished and not results.deadlocked:
            results = simulation.run(simulation.cycle + CHUNK_CYCLES)
            if results.stopped is not None:
                raise self._too_short(results)
            if progress:
                progress(Work("AXI4 transactions", "transactions"), count - results.unfinished, count)
        figures = axi4_figures(results, warmup_cycles=self._traffic.warmup_cycles)
        if self._config.hosts != EAGER:
            figures["hosts"] = host_figures(self._config.hosts)
        return Axi4Outcome(results, figures)

    def _too_short(self, results: Axi4Results) -> ConfigError:
        """Return the error for a timeout that ends while a memory works."""
        text = f"axi4.timeout_cycles is {self._system.timeout_cycles}; it must be more in the golden model:"
        text += f" the memory of processor {results.stopped} rests for so long by cycle {results.cycles}"
        return self._config.source.error((*AXI4, "timeout_cycles"), text)

    def compare(self, simulator: str, folder: Path, *, waves: bool, progress: Progress | None) -> Axi4Outcome:
        """Run hardware and golden model in lock-step; see ``Design.compare_axi4``."""
        from hydranoc.lockstep.axi4.compare import Axi4Subject, compare_axi4
        from hydranoc.lockstep.compare import runs_directly
        from hydranoc.lockstep.pending_build import PendingBuild
        from hydranoc.lockstep.simulator_cache import check_cache
        from hydranoc.lockstep.tools import needed_for

        needed_for(simulator)  # before the work, not after it
        check_cache()
        if progress:
            progress("writing Verilog", 0, 0)
        plan = self._ends.plan
        source = Axi4Subject(plan, self.simulation, 0).source()
        with ExitStack() as builds:
            pending = None
            if runs_directly(simulator):
                pending = builds.enter_context(PendingBuild(source, waves=waves))
            outcome = self.simulate(progress)
            subject = Axi4Subject(plan, self.simulation, outcome.results.cycles + QUIET_CYCLES)
            found = compare_axi4(
                *(subject, simulator, folder), source=source, waves=waves, progress=progress, pending=pending
            )
        figures = {
            **outcome.figures,
            "compared_cycles": found.rows.compared_cycles,
            "mismatches": int(bool(found.report)),
            "simulator": found.rows.simulator,
            "cycles_per_second": round(found.rows.cycles_per_second, 1),
            "build_seconds": round(found.rows.build_seconds, 1),
        }
        return replace(outcome, figures=figures, mismatch_report=found.report, waveform=found.waveform)


def _system_of(ends: Axi4Ends) -> Axi4System:
    """Return the golden model's parameters."""
    section, plan = ends.section, ends.plan
    for path, network in ((NETWORK, plan.requests), (RESPONSES if section.responses else NETWORK, plan.responses)):
        reception = network.endpoints and network.endpoints.parameters.get("reception")
        if reception:
            text = f"{path[-1]}.reception is {reception}; it must be absent in the golden model of AXI4 ends"
            raise ends.config.source.error((*path, "reception"), text)
    return Axi4System(
        *(ends.requests.model, ends.responses.model, ends.format, ends.areas, ends.managers),
        write_beats=section.write_beats,
        whole=section.store_writes,
        pipelined=plan.pipelined,
        copies=plan.copies,
        cut_beats=plan.cut_beats,
        pending=section.pending,
        timeout_cycles=plan.timeout_cycles,
        lite=plan.lite,
        buffer_flits=plan.delivery_buffer_flits,
        header_words=ends.header_word_bits > 0,
        key_cycles=getattr(plan.keyed_requests.addressing, "key_cycles", 0),
    )
