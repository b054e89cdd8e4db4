"""Broadcasts among ordinary packets, figures 10 to 14 (Sec. 5).

The paper's workload: Poisson packets on all nodes, one in a thousand of them a broadcast; a node is a destination with
a probability inverse to its distance; bodies of 64, 128 and 512 bytes. A link carries a word of eight bytes per frame,
the paper's 4 MB/s: a frame is 2 us, four thirds of the paper's clock.

Load is the paper's: the rate at which a node generates bytes, over the peak rate of its links. So it is the load of
the host's link; a link to another node has mean distance / 6 of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from hydranoc.measurement.curve import Curve
from hydranoc.measurement.network import run_counted
from hydranoc.measurement.observations import NOT_DELIVERED, Observations
from hydranoc.measurement.point import Plan
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.common.loads import CurveSetting, RunLength, measure_load_curves
from hydranoc.studies.harts.latency import BYTES_PER_FLIT, FLIT_BITS, packet_flits
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.harts.memory_hosts import MemoryHostsModel
from sim_model.messages.messages import Messages
from topology.harts.broadcast import COPIES
from topology.harts.frame import SLOTS
from topology.harts.graph import HexMesh, distance
from topology.harts.routing import UNICAST, HartsRouting, operation

BODY_BYTES = {64: 0.3, 128: 0.5, 512: 0.2}
BROADCAST_SHARE = 0.001
CLOCKS_PER_CYCLE = 2.0 / SLOTS / 1.5
"""A frame is 2 us, the paper's clock 1.5 us."""
PAGES = 48
"""Packet pages of a node's memory: the paper mentions no limit."""
KINDS = PACKET, BROADCAST, DELIVERY = ("packet", "broadcast", "delivery")
FULL, QUICK = RunLength(20_000, 150), RunLength(5_000, 80)
PRECISION, QUICK_PRECISION = 0.02, 0.15
"""Half width of the 95 % intervals as a fraction of the means, of each kind."""
MAX_REPLICATIONS, QUICK_REPLICATIONS = 40, 5


@dataclass(frozen=True)
class HartsLoad:
    """A mesh under the paper's workload, as an experiment.

    Members:
        algorithm: Of broadcasts.
        size
        load: The paper's.
        seed: Equal seeds give equal packets for all algorithms; meshes and loads have different packets.
    """

    algorithm: str
    size: int
    load: float
    seed: int = 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """Ordinary packets; broadcasts, until the last copy is in its node's memory; and the broadcasts again, with the
        mean over all copies, rounded to a cycle (the paper's mean delivery time)."""
        return KINDS

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``."""
        model = cached_model(self.size)
        seeds = np.random.SeedSequence([self.seed, self.size, round(self.load * 1e6), replication])
        messages = workload(model.network, self.algorithm, self.load, cycles, np.random.default_rng(seeds))
        results, _ = run_counted(Simulation(model, messages), cycles)
        return _observations(results, cycles)


@cache
def cached_model(size: int) -> MemoryHostsModel:
    """Return the mesh of the paper's simulations."""
    return MemoryHostsModel(HartsRouting(HexMesh(size), FLIT_BITS), pages=PAGES)


def harts_curve(algorithm: str, size: int, *, quick: bool = False) -> CurveSetting:
    """Return the settings of a curve."""

    def experiment_at(load: float) -> HartsLoad:
        return HartsLoad(algorithm, size, load)

    def plan_at(load: float) -> Plan:
        cycles = (QUICK if quick else FULL).cycles(HexMesh(size).nodes, packet_rate(load), BROADCAST_SHARE)
        if quick:
            return Plan(cycles, QUICK_PRECISION, QUICK_REPLICATIONS, QUICK_REPLICATIONS)
        return Plan(cycles, PRECISION, most_replications=MAX_REPLICATIONS)

    return CurveSetting(curve_name(algorithm, size), experiment_at, plan_at)


def curve_name(algorithm: str, size: int) -> str:
    """Return the name of a curve: algorithm and mesh."""
    return f"{algorithm}, size {size}"


def packet_rate(load: float) -> float:
    """Return the packets per node and cycle."""
    mean_words = sum(count / BYTES_PER_FLIT * share for count, share in BODY_BYTES.items())
    return load / mean_words / SLOTS


