"""The paper's latencies in mixed traffic, figures 15 to 23 (Sec. 5.3).

Load is the paper's normalised one: buffer-time asked for over buffer-time there is. Its formulas for the mean gap
between a node's unicasts and between its multicasts,

    T_arru = B_m N / (B_t Traffic (1 - M_p))        T_arrm = B_m M_c N / (B_t Traffic M_p),

give a multicast the buffer-time of M_c unicasts, so B_m is that of a unicast here: all buffers on the longest way, each
from the header's arrival to the tail's departure. M_p then is the share of the load that multicasts would be if
software sent them, and one message in 1 + M_c (1 - M_p) / M_p is a multicast. B_t counts one buffer per input port.
"""

from dataclasses import dataclass

import numpy as np

from hydranoc.studies.common.points import KeptPoints, Progress, measure_points
from hydranoc.studies.common.saturation import run_while_keeping_up
from hydranoc.studies.common.whole_runs import prepare
from hydranoc.studies.min.shapes import CYCLE_US, STARTUP_CYCLES, Shape, paper_model
from sim_model.common.software import software_multicasts
from sim_model.common.statistics import interval_of_run
from sim_model.common.traffic import random_traffic
from sim_model.min.analytical import FLIT_NS, ROUTING_NS, links_and_switches

MESSAGES, QUICK_MESSAGES = 140_000, 14_000
WARMUP_SHARE = 4 / 14
LOOKS = 20
MOST_WAITING = 0.05
"""A run is given up when a larger share of all its messages waits."""
BATCHES = 20


@dataclass(frozen=True)
class LoadPoint:
    """One load on one network.

    Members
    -------
    network, algorithm : str
    load : float
        The paper's Traffic.
    unicast_us, unicast_half_width_us, multicast_us, multicast_half_width_us : float
        Mean latencies, waiting at the source included, with half widths of 95 % confidence intervals; of what was
        delivered, if the network was saturated.
    unicasts, multicasts : int
        Messages behind these means.
    saturated : bool
        Whether the network could not keep up.
    """

    network: str
    algorithm: str
    load: float
    unicast_us: float
    unicast_half_width_us: float
    multicast_us: float
    multicast_half_width_us: float
    unicasts: int
    multicasts: int
    saturated: bool


@dataclass(frozen=True)
class _Load:
    shape: Shape
    software: bool
    load: float
    multicast_share: float
    flits: int
    messages: int
    seed: int


def min_loads(
    shapes: tuple[Shape, ...],
    loads: tuple[float, ...],
    *,
    multicast_share: float,
    flits: int,
    quick: bool = False,
    seed: int = 1,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
) -> list[LoadPoint]:
    """Latencies against load, ATBM and software multicast with the same messages.

    140,000 messages per point (14,000 if quick), two in seven of them warm-up. A software multicast counts as one.

    Parameters
    ----------
    shapes : tuple of Shape
    loads : tuple of float
    multicast_share : float
        M_p.
    flits : int
        Length of all messages.
    quick : bool
    seed : int
    processes, progress, kept
        See ``measure_points``.
    """
    tasks = [
        _Load(shape, software, load, multicast_share, flits, QUICK_MESSAGES if quick else MESSAGES, seed)
        for shape in shapes
        for load in loads
        for software in (False, True)
    ]
    # the longest first, so that none is left alone at the end
    tasks.sort(key=lambda task: (-task.shape.nodes, task.load))
    return measure_points(_measure, tasks, processes=processes, progress=progress, kept=kept, point_type=LoadPoint)


def message_rate(shape: Shape, load: float, multicast_share: float, flits: int) -> tuple[float, float]:
    """Messages per node and cycle, and the share of multicasts among them."""
    _, switches = links_and_switches(shape.stages, shape.bidirectional)
    buffer_cycles = switches * (ROUTING_NS // FLIT_NS + flits)
    buffers_per_node = shape.stages * (2 if shape.bidirectional else 1)
    unicasts = buffers_per_node * load * (1 - multicast_share) / buffer_cycles
    multicasts = buffers_per_node * load * multicast_share / (buffer_cycles * shape.nodes / 2)
    return unicasts + multicasts, multicasts / (unicasts + multicasts)


def _measure(task: _Load) -> LoadPoint:
    shape = task.shape
    rate, fraction = message_rate(shape, task.load, task.multicast_share, task.flits)
    cycles = round(task.messages / (rate * shape.nodes))
    records = random_traffic(
        processors=shape.nodes,
        cycles=cycles,
        seed=int(np.random.SeedSequence([task.seed, shape.nodes, round(task.load * 1e6)]).generate_state(1)[0]),
        messages_per_node_per_cycle=rate,
        multicast_fraction=fraction,
        destinations=(shape.nodes / 2, shape.nodes / 4),
        flits=task.flits,
    )
    messages = software_multicasts(records) if task.software else records
    simulation = prepare(paper_model(shape), messages, STARTUP_CYCLES)
    results, saturated = run_while_keeping_up(simulation, cycles, most_waiting=MOST_WAITING, looks=LOOKS)
    warmup_cycles = round(cycles * WARMUP_SHARE)
    unicast = results.complete_latencies(multicast=False, warmup_cycles=warmup_cycles)
    multicast = results.complete_latencies(multicast=True, warmup_cycles=warmup_cycles)
    unicast_mean, multicast_mean = interval_of_run(unicast, BATCHES), interval_of_run(multicast, BATCHES)
    return LoadPoint(
        network=shape.name,
        algorithm=shape.software_name if task.software else "ATBM",
        load=task.load,
        unicast_us=unicast_mean.mean * CYCLE_US,
        unicast_half_width_us=unicast_mean.half_width * CYCLE_US,
        multicast_us=multicast_mean.mean * CYCLE_US,
        multicast_half_width_us=multicast_mean.half_width * CYCLE_US,
        unicasts=len(unicast),
        multicasts=len(multicast),
        saturated=saturated,
    )
