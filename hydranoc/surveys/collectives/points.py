"""Points of the survey: one operation on one network, by all algorithms and on the plane.

Rules, fixed before the runs. All nodes take part and begin in cycle 0 of an idle network. Hosts combine received words
in no time, and do nothing else; a start-up is the only cost of a message, and of an operation on the plane. Each
operation is performed once: runs are deterministic. No row is left out for its cost. Barriers are also performed on a
plane of barriers alone.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hydranoc.measurement.kept_points import measure_points
from hydranoc.surveys.collectives.networks import BARRIERS_ALONE, NETWORKS, PLANES, WITH_OPERATORS, design_of
from sim_model.collectives.registry import ON_PLANE, OPERATIONS, PLANE
from sim_model.collectives.schedule import ALL_TO_ALL, BARRIER

ALL_REDUCE, AUTO = "all-reduce", "auto"
FIRST_BEAT_CYCLE = 1
"""First cycle in which a plane takes a beat: ``tready`` is 0 in the cycle after reset."""
EVERYONE = 0
"""Number of the plane's group with all processors."""
STARTUPS, QUICK_STARTUPS = (0, 100, 1000), (0, 100)
ALL_REDUCE_WORDS, QUICK_ALL_REDUCE_WORDS = tuple(1 << bit for bit in range(13)), (1, 16, 256, 4096)
ALL_TO_ALL_WORDS, QUICK_ALL_TO_ALL_WORDS = (64, 4096), (64,)
"""Words of a member's vector. In an all-to-all, a 64th goes to each member."""


@dataclass(frozen=True)
class CollectiveTask:
    """One operation on one network.

    Members:
        network: One of ``NETWORKS``.
        operation
        words: Of a member's vector; 0 for a barrier.
        startup_cycles: Of a host per message, and per operation on the plane.
    """

    network: str
    operation: str
    words: int
    startup_cycles: int


@dataclass(frozen=True)
class CollectivePoint:
    """Results of a task.

    Members:
        network, operation, words, startup_cycles: See ``CollectiveTask``.
        cycles (dict of str to int): Latency by algorithm, planes of ``PLANES`` included.
        chosen: Algorithm that ``auto`` takes in a network without a plane.
        forms (dict of str to int): Closed form of the operation on each plane that performs it, from cycle 0.
    """

    network: str
    operation: str
    words: int
    startup_cycles: int
    cycles: dict[str, int]
    chosen: str
    forms: dict[str, int]

    @property
    def plane(self) -> int | None:
        """Latency on the plane with all operators; None if it does not perform the operation."""
        return self.cycles.get(WITH_OPERATORS)

    @property
    def barrier_plane(self) -> int | None:
        """Latency on the plane of barriers alone; None if it does not perform the operation."""
        return self.cycles.get(BARRIERS_ALONE)

    @property
    def best(self) -> str:
        """Fastest algorithm by messages; of equal ones the first, and one without multicasts in hardware."""
        return self._fastest(lambda _: True)

    @property
    def best_cycles(self) -> int:
        """Latency of ``best``."""
        return self.cycles[self.best]

    @property
    def best_of_unicasts(self) -> str:
        """Fastest algorithm without multicasts in hardware."""
        return self._fastest(lambda algorithm: not self._in_hardware(algorithm))

    def _fastest(self, is_allowed: Callable[[str], bool]) -> str:
        names = [name for name in self.cycles if name not in PLANES and is_allowed(name)]
        return min(names, key=lambda name: (self.cycles[name], self._in_hardware(name)))

    def _in_hardware(self, algorithm: str) -> bool:
        return OPERATIONS[self.operation][algorithm].in_hardware


def tasks(*, quick: bool = False) -> list[CollectiveTask]:
    """Return all tasks of a run, in the order of networks, operations, words and start-ups."""
    sizes = {
        BARRIER: (0,),
        ALL_REDUCE: QUICK_ALL_REDUCE_WORDS if quick else ALL_REDUCE_WORDS,
        ALL_TO_ALL: QUICK_ALL_TO_ALL_WORDS if quick else ALL_TO_ALL_WORDS,
    }
    return [
        CollectiveTask(network, operation, words, startup)
        for network in NETWORKS
        for operation, own in sizes.items()
        for words in own
        for startup in (QUICK_STARTUPS if quick else STARTUPS)
    ]


def measure(task: CollectiveTask) -> CollectivePoint:
    """Perform an operation by all algorithms of the network, each in a run of its own.

    Raises:
        RuntimeError: If a run does not end, or a result is wrong.
    """
    network = NETWORKS[task.network]
    names = [
        name
        for name, algorithm in OPERATIONS[task.operation].items()
        if network.multicasts or not algorithm.in_hardware
    ]
    cycles = {name: _cycles(_figures(task, name, None)) for name in names}
    forms = {}
    for plane in _planes_of(task.operation):
        cycles[plane] = _cycles(_figures(task, PLANE, plane))
        forms[plane] = _plane_form(task, plane)
    chosen = str(_figures(task, AUTO, None)["algorithm"])
    return CollectivePoint(task.network, task.operation, task.words, task.startup_cycles, cycles, chosen, forms)


def _planes_of(operation: str) -> Sequence[str]:
    """Return the planes that perform an operation."""
    if operation not in ON_PLANE:
        return ()
    return tuple(PLANES) if operation == BARRIER else (WITH_OPERATORS,)


def _cycles(figures: dict[str, Any]) -> int:
    """Return the latency of the only performance of an operation."""
    (cycles,) = figures["latencies_cycles"]
    return int(cycles)


def _figures(task: CollectiveTask, algorithm: str, plane: str | None) -> dict[str, Any]:
    network = NETWORKS[task.network]
    known = OPERATIONS[task.operation].get(algorithm)
    takes_multicasts = algorithm == AUTO or (known is not None and known.in_hardware)
    design = design_of(task.network, plane).collective(
        task.operation,
        algorithm=algorithm,
        flits=network.flits(task.words) or None,
        startup_cycles=task.startup_cycles,
        procedure=network.procedure if takes_multicasts else None,
    )
    outcome = design.simulate()
    if not outcome.right:
        text = f"{task.operation} of {task.words} words by {algorithm} in {task.network}"
        raise RuntimeError(f"A run for measurements must be right, not {text}:\n{outcome.summary()}")
    return outcome.figures["collectives"][0]


def _plane_form(task: CollectiveTask, name: str) -> int:
    network, plane = NETWORKS[task.network], design_of(task.network, name).plane
    assert plane is not None
    words = network.flits(task.words) * network.words_per_flit
    start = max(task.startup_cycles, FIRST_BEAT_CYCLE if words else 0)
    return start + plane.operation_cycles(EVERYONE, words)


class CollectivePoints:
    """Points of a run.

    Parameters:
        points
    """

    def __init__(self, points: Iterable[CollectivePoint]):
        self.all: Sequence[CollectivePoint] = tuple(points)

    def find(self, **wanted: Any) -> list[CollectivePoint]:
        """Return the points with these members, in the order of the run."""
        return [point for point in self.all if all(getattr(point, key) == value for key, value in wanted.items())]

    def one(self, **wanted: Any) -> CollectivePoint:
        """Return the only point with these members."""
        (found,) = self.find(**wanted)
        return found


def measured(*, quick: bool, **effort: Any) -> CollectivePoints:
    """Measure all points.

    Parameters:
        quick: Fewer sizes and start-ups.
        effort: ``processes``, ``progress`` and ``kept``, see ``measure_points``.
    """
    return CollectivePoints(measure_points(measure, tasks(quick=quick), point_type=CollectivePoint, **effort))
