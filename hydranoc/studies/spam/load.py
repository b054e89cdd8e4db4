"""The paper's second set of simulations, figure 3: one message in ten a multicast, 128 nodes (Sec. 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hydranoc.measurement.compare import ratio
from hydranoc.measurement.curve import Curve
from hydranoc.measurement.network import UNICAST_AND_MULTICAST, NetworkExperiment, with_all_kinds
from hydranoc.measurement.observations import Observations
from hydranoc.measurement.point import Plan
from hydranoc.studies.common.figure import Claim, Effort, Figure
from hydranoc.studies.common.loads import CurveSetting, load_comparison, load_series, load_table, measure_load_curves
from hydranoc.studies.spam.multicasts import CYCLE_US, MESSAGE_FLITS, STARTUP_CYCLES, lattices, paper_model
from sim_model.engines.model import Model
from sim_model.messages.messages import Message
from sim_model.spam.model import SpamModel
from sim_model.statistics.latency import Interval
from sim_model.traffic import random_traffic
from topology.common.graph import Network

DESTINATIONS = (8, 16, 32, 64)
RATES = (0.00002, 0.00004, 0.00006, 0.00008, 0.0001, 0.00012, 0.00014, 0.00016)
"""Messages per node and cycle."""
MULTICAST_FRACTION = 0.1
MESSAGES_PER_RUN, QUICK_MESSAGES_PER_RUN = 3_000, 1_500
PRECISION, QUICK_PRECISION = 0.02, 0.1
"""Half width of the 95 % intervals as a fraction of the means; the paper has 1 % for its single multicasts."""
MAX_REPLICATIONS, QUICK_REPLICATIONS = 160, 8
QUICK_DOUBLINGS = 3


@dataclass(frozen=True)
class SpamLoad:
    """Networks under a load, as an experiment.

    Members:
        models: Models, used in turn.
        destinations: Destinations of each multicast.
        rate: Messages per node and cycle.
        seed
    """

    models: tuple[SpamModel, ...] = field(repr=False)
    destinations: int
    rate: float
    seed: int = 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """Unicasts and multicasts, and all messages together, which the paper draws."""
        return (*UNICAST_AND_MULTICAST, "message")

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``."""
        network = NetworkExperiment(self.models, self._messages, self.seed, STARTUP_CYCLES)
        return with_all_kinds(network.run(replication, cycles), len(UNICAST_AND_MULTICAST))

    def _messages(self, model: Model, seed: int, cycles: int) -> Sequence[Message]:
        return random_traffic(
            processors=len(model.network.processors),
            cycles=cycles,
            seed=seed,
            messages_per_node_per_cycle=self.rate,
            multicast_fraction=MULTICAST_FRACTION,
            destinations=self.destinations,
            flits=MESSAGE_FLITS,
        )


def spam_curve(models: Sequence[SpamModel], destinations: int, *, quick: bool = False) -> CurveSetting:
    """Return the settings of a curve; loads are messages per node and cycle.

    Parameters:
        models: Networks of one size, used in turn: a load must be carried by all.
        destinations: Destinations of each multicast.
    """
    nodes = len(models[0].network.processors)

    def plan_at(rate: float) -> Plan:
        cycles = round((QUICK_MESSAGES_PER_RUN if quick else MESSAGES_PER_RUN) / (rate * nodes))
        if quick:
            return Plan(cycles, QUICK_PRECISION, QUICK_REPLICATIONS, QUICK_REPLICATIONS, QUICK_DOUBLINGS)
        return Plan(cycles, PRECISION, replications=2 * len(models), most_replications=MAX_REPLICATIONS)

    return CurveSetting(
        f"{destinations} destinations", lambda rate: SpamLoad(tuple(models), destinations, rate), plan_at
    )


LARGELY_INDEPENDENT = 1.3
"""Factor between largest and smallest latency for the paper's "largely independent"; it is ours."""
KINDS = ("unicast", "multicast", "message")
WIDTH, QUICK_WIDTH = 0.05, 0.15
"""Relative width of the intervals of saturation."""


def figure_3(effort: Effort) -> Figure:
    """Return figure 3: latency in mixed traffic against the rate of messages, 128 nodes."""
    return load_figure(lattices(128), effort)


def load_figure(networks: Sequence[Network], effort: Effort) -> Figure:
    """Return figure 3: latency in mixed traffic against the rate of messages.

    Parameters:
        networks: Of one size, used in turn.
    """
    models = [paper_model(network) for network in networks]
    settings = [spam_curve(models, count, quick=effort.quick) for count in DESTINATIONS]
    width = QUICK_WIDTH if effort.quick else WIDTH
    curves = list(measure_load_curves(settings, RATES, saturation_width=width, **effort.points).values())
    columns, rows = load_table(curves, KINDS, "us", CYCLE_US)
    return Figure(
        title="SPAM, figure 3: 90 % unicast and 10 % multicast, 128 nodes, Poisson arrivals",
        x_label="messages per node and cycle of 10 ns",
        y_label="mean latency, us (95 % confidence)",
        series=tuple(load_series(curve.name, curve, "message", CYCLE_US) for curve in curves),
        claims=(independence(curves),),
        columns=columns,
        rows=rows,
        comparable=load_comparison(KINDS, "us"),
    )


def independence(curves: Sequence[Curve]) -> Claim:
    """Check that the highest latency is at most 1.3 times the lowest, with the whole interval, at each load that all
    networks carry."""
    common = sorted(set.intersection(*({point.load for point in curve.stable} for curve in curves)))
    factors = {}
    for load in common:
        latencies = [point.latency_cycles("message") for curve in curves if (point := curve.at(load)) is not None]
        lowest, highest = (choose(latencies, key=lambda one: one.mean) for choose in (min, max))
        factors[load] = ratio(highest, lowest)
    measured = "no load is carried by all"
    if factors:
        within = [load for load in common if factors[load].high <= LARGELY_INDEPENDENT]
        beyond = [load for load in common if load not in within]
        texts = [f"up to {within[-1]:g} messages per node and cycle {_highest(factors, within)}"] if within else []
        texts += [f"from {beyond[0]:g} on {_highest(factors, beyond)}"] if beyond else []
        measured = f"{'; '.join(texts)}; not every curve has means beyond {common[-1]:g}"
    return Claim(
        "latency largely independent of the number of destinations",
        measured,
        bool(factors) and all(factor.high <= LARGELY_INDEPENDENT for factor in factors.values()),
    )


def _highest(factors: Mapping[float, Interval], loads: Sequence[float]) -> str:
    worst = max(loads, key=lambda load: factors[load].high)
    factor = f"{factors[worst].mean:.2f}±{factors[worst].half_width:.2f}"
    return f"the highest is at most {factor} times the lowest (at {worst:g})"
