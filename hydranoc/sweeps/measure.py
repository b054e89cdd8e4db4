"""One point of a sweep: a configuration, measured."""

import contextlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hydranoc.config.load import TRAFFIC, checked_config
from hydranoc.config.random_traffic import checked_parts
from hydranoc.config.schema import RandomTraffic
from hydranoc.config.source import GivenSource
from hydranoc.config.traffic import build_messages
from hydranoc.design import Design
from hydranoc.errors import ConfigError
from hydranoc.families.registry import FAMILIES
from hydranoc.measurement.load_point import LATENCIES, VALUES, LoadPoint
from hydranoc.measurement.network import UNICAST_AND_MULTICAST, NetworkDeadlock, observe
from hydranoc.measurement.observations import COUNTED_PARTS, Observations
from hydranoc.measurement.point import DIVERGES, PER_MILLE, Plan, measure_point
from hydranoc.measurement.stability import MANY_RUNS
from hydranoc.sweeps.axi4 import AXI4_COLUMNS, measure_axi4
from sim_model.engines.simulation import Simulation
from sim_model.statistics.latency import observed_percentiles

MAX_DOUBLINGS = 10
DRAWN_MESSAGES = 1000
"""Expected messages of the short run that shows whether random traffic is right."""
KEPT_NETWORKS = 8
"""Networks that a process caches: points that differ only in their traffic share one."""
SUMMARY = ("verdict", "precise", "cycles", "warmup_cycles", "replications", "carried", "needed_cycles", "deadlocked")
FILES = "files"
"""Key in a row for digests by name, see ``NamedFiles``."""
COLLECTIVE = (
    "collective_algorithm",
    "collective_mean",
    "collective_max",
    "collective_algorithm_bandwidth",
    "collective_bus_bandwidth",
)
FAIRNESS = ("jain", "jain_half_width")
MESSAGES = tuple(f"{kind}_{name}" for kind in UNICAST_AND_MULTICAST for name in VALUES)
COLUMNS = (*SUMMARY, *FAIRNESS, *MESSAGES, *COLLECTIVE, *AXI4_COLUMNS)


@dataclass(frozen=True)
class SweepSettings:
    """Settings of the measurement of every point.

    Members:
        seeds: Minimum replications.
        most_seeds: Maximum replications, for narrow intervals; default ``seeds``.
        precision: Relative half width of intervals at which replication ends.
        doublings: Maximum repetitions at twice the length of runs without a clear verdict.

    Raises:
        ConfigError: If one is out of range.
    """

    seeds: int = MANY_RUNS
    most_seeds: int | None = None
    precision: float = 0.05
    doublings: int = 4

    def __post_init__(self):
        if self.seeds < MANY_RUNS:
            raise ConfigError(f"--seeds must be at least {MANY_RUNS}, not {self.seeds}")
        if self.max_seeds < self.seeds:
            raise ConfigError(f"--most-seeds must be at least {self.seeds}, what --seeds has, not {self.max_seeds}")
        if not 0 < self.precision <= 1:
            raise ConfigError(f"--precision must be above 0 and at most 1, not {self.precision}")
        if not 0 <= self.doublings <= MAX_DOUBLINGS:
            raise ConfigError(f"--doublings must be 0 to {MAX_DOUBLINGS}, not {self.doublings}")

    @property
    def max_seeds(self) -> int:
        """Maximum replications."""
        return self.seeds if self.most_seeds is None else self.most_seeds


@dataclass(frozen=True)
class DesignExperiment:
    """A configured network under its random traffic, with other seeds and for longer.

    Members:
        design
        kinds
    """

    design: Design
    kinds: tuple[str, ...]

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``; all seeds derive from the traffic's own seed."""
        design = self.design
        config = design.config
        traffic = config.traffic
        assert isinstance(traffic, RandomTraffic)
        seed = int(np.random.SeedSequence([traffic.seed, replication]).generate_state(1)[0])
        messages = build_messages(config.with_traffic(_varied(traffic, seed, cycles)), design.routing)
        simulation = Simulation(design.model, messages, design.startup_cycles, hosts=config.hosts)
        return observe(simulation, cycles, self.kinds)


@dataclass(frozen=True)
class Task:
    """Measurement of one configuration.

    Members:
        content: Content of the configuration.
        folder: File names in it are relative to this one.
        name: Description for errors, such as ``network.buffer_flits=2``.
    """

    content: Mapping[str, Any]
    folder: str = "."
    name: str = "the configuration"

    def check(self, *, with_traffic: bool) -> None:
        """Check the configuration without measuring it.

        Raises:
            ConfigError: For the first error.
        """
        with self.named_errors():
            design = self.design()
            if with_traffic:
                check_measurable(design)

    @contextlib.contextmanager
    def named_errors(self) -> Iterator[None]:
        """Put the name in front of an error."""
        try:
            yield
        except ConfigError as error:
            raise ConfigError(f"with {self.name}: {error}") from None

    def design(self) -> Design:
        """Return the design, with tables and model of an earlier one with an equal network if there is one."""
        design = _design(self.content, self.folder)
        base = self._network_design()
        files = base.config.source.files
        if not files.are_still(files.digests):
            _network_design.cache_clear()
            base = self._network_design()
        design.routing, design.model, design.plane = base.routing, base.model, base.plane
        design.config.source.files.digests.update(base.config.source.files.digests)
        return design

    def _network_design(self) -> Design:
        return _network_design(json.dumps(self.content["network"], sort_keys=True), self.folder)


