"""A configured network, and its runs, comparisons, hardware and pictures.

Tables, model, messages and hardware plan are built on first use, so that a check does not load the simulator, nor a
simulation Amaranth.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydranoc.certificates.checker.theorems import THEOREMS
from hydranoc.config.load import NETWORK, TRAFFIC, Config, with_given_traffic
from hydranoc.config.own_routing import OwnRouting
from hydranoc.config.schema import Axi4Traffic, CollectiveTraffic, NamedTraffic
from hydranoc.config.schema.collectives import AUTO, EVERYONE
from hydranoc.config.topologies import located
from hydranoc.design import hardware
from hydranoc.design.outcome import ComparedOutcome, Outcome
from hydranoc.design.runs import ModelRuns, with_deliveries
from hydranoc.errors import KeyWrong
from hydranoc.families.registry import AnyFamily
from hydranoc.families.reports import CheckReport
from hydranoc.reports.progress import Progress
from topology.common.channel_order import NoOrder
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError

if TYPE_CHECKING:
    from hydranoc.certificates.writing import Certificate
    from hydranoc.config.collectives import CollectivePlan
    from hydranoc.design.axi4 import Axi4Ends
    from hydranoc.design.axi4_runs import Axi4Outcome, Axi4Runs
    from hydranoc.design.plane import Plane
    from hydranoc.lockstep.simulator import BenchSource
    from hydranoc.replay.record import Recording
    from hydranoc.replay.use import Use
    from rtl.axi4.component import Axi4Network
    from rtl.endpoints.stream_component import StreamNetwork
    from rtl.generator.network import GeneratedDesign
    from sim_model.axi4.simulation import Axi4Simulation
    from sim_model.collective_plane.joint import JointResults
    from sim_model.engines.results import Results
    from sim_model.engines.simulation import Simulation
    from sim_model.messages.messages import Messages

QUIET_CYCLES = 16
"""Cycles of a comparison after the last delivery: hardware that still moves flits then is wrong."""


class Design:
    """A configured network.

    Parameters:
        config: Result of ``load_config``.

    Members:
        network: Switches, processors and channels of the family; virtual channels make them more than the topology's.
        routing: The family's tables.
        model: The family's golden model.
        messages: Messages of the hosts.
        plan: The family's hardware plan.
        plane: Collective plane beside the network; None without ``network.collectives``.
        axi4: AXI4 ends; None without ``axi4``.
        plane_results: Results of the traffic's operations on the plane, in the golden model; None if there are none.
            Messages that wait for results start when this run has found.

    Raises:
        ConfigError: At first use of a member that the configuration does not allow: tables or a plan that cannot be
            made, or messages without ``traffic``.
    """

    def __init__(self, config: Config):
        self.config = config
        self.family: AnyFamily = config.family

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the plan, whose functions cannot be pickled; it is rebuilt on use."""
        return {name: value for name, value in vars(self).items() if name != "plan"}

    def __repr__(self) -> str:
        """Return the configuration's file, the family and the size of the network, without building tables."""
        network = self.config.network
        switches, processors = f"{network.switches:,} switches", f"{len(network.processors):,} processors"
        return f"<Design {self.config.name}: {self.family.name}, {switches}, {processors}>"

    @cached_property
    def network(self) -> ChannelNetwork:
        return self.routing.network

    @cached_property
    def routing(self) -> Any:
        source = self.config.source
        try:
            return self._routing_builder(self.config.network_section, self.config.network)
        except KeyWrong as error:
            raise source.error((*NETWORK, error.key), str(error)) from None
        except TopologyError as error:
            raise located(source, (*NETWORK, "topology"), error) from None

    @property
    def _routing_builder(self) -> Callable[[Any, Any], Any]:
        """Builder of the tables: the family's, or the one that the configuration names."""
        name = self.config.network_section.routing
        if name is None:
            return self.family.build_routing
        from hydranoc.families.table_files import SUFFIX, FileRouting

        return FileRouting(self.config) if name.endswith(SUFFIX) else OwnRouting(self.config, name)

    @cached_property
    def model(self) -> Any:
        return self.family.build_model(self.config.network_section, self.routing)

    @cached_property
    def plan(self) -> Any:
        routing = self.routing  # reports its own errors
        try:
            plan = self.family.build_plan(self.config.network_section, routing)
            loadable = self.config.network_section.tables == "loadable"
            return replace(plan, counters=self.counts_channels, loadable_tables=loadable)
        except ValueError as error:  # sizes that the hardware generator cannot write
            raise self.config.source.error((*NETWORK, "topology"), str(error)) from None

    @cached_property
    def plane(self) -> "Plane | None":
        if self.config.network_section.collectives is None:
            return None
        from hydranoc.design.plane import plane_of

        return plane_of(self.config, self.network, self.family.spanning_tree(self.routing))

    @cached_property
    def axi4(self) -> "Axi4Ends | None":
        if self.config.axi4 is None:
            return None
        from hydranoc.config.load import checked_config
        from hydranoc.design.axi4 import Axi4Ends
        from hydranoc.families.registry import FAMILIES

        return Axi4Ends(self.config, lambda source: Design(checked_config(source, FAMILIES)))

    @property
    def has_axi4_traffic(self) -> bool:
        """True if the traffic is transactions of AXI4 managers, see ``simulate_axi4``."""
        return isinstance(self.config.traffic, Axi4Traffic)

    def simulate_axi4(self, progress: Progress | None = None) -> "Axi4Outcome":
        """Run AXI4 transactions in the golden model to their end, or until nothing can move any more.

        Parameters:
            progress: Called with transactions.

        Returns:
            Cycles and response of every transaction, latencies, beats per cycle.

        Raises:
            ConfigError: If the traffic is none of AXI4 transactions, or these ends cannot have them.
        """
        return self._axi4_runs().simulate(progress)

    def axi4_simulation(self) -> "Axi4Simulation":
        """Return the golden model with its AXI4 transactions before cycle 0, to be run or recorded.

        Raises:
            ConfigError: As ``simulate_axi4``.
        """
        return self._axi4_runs().simulation()

    def compare_axi4(
        self, simulator: str, folder: Path, *, waves: bool = False, progress: Progress | None = None
    ) -> "Axi4Outcome":
        """Run AXI4 transactions in hardware and golden model in lock-step, both networks with all their ends.

        Every output of every port is compared in every cycle, payloads while they are valid, and so are the movements
        of flits on all channels. The hosts of the hardware do what those of the model do.

        Parameters:
            simulator: ``verilator`` or ``icarus``.
            folder: Folder of the waveform, if there is one.
            waves: Write a waveform even if there is no mismatch.
            progress: Called with transactions, and with cycles.

        Returns:
            Results of the golden model, and the first difference if there is one.

        Raises:
            ConfigError: As ``simulate_axi4``.
            ToolMissing: If a program that the simulator needs is missing.
            MachineTrouble: If the folder of simulators cannot be written.
            SimulatorFailed: If the simulator does not build or does not finish.
        """
        return self._axi4_runs().compare(simulator, folder, waves=waves, progress=progress)

    def _axi4_runs(self) -> "Axi4Runs":
        from hydranoc.config.axi4_traffic import axi4_traffic

        if axi4_traffic(self.config) is None:
            where = () if self.config.traffic is None else (*TRAFFIC, "kind")
            raise self.config.source.error(where, "traffic.kind must be axi4 for a run of AXI4 transactions")
        from hydranoc.design.axi4_runs import Axi4Runs

        assert self.axi4 is not None
        return Axi4Runs(self.config, self.axi4)

    @cached_property
    def messages(self) -> "Messages":
        if self.config.traffic is None:
            raise self.config.source.error((), "key 'traffic' is missing; there is nothing to send")
        if self._collective_plan is not None:
            if not self._collective_plan.held:
                return self._collective_plan.messages
            from sim_model.collective_plane.held_messages import released_messages

            assert self.plane_results is not None
            return released_messages(self._collective_plan.messages, self.plane_results.release_cycle)
        from hydranoc.config.traffic import build_messages

        return build_messages(self.config, self.routing)

    def check_traffic(self) -> None:
        """Check the traffic without running it.

        Raises:
            ConfigError: If the configuration has no traffic, or traffic that this network cannot carry.
        """
        if self.has_axi4_traffic:
            self._axi4_runs()
        elif self._collective_plan is None:
            _ = self.messages

    @cached_property
    def _collective_plan(self) -> "CollectivePlan | None":
        """Collective operations of the traffic; None for other traffic."""
        traffic = self.config.traffic
        if not isinstance(traffic, CollectiveTraffic | NamedTraffic):
            return None
        from hydranoc.config.traffic import build_plan

        return build_plan(self.config, self.routing, self.plane)

    @cached_property
    def plane_results(self) -> "JointResults | None":
        if self._collective_plan is None or self.plane is None or not self._collective_plan.starts:
            return None
        from hydranoc.design.joint import run_on_plane

        return run_on_plane(self._collective_plan, self.plane, self.config, self.model, self.startup_cycles)

    def collective(
        self,
        operation: str,
        *,
        algorithm: str = AUTO,
        group: str | Sequence[int] = EVERYONE,
        flits: int | None = None,
        root: int | None = None,
        rounds: int = 1,
        startup_cycles: int = 0,
        compute_cycles_per_flit: float = 0.0,
        segment_flits: int | None = None,
        procedure: str | None = None,
    ) -> "Design":
        """Return the same network with a collective operation as its traffic, to be simulated or compared.

        Parameters:
            operation: Such as ``all-reduce``; docs/do/collectives.md has all operations and algorithms.
            algorithm: Its algorithm; ``auto`` chooses by size, ``plane`` is the collective plane of the network.
            group: Processors that take part, or ``all``.
            flits: Flits of one member's vector; all operations but barriers need it.
            root: Processor that sends or gets everything; default the first of the group.
            rounds: Times that the operation is performed.
            startup_cycles: Of a host per message.
            compute_cycles_per_flit: Of a host that combines received flits with its own.
            segment_flits: Flits of a segment of algorithm ``chain``; default the best length without contention.
            procedure: Broadcast procedure of multicasts in hardware, in families that have such (harts).

        Returns:
            With the tables and the model of this design.

        Raises:
            ConfigError: For a wrong operation, algorithm or key.

        Example:
            >>> outcome = design.collective("all-reduce", flits=256).simulate()
            >>> print(outcome.figures["collectives"][0]["mean_latency_cycles"])
        """
        given = {
            "operation": operation,
            "algorithm": algorithm,
            "group": group if isinstance(group, str) else list(group),
            "flits": flits,
            "root": root,
            "rounds": rounds,
            "startup_cycles": startup_cycles,
            "compute_cycles_per_flit": compute_cycles_per_flit,
            "segment_flits": segment_flits,
            "procedure": procedure,
        }
        traffic = {key: value for key, value in given.items() if value is not None}
        design = Design(with_given_traffic(self.config, {"kind": "collective", **traffic}))
        design.routing, design.model, design.plane = self.routing, self.model, self.plane
        return design

    @property
    def startup_cycles(self) -> int:
        """Start-up cycles of a host per message."""
        return self.config.traffic.startup_cycles if self.config.traffic else 0

    @property
    def counts_channels(self) -> bool:
        """True if hardware and model count flits, stalls and bubbles of each channel."""
        return self.config.network_section.counters

    @property
    def warmup_cycles(self) -> int:
        """First cycle of messages in the latency figures."""
        return self.config.traffic.warmup_cycles if self.config.traffic else 0

    def check(self) -> CheckReport:
        """Return sizes, and proofs of reachability and of freedom from deadlock, also of the collective plane.

        Returns:
            Its ``right`` is True if all are proved.

        Raises:
            ConfigError: If the configuration has no valid tables.
        """
        report = self.family.check(self.config.network_section, self.routing)
        if self.plane is None:
            return report
        from hydranoc.design.plane_proof import plane_verdict

        return replace(report, plane=plane_verdict(self.plane, self.network))

    def certificate(self, generated: "GeneratedDesign | None" = None) -> "Certificate":
        """Return a certificate of freedom from deadlock and of delivery, accepted by its checker.

        docs/understand/liveness.md describes it.

        Parameters:
            generated: Result of ``verilog``: the certificate is for this Verilog; by default for ``verilog()``.

        Returns:
            Without text if there is none; its ``verdict`` has the reason.

        Raises:
            ConfigError: If the configuration has no valid tables, or cannot be written as hardware.
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

        Parameters:
            generated: Result of ``verilog``; by default ``verilog()``.

        Returns:
            JSON (docs/understand/liveness.md).

        Raises:
            ConfigError: If the network cannot be written as hardware.
        """
        from hydranoc.certificates.writing import digests_text

        design = generated or self.verilog()
        return digests_text(design.files, design.top)

    def plane_certificate(self, generated: "GeneratedDesign | None" = None) -> "Certificate":
        """Return a certificate of the collective plane: freedom from deadlock and delivery, accepted by its checker.

        Parameters:
            generated: Result of ``plane_verilog``: the certificate is for this Verilog; by default for
                ``plane_verilog()``.

        Returns:
            Without text if there is none; its ``verdict`` has the reason.

        Raises:
            ConfigError: If the configuration has no plane.
        """
        from hydranoc.design.plane_proof import certificate_of_plane

        plane, made = self._plane_and_verilog(generated)
        return certificate_of_plane(plane, self.network, made)

    def plane_digests(self, generated: "GeneratedDesign | None" = None) -> str:
        """Return the digests of the collective plane's modules, which the checker of its certificate trusts.

        Parameters:
            generated: Result of ``plane_verilog``; by default ``plane_verilog()``.

        Returns:
            JSON (docs/understand/liveness.md).

        Raises:
            ConfigError: If the configuration has no plane.
        """
        from hydranoc.design.plane_proof import digests_of_plane

        return digests_of_plane(self._plane_and_verilog(generated)[1])

    def _plane_and_verilog(self, generated: "GeneratedDesign | None") -> "tuple[Plane, GeneratedDesign]":
        made = generated or self.plane_verilog()
        if self.plane is None or made is None:
            raise self.config.source.error(NETWORK, "key 'collectives' is missing; the network has no plane")
        return self.plane, made

    def write_tables(self, path: str | Path) -> int:
        """Write the routing tables as CSV; ``network.routing`` of a configuration may name such a file.

        Parameters:
            path: The file (docs/look_up/tables.md); an existing one is replaced.

        Returns:
            Its rows.

        Raises:
            ConfigError: If the family has no tables.
        """
        from hydranoc.families.table_files import names_of, write_tables

        names = names_of(self.config, self.routing, (*NETWORK, "family"))
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            return write_tables(self.routing, names, file)

    def goal_program(self) -> str:
        """Return the messages as a GOAL program: a rank per processor, with its sends, receives and dependencies.

        A body flit stands for the traffic's bytes per flit, or for the bytes of the network's flits.

        Raises:
            ConfigError: If the traffic has operations on the collective plane, which no such program can have.
        """
        if self.plane_results is not None:
            text = "traffic has operations on the collective plane; those of a GOAL program must be messages"
            raise self.config.source.error(TRAFFIC, text)
        from hydranoc.config.programs import bytes_per_flit
        from sim_model.programs.goal import goal_text

        messages, header_flits = self.messages, self.routing.header_flits
        headers = [header_flits(messages.destinations_of(message).tolist()) for message in range(len(messages))]
        per_flit = bytes_per_flit(self.config, self.config.traffic)
        return goal_text(messages, len(self.network.processors), (messages.flits - headers).tolist(), per_flit)

    def simulate(
        self, progress: Progress | None = None, *, channels: bool = False, engine: str | None = None
    ) -> Outcome:
        """Run the golden model until everything is delivered or nothing can move any more.

        Parameters:
            progress: Called with the work, cycles done and cycles in all; see ``hydranoc.reports.progress``.
            channels: Also count the load of channels, in all cycles and in the measured ones; a run then takes a third
                longer.
            engine: ``worm`` moves whole worms, ``planes`` flits of 64 routers at a time, ``cycle`` every flit, all with
                the same results (docs/understand/engines.md); None is the fastest one that can.

        Returns:
            Deliveries and latencies in cycles.

        Raises:
            ConfigError: If the configuration has no traffic, or wrong messages.
            EngineError: If the engine cannot run this network.
        """
        _ = self.plane  # whose errors belong to every run
        if progress:
            progress("building routing tables", 0, 0)
            _ = self.model
            progress("drawing messages", 0, 0)
            _ = self.messages
            _ = self.plane_results
            progress("setting up the golden model", 0, 0)
        return self._runs.simulate(progress, channels=channels, engine=engine)

    def simulation(self, *, count_channels: bool = False, engine: str | None = None) -> "Simulation":
        """Return the golden model with its messages before cycle 0, to be run, stepped or recorded.

        Parameters:
            count_channels: Count flits, stalls and bubbles of each channel; a run then takes longer.
            engine: As for ``simulate``.

        Raises:
            EngineError: If the engine cannot run this network.
        """
        return self._runs.simulation(count_channels=count_channels, engine=engine)

    def channel_use(self, results: "Results", progress: Progress | None = None) -> "tuple[Use, Simulation]":
        """Return the load of each channel in a run, from the end of the warm-up to the end of the traffic.

        Non-random traffic is counted over the whole run.

        Parameters:
            results: Of the run, to its end.
            progress: Called with cycles.

        Returns:
            Use: In flits per cycle.
            Simulation: The repeated run, as far as it was counted.
        """
        return self._runs.channel_use(results, progress)

    def recording(
        self, results: "Results", window: tuple[int, int] | None = None, progress: Progress | None = None
    ) -> "Recording":
        """Return the occupancy of channels by messages in a part of a run, which is repeated for it.

        Parameters:
            results: Of the run, to its end.
            window: First cycle, and the one after the last; by default from the end of the warm-up, up to a limit of
                heads.
            progress: Called with cycles.

        Returns:
            With its window.

        Raises:
            ValueError: If the window does not begin within the run.
        """
        return self._runs.recording(results, window, progress)

    @property
    def _runs(self) -> ModelRuns:
        return ModelRuns(
            self.config,
            self.model,
            self.messages,
            self._collective_plan,
            self.plane_results,
            self.startup_cycles,
            self.warmup_cycles,
            self.counts_channels,
        )

    def compare(
        self, simulator: str, folder: Path, *, waves: bool = False, progress: Progress | None = None
    ) -> ComparedOutcome:
        """Run hardware and golden model in lock-step from reset until the network is empty again.

        The collective plane is compared likewise, with the traffic's operations on it, or with operations at random if
        it has none.

        Parameters:
            simulator: ``verilator`` or ``icarus``.
            folder: Folder of the waveform, if there is one.
            waves: Write a waveform even if there is no mismatch.
            progress: As for ``simulate``.

        Returns:
            Results of the golden model, and the first difference if there is one.

        Raises:
            ToolMissing: If a program that the simulator needs is missing.
            MachineTrouble: If the folder of simulators cannot be written.
            SimulatorFailed: If the simulator does not build or does not finish.
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
        harness, plane = self.harness(), self.plane
        plane_source = plane and plane.harness()
        with ExitStack() as builds:
            pending = plane_pending = None
            if runs_directly(simulator):
                pending = builds.enter_context(PendingBuild(harness, waves=waves))
                plane_pending = plane_source and builds.enter_context(PendingBuild(plane_source, waves=waves))
            # the engine that is compared, so only one is compiled
            outcome = self.simulate(progress, engine=CYCLE_ENGINE)
            cycles = outcome.results.cycles + QUIET_CYCLES
            comparison = Comparison(
                self.model, self.messages, self.startup_cycles, cycles, harness, hosts=self.config.hosts
            )
            told = progress and with_deliveries(outcome.results, progress)
            compared = compare_network(comparison, simulator, folder, waves=waves, progress=told, pending=pending)
            beside = None
            if plane and plane_source:
                from hydranoc.design.plane_comparison import compare_configured

                given = plane, outcome.plane, self.config.hosts, simulator, folder, plane_source
                beside = compare_configured(*given, waves=waves, progress=progress, pending=plane_pending)
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
        reports = [compared.result.report or ""]
        if beside:
            figures["plane_comparison"] = beside[1]
            reports.append(beside[0].difference.report if beside[0].difference else "")
        simulated = replace(outcome, figures=figures)
        report = "\n\n".join(filter(None, reports))
        return ComparedOutcome(simulated, report, compared.waveform, beside[0].waveform if beside else None)

    @property
    def destination_modes(self) -> tuple[str, ...]:
        """Ways in which packets at AXI4-Stream endpoints may name their destinations.

        Raises:
            ConfigError: If the network has no such endpoints.
        """
        return hardware.destination_modes(self.plan, self.config)

    def verilog(
        self,
        top: str = "noc",
        axi_stream: str | None = None,
        *,
        moved: bool = True,
        clocks: str = "network",
        tkeep: bool = False,
        user_bits: int = 0,
        delivery_buffer_flits: int = 0,
        registers: bool = False,
        arrays: bool = False,
    ) -> "GeneratedDesign":
        """Return the network as Verilog, manifest and FuseSoC core.

        Parameters:
            top: Name of the top module, and prefix of all other module names.
            axi_stream: ``tuser``, ``leading-word`` or ``tdest``: AXI4-Stream endpoints whose packets name destinations
                this way. Default endpoints with message descriptors.
            moved: The top has the output ``moved``, a bit per channel.
            clocks, tkeep, user_bits, delivery_buffer_flits: Of AXI4-Stream endpoints, see
                ``rtl.endpoints.axi_ends.StreamOptions``.
            registers: Counters, tables and errors are registers behind AXI4-Lite, with an interrupt, and have no ports.
            arrays: Add a SystemVerilog module whose AXI4-Stream ports are arrays.

        Returns:
            Its ``files`` are texts by file name, its ``top`` is the top module's name.

        Raises:
            ConfigError: If the network cannot be written as hardware, or has no such endpoints.
            ValueError: If an option is out of range.
        """
        return hardware.network_verilog(
            self.plan,
            self.config,
            top,
            axi_stream,
            moved=moved,
            clocks=clocks,
            tkeep=tkeep,
            user_bits=user_bits,
            delivery_buffer_flits=delivery_buffer_flits,
            registers=registers,
            arrays=arrays,
        )

    def plane_verilog(self, top: str = "noc_plane", *, registers: bool = False) -> "GeneratedDesign | None":
        """Return the collective plane as Verilog, manifest and FuseSoC core; None if the network has none.

        Parameters:
            top: Name of the top module, and prefix of all other module names.
            registers: Flushes, timeouts, errors and, with ``counters``, counters are registers behind AXI4-Lite, with
                an interrupt, and have no ports (docs/look_up/plane_registers.md).

        Returns:
            Its ``files`` are ``<top>.v``, ``<top>.vlt``, ``<top>.core`` and ``<top>.json``, the manifest; with
                registers also ``<top>_regs.h`` and ``<top>_registers.md``.
        """
        plane = self.plane
        if plane is None:
            return None
        from rtl.collectives.export import export_plane
        from rtl.collectives.register_map import PlaneRegisters

        counted = PlaneRegisters(plane.plan, plane.parameters.timeout_cycles, self.counts_channels)
        return export_plane(plane.plan, top, counted if registers else None)

    def axi4_verilog(self, top: str = "noc", *, arrays: bool = False) -> "GeneratedDesign":
        """Return both networks with their AXI4 ends as Verilog.

        Parameters:
            top: Name of the top module, and prefix of all other module names.
            arrays: Add a SystemVerilog module whose AXI4 ports are arrays.

        Returns:
            Its manifest has the address map and the names of the ports.

        Raises:
            ConfigError: If there is no ``axi4``, or the networks cannot have such ends.
        """
        from rtl.endpoints.port_arrays import with_port_arrays

        lite = self._axi4_ends.section.lite
        if arrays and lite:
            text = f"axi4.lite is {lite}; it must be empty for ports as arrays, whose elements are alike"
            raise self.config.source.error(("axi4", "lite"), text)
        generated = self._axi4_ends.verilog(top)
        return with_port_arrays(generated) if arrays else generated

    def axi4_component(self) -> "Axi4Network":
        """Return both networks with their AXI4 ends as an Amaranth component, for a design in Amaranth around them.

        Its ports are ``managers[i]`` and ``subordinates[i]`` of processor i, with a stream per channel.

        Returns:
            Axi4Network

        Raises:
            ConfigError: If there is no ``axi4``, or the networks cannot have such ends.
        """
        from rtl.axi4.component import Axi4Network

        return Axi4Network(self._axi4_ends.plan)

    @property
    def _axi4_ends(self) -> "Axi4Ends":
        if self.axi4 is None:
            raise self.config.source.error((), "key 'axi4' is missing; there are no AXI4 ends")
        return self.axi4

    def router(self, switch: int | str, top: str = "router") -> "GeneratedDesign":
        """Return one router as Verilog, by itself: its links are its ports, its tables are constants.

        Parameters:
            switch: Number or name of its switch.
            top: Name of the router's module, and prefix of all other module names.

        Returns:
            Its manifest names the channel of each port.

        Raises:
            ConfigError: If there is no such switch, or the network cannot be written as hardware.
        """
        return hardware.router_verilog(self.plan, self.config, switch, top)

    def component(self, axi_stream: str, *, registers: bool = False) -> "StreamNetwork":
        """Return the network with AXI4-Stream ends as an Amaranth component, for a design in Amaranth around it.

        Its ends are arrays of ``amaranth.lib.stream`` streams, ``sinks`` and ``sources``, in clock domain ``sync``: see
        ``docs/look_up/ports.md``.

        Parameters:
            axi_stream: One of ``destination_modes``.
            registers: Counters, tables and errors are registers behind AXI4-Lite, with an interrupt, and have no ports;
                the component's member ``registers`` is their map.

        Returns:
            StreamNetwork

        Raises:
            ValueError: If there is no such mode.
        """
        return hardware.stream_component(self.plan, self.config, axi_stream, registers=registers)

    def harness(self) -> "BenchSource":
        """Return the network as Verilog for a lock-step bench."""
        from hydranoc.lockstep.compare import harness_source

        return harness_source(self.plan)

    def draw(self, title: str | None = None, load: "Use | None" = None) -> dict[str, bytes]:
        """Return a picture of the network and of its collective plane: file contents by suffix, ``svg`` and ``png``.

        Parameters:
            title: Title; default the configuration's name.
            load: Colours channels by their load, see ``channel_use``; without the plane.
        """
        from hydranoc.pictures.draw import draw_network

        links, plane = self.family.link_classes(self.routing), None
        if self.plane is not None and load is None:
            plane = self.plane.tables
        return draw_network(self.network, links, title or self.config.name, load, plane)
