"""Broadcasts among ordinary packets, figures 10 to 14 (Sec. 5).

The paper's workload: Poisson packets on all nodes, one in a thousand of them a broadcast; a node is a destination with
a probability inverse to its distance; bodies of 64, 128 and 512 bytes. A link carries a word of eight bytes per frame,
the paper's 4 MB/s: a frame is 2 us, four thirds of the paper's clock.

Load is the paper's: the rate at which a node generates bytes, over the peak rate of its links. So it is the share of
the host's words that are asked for; a link to another node is asked for mean distance / 6 of that.
"""

from dataclasses import dataclass

import numpy as np

from hydranoc.studies.common.points import KeptPoints, Progress, measure_points
from hydranoc.studies.common.saturation import run_while_keeping_up
from hydranoc.studies.common.whole_runs import prepare
from hydranoc.studies.harts.latency import BYTES_PER_FLIT, FLIT_BITS, packet_flits
from sim_model.common.messages import Message
from sim_model.common.results import Results
from sim_model.common.statistics import Interval, interval_of_run
from sim_model.harts.memory_hosts import MemoryHostsModel
from topology.harts.frame import SLOTS
from topology.harts.graph import HexMesh
from topology.harts.routing import UNICAST, HartsRouting, operation
from topology.harts.tags import distance

BODY_BYTES = {64: 0.3, 128: 0.5, 512: 0.2}
BROADCAST_SHARE = 0.001
CLOCKS_PER_CYCLE = 2.0 / SLOTS / 1.5
"""A frame is 2 us, the paper's clock 1.5 us."""
PAGES = 48
"""Packets that a node's memory holds: the paper speaks of no limit."""
BROADCASTS, QUICK_BROADCASTS = 400, 60
WARMUP_SHARE = 0.1
MOST_WAITING = 0.1
"""A mesh is saturated if a larger share of all packets has not arrived when the last one starts."""


@dataclass(frozen=True)
class BroadcastPoint:
    """One load on one mesh.

    Members
    -------
    algorithm : str
    size : int
    load : float
        The paper's.
    latency_clocks, latency_half_width : float
        Mean time from a broadcast's start until the last copy is in its node's memory, in clocks of 1.5 us, with half
        width of the 95 % confidence interval.
    delivery_clocks, delivery_half_width : float
        The same for the mean over all copies of a broadcast.
    packet_clocks : float
        Mean latency of ordinary packets.
    broadcasts : int
        Behind these means.
    saturated : bool
    """

    algorithm: str
    size: int
    load: float
    latency_clocks: float
    latency_half_width: float
    delivery_clocks: float
    delivery_half_width: float
    packet_clocks: float
    broadcasts: int
    saturated: bool


@dataclass(frozen=True)
class _Load:
    algorithm: str
    size: int
    load: float
    broadcasts: int
    seed: int


def harts_loads(
    algorithms: tuple[str, ...],
    sizes: tuple[int, ...],
    loads: tuple[float, ...],
    *,
    broadcasts: int = BROADCASTS,
    seed: int = 1,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
) -> list[BroadcastPoint]:
    """Latencies of broadcasts against load; all procedures meet the same packets.

    Parameters
    ----------
    algorithms : tuple of str
    sizes : tuple of int
    loads : tuple of float
    broadcasts : int
        Per point, about.
    seed : int
    processes, progress, kept
        See ``measure_points``.
    """
    tasks = [
        _Load(algorithm, size, load, broadcasts, seed)
        for size in sorted(sizes, reverse=True)
        for load in sorted(loads, reverse=True)
        for algorithm in algorithms
    ]
    return measure_points(_measure, tasks, processes=processes, progress=progress, kept=kept, point_type=BroadcastPoint)


def workload(
    routing: HartsRouting, algorithm: str, load: float, broadcasts: int, seed: int
) -> tuple[list[Message], int]:
    """Packets, and the number of cycles in which they start."""
    mesh = routing.mesh
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, mesh.size, round(load * 1e6)])))
    radius = np.array([distance(mesh, 0, node) for node in range(1, mesh.nodes)])
    weights = (1 / radius) / (1 / radius).sum()
    mean_words = sum(count / BYTES_PER_FLIT * share for count, share in BODY_BYTES.items())
    rate = load / mean_words / SLOTS * mesh.nodes
    count = round(broadcasts / BROADCAST_SHARE)
    starts = np.cumsum(random.exponential(1 / rate, count))
    sources = random.integers(mesh.nodes, size=count)
    offsets = random.choice(np.arange(1, mesh.nodes), count, p=weights)
    lengths = random.choice([packet_flits(size) for size in BODY_BYTES], count, p=list(BODY_BYTES.values()))
    is_broadcast = random.random(count) < BROADCAST_SHARE
    number = operation(algorithm)
    records = []
    for start, source, offset, flits, several in zip(
        starts.astype(int).tolist(),
        sources.tolist(),
        offsets.tolist(),
        lengths.tolist(),
        is_broadcast.tolist(),
        strict=True,
    ):
        if several:
            copies = routing.wanted_copies(number, source)
            records.append(Message(source, tuple(copies), flits, start, operation=number, copies=copies))
        else:
            records.append(Message(source, [(source + offset) % mesh.nodes], flits, start))
    return records, int(starts[-1])


def _measure(task: _Load) -> BroadcastPoint:
    routing = HartsRouting(HexMesh(task.size), FLIT_BITS)
    model = MemoryHostsModel(routing, pages=PAGES)
    records, cycles = workload(routing, task.algorithm, task.load, task.broadcasts, task.seed)
    simulation = prepare(model, records)
    results, saturated = run_while_keeping_up(simulation, cycles, most_waiting=MOST_WAITING)
    latency, delivery, packet = _times(results, WARMUP_SHARE * cycles)
    return BroadcastPoint(
        task.algorithm,
        task.size,
        task.load,
        latency.mean,
        latency.half_width,
        delivery.mean,
        delivery.half_width,
        packet,
        latency.observations,
        saturated,
    )


def _times(results: Results, warmup_cycles: float) -> tuple[Interval, Interval, float]:
    """In clocks: until a broadcast's last copy, the mean of its copies, and the mean of ordinary packets."""
    messages, log = results.messages, results.copy_log
    assert log is not None
    number = log["message"]
    delay = (log["stored_cycle"] - messages.start_cycle[number]) * CLOCKS_PER_CYCLE
    counted = messages.start_cycle[number] >= warmup_cycles
    ordinary = messages.operation[number] == UNICAST
    chosen = counted & ~ordinary
    last, count = np.zeros(len(messages)), len(messages)
    np.maximum.at(last, number[chosen], delay[chosen])
    total = np.bincount(number[chosen], weights=delay[chosen], minlength=count)
    arrived = np.bincount(number[chosen], minlength=count)
    wanted = np.bincount(messages.message_of_destination, weights=messages.copies, minlength=count)
    complete = (arrived > 0) & (arrived == wanted)
    packets = delay[counted & ordinary]
    return (
        interval_of_run(last[complete]),
        interval_of_run(total[complete] / arrived[complete]),
        float(packets.mean()) if len(packets) else 0.0,
    )
