"""The hypercube's golden model against ideal routers: ``python -m benchmarks.hypercube_pipeline [--quick]``.

Both get the same messages. The ideal routers are given what is different in the hardware (docs/timing.md, "Router with
adaptive routing"), one thing after the other, so that it can be seen what each makes out, and that nothing is left.
"""

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from hydranoc.measurement.whole_runs import prepare
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.analytical import saturation_rate
from sim_model.hypercube.analytical_traffic import HypercubeLoad
from sim_model.hypercube.ideal.cube import CHOICE_OF_DIMENSIONS, IdealCube
from sim_model.hypercube.ideal.run import IdealRun
from sim_model.hypercube.ideal.state import NONE
from sim_model.hypercube.ideal.traffic import Generated, PoissonSources
from sim_model.hypercube.model import HypercubeModel
from sim_model.hypercube.multicasts import doubling_sends
from sim_model.messages.messages import Message
from sim_model.messages.schedule import dependent_unicasts
from topology.common.lanes import REUSE_EMPTY
from topology.hypercube.routing import HypercubeRouting

BUFFER_FLITS = 4
FLIT_BITS = 32
PIPELINE = {"buffer_flits": BUFFER_FLITS, "hop_cycles": 3, "link_cycles": 1, "credit_cycles": 1, "host_cycles": 4}
"""A head takes five cycles for a switch, two of which are those of any flit. The loop of credits is four cycles. A head
from a processor is read from its buffer first, and delivery has a buffer and a register: four more at the ends."""
STAGES: dict[str, dict[str, Any]] = {
    "ideal": {},
    "+ delays": PIPELINE,
    "+ inputs": {"single_requests": True},
    "+ choice": {"choice": CHOICE_OF_DIMENSIONS},
    "+ delivery": {"delivery_lanes": 1},
}
"""What comes to the ideal routers, stage by stage."""
EVEN, WIDE = (0.1, 0.2, 0.4, 0.6, 0.8), (0.1, 0.2, 0.5, 0.8)
POINTS = [
    (HypercubeLoad(n, lanes, flits, fraction), share)
    for (n, flits, fraction, lanes), shares in (
        ((6, 32, 0.01, 2), EVEN),
        ((6, 32, 0.01, 4), EVEN),
        ((6, 32, 0.005, 2), EVEN),
        ((6, 32, 0.02, 2), EVEN),
        ((6, 64, 0.01, 2), EVEN),
        ((6, 128, 0.01, 4), EVEN),
        ((7, 32, 0.01, 4), EVEN),
        ((8, 32, 0.01, 2), EVEN),
        ((7, 64, 0.02, 2), WIDE),
        ((8, 64, 0.02, 4), WIDE),
    )
    for share in shares
]
QUICK_POINTS = [point for point in POINTS if point[0].flits == 32 and point[1] < 0.5]
SHARE_BEHIND = 1 / 3
"""Of all messages, those that go on being generated behind the last one that is measured."""


@dataclass(frozen=True)
class Window:
    """What is measured: so many broadcasts behind the first so many messages."""

    broadcasts: int
    warmup_messages: int

    def measured(self, load: HypercubeLoad) -> slice:
        """Return positions among all messages, unicasts and broadcasts."""
        return slice(self.warmup_messages, self.warmup_messages + int(self.broadcasts / load.broadcast_fraction))


FULL, QUICK = Window(400, 10_000), Window(100, 4_000)


def cube_of(load: HypercubeLoad, stage: str = "ideal") -> IdealCube:
    """Return ideal routers with all that has come up to a stage."""
    options: dict[str, Any] = {}
    for name, more in STAGES.items():
        options.update(more)
        if name == stage:
            break
    return IdealCube.of(load, **options)


def poisson_traffic(load: HypercubeLoad, window: Window, seed: int = 1) -> Generated:
    """Return messages that are measured, those before, and those behind."""
    sources = PoissonSources(cube_of(load), load.rate, load.broadcast_fraction, np.random.default_rng(seed))
    return sources.draw(int((1 + SHARE_BEHIND) * window.measured(load).stop))