def workload(mesh: HexMesh, algorithm: str, load: float, cycles: int, random: np.random.Generator) -> Messages:
    """Return the packets that start in ``cycles`` cycles, in order of time.

    Parameters:
        algorithm: Of broadcasts.
        load: The paper's.
        random: Equal generators give equal packets with any algorithm.
    """
    radius = np.array([distance(mesh, 0, node) for node in range(1, mesh.nodes)])
    weights = (1 / radius) / (1 / radius).sum()
    count = random.poisson(packet_rate(load) * mesh.nodes * cycles)
    starts = np.sort(random.integers(cycles, size=count))
    sources = random.integers(mesh.nodes, size=count)
    destinations = (sources + random.choice(np.arange(1, mesh.nodes), count, p=weights)) % mesh.nodes
    lengths = random.choice([packet_flits(size) for size in BODY_BYTES], count, p=list(BODY_BYTES.values()))
    is_broadcast = random.random(count) < BROADCAST_SHARE
    others = [np.delete(np.arange(mesh.nodes), source) for source in sources[is_broadcast]]
    offsets = np.concatenate(([0], np.cumsum(np.where(is_broadcast, mesh.nodes - 1, 1))))
    copied = np.repeat(is_broadcast, np.diff(offsets))
    reached = np.empty(len(copied), dtype=np.int32)
    reached[~copied] = destinations[~is_broadcast]
    reached[copied] = np.concatenate(others) if others else []
    nothing = np.zeros(count, dtype=np.int32)
    return Messages(
        source=sources.astype(np.int32),
        offsets=offsets,
        destinations=reached,
        flits=lengths.astype(np.int32),
        start_cycle=starts,
        parent_offsets=np.zeros(count + 1, dtype=np.int64),
        parents=nothing[:0],
        delay_cycles=starts[:0],
        group=np.arange(count, dtype=np.int32),
        operation=np.where(is_broadcast, operation(algorithm), UNICAST).astype(np.int32),
        injection=nothing,
        copies=np.where(copied, COPIES[algorithm], 1).astype(np.int32),
    )


def last_stored_cycle(results: Results) -> np.ndarray:
    """Return the cycle of each packet's last copy in memory, int64[M]; ``NOT_DELIVERED`` if one is missing."""
    messages, log = results.messages, copies_of(results)
    wanted = np.bincount(messages.message_of_destination, weights=messages.copies, minlength=len(messages))
    last = np.full(len(messages), NOT_DELIVERED)
    np.maximum.at(last, log["message"], log["stored_cycle"])
    last[np.bincount(log["message"], minlength=len(messages)) < wanted] = NOT_DELIVERED
    return last


def copies_of(results: Results) -> np.ndarray:
    """Return the delivered copies, see ``Results.copy_log``."""
    assert results.copy_log is not None
    return results.copy_log


def _observations(results: Results, cycles: int) -> Observations:
    """Return all packets and broadcasts, followed by the broadcasts again with their mean delivery times."""
    messages, log, last = results.messages, copies_of(results), last_stored_cycle(results)
    count = len(messages)
    broadcasts = np.flatnonzero(messages.operation != UNICAST)
    total = np.bincount(log["message"], weights=log["stored_cycle"], minlength=count)
    mean = np.rint(total / np.maximum(np.bincount(log["message"], minlength=count), 1)).astype(np.int64)
    every = np.concatenate([np.arange(count), broadcasts])
    kind = np.where(messages.operation == UNICAST, KINDS.index(PACKET), KINDS.index(BROADCAST))
    wanted = np.bincount(messages.message_of_destination, weights=messages.copies, minlength=count).astype(np.int64)
    return Observations(
        cycles,
        messages.start_cycle[every],
        np.concatenate([last, np.where(last == NOT_DELIVERED, NOT_DELIVERED, mean)[broadcasts]]),
        np.concatenate([kind, np.full(len(broadcasts), KINDS.index(DELIVERY))]),
        (messages.flits * wanted)[every],
    )


LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
QUICK_LOADS = (0.1, 0.3, 0.5, 0.7, 0.8)
WIDTH, QUICK_WIDTH = 0.05, 0.15
"""Relative width of the intervals of saturation."""


@dataclass(frozen=True)
class HartsCurves:
    """Curves of the broadcast algorithms in meshes of several sizes, by ``curve_name``."""

    by_name: dict[str, Curve]

    def of(self, algorithm: str, size: int) -> Curve:
        """Return the curve of an algorithm in a mesh."""
        return self.by_name[curve_name(algorithm, size)]

    @property
    def all(self) -> list[Curve]:
        """All curves, in the order of the request."""
        return list(self.by_name.values())


def measure_harts_curves(algorithms: Sequence[str], sizes: Sequence[int], effort: Effort) -> HartsCurves:
    """Return the curves of all algorithms in all meshes."""
    settings = [
        harts_curve(algorithm, size, quick=effort.quick)
        for size in sorted(sizes, reverse=True)
        for algorithm in algorithms
    ]
    loads, width = (QUICK_LOADS, QUICK_WIDTH) if effort.quick else (LOADS, WIDTH)
    return HartsCurves(measure_load_curves(settings, loads, saturation_width=width, **effort.points))
