"""A configured network and everything that can be done with it.

Parts are made when they are first asked for, so that a check does not load the simulator and a simulation not
Amaranth.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydranoc.config.hosts import host_figures
from hydranoc.config.load import NETWORK, Config
from hydranoc.config.own_routing import OwnRouting
from hydranoc.config.topologies import located
from hydranoc.errors import KeyWrong, shown
from hydranoc.families.registry import Family
from hydranoc.families.reports import CheckReport
from hydranoc.families.table_files import SUFFIX, FileRouting, names_of, write_tables
from hydranoc.reports.progress import Progress, Work, counted_in
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.host_pattern import EAGER

if TYPE_CHECKING:
    from hydranoc.lockstep.simulator import BenchSource
    from hydranoc.replay.record import Recording
    from hydranoc.replay.use import Use
    from rtl.common.network import GeneratedDesign
    from rtl.common.structure import StructuralPart
    from sim_model.common.messages import Messages
    from sim_model.common.results import Results
    from sim_model.common.simulation import ChannelCounts, Simulation

FIRST_CHUNK_CYCLES, MOST_CHUNKS = 2_000, 200
QUIET_CYCLES = 16
"""A comparison goes on this long after the last delivery: hardware that then still moves something is wrong."""


@dataclass(frozen=True)
class Outcome:
    """What a run of the golden model gave.

    Members
    -------
    results : Results
        Every delivery, in NumPy arrays.
    figures : dict
        The summary as plain values, as ``--json`` prints it.
    deadlock_report : str
        Which channels wait for each other; empty without a deadlock.
    channel_counts : ChannelCounts or None
        What happened on each channel, if the configuration wants that counted, or ``simulate`` was asked for it.
    use : Use or None
        What channels carried in the cycles that count, if ``simulate`` was asked for it.
    """

    results: "Results"
    figures: dict[str, Any]
    deadlock_report: str = field(default="", repr=False)
    channel_counts: "ChannelCounts | None" = field(default=None, repr=False)
    use: "Use | None" = field(default=None, repr=False)

    @property
    def right(self) -> bool:
        """Whether every message arrived everywhere exactly once."""
        from hydranoc.reports.summary import is_right

        return is_right(self.figures)

    def summary(self) -> str:
        """The summary for people."""
        from hydranoc.reports.summary_text import summary_text

        return summary_text(self.figures)

    def write_messages(self, path: str | Path) -> None:
        """Write ``messages.csv``, one row per message and destination.

        Parameters
        ----------
        path : str or Path
            The file; one that is there is replaced.
        """
        from hydranoc.reports.summary import write_messages

        write_messages(self.results, Path(path))

    def write_channels(self, path: str | Path, network: ChannelNetwork) -> None:
        """Write ``channels.csv``, one row per channel, if channels were counted.

        Parameters
        ----------
        path : str or Path
            The file; one that is there is replaced.
        network : ChannelNetwork
            Of the design, for the channels' names.
        """
        from hydranoc.reports.summary import write_channels

        if self.channel_counts:
            write_channels(self.channel_counts, network, self.results.cycles, Path(path), self.use)


@dataclass(frozen=True)
class ComparedOutcome:
    """What a lock-step comparison gave.

    Members
    -------
    outcome : Outcome
        The golden model's results; the figures tell of the comparison as well.
    mismatch_report : str
        Where hardware and model differ first; empty if they do not.
    waveform : Path or None
        The file with the waveform, if one was asked for or something differs.
    """

    outcome: Outcome
    mismatch_report: str
    waveform: Path | None


class Design:
    """A configured network.

    Parameters
    ----------
    config : Config
        What ``hydranoc.load`` has read.

    Members
    -------
    network : ChannelNetwork
        Switches, processors and channels, as the family has them: with lanes it has more channels than the topology.
    routing
        The family's tables.
    model
        The family's golden model.
    messages : Messages
        What the hosts send.
    plan
        The family's hardware plan.
    """

    def __init__(self, config: Config):
        self.config = config
        self.family: Family = config.family

    def __getstate__(self) -> dict[str, Any]:
        """The plan stays behind: it holds functions that cannot be sent, and is made anew."""
        return {name: value for name, value in vars(self).items() if name != "plan"}

    @cached_property
    def network(self) -> ChannelNetwork:
        return self.routing.network

    @cached_property
    def routing(self) -> Any:
        source = self.config.source
        try:
            return self._build_routing(self.config.network_section, self.config.network)
        except KeyWrong as error:
            raise source.error((*NETWORK, error.key), str(error)) from None
        except TopologyError as error:
            raise located(source, (*NETWORK, "topology"), error) from None

    @property
    def _build_routing(self) -> Callable[[Any, Any], Any]:
        """What makes the tables: the family, or what the configuration names in its place."""
        name = self.config.network_section.routing
        if name is None:
            return self.family.build_routing
        return FileRouting(self.config) if name.endswith(SUFFIX) else OwnRouting(self.config, name)

    @cached_property
    def model(self) -> Any:
        return self.family.build_model(self.config.network_section, self.routing)

    @cached_property
    def plan(self) -> Any:
        routing = self.routing  # says itself what is wrong with it
        try:
            plan = self.family.build_plan(self.config.network_section, routing)
            loadable = self.config.network_section.tables == "loadable"
            return replace(plan, counters=self.counts_channels, loadable_tables=loadable)
        except ValueError as error:  # sizes that the hardware generator cannot write
            raise self.config.source.error((*NETWORK, "topology"), str(error)) from None

    @cached_property
    def messages(self) -> "Messages":
        if self.config.traffic is None:
            raise self.config.source.error((), "key 'traffic' is missing; there is nothing to send")
        from hydranoc.config.traffic import build_messages

        return build_messages(self.config, self.routing)

    def goal_program(self) -> str:
        """The messages as a GOAL program: a rank per processor, what each sends and receives, and what it waits for.

        A flit of a message's body stands for as many bytes as in the traffic, or as the network's flits have.
        """
        from hydranoc.config.programs import bytes_per_flit
        from sim_model.common.programs.goal_writer import goal_text

        messages, header_flits = self.messages, self.routing.header_flits
        headers = [header_flits(messages.destinations_of(message).tolist()) for message in range(len(messages))]
        per_flit = bytes_per_flit(self.config, self.config.traffic)
        return goal_text(messages, len(self.network.processors), (messages.flits - headers).tolist(), per_flit)

    @property
    def startup_cycles(self) -> int:
        """Cycles that a host prepares each message."""
        return self.config.traffic.startup_cycles if self.config.traffic else 0

    @property
    def counts_channels(self) -> bool:
        """Whether hardware and model count what happens on each channel."""
        return self.config.network_section.counters

    @property
    def warmup_cycles(self) -> int:
        """Messages that start earlier are left out of the latency figures."""
        return self.config.traffic.warmup_cycles if self.config.traffic else 0

    def check(self) -> CheckReport:
        """Sizes, and proofs that everyone is reached and that nothing can deadlock.

        Returns
        -------
        CheckReport
            Its ``right`` says whether both are proved.

        Raises
        ------
        ConfigError
            If the configuration makes no tables.
        """
        return self.family.check(self.config.network_section, self.routing)

    def write_tables(self, path: str | Path) -> int:
        """Write the routing tables as CSV; ``network.routing`` of a configuration may name such a file.

        Parameters
        ----------
        path : str or Path
            The file (docs/tables.md); one that is there is replaced.

        Returns
        -------
        int
            Its rows.

        Raises
        ------
        ConfigError
            If the family has no tables.
        """
        names = names_of(self.config, self.routing, (*NETWORK, "family"))
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            return write_tables(self.routing, names, file)

    def simulate(self, progress: Progress | None = None, *, channels: bool = False) -> Outcome:
        """Run the golden model until everything is delivered or nothing can move any more.

        Parameters
        ----------
        progress : callable or None
            Told what is being done, how far it is and how far it goes, in cycles; see ``hydranoc.reports.progress``.
        channels : bool
            Also count what channels carry, in all cycles and in those that count; a run then takes a third longer.

        Returns
        -------
        Outcome
            Deliveries and latencies in cycles.

        Raises
        ------
        ConfigError
            If the configuration has no traffic, or what it sends is wrong.
        """
        from hydranoc.replay.use import use_between
        from hydranoc.reports.histogram import histogram_figures, histograms
        from hydranoc.reports.summary import round_trip_figures, summary_of, use_figures

        counting = self.counts_channels or channels
        simulation = self.simulation(count_channels=counting)
        expected, marks = self._expected_cycles(), []
        for cycle in self._measured_cycles if channels else ():
            _run(simulation, expected, progress, cycle)
            marks.append(simulation.channel_counts())
        results = _run(simulation, expected, progress)
        if progress:
            progress("statistics", 0, 0)
        report = simulation.deadlock_report() if simulation.deadlocked else ""
        figures = summary_of(results, warmup_cycles=self.warmup_cycles)
        if getattr(self.config.traffic, "reply", None) is not None:
            figures["latency_cycles"]["round_trip"] = round_trip_figures(results, self.warmup_cycles)
        if self.config.hosts != EAGER:
            figures["hosts"] = host_figures(self.config.hosts)
        figures["latency_histogram"] = histogram_figures(histograms(results, self.warmup_cycles))
        counts = simulation.channel_counts() if counting else None
        if counts is None or not channels:
            return Outcome(results, figures, report, counts)
        before, after = (*marks, counts)[:2]
        use = use_between(*self._measured_span(results), before, after)
        figures["utilisation"] = use_figures(use, self.network)
        return Outcome(results, figures, report, counts, use)

    @property
    def _measured_cycles(self) -> tuple[int, ...]:
        """Where counting begins, and where it ends if that is known before the run."""
        from hydranoc.config.schema import RandomTraffic

        traffic = self.config.traffic
        return (self.warmup_cycles, traffic.cycles) if isinstance(traffic, RandomTraffic) else (self.warmup_cycles,)

    def _measured_span(self, results: "Results") -> tuple[int, int]:
        """First cycle that is counted, and the one behind the last: no later than the run ends."""
        last = min((*self._measured_cycles[1:], results.cycles))
        return min(self.warmup_cycles, last - 1), last

    def simulation(self, *, count_channels: bool = False) -> "Simulation":
        """The golden model with its messages before cycle 0, to be run, stepped or recorded.

        Parameters
        ----------
        count_channels : bool
            Count what happens on each channel; a run then takes longer.
        """
        from sim_model.common.simulation import Simulation

        return Simulation(
            self.model, self.messages, self.startup_cycles, count_channels=count_channels, hosts=self.config.hosts
        )

    def channel_use(self, results: "Results", progress: Progress | None = None) -> "tuple[Use, Simulation]":
        """What each channel carried in a run, from the end of the warm-up to the end of the traffic.

        Traffic that is not random is counted over the whole run.

        Parameters
        ----------
        results : Results
            Of the run, to its end.
        progress : callable or None
            Told of cycles.

        Returns
        -------
        Use
            In flits per cycle.
        Simulation
            The run once more, as far as it was counted.
        """
        from hydranoc.replay.use import count_use

        simulation = self.simulation(count_channels=True)
        told = counted_in("cycles", progress) if progress else None
        return count_use(simulation, *self._measured_span(results), told), simulation

    def recording(
        self, results: "Results", window: tuple[int, int] | None = None, progress: Progress | None = None
    ) -> "Recording":
        """Who holds which channel when in a part of a run, which is run once more.

        Parameters
        ----------
        results : Results
            Of the run, to its end.
        window : (int, int) or None
            First cycle, and the one behind the last; by default from the end of the warm-up, as far as is reasonable.
        progress : callable or None
            Told of cycles.

        Returns
        -------
        Recording
            With the window that it holds.

        Raises
        ------
        ValueError
            If the window does not begin within the run.
        """
        from hydranoc.replay.record import record
        from hydranoc.replay.window import span_of

        span = span_of(results.cycles, self.warmup_cycles, window)
        told = counted_in("cycles", progress) if progress else None
        return record(self.simulation(), results, *span, came_over=self.family.came_over, progress=told)

    def _expected_cycles(self) -> int:
        """When the last message with a given start starts; the run takes a little longer."""
        return int(self.messages.start_cycle.max(initial=0)) + self.startup_cycles + 1

    @property
    def destination_modes(self) -> tuple[str, ...]:
        """How packets at AXI4-Stream endpoints may name their destinations.

        Raises
        ------
        ConfigError
            If the network has no such endpoints.
        """
        from rtl.common.axi_network import plan_modes

        modes = plan_modes(self.plan)
        if not modes:
            text = f"family {self.family.name!r} has no AXI4-Stream endpoints yet"
            raise self.config.source.error((*NETWORK, "family"), text)
        return modes

    def verilog(
        self,
        top: str = "noc",
        axi_stream: str | None = None,
        *,
        moved: bool = True,
        clocks: str = "network",
        tkeep: bool = False,
        registers: bool = False,
        arrays: bool = False,
    ) -> "GeneratedDesign":
        """The network as Verilog, manifest and FuseSoC core.

        Parameters
        ----------
        top : str
            Name of the top module, and prefix of all other module names.
        axi_stream : str or None
            ``tuser``, ``leading-word`` or ``tdest``: AXI4-Stream endpoints whose packets name their destinations so.
            Default are endpoints with message descriptors.
        moved : bool
            The top has the output ``moved``, a bit per channel.
        clocks, tkeep
            Of AXI4-Stream endpoints, see ``rtl.common.axi_ends.StreamOptions``.
        registers : bool
            Counters, tables and errors are registers behind AXI4-Lite, with an interrupt, and have no ports.
        arrays : bool
            Add a SystemVerilog module whose AXI4-Stream ports are arrays.

        Returns
        -------
        GeneratedDesign
            Its ``files`` are texts by file name, its ``top`` is the top module's name.

        Raises
        ------
        ConfigError
            If the network cannot be written as hardware, or has no such endpoints.
        """
        from rtl.common.network import generate_design, generate_network
        from rtl.common.registers.top import generate_with_registers

        plan, generate = replace(self.plan, moved=moved), generate_with_registers if registers else generate_design
        if axi_stream is None:
            return generate_network(plan, top, generate)
        from rtl.common.axi_ends import StreamOptions
        from rtl.common.axi_network import generate_axi_network
        from rtl.common.port_arrays import with_port_arrays

        modes = self.destination_modes
        if axi_stream not in modes:
            choice = " or ".join(map(repr, modes))
            text = f"--axi-stream must be {choice} in family {self.family.name!r}, not {axi_stream!r}"
            raise self.config.source.error((*NETWORK, "family"), text)
        options = StreamOptions(clocks, tkeep)
        try:
            options.word_bits(plan.flit_bits)
        except ValueError as error:
            raise self.config.source.error((*NETWORK, "flit_bits"), str(error)) from None
        generated = generate_axi_network(plan, axi_stream, top, options, generate)
        return with_port_arrays(generated) if arrays else generated

    def router(self, switch: int | str, top: str = "router") -> "GeneratedDesign":
        """One router as Verilog, by itself: its links are its ports, its tables are constants.

        Parameters
        ----------
        switch : int or str
            Number or name of its switch.
        top : str
            Name of the router's module, and prefix of all other module names.

        Returns
        -------
        GeneratedDesign
            Its manifest says which channel each port has.

        Raises
        ------
        ConfigError
            If there is no such switch, or the network cannot be written as hardware.
        """
        from fpga.common.single_router import generate_router

        names = self.network.switch_names
        numbers = {**{str(number): number for number in range(len(names))}, **{n: i for i, n in enumerate(names)}}
        if str(switch) not in numbers:
            known = f"{names[0]} to {names[-1]}" + ("" if names[0] == "0" else f", or 0 to {len(names) - 1}")
            text = f"a router must be that of a switch ({known}), not {shown(switch)}"
            raise self.config.source.error((*NETWORK, "topology"), text)
        return generate_router(self.plan, numbers[str(switch)], top)

    def component(self, axi_stream: str, *, registers: bool = False) -> "StructuralPart":
        """The network with AXI4-Stream ends as an Amaranth component, for a design in Amaranth around it.

        Its members are the ports of the exported Verilog, in clock domain ``sync``: see ``docs/axi_stream.md``.

        Parameters
        ----------
        axi_stream : str
            One of ``destination_modes``.
        registers : bool
            Counters, tables and errors are registers behind AXI4-Lite, with an interrupt, and have no ports; the
            component's member ``registers`` is their map.

        Raises
        ------
        ValueError
            If there is no such mode.
        """
        from rtl.common.axi_network import AxiStreamTop
        from rtl.common.registers.top import RegisterTop

        if axi_stream not in self.destination_modes:
            choice = " or ".join(map(repr, self.destination_modes))
            raise ValueError(f"axi_stream must be {choice} in family {self.family.name!r}, not {axi_stream!r}")
        top = partial(AxiStreamTop, mode=axi_stream)
        return RegisterTop(top, self.plan) if registers else top(self.plan)

    def harness(self) -> "BenchSource":
        """The network as Verilog for a lock-step bench."""
        from hydranoc.lockstep.compare import harness_source

        return harness_source(self.plan)

    def compare(
        self, simulator: str, folder: Path, *, waves: bool = False, progress: Progress | None = None
    ) -> "ComparedOutcome":
        """Run hardware and golden model in lock-step from reset until the network is empty again.

        Parameters
        ----------
        simulator : str
            ``verilator`` or ``icarus``.
        folder : Path
            Gets the waveform, if there is one.
        waves : bool
            Write a waveform even if there is no mismatch.
        progress : callable or None
            As for ``simulate``.

        Returns
        -------
        ComparedOutcome
            What the golden model gave, and the first difference if there is one.

        Raises
        ------
        ToolMissing
            If a program that the simulator needs is missing.
        MachineTrouble
            If the folder of simulators cannot be written.
        SimulatorFailed
            If the simulator does not build or does not finish.
        """
        from hydranoc.lockstep.compare import Comparison, compare_network
        from hydranoc.lockstep.simulator import check_cache
        from hydranoc.lockstep.tools import needed_for

        needed_for(simulator)  # before the work, not after it
        check_cache()
        outcome = self.simulate(progress)
        cycles = outcome.results.cycles + QUIET_CYCLES
        if progress:
            progress("writing Verilog", 0, 0)
        comparison = Comparison(
            self.model, self.messages, self.startup_cycles, cycles, self.harness(), hosts=self.config.hosts
        )
        told = progress and _with_deliveries(outcome.results, progress)
        compared = compare_network(comparison, simulator, folder, waves=waves, progress=told)
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
        """A picture of the network: file contents by suffix, ``svg`` and ``png``.

        Parameters
        ----------
        title : str or None
            Above it; default the configuration's name.
        load : Use or None
            Colours channels by what they carry; see ``channel_use``.
        """
        from hydranoc.pictures.draw import draw_network

        return draw_network(self.network, self.family.link_classes(self.routing), title or self.config.name, load)


def _run(
    simulation: "Simulation", expected_cycles: int, progress: Progress | None, until_cycle: int | None = None
) -> "Results":
    """Run to a cycle, or to the end."""
    if progress is None:
        return simulation.run(until_cycle)
    chunk = max(FIRST_CHUNK_CYCLES, expected_cycles // MOST_CHUNKS)
    while not (simulation.finished or simulation.deadlocked or simulation.cycle == until_cycle):
        next_cycle = simulation.cycle + chunk
        results = simulation.run(next_cycle if until_cycle is None else min(next_cycle, until_cycle))
        work = _cycles_of("simulating", results.deliveries, results.messages)
        progress(work, results.cycles, _all_cycles(results, expected_cycles))
    return simulation.results()


def _cycles_of(work: str, deliveries: int, messages: "Messages") -> Work:
    """Work that is counted in cycles, with what has been delivered so far."""
    return Work(work, "cycles", f"{deliveries:,} of {int(messages.copies.sum()):,} deliveries")


def _all_cycles(results: "Results", expected_cycles: int) -> int:
    """How long a run will take that goes on as it began; at least until its last message starts."""
    deliveries = results.deliveries
    wanted = deliveries + results.lost
    return max(results.cycles, expected_cycles, results.cycles * wanted // max(1, deliveries) if deliveries else 0)


def _with_deliveries(results: "Results", progress: Progress) -> Progress:
    """A callback that hears, while both sides run, of deliveries too: the model's run says when they come."""
    import numpy as np

    from hydranoc.lockstep.compare import COMPARING

    order = np.argsort(results.arrival_cycle)
    cycle, deliveries = results.arrival_cycle[order], np.cumsum(results.copies[order])

    def told(work: str, done: int, total: int) -> None:
        arrived = int(np.searchsorted(cycle, done))
        counted = int(deliveries[arrived - 1]) if arrived else 0
        progress(_cycles_of(work, counted, results.messages) if work == COMPARING else work, done, total)

    return told
