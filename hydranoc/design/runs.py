"""Runs of the golden model: to their end, with loads of channels, recorded, and with their progress."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hydranoc.config.hosts import host_figures
from hydranoc.config.load import Config
from hydranoc.design.outcome import Outcome
from hydranoc.reports.progress import Progress, Work, counted_in
from topology.common.host_pattern import EAGER

if TYPE_CHECKING:
    from hydranoc.config.collectives import CollectivePlan
    from hydranoc.replay.record import Recording
    from hydranoc.replay.use import Use
    from sim_model.collective_plane.joint import JointResults
    from sim_model.engines.model import Model
    from sim_model.engines.results import Results
    from sim_model.engines.simulation import Simulation
    from sim_model.messages.messages import Messages

FIRST_CHUNK_CYCLES, MAX_CHUNKS = 2_000, 200


@dataclass(frozen=True)
class ModelRuns:
    """Runs of a design's golden model with its messages.

    Parameters:
        plan: Collective operations behind the messages, if there are any.
        joint: Results of those on the plane, if there are any.
        startup_cycles, warmup_cycles, counts_channels: See ``Design``.
    """

    config: Config
    model: "Model"
    messages: "Messages"
    plan: "CollectivePlan | None"
    joint: "JointResults | None"
    startup_cycles: int
    warmup_cycles: int
    counts_channels: bool

    def simulate(self, progress: Progress | None, *, channels: bool, engine: str | None) -> Outcome:
        """Run until everything is delivered or nothing can move any more; see ``Design.simulate``."""
        from hydranoc.replay.use import use_between
        from hydranoc.reports.histogram import histogram_figures, histograms
        from hydranoc.reports.summary import round_trip_figures, summary_of, use_figures

        counting = self.counts_channels or channels
        simulation = self.simulation(count_channels=counting, engine=engine)
        expected, marks = self._expected_cycles(), []
        for cycle in self._measured_cycles if channels else ():
            run_with_progress(simulation, expected, progress, cycle)
            marks.append(simulation.channel_counts())
        results = run_with_progress(simulation, expected, progress)
        if self.joint is not None:
            results = replace(results, cycles=max(results.cycles, self.joint.cycles))
        if progress:
            progress("statistics", 0, 0)
        report = simulation.deadlock_report() if simulation.deadlocked else ""
        figures = summary_of(results, warmup_cycles=self.warmup_cycles)
        if getattr(self.config.traffic, "reply", None) is not None:
            figures["latency_cycles"]["round_trip"] = round_trip_figures(results, self.warmup_cycles)
        if self.config.hosts != EAGER:
            figures["hosts"] = host_figures(self.config.hosts)
        figures["latency_histogram"] = histogram_figures(histograms(results, self.warmup_cycles))
        self._add_load(figures, results)
        self._add_collectives(figures, results)
        counts = simulation.channel_counts() if counting else None
        plane = None if self.joint is None else self.joint.results
        if counts is None or not channels:
            return Outcome(results, figures, report, counts, plane=plane)
        before, after = (*marks, counts)[:2]
        use = use_between(*self._measured_span(results), before, after)
        figures["utilisation"] = use_figures(use, self.model.network)
        return Outcome(results, figures, report, counts, use, plane)

    def _add_load(self, figures: dict[str, Any], results: "Results") -> None:
        """Add offered and accepted load, where traffic has a rate of its own."""
        from hydranoc.config.schema import RandomTraffic
        from hydranoc.measurement.single_run import load_figures

        traffic = self.config.traffic
        if isinstance(traffic, RandomTraffic) and traffic.reply is None and len(results.messages):
            nodes = len(self.model.network.processors)
            figures["load"] = load_figures(results, nodes=nodes, first=self.warmup_cycles, last=traffic.cycles)

    def _add_collectives(self, figures: dict[str, Any], results: "Results") -> None:
        """Add the figures of collective operations, where there are any."""
        if self.plan is None or not self.plan.collectives:
            return
        from hydranoc.reports.collectives import Performances, collective_figures, plane_figures

        plan, flit_bits, joint = self.plan, self.config.network_section.flit_bits, self.joint
        performances = Performances(
            plan.collectives, plan.performances, None if joint is None else joint.results, self.startup_cycles
        )
        figures["collectives"] = collective_figures(results, performances, flit_bits)
        if joint is not None:
            section = self.config.network_section.collectives
            assert section is not None
            figures["plane"] = plane_figures(performances, joint.word_hops, section.word_bits)

    @property
    def _measured_cycles(self) -> tuple[int, ...]:
        """First measured cycle, and the end of measurement if it is known before the run."""
        from hydranoc.config.schema import RandomTraffic

        traffic = self.config.traffic
        return (self.warmup_cycles, traffic.cycles) if isinstance(traffic, RandomTraffic) else (self.warmup_cycles,)

    def _measured_span(self, results: "Results") -> tuple[int, int]:
        """Return the first measured cycle and the one after the last, both within the run."""
        last = min((*self._measured_cycles[1:], results.cycles))
        return min(self.warmup_cycles, last - 1), last

    def simulation(self, *, count_channels: bool = False, engine: str | None = None) -> "Simulation":
        """Return the model with its messages before cycle 0; see ``Design.simulation``."""
        from sim_model.engines.simulation import Simulation

        return Simulation(
            self.model,
            self.messages,
            self.startup_cycles,
            count_channels=count_channels,
            hosts=self.config.hosts,
            engine=engine,
        )

    def channel_use(self, results: "Results", progress: Progress | None) -> "tuple[Use, Simulation]":
        """Return the load of each channel in a repeated run; see ``Design.channel_use``."""
        from hydranoc.replay.use import count_use

        simulation = self.simulation(count_channels=True)
        told = counted_in("cycles", progress) if progress else None
        return count_use(simulation, *self._measured_span(results), told), simulation

    def recording(
        self, results: "Results", window: tuple[int, int] | None = None, progress: Progress | None = None
    ) -> "Recording":
        """Return the occupancy of channels in a part of a run, which is repeated; see ``Design.recording``."""
        from hydranoc.replay.record import record
        from hydranoc.replay.window import span_of

        span = span_of(results.cycles, self.warmup_cycles, window)
        told = counted_in("cycles", progress) if progress else None
        return record(self.simulation(), results, *span, arrival_ports=self.config.family.arrival_ports, progress=told)

    def _expected_cycles(self) -> int:
        """Return the last given start of a message; the run takes a little longer."""
        return int(self.messages.start_cycle.max(initial=0)) + self.startup_cycles + 1


def run_with_progress(
    simulation: "Simulation", expected_cycles: int, progress: Progress | None, until_cycle: int | None = None
) -> "Results":
    """Run to a cycle, or to the end."""
    if progress is None:
        return simulation.run(until_cycle)
    chunk = max(FIRST_CHUNK_CYCLES, expected_cycles // MAX_CHUNKS)
    while not (simulation.finished or simulation.deadlocked or simulation.cycle == until_cycle):
        next_cycle = simulation.cycle + chunk
        results = simulation.run(next_cycle if until_cycle is None else min(next_cycle, until_cycle))
        work = _cycles_of("simulating", results.deliveries, results.messages)
        progress(work, results.cycles, _all_cycles(results, expected_cycles))
    return simulation.results()


def _cycles_of(work: str, deliveries: int, messages: "Messages") -> Work:
    """Return work counted in cycles, with the deliveries so far."""
    return Work(work, "cycles", f"{deliveries:,} of {int(messages.copies.sum()):,} deliveries")


def _all_cycles(results: "Results", expected_cycles: int) -> int:
    """Return the expected cycles of a run at its present rate; at least until its last message starts."""
    deliveries = results.deliveries
    wanted = deliveries + results.lost
    return max(results.cycles, expected_cycles, results.cycles * wanted // max(1, deliveries) if deliveries else 0)


def with_deliveries(results: "Results", progress: Progress) -> Progress:
    """Return a callback that also reports deliveries during a comparison, from the model's run."""
    import numpy as np

    from hydranoc.lockstep.compare import COMPARING

    order = np.argsort(results.arrival_cycle)
    cycle, deliveries = results.arrival_cycle[order], np.cumsum(results.copies[order])

    def told(work: str, done: int, total: int) -> None:
        arrived = int(np.searchsorted(cycle, done))
        counted = int(deliveries[arrived - 1]) if arrived else 0
        progress(_cycles_of(work, counted, results.messages) if work == COMPARING else work, done, total)

    return told
