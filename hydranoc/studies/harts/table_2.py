"""Table II: packets round the whole mesh (Algorithm A) against SBCAST without cut-through (Sec. 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.digits import six_digits
from hydranoc.measurement.kept_points import measure_points
from hydranoc.measurement.network import run_counted
from hydranoc.measurement.observations import NOT_DELIVERED, Observations
from hydranoc.measurement.point import STABLE, Plan, measure_point
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from hydranoc.studies.common.loads import RunLength
from hydranoc.studies.harts.analytical import algorithm_a_latency
from hydranoc.studies.harts.latency import (
    CUT_FRAMES,
    FLIT_BITS,
    PAPER_BYTES,
    broadcast_latency,
    packet_flits,
    send_frames,
)
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
from topology.harts.broadcast import ALGORITHM_A, SFBCAST, initial_legs
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

    Members:
        size
        load: The paper's.
        seed
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

    Members:
        load: The paper's.
        verdict: One of ``VERDICTS``, the existence of means.
        busy: Words per frame on the links of Algorithm A's packets.
        sends, half_width (float): Sends of such a packet, with half width of the 95 % interval.
        broadcasts, replications (int): Sample sizes.
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


SIZE = 3
PRINTED = {0.0: (1.0, 17.0), 0.05: (1.85, 16.15), 0.1: (2.7, 15.3), 0.15: (3.55, 14.45), 0.2: (4.4, 13.6)}
"""The paper's multiples of S + rM and of d for Algorithm A, by rho."""
PRINTED_STORED = 2
"""The paper's multiple of S + rM for SBCAST without cut-through."""
LOADS, QUICK_LOADS = (0.2, 0.4, 0.6, 0.8), (0.2, 0.6)
TOLERANCE = 0.1
COLUMNS = ("load", "verdict", "busy", "sends", "half_width", "formula_sends", "broadcasts", "replications")


def table_2(effort: Effort) -> Figure:
    """Return the number of sends of Algorithm A's packet, by the load of links.

    The paper's numbers are a formula: a packet round the mesh meets 17 links, each busy with probability rho, and is
    stored there. Here the packet is simulated: in an idle mesh, which is the first row, and among the ordinary packets
    of figures 10 to 14, where rho is the load of its links.
    """
    points = measure_rounds(SIZE, QUICK_LOADS if effort.quick else LOADS, effort)
    stable = [point for point in points if point.stable]
    return Figure(
        title="HARTS, table II: Algorithm A against SBCAST without cut-through, size 3",
        x_label="share of time in which a link is busy (rho)",
        y_label="packet transmissions S + rM (95 % confidence)",
        series=(
            Series("Algorithm A: paper", list(PRINTED), [sends for sends, _ in PRINTED.values()], dashed=True),
            Series("SBCAST without cut-through: paper", list(PRINTED), [PRINTED_STORED] * len(PRINTED), dashed=True),
            Series(
                "Algorithm A: simulated",
                [point.busy for point in stable],
                [point.sends for point in stable],
                [point.half_width for point in stable],
                joined=False,
            ),
        ),
        claims=(idle_claim(), buffering_claim(points)),
        columns=COLUMNS,
        rows=tuple(_row(point) for point in points),
        comparable=Comparable(("load",), (("sends", "half_width"),)),
    )


def idle_claim() -> Claim:
    """Check the row of rho = 0 in an idle mesh, with T and d as in table I."""
    sends, cuts = PRINTED[0.0]
    found, expected = [], []
    for body_bytes in PAPER_BYTES:
        flits = packet_flits(body_bytes)
        found += [broadcast_latency(algorithm, SIZE, flits).frames for algorithm in (ALGORITHM_A, SFBCAST)]
        expected += [sends * send_frames(flits) + cuts * CUT_FRAMES, PRINTED_STORED * send_frames(flits)]
    pairs = [f"{a} and {stored}" for a, stored in zip(found[::2], found[1::2], strict=True)]
    return Claim(
        "in an idle mesh Algorithm A takes T + 17 d, and SBCAST without cut-through 2 T",
        f"{', '.join(pairs)} frames for {', '.join(map(str, PAPER_BYTES))} bytes",
        found == expected,
    )


def buffering_claim(points: Sequence[RoundPoint]) -> Claim:
    """Check the sends at each load over 1 + 17 rho: the whole interval of the quotient must be within 10 % of 1."""
    quotients = [(point, point.sends / _formula(point), point.half_width / _formula(point)) for point in points]
    measured = [
        f"{point.sends:.2f}±{point.half_width:.2f} at rho = {point.busy:.3f} ({_formula(point):.2f} by the table)"
        for point in points
        if point.stable
    ]
    return Claim(
        "Algorithm A sends 1 + 17 rho times on average",
        "; ".join(measured) or "no load is carried",
        bool(points)
        and all(
            point.stable and abs(quotient - 1) + half_width <= TOLERANCE for point, quotient, half_width in quotients
        ),
    )


def _formula(point: RoundPoint) -> float:
    return algorithm_a_latency(SIZE, point.busy).sends


def _row(point: RoundPoint) -> tuple[object, ...]:
    found = (point.busy, point.sends, point.half_width, _formula(point))
    cells = [six_digits(value) if point.stable else "" for value in found]
    return (point.load, point.verdict, *cells, point.broadcasts, point.replications)
