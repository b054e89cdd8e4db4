"""The paper's latencies without contention: its closed form (Sec. 5.2) and figure 14."""

from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.kept_points import KeptPoints, Progress, measure_points
from hydranoc.measurement.whole_runs import finish, prepare
from hydranoc.studies.min.shapes import CYCLE_US, STARTUP_CYCLES, Shape, paper_model
from sim_model.messages.messages import Message
from sim_model.messages.software import software_multicasts
from sim_model.min.analytical import FLIT_NS
from sim_model.min.model import MinModel
from sim_model.statistics.latency import confidence_interval

FLITS = 64
FIG14_REPETITIONS, FIG14_QUICK_REPETITIONS = 1000, 50
APART_CYCLES = 5000
"""Distance of messages, so that one ends before the next: 100 us; the longest software multicast takes 25."""


@dataclass(frozen=True)
class SimulatedLatency:
    """Latencies in an empty network.

    Members
    -------
    unicast_ns : float
        To the most distant node.
    multicast_ns, half_width_ns : float
        Broadcast with random token positions; mean and its 95 % confidence interval.
    fastest_multicast_ns, slowest_multicast_ns : float
        Broadcast with the tokens at the best and at the worst sampled position.
    rings : int
        Token rings of more than one switch on the path.
    """

    unicast_ns: float
    multicast_ns: float
    half_width_ns: float
    fastest_multicast_ns: float
    slowest_multicast_ns: float
    rings: int


def simulated_latency(shape: Shape, samples: int = 400) -> SimulatedLatency:
    """Return the latencies of unicasts and broadcasts of processor 0, one message at a time.

    All rings of one size have their tokens at the same random position in each sample. So a broadcast waits for one
    token per stage, as in the closed form, and not for the slowest of many.
    """
    model = paper_model(shape)
    others = tuple(range(1, shape.nodes))
    random = np.random.default_rng(1)
    sizes = [shape.radix**level for level in range(shape.stages)]
    unicast = _latency_ns(model, (others[-1],), {})
    draws = [{size: int(random.integers(size)) for size in sizes} for _ in range(samples)]
    multicast = np.array([_latency_ns(model, others, places) for places in draws])
    return SimulatedLatency(
        unicast,
        float(multicast.mean()),
        confidence_interval(multicast).half_width,
        float(multicast.min()),
        float(multicast.max()),
        len(sizes) - 1,
    )


def _latency_ns(model: MinModel, destinations: tuple[int, ...], places: dict[int, int]) -> float:
    """Return the latency of one message in an empty network, with tokens at ``places`` by size of ring."""
    simulation = prepare(model, [Message(0, destinations, FLITS)], STARTUP_CYCLES)
    groups = simulation.router_state.groups
    groups.free_position[:] = [places.get(int(size), 0) for size in groups.switches]
    return float(int(finish(simulation).arrival_cycle.max()) * FLIT_NS)


@dataclass(frozen=True)
class SinglePoint:
    """Single multicasts of one size.

    Members
    -------
    network : str
    algorithm : str
        ``ATBM``; or ``CMIN`` or ``UMIN``, the software multicast of networks of one or of two directions.
    destinations : int
    latency_us, half_width_us, largest_us : float
        Mean latency with the half width of its 95 % confidence interval, and the largest.
    repetitions : int
    """

    network: str
    algorithm: str
    destinations: int
    latency_us: float
    half_width_us: float
    largest_us: float
    repetitions: int


@dataclass(frozen=True)
class _Single:
    shape: Shape
    software: bool
    destinations: int
    repetitions: int
    seed: int


def fig14_destinations(nodes: int) -> tuple[int, ...]:
    """Return the points of the horizontal axis: evenly spaced, with the ends and the steps of software multicast."""
    steps = {2**power - 1 for power in range(1, nodes.bit_length())}
    even = {nodes * eighth // 8 for eighth in range(1, 8)}
    return tuple(sorted(steps | even | {1, nodes - 1}))


def min_fig14(
    shapes: tuple[Shape, ...],
    *,
    quick: bool = False,
    seed: int = 1,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
) -> list[SinglePoint]:
    """Return figure 14: mean latency of a single multicast against its number of destinations, ATBM and software.

    There are 1000 random samples of source and destinations (50 if quick); tokens are where the previous multicast has
    left them, a random position.

    Parameters
    ----------
    shapes : tuple of Shape
    quick : bool
    seed : int
    processes, progress, kept
        See ``measure_points``.
    """
    tasks = [
        _Single(shape, software, count, FIG14_QUICK_REPETITIONS if quick else FIG14_REPETITIONS, seed)
        for shape in shapes
        for software in (False, True)
        for count in fig14_destinations(shape.nodes)
    ]
    return measure_points(
        _measure_single, tasks, processes=processes, progress=progress, kept=kept, point_type=SinglePoint
    )


def _measure_single(task: _Single) -> SinglePoint:
    model, nodes = paper_model(task.shape), task.shape.nodes
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([task.seed, nodes, task.destinations])))
    records = []
    for repetition in range(task.repetitions):
        source, *destinations = generator.permutation(nodes)[: task.destinations + 1].tolist()
        # the token of a ring of any size has a random position
        start = repetition * APART_CYCLES + int(generator.integers(nodes))
        records.append(Message(source, destinations, FLITS, start_cycle=start))
    results = finish(prepare(model, software_multicasts(records) if task.software else records, STARTUP_CYCLES))
    latencies = results.group_latency_cycles * CYCLE_US
    interval = confidence_interval(latencies)
    return SinglePoint(
        network=task.shape.name,
        algorithm=task.shape.software_name if task.software else "ATBM",
        destinations=task.destinations,
        latency_us=interval.mean,
        half_width_us=interval.half_width,
        largest_us=float(latencies.max()),
        repetitions=task.repetitions,
    )
