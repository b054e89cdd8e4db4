"""The paper's latencies in mixed traffic, figures 15 to 23 (Sec. 5.3).

Load is the paper's normalised one: requested over available buffer-time. Its formulas for the mean gap
between a node's unicasts and between its multicasts,

    T_arru = B_m N / (B_t Traffic (1 - M_p))        T_arrm = B_m M_c N / (B_t Traffic M_p),

give a multicast the buffer-time of M_c unicasts, so B_m is that of a unicast here: all buffers on the longest way, each
from the header's arrival to the tail's departure. M_p then is the share of the load that multicasts would be if
software sent them, and one message in 1 + M_c (1 - M_p) / M_p is a multicast. B_t counts one buffer per input port.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hydranoc.measurement.curve import Curve
from hydranoc.measurement.network import UNICAST_AND_MULTICAST, NetworkExperiment
from hydranoc.measurement.observations import Observations
from hydranoc.measurement.point import Plan
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.common.loads import CurveSetting, RunLength, measure_load_curves
from hydranoc.studies.min.analytical import FLIT_NS, ROUTING_NS, links_and_switches
from hydranoc.studies.min.shapes import STARTUP_CYCLES, Shape, paper_model
from sim_model.engines.model import Model
from sim_model.messages.messages import Message
from sim_model.messages.software import software_multicasts
from sim_model.min.model import MinModel
from sim_model.traffic import random_traffic

FULL, QUICK = RunLength(14_000, 150), RunLength(3_000, 40)
PRECISION, QUICK_PRECISION = 0.05, 0.2
"""Half width of the 95 % intervals as a fraction of the means, of unicasts and of multicasts."""
MAX_REPLICATIONS, QUICK_REPLICATIONS = 60, 5
QUICK_DOUBLINGS = 3

cached_model = cache(paper_model)


@dataclass(frozen=True)
class MinLoad:
    """A network under a load, as an experiment.

    Members:
        shape
        software: True for software multicasts, by unicasts.
        load: The paper's Traffic.
        multicast_share: M_p.
        flits: Length of all messages.
        seed: Equal seeds give equal messages for both algorithms.
    """

    shape: Shape
    software: bool
    load: float
    multicast_share: float
    flits: int
    seed: int = 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """Unicasts and multicasts; a software multicast counts as one."""
        return UNICAST_AND_MULTICAST

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``."""
        model: MinModel = cached_model(self.shape)
        return NetworkExperiment([model], self._messages, self.seed, STARTUP_CYCLES).run(replication, cycles)

    def _messages(self, _model: Model, seed: int, cycles: int) -> Sequence[Message]:
        rate, fraction = message_rate(self.shape, self.load, self.multicast_share, self.flits)
        records = random_traffic(
            processors=self.shape.nodes,
            cycles=cycles,
            seed=seed,
            messages_per_node_per_cycle=rate,
            multicast_fraction=fraction,
            destinations=(self.shape.nodes / 2, self.shape.nodes / 4),
            flits=self.flits,
        )
        return software_multicasts(records) if self.software else records


def curve_name(shape: Shape, software: bool, multicast_share: float, flits: int) -> str:
    """Return the name of a curve: network, algorithm and traffic."""
    return f"{shape.name}, {shape.algorithm(software)}, {100 * multicast_share:.0f} % multicast, {flits} flits"


def min_curve(shape: Shape, software: bool, *, multicast_share: float, flits: int, quick: bool = False) -> CurveSetting:
    """Return the settings of a curve."""

    def experiment_at(load: float) -> MinLoad:
        return MinLoad(shape, software, load, multicast_share, flits)

    def plan_at(load: float) -> Plan:
        rate, fraction = message_rate(shape, load, multicast_share, flits)
        cycles = (QUICK if quick else FULL).cycles(shape.nodes, rate, fraction)
        if quick:
            return Plan(cycles, QUICK_PRECISION, QUICK_REPLICATIONS, QUICK_REPLICATIONS, QUICK_DOUBLINGS)
        return Plan(cycles, PRECISION, most_replications=MAX_REPLICATIONS)

    return CurveSetting(curve_name(shape, software, multicast_share, flits), experiment_at, plan_at)


def message_rate(shape: Shape, load: float, multicast_share: float, flits: int) -> tuple[float, float]:
    """Return the messages per node and cycle, and the fraction of multicasts among them."""
    _, switches = links_and_switches(shape.stages, shape.bidirectional)
    buffer_cycles = switches * (ROUTING_NS // FLIT_NS + flits)
    buffers_per_node = shape.stages * (2 if shape.bidirectional else 1)
    unicasts = buffers_per_node * load * (1 - multicast_share) / buffer_cycles
    multicasts = buffers_per_node * load * multicast_share / (buffer_cycles * shape.nodes / 2)
    return unicasts + multicasts, multicasts / (unicasts + multicasts)


LOADS = (0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
LIGHTEST = LOADS[:1]
WIDTH, QUICK_WIDTH = 0.05, 0.15
"""Relative width of the intervals of saturation."""
ATBM, SOFTWARE = ALGORITHMS = (False, True)


@dataclass(frozen=True)
class MinCurves:
    """Curves with equal traffic.

    Members:
        multicast_share: M_p.
        flits
        by_name
    """

    multicast_share: float
    flits: int
    by_name: dict[str, Curve]

    def of(self, shape: Shape, algorithm: bool = ATBM) -> Curve:
        """Return the curve of a network."""
        return self.by_name[curve_name(shape, algorithm, self.multicast_share, self.flits)]

    @property
    def all(self) -> list[Curve]:
        """All curves, in the order of the request."""
        return list(self.by_name.values())


def measure_min_curves(
    shapes: Sequence[Shape],
    multicast_share: float,
    flits: int,
    effort: Effort,
    *,
    loads: Sequence[float] = LOADS,
    algorithms: Sequence[bool] = ALGORITHMS,
) -> MinCurves:
    """Return the curves of all networks and algorithms.

    Parameters:
        multicast_share: M_p.
        flits: Length of all messages.
        algorithms: ``ATBM``, ``SOFTWARE``.
    """
    settings = [
        min_curve(shape, algorithm, multicast_share=multicast_share, flits=flits, quick=effort.quick)
        for shape in shapes
        for algorithm in algorithms
    ]
    width = QUICK_WIDTH if effort.quick else WIDTH
    return MinCurves(
        multicast_share, flits, measure_load_curves(settings, loads, saturation_width=width, **effort.points)
    )
