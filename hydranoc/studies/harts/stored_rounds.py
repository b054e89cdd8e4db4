"""Packets round the whole mesh (Algorithm A, Sec. 5) among ordinary ones: number of times each was stored."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.kept_points import measure_points
from hydranoc.measurement.network import run_counted
from hydranoc.measurement.observations import NOT_DELIVERED, Observations
from hydranoc.measurement.point import STABLE, Plan, measure_point
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.common.run_length import RunLength
from hydranoc.studies.harts.latency import CUT_FRAMES, FLIT_BITS
from hydranoc.studies.harts.load import (
    BROADCAST_SHARE,
    PAGES,
    copies_of,
    last_stored_cycle,
    packet_rate,
    workload,
)
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.harts.memory_hosts import MemoryHostsModel
from topology.harts.broadcast import ALGORITHM_A, initial_legs
from topology.harts.frame import SLOTS
from topology.harts.graph import HexMesh
from topology.harts.routing import UNICAST, HartsRouting

KINDS = PACKET, SENDS = ("packet", "sends")
FULL, QUICK = RunLength(20_000, 80), RunLength(5_000, 30)
PRECISION, QUICK_PRECISION = 0.03, 0.1
MAX_REPLICATIONS, QUICK_REPLICATIONS = 40, 8


@dataclass(frozen=True)
class RoundsLoad:
    """A mesh under the paper's workload, its broadcasts by Algorithm A, as an experiment.

    Members
    -------
    size : int
    load : float
        The paper's.
    seed : int
    """

    size: int
    load: float
    seed: int = 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """Ordinary packets; and broadcasts, with the sends of their packet as latency: the source's, and one at each
        node that stored it."""
        return KINDS

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``."""
        routing = HartsRouting(HexMesh(self.size), FLIT_BITS, algorithm_a=True)
        seeds = np.random.SeedSequence([self.seed, self.size, round(self.load * 1e6), replication])
        messages = workload(routing.mesh, ALGORITHM_A, self.load, cycles, np.random.default_rng(seeds))
        simulation = Simulation(MemoryHostsModel(routing, pages=PAGES), messages, count_channels=True)
        results, channel_flits = run_counted(simulation, cycles)
        end, is_round = last_stored_cycle(results), messages.operation != UNICAST
        end = np.where(is_round & (end != NOT_DELIVERED), messages.start_cycle + sends(results), end)
        return Observations(
            cycles,
            messages.start_cycle,
            end,
            np.where(is_round, KINDS.index(SENDS), KINDS.index(PACKET)),
            messages.flits * messages.destination_counts,
            channel_flits,
        )


def sends(results: Results) -> np.ndarray:
    """Return the sends of each broadcast's packet, int64[M]; for complete ones by Algorithm A.

    A packet that cuts through reaches the next node's memory a frame after this one's; a stored packet takes a send.
    """
    log = copies_of(results)
    log = log[np.lexsort((log["hops"], log["message"]))]
    later, same = np.diff(log["stored_cycle"]), np.diff(log["message"]) == 0
    stored = log["message"][1:][same & (later > CUT_FRAMES * SLOTS)]
    return 1 + np.bincount(stored, minlength=len(results.messages))


@dataclass(frozen=True)
class RoundPoint:
    """One load.

    Members
    -------
    load : float
        The paper's.
    verdict : str
        One of ``VERDICTS``, the existence of means.
    busy : float
        Words per frame on the links of Algorithm A's packets.
    sends, half_width : float
        Sends of such a packet, with half width of the 95 % interval.
    broadcasts, replications : int
        Sample sizes.
    """

    load: float
    verdict: str
    busy: float
    sends: float
    half_width: float
    broadcasts: int
    replications: int

    @property
    def stable(self) -> bool:
        """True if means exist."""
        return self.verdict == STABLE


def measure_rounds(size: int, loads: Sequence[float], effort: Effort) -> list[RoundPoint]:
    """Return a point for each load."""
    tasks = [(size, load, effort.quick) for load in loads]
    return measure_points(_measure, tasks, point_type=RoundPoint, **effort.points)


def _measure(task: tuple[int, float, bool]) -> RoundPoint:
    size, load, quick = task
    mesh = HexMesh(size)
    cycles = (QUICK if quick else FULL).cycles(mesh.nodes, packet_rate(load), BROADCAST_SHARE)
    plan = Plan(cycles, PRECISION, most_replications=MAX_REPLICATIONS)
    if quick:
        plan = Plan(cycles, QUICK_PRECISION, QUICK_REPLICATIONS, QUICK_REPLICATIONS)
    point = measure_point(RoundsLoad(size, load), plan)
    (leg,) = initial_legs(ALGORITHM_A, size)
    links = [
        channel.index
        for channel in mesh.channels
        if mesh.is_switch(channel.source) and channel.source_port == leg.direction
    ]
    assert point.utilisation is not None
    found = point.kinds[KINDS.index(SENDS)]
    return RoundPoint(
        load,
        point.verdict,
        float(point.utilisation[links].mean()) * SLOTS,
        found.latency_cycles.mean,
        found.latency_cycles.half_width,
        found.messages,
        point.replications,
    )
