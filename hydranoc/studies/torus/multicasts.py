"""Multi-node multicasts in a 16 x 16 torus, the paper's measurements (Sec. 3.4.4).

A cycle is a microsecond, T_c: one flit per channel. All sources begin at 0, and every send costs its host T_s. Links
have two virtual channels, by the rule that U-torus needs for freedom from contention. Buffers have 8 flits; their depth
has little effect. Flits in the network have priority over those from processors (``injection_priority: low``). With
round-robin arbitration busy hosts delay other messages, and U-torus with 176 sources and 1,024 flits takes a quarter
longer.

The paper defines neither the latency of several multicasts nor the hot-spot factor of figures 2 and 3. Here latency is
the mean over the multicasts, each from 0 to its last destination. The time of the last multicast is given beside it.
The factor is 25 %.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache

from hydranoc.measurement.kept_points import KeptPoints, Progress, measure_points
from hydranoc.measurement.whole_runs import finish, prepare
from sim_model.messages.columns import MessageColumns
from sim_model.messages.multinode import multinode_columns
from sim_model.statistics.latency import Interval, confidence_interval
from sim_model.torus.model import TorusModel
from sim_model.torus.multinode import software_sends
from topology.common.virtual_channels import PRIORITY_LOW
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

CYCLE_US = 1
GRID = Grid(16, 16)
VCS = 2
FLIT_BITS = 32
BUFFER_FLITS = 8
INSTANCES, QUICK_INSTANCES = 10, 5
"""Random workloads per point."""


@dataclass(frozen=True)
class Workload:
    """A multi-node multicast.

    Members:
        sources, destinations (int): m and |D|.
        flits: |M|.
        startup_us: T_s.
        hot_spot: p.
    """

    sources: int
    destinations: int
    flits: int = 32
    startup_us: int = 300
    hot_spot: float = 0.25


@dataclass(frozen=True)
class MulticastPoint:
    """Results of a workload with one kind of software.

    Members:
        software
        sources, destinations, flits, startup_us, hot_spot: See ``Workload``.
        means_us: Mean latency over the multicasts of each random workload; all software sends the same workloads.
        lasts_us: Latency of the last multicast of each random workload.
    """

    software: str
    sources: int
    destinations: int
    flits: int
    startup_us: int
    hot_spot: float
    means_us: tuple[float, ...]
    lasts_us: tuple[float, ...]

    @property
    def workload(self) -> Workload:
        """The workload of the point."""
        return Workload(self.sources, self.destinations, self.flits, self.startup_us, self.hot_spot)

    @property
    def mean_us(self) -> Interval:
        """Mean over the workloads."""
        return confidence_interval(self.means_us)

    @property
    def last_us(self) -> Interval:
        """Mean over the workloads."""
        return confidence_interval(self.lasts_us)


@dataclass(frozen=True)
class _Task:
    software: str
    workload: Workload
    instances: int


def torus_multicasts(
    software: Sequence[str],
    workloads: Sequence[Workload],
    *,
    quick: bool = False,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
) -> list[MulticastPoint]:
    """Return the latencies of workloads with each kind of software, all with the same random workloads.

    Parameters:
        software: See ``software_sends``.
        quick: Five random workloads per point instead of ten.
        processes, progress, kept: See ``measure_points``.
    """
    instances = QUICK_INSTANCES if quick else INSTANCES
    tasks = [_Task(name, workload, instances) for workload in workloads for name in software]
    # the longest first, for an even finish
    tasks.sort(key=lambda task: -task.workload.flits * task.workload.sources * task.workload.destinations)
    return measure_points(_measure, tasks, processes=processes, progress=progress, kept=kept, point_type=MulticastPoint)


@cache
def paper_model() -> TorusModel:
    """Return the paper's torus, built once."""
    routing = TorusRouting(TorusNetwork(GRID, VCS), FLIT_BITS)
    return TorusModel(routing, buffer_flits=BUFFER_FLITS, routing_cycles=1, injection_priority=PRIORITY_LOW)


def _measure(task: _Task) -> MulticastPoint:
    workload, model = task.workload, paper_model()
    means, lasts = [], []
    for seed in range(task.instances):
        records = _records(workload.sources, workload.destinations, workload.hot_spot, workload.flits, seed)
        sends = software_sends(GRID, records, task.software, seed)
        latencies = finish(prepare(model, sends, workload.startup_us // CYCLE_US)).group_latency_cycles * CYCLE_US
        means.append(float(latencies.mean()))
        lasts.append(float(latencies.max()))
    return MulticastPoint(task.software, **asdict(workload), means_us=tuple(means), lasts_us=tuple(lasts))


@lru_cache(maxsize=INSTANCES)
def _records(sources: int, destinations: int, hot_spot: float, flits: int, seed: int) -> MessageColumns:
    """Return a random workload, cached for several kinds of software."""
    return multinode_columns(
        GRID.nodes, sources=sources, destinations=destinations, hot_spot=hot_spot, flits=flits, seed=seed
    )


U_TORUS = "u-torus"
KINDS = ("I", "II", "III", "IV")
DILATED_4 = tuple(f"4{kind}{balance}" for kind in KINDS for balance in ("", "B"))
SOFTWARE = (U_TORUS, *DILATED_4, "2IIIB")


class Points:
    """Points by software and parameters.

    All software sends the same random workloads, so comparisons are within each workload, and their mean has an
    interval over the workloads. It is narrower than that of two means, because slow workloads are slow for all.
    """

    def __init__(self, points: Sequence[MulticastPoint]):
        self.all = tuple(points)

    def find(self, software: str, **wanted: float) -> list[MulticastPoint]:
        """Return the points of a software with these members, in order of sources, length and hot-spot factor."""
        own = [
            point
            for point in self.all
            if point.software == software and all(getattr(point, key) == value for key, value in wanted.items())
        ]
        return sorted(own, key=lambda point: (point.sources, point.flits, point.hot_spot))

    def gain(self, software: str, **wanted: float) -> Interval:
        """Return the ratio of the mean latency of U-torus to that of another software, at one point."""
        return confidence_interval(self.gains(software, **wanted))

    def gains(self, software: str, **wanted: float) -> list[float]:
        """Return the ratios of ``gain`` by workload."""
        return self._paired(lambda base, own: base / own, U_TORUS, software, "means_us", wanted)

    def saved(self, scheme: str, column: str, **wanted: float) -> Interval:
        """Return the fraction of a time (``means_us`` or ``lasts_us``) that a scheme saves with B, at one point."""
        return confidence_interval(self._paired(lambda own, b: 1 - b / own, scheme, f"{scheme}B", column, wanted))

    def _paired(
        self, compare: Callable[[float, float], float], first: str, second: str, column: str, wanted: dict[str, float]
    ) -> list[float]:
        (one,), (other,) = self.find(first, **wanted), self.find(second, **wanted)
        return [compare(*pair) for pair in zip(getattr(one, column), getattr(other, column), strict=True)]