@lru_cache(maxsize=KEPT_NETWORKS)
def _network_design(network: str, folder: str) -> Design:
    return _design({"network": json.loads(network)}, folder)


def _design(content: Mapping[str, Any], folder: str) -> Design:
    return Design(checked_config(GivenSource(content, Path(folder)), FAMILIES))


def check_measurable(design: Design) -> None:
    """Check the traffic of a sweep without running it.

    Raises:
        ConfigError: For wrong traffic, and for random traffic that is too short.
    """
    traffic, config = design.config.traffic, design.config
    if not isinstance(traffic, RandomTraffic):
        design.check_traffic()
        return
    if traffic.cycles < COUNTED_PARTS:
        text = f"traffic.cycles is {traffic.cycles}; it must be at least {COUNTED_PARTS} in a sweep"
        raise config.source.error((*TRAFFIC, "cycles"), text)
    checked_parts(config, traffic, design.network)
    per_cycle = traffic.messages_per_node_per_cycle * len(design.network.processors)
    short = math.ceil(min(DRAWN_MESSAGES / per_cycle, traffic.cycles))
    try:
        build_messages(config.with_traffic(_varied(traffic, traffic.seed, short)), design.routing)
    except ConfigError:  # perhaps for want of messages
        build_messages(config.with_traffic(_varied(traffic, traffic.seed, traffic.cycles)), design.routing)


def _varied(traffic: RandomTraffic, seed: int, cycles: int) -> RandomTraffic:
    return traffic.model_copy(update={"seed": seed, "cycles": cycles, "warmup_cycles": 0})


def measure(task: Task, effort: SweepSettings) -> dict[str, Any]:
    """Return values of ``COLUMNS`` for one configuration, None where missing, and its files' digests as ``FILES``.

    Random traffic is measured by the rules of ``hydranoc.measurement``, AXI4 transactions in runs with other seeds,
    anything else in one run to its end.

    Raises:
        ConfigError: For an error that only the run shows.
    """
    with task.named_errors():
        design = task.design()
        row: dict[str, Any] = dict.fromkeys(COLUMNS)
        if design.has_axi4_traffic:
            row |= measure_axi4(design, effort.seeds, effort.max_seeds, effort.precision)
        elif isinstance(design.config.traffic, RandomTraffic):
            row |= _measured(design, design.config.traffic, effort)
        else:
            row |= _run_once(design)
    return row | {FILES: design.config.source.files.digests}


def _measured(design: Design, traffic: RandomTraffic, effort: SweepSettings) -> dict[str, Any]:
    several = traffic.multicast_fraction > 0 or traffic.broadcast_fraction > 0
    only = traffic.multicast_fraction + traffic.broadcast_fraction >= 1
    kinds = UNICAST_AND_MULTICAST[1:] if only else UNICAST_AND_MULTICAST[: 1 + several]
    plan = Plan(traffic.cycles, effort.precision, effort.seeds, effort.max_seeds, effort.doublings)
    try:
        measured = measure_point(DesignExperiment(design, kinds), plan)
    except NetworkDeadlock:
        return {"verdict": DIVERGES, "precise": False, "deadlocked": True}
    point = LoadPoint.of("", 0.0, measured)
    row: dict[str, Any] = {name: getattr(point, name) for name in SUMMARY if name != "deadlocked"}
    if measured.jain is not None:
        row |= {"jain": measured.jain.mean, "jain_half_width": _number(measured.jain.half_width)}
    row |= {"needed_cycles": _whole_number(point.needed_cycles), "deadlocked": False}
    for kind, values in point.kinds.items():
        left_out = () if point.stable else LATENCIES
        row |= {f"{kind}_{name}": _number(value) for name, value in values.items() if name not in left_out}
    return row


def _number(value: float) -> float | None:
    """Return a number, or None for NaN, which JSON and tables lack."""
    return float(value) if np.isfinite(value) else None


def _whole_number(value: float) -> int | None:
    return math.ceil(value) if math.isfinite(value) else None


def _run_once(design: Design) -> dict[str, Any]:
    outcome = design.simulate()
    results = outcome.results
    row: dict[str, Any] = {"cycles": results.cycles, "replications": 1, "deadlocked": results.deadlocked}
    for kind, several in zip(UNICAST_AND_MULTICAST, (False, True), strict=True):
        latencies = results.complete_latencies(multicast=several)
        if len(latencies):
            found = (float(latencies.mean()), None, *observed_percentiles(latencies, PER_MILLE))
            row |= {f"{kind}_{name}": value for name, value in zip(LATENCIES, found, strict=True)}
            row[f"{kind}_messages"] = len(latencies)
    return row | _collective(outcome.figures.get("collectives", ()))


def _collective(figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the values of ``COLLECTIVE``; bandwidths of a single operation alone."""
    latencies = [cycles for one in figures for cycles in one["latencies_cycles"] if cycles is not None]
    if not latencies:
        return {}
    bandwidths = [figures[0][f"{name}_bytes_per_cycle"] if len(figures) == 1 else None for name in ("algorithm", "bus")]
    algorithms = " ".join(one["algorithm"] for one in figures)
    values = (algorithms, float(np.mean(latencies)), float(max(latencies)), *bandwidths)
    return dict(zip(COLLECTIVE, values, strict=True))
