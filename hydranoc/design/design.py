"""A configured network, and its runs, comparisons, hardware and pictures."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hydranoc.certificates.checker.theorems import THEOREMS
from hydranoc.config.load import NETWORK
from hydranoc.design.exported import Exported
from hydranoc.design.outcome import ComparedOutcome
from hydranoc.design.progress_runs import with_deliveries
from hydranoc.design.simulated import Simulated
from hydranoc.families.reports import CheckReport
from hydranoc.reports.progress import Progress
from topology.common.channel_order import NoOrder

if TYPE_CHECKING:
    from hydranoc.certificates.writing import Certificate
    from hydranoc.replay.use import Use
    from rtl.generator.network import GeneratedDesign

QUIET_CYCLES = 16
"""Cycles of a comparison after the last delivery: hardware that still moves flits then is wrong."""


class Design(Simulated, Exported):
    """A configured network.

    Parameters
    ----------
    config : Config
        Result of ``load_config``.

    Members
    -------
    network : ChannelNetwork
        Switches, processors and channels of the family; virtual channels make them more than the topology's.
    routing
        The family's tables.
    model
        The family's golden model.
    messages : Messages
        Messages of the hosts.
    plan
        The family's hardware plan.

    Raises
    ------
    ConfigError
        At first use of a member that the configuration does not allow: tables or a plan that cannot
        be made, or messages without ``traffic``.
    """

    def __repr__(self) -> str:
        """Return the configuration's file, the family and the size of the network, without building tables."""
        network = self.config.network
        switches, processors = f"{network.switches:,} switches", f"{len(network.processors):,} processors"
        return f"<Design {self.config.name}: {self.family.name}, {switches}, {processors}>"

    def check(self) -> CheckReport:
        """Return sizes, and proofs of reachability and of freedom from deadlock.

        Returns
        -------
        CheckReport
            Its ``right`` is True if both are proved.

        Raises
        ------
        ConfigError
            If the configuration has no valid tables.
        """
        return self.family.check(self.config.network_section, self.routing)

    def certificate(self, generated: "GeneratedDesign | None" = None) -> "Certificate":
        """Return a certificate of freedom from deadlock and of delivery, accepted by its checker.

        docs/understand/liveness.md describes it.

        Parameters
        ----------
        generated : GeneratedDesign or None
            Result of ``verilog``: the certificate is for this Verilog; by default for ``verilog()``.

        Returns
        -------
        Certificate
            Without text if there is none; its ``verdict`` has the reason.

        Raises
        ------
        ConfigError
            If the configuration has no valid tables, or cannot be written as hardware.
        """
        from hydranoc.certificates.writing import Certificate, certificate_text, checked_certificate

        if self.family.name not in THEOREMS:
            return Certificate(None, f"there is no theorem for family {self.family.name!r}")
        try:
            evidence = self.family.evidence(self.config.network_section, self.routing)
        except NoOrder as error:
            return Certificate(None, error.reason)
        design = generated or self.verilog()
        text = certificate_text(self.family.name, evidence, design.files, design.top)
        return checked_certificate(text, design.files, design.top)

    def digests(self, generated: "GeneratedDesign | None" = None) -> str:
        """Return the digests of all generated modules, which the checker of a certificate trusts.

        Parameters
        ----------
        generated : GeneratedDesign or None
            Result of ``verilog``; by default ``verilog()``.

        Returns
        -------
        str
            JSON (docs/understand/liveness.md).

        Raises
        ------
        ConfigError
            If the network cannot be written as hardware.
        """
        from hydranoc.certificates.writing import digests_text

        design = generated or self.verilog()
        return digests_text(design.files, design.top)

    def write_tables(self, path: str | Path) -> int:
        """Write the routing tables as CSV; ``network.routing`` of a configuration may name such a file.

        Parameters
        ----------
        path : str or Path
            The file (docs/look_up/tables.md); an existing one is replaced.

        Returns
        -------
        int
            Its rows.

        Raises
        ------
        ConfigError
            If the family has no tables.
        """
        from hydranoc.families.table_files import names_of, write_tables

        names = names_of(self.config, self.routing, (*NETWORK, "family"))
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            return write_tables(self.routing, names, file)

    def goal_program(self) -> str:
        """Return the messages as a GOAL program: a rank per processor, with its sends, receives and dependencies.

        A body flit stands for the traffic's bytes per flit, or for the bytes of the network's flits.
        """
        from hydranoc.config.programs import bytes_per_flit
        from sim_model.programs.goal_writer import goal_text

        messages, header_flits = self.messages, self.routing.header_flits
        headers = [header_flits(messages.destinations_of(message).tolist()) for message in range(len(messages))]
        per_flit = bytes_per_flit(self.config, self.config.traffic)
        return goal_text(messages, len(self.network.processors), (messages.flits - headers).tolist(), per_flit)

    def compare(
        self, simulator: str, folder: Path, *, waves: bool = False, progress: Progress | None = None
    ) -> ComparedOutcome:
        """Run hardware and golden model in lock-step from reset until the network is empty again.

        Parameters
        ----------
        simulator : str
            ``verilator`` or ``icarus``.
        folder : Path
            Folder of the waveform, if there is one.
        waves : bool
            Write a waveform even if there is no mismatch.
        progress : callable or None
            As for ``simulate``.

        Returns
        -------
        ComparedOutcome
            Results of the golden model, and the first difference if there is one.

        Raises
        ------
        ToolMissing
            If a program that the simulator needs is missing.
        MachineTrouble
            If the folder of simulators cannot be written.
        SimulatorFailed
            If the simulator does not build or does not finish.
        """
        from hydranoc.lockstep.compare import Comparison, compare_network, runs_directly
        from hydranoc.lockstep.pending_build import PendingBuild
        from hydranoc.lockstep.simulator_cache import check_cache
        from hydranoc.lockstep.tools import needed_for
        from sim_model.engines.engine import CYCLE_ENGINE

        needed_for(simulator)  # before the work, not after it
        check_cache()
        if progress:
            progress("writing Verilog", 0, 0)
        harness = self.harness()
        with ExitStack() as builds:
            pending = None
            if runs_directly(simulator):
                pending = builds.enter_context(PendingBuild(harness, waves=waves))
            # the engine that is compared, so only one is compiled
            outcome = self.simulate(progress, engine=CYCLE_ENGINE)
            cycles = outcome.results.cycles + QUIET_CYCLES
            comparison = Comparison(
                self.model, self.messages, self.startup_cycles, cycles, harness, hosts=self.config.hosts
            )
            told = progress and with_deliveries(outcome.results, progress)
            compared = compare_network(comparison, simulator, folder, waves=waves, progress=told, pending=pending)
        figures = {
            **outcome.figures,
            "compared_cycles": compared.result.compared_cycles,
            "mismatches": compared.result.mismatches,
            "simulator": compared.simulator,
            "cycles_per_second": round(compared.cycles_per_second, 1),
            "build_seconds": round(compared.build_seconds, 1),
        }
        if self.counts_channels:
            figures["compared_counters"] = compared.result.compared_counters
        simulated = replace(outcome, figures=figures)
        return ComparedOutcome(simulated, compared.result.report or "", compared.waveform)

    def draw(self, title: str | None = None, load: "Use | None" = None) -> dict[str, bytes]:
        """Return a picture of the network: file contents by suffix, ``svg`` and ``png``.

        Parameters
        ----------
        title : str or None
            Title; default the configuration's name.
        load : Use or None
            Colours channels by their load; see ``channel_use``.
        """
        from hydranoc.pictures.draw import draw_network

        return draw_network(self.network, self.family.link_classes(self.routing), title or self.config.name, load)
