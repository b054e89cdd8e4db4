"""Runs of the golden model: to their end, with loads of channels, and recorded."""

from typing import TYPE_CHECKING, Any

from hydranoc.config.hosts import host_figures
from hydranoc.design.outcome import Outcome
from hydranoc.design.parts import Parts
from hydranoc.design.progress_runs import run_with_progress
from hydranoc.reports.progress import Progress, counted_in
from topology.common.host_pattern import EAGER

if TYPE_CHECKING:
    from hydranoc.replay.record import Recording
    from hydranoc.replay.use import Use
    from sim_model.engines.results import Results
    from sim_model.engines.simulation import Simulation


class Simulated(Parts):
    """Simulations of a design; see ``Design``."""

    def simulate(
        self, progress: Progress | None = None, *, channels: bool = False, engine: str | None = None
    ) -> Outcome:
        """Run the golden model until everything is delivered or nothing can move any more.

        Parameters
        ----------
        progress : callable or None
            Called with the work, cycles done and cycles in all; see ``hydranoc.reports.progress``.
        channels : bool
            Also count the load of channels, in all cycles and in the measured ones; a run then takes a third longer.
        engine : str or None
            ``worm`` moves whole worms, ``planes`` flits of 64 routers at a time, ``cycle`` every flit, all with the
            same results (docs/understand/engines.md); None is the fastest one that can.

        Returns
        -------
        Outcome
            Deliveries and latencies in cycles.

        Raises
        ------
        ConfigError
            If the configuration has no traffic, or wrong messages.
        EngineError
            If the engine cannot run this network.
        """
        from hydranoc.replay.use import use_between
        from hydranoc.reports.histogram import histogram_figures, histograms
        from hydranoc.reports.summary import round_trip_figures, summary_of, use_figures

        if progress:
            progress("building routing tables", 0, 0)
            _ = self.model
            progress("drawing messages", 0, 0)
            _ = self.messages
            progress("setting up the golden model", 0, 0)
        counting = self.counts_channels or channels
        simulation = self.simulation(count_channels=counting, engine=engine)
        expected, marks = self._expected_cycles(), []
        for cycle in self._measured_cycles if channels else ():
            run_with_progress(simulation, expected, progress, cycle)
            marks.append(simulation.channel_counts())
        results = run_with_progress(simulation, expected, progress)
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
        counts = simulation.channel_counts() if counting else None
        if counts is None or not channels:
            return Outcome(results, figures, report, counts)
        before, after = (*marks, counts)[:2]
        use = use_between(*self._measured_span(results), before, after)
        figures["utilisation"] = use_figures(use, self.network)
        return Outcome(results, figures, report, counts, use)

    def _add_load(self, figures: dict[str, Any], results: "Results") -> None:
        """Add offered and accepted load, where traffic has a rate of its own."""
        from hydranoc.config.schema import RandomTraffic
        from hydranoc.measurement.single_run import load_figures

        traffic = self.config.traffic
        if isinstance(traffic, RandomTraffic) and traffic.reply is None and len(results.messages):
            nodes = len(self.network.processors)
            figures["load"] = load_figures(results, nodes=nodes, first=self.warmup_cycles, last=traffic.cycles)

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
        """Return the golden model with its messages before cycle 0, to be run, stepped or recorded.

        Parameters
        ----------
        count_channels : bool
            Count flits, stalls and bubbles of each channel; a run then takes longer.
        engine : str or None
            As for ``simulate``.

        Raises
        ------
        EngineError
            If the engine cannot run this network.
        """
        from sim_model.engines.simulation import Simulation

        return Simulation(
            self.model,
            self.messages,
            self.startup_cycles,
            count_channels=count_channels,
            hosts=self.config.hosts,
            engine=engine,
        )

    def channel_use(self, results: "Results", progress: Progress | None = None) -> "tuple[Use, Simulation]":
        """Return the load of each channel in a run, from the end of the warm-up to the end of the traffic.

        Non-random traffic is counted over the whole run.

        Parameters
        ----------
        results : Results
            Of the run, to its end.
        progress : callable or None
            Called with cycles.

        Returns
        -------
        Use
            In flits per cycle.
        Simulation
            The repeated run, as far as it was counted.
        """
        from hydranoc.replay.use import count_use

        simulation = self.simulation(count_channels=True)
        told = counted_in("cycles", progress) if progress else None
        return count_use(simulation, *self._measured_span(results), told), simulation

    def recording(
        self, results: "Results", window: tuple[int, int] | None = None, progress: Progress | None = None
    ) -> "Recording":
        """Return the occupancy of channels by messages in a part of a run, which is repeated for it.

        Parameters
        ----------
        results : Results
            Of the run, to its end.
        window : (int, int) or None
            First cycle, and the one after the last; by default from the end of the warm-up, up to a limit of heads.
        progress : callable or None
            Called with cycles.

        Returns
        -------
        Recording
            With its window.

        Raises
        ------
        ValueError
            If the window does not begin within the run.
        """
        from hydranoc.replay.record import record
        from hydranoc.replay.window import span_of

        span = span_of(results.cycles, self.warmup_cycles, window)
        told = counted_in("cycles", progress) if progress else None
        return record(self.simulation(), results, *span, arrival_ports=self.family.arrival_ports, progress=told)

    def _expected_cycles(self) -> int:
        """Return the last given start of a message; the run takes a little longer."""
        return int(self.messages.start_cycle.max(initial=0)) + self.startup_cycles + 1