def ideal_latency(load: HypercubeLoad, traffic: Generated, window: Window, stage: str) -> float:
    """Return mean latency of the broadcasts in the window; NaN if not all have arrived when no more messages come."""
    measured = window.measured(load)
    run = IdealRun(cube_of(load, stage))
    run.add(traffic)
    run.watch(measured.start, measured.stop)
    if not run.advance(int(traffic.cycle[-1])):
        return float("nan")
    return _mean_of_broadcasts(run.latencies(measured.start, measured.stop), traffic, measured)


def golden_latency(load: HypercubeLoad, traffic: Generated, window: Window) -> float:
    """Return the same of the golden model."""
    measured = window.measured(load)
    results = golden_run(load, traffic).run(int(traffic.cycle[-1]))
    latencies = results.group_latency_cycles[measured]
    if (latencies < 0).any():
        return float("nan")
    return _mean_of_broadcasts(latencies, traffic, measured)


def golden_run(
    load: HypercubeLoad, traffic: Generated, lane_reuse: str = REUSE_EMPTY, *, count_channels: bool = False
) -> Simulation:
    """Return the golden model with these messages, broadcasts by recursive doubling."""
    cube = cube_of(load)
    model = HypercubeModel(HypercubeRouting(cube.network, FLIT_BITS), BUFFER_FLITS, lane_reuse)
    trees = [doubling_sends(cube.network, 0, range(cube.nodes), base) for base in range(cube.dimensions)]
    records: list[Message] = []
    for group, (cycle, source, base, destination, queue) in enumerate(zip(*(c.tolist() for c in traffic), strict=True)):
        record = Message(source, (destination,), load.flits, start_cycle=cycle, group=group, injection=queue)
        if base == NONE:
            records.append(record)
        else:
            sends = [s._replace(sender=s.sender ^ source, receiver=s.receiver ^ source) for s in trees[base]]
            records += dependent_unicasts(record, sends, len(records))
    return prepare(model, records, count_channels=count_channels)


def delivery_load(load: HypercubeLoad) -> float:
    """Return flits per cycle that are for a node: over 1, one delivery channel cannot carry them."""
    copies = 1 + load.broadcast_fraction * ((1 << load.dimensions) - 2)
    return load.rate * copies * load.flits


def _mean_of_broadcasts(latencies: np.ndarray, traffic: Generated, measured: slice) -> float:
    return float(latencies[traffic.base[measured] != NONE].mean())


@dataclass(frozen=True)
class Row:
    """A point: mean latencies of broadcasts in cycles, NaN where messages pile up."""

    load: HypercubeLoad
    share: float
    stages: dict[str, float]
    golden: float

    @property
    def difference(self) -> float:
        """Of the golden model from ideal routers with everything, as a share of its latency."""
        return self.stages[list(STAGES)[-1]] / self.golden - 1


def measure(load: HypercubeLoad, share: float, window: Window, seed: int = 1) -> Row:
    """Return one point, at a share of the rate at which the analytical model's fixed variant saturates."""
    at = load.at(share * saturation_rate(load, "fixed"))
    traffic = poisson_traffic(at, window, seed)
    stages = {stage: ideal_latency(at, traffic, window, stage) for stage in STAGES}
    return Row(at, share, stages, golden_latency(at, traffic, window))


COLUMNS = ("n", "M", "β", "V", "share", "delivery", *STAGES, "golden", "difference")
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"


def line(row: Row) -> str:
    """Return a line of the table; latencies without a mean are dashes."""
    load = row.load
    cells = (
        *(load.dimensions, load.flits, f"{load.broadcast_fraction:g}", load.lanes, f"{row.share:g}"),
        f"{delivery_load(load):.2f}",
        *map(shown, (*row.stages.values(), row.golden)),
        "" if np.isnan(row.difference) else f"{100 * row.difference:+.1f} %",
    )
    return f"| {' | '.join(map(str, cells))} |"


def shown(latency: float) -> str:
    """Return a latency to the cycle."""
    return "-" if np.isnan(latency) else f"{latency:.0f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hypercube_pipeline", description="The hypercube's golden model and ideal routers."
    )
    parser.add_argument("--quick", action="store_true", help="some points, fewer messages")
    quick = parser.parse_args().quick
    print(HEAD, flush=True)
    for load, share in QUICK_POINTS if quick else POINTS:
        print(line(measure(load, share, QUICK if quick else FULL)), flush=True)


if __name__ == "__main__":
    main()
