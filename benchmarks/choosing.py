"""All families side by side on 64 nodes: ``python -m benchmarks.choosing [--quick]`` (docs/do/choosing.md).

Bodies have 128 bytes at any flit width, plus headers. Latency is that of a broadcast on an empty network, the mean over
all sources. Throughput is the delivered rate when nodes offer twice the capacity of one delivery channel: bytes of
bodies for each node and cycle, each copy counted.
"""

import argparse
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hydranoc import load
from hydranoc.config.schema import BroadcastTraffic, RandomTraffic, Traffic
from hydranoc.config.traffic import build_messages
from hydranoc.design import Design
from hydranoc.fpga.baseline import read_baseline
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.multicasts import DOUBLING
from sim_model.messages.messages import Messages
from sim_model.statistics.latency import Interval, confidence_interval

BODY_BYTES = 128
MULTICAST_DESTINATIONS = 16
OFFERED_FLITS = 2.0
"""Delivered flits for each node and cycle."""
STARTUP_CYCLES = 1_000
"""Start-up of a host that prepares each message by software."""
SHORT_FLITS = 3
BINOMIAL = "binomial"


@dataclass(frozen=True)
class Choice:
    """A network to choose.

    Members:
        name, title (str)
        broadcast: Entries of ``traffic`` for a broadcast: ``software`` or ``algorithm``, or none.
        multicast: Software of multicasts; None if the hardware makes the copies.
        router: Row of ``baseline_fpga.json``.
        network: Its configuration.
    """

    name: str
    title: str
    broadcast: dict[str, Any]
    multicast: str | None
    router: str
    network: dict[str, Any]

    @property
    def design(self) -> Design:
        """The network, without traffic."""
        return load({"network": self.network})


def _network(family: str, kind: str, buffer_flits: int, **others: Any) -> dict[str, Any]:
    """Return the configuration of a network of 64 nodes with flits of 32 bits."""
    shapes = {"mesh": {"shape": [8, 8]}, "torus": {"rows": 8, "columns": 8}, "hypercube": {"dimensions": 6}}
    topology = {"kind": kind, **shapes.get(kind, {"radix": 4, "stages": 3})}
    return {"family": family, "topology": topology, "flit_bits": 32, "buffer_flits": buffer_flits, **others}


_ORDERED = {"ordering": "total"}
_HEXMESH = {"family": "harts", "topology": {"kind": "hexmesh", "size": 5}, "flit_bits": 64, "packet_flits": 65}
_SPAM_MESH, _MIN_BI = _network("spam", "mesh", 2), _network("min", "bi-butterfly", 2)
_TORUS = _network("torus", "torus", 4, virtual_channels=2)
_HYPERCUBE = _network("hypercube", "hypercube", 4, virtual_channels=2)
CHOICES = (
    Choice("spam-mesh", "SPAM, 8 x 8 mesh", {}, None, "p5-f32-n64-b2", _SPAM_MESH),
    Choice("spam-mesh-ordered", "SPAM, 8 x 8 mesh, total order", {}, None, "p5-f32-n64-b2", _SPAM_MESH | _ORDERED),
    Choice("spam-hypercube", "SPAM, hypercube", {}, None, "p7-f32-n64-b2", _network("spam", "hypercube", 2)),
    Choice("min-uni", "MIN, unidirectional, 4 x 4", {}, None, "min-uni4-f32-n64-b2", _network("min", "baseline", 2)),
    Choice("min-bi", "MIN, bidirectional, 4 x 4", {}, None, "min-bi4-f32-n64-b2", _MIN_BI),
    Choice(
        "min-bi-ordered", "MIN, bidirectional, 4 x 4, total order", {}, None, "min-bi4-f32-n64-b2", _MIN_BI | _ORDERED
    ),
    Choice("harts", "HARTS, size 5", {"algorithm": "sbcast"}, BINOMIAL, "harts-size5-f64-packet65-pages16", _HEXMESH),
    Choice("torus", "Torus, 8 x 8", {"software": "u-torus"}, "u-torus", "torus-8x8-l2-b4-f32-r1", _TORUS),
    Choice("hypercube", "Hypercube", {"software": DOUBLING}, DOUBLING, "hypercube-n6-l2-b4-f32", _HYPERCUBE),
    Choice(
        "hypercube-six",
        "Hypercube, 6 injection",
        {"software": DOUBLING},
        DOUBLING,
        "hypercube-n6-l2-b4-f32-i6",
        _HYPERCUBE | {"injection_channels": 6},
    ),
)


@dataclass(frozen=True)
class ChoiceSettings:
    """Settings of a measurement.

    Members:
        sources: Step between the sources that broadcast.
        seeds: Runs under load.
        warmup_cycles, cycles (int): Cycles before the measurement window, and its length.
    """

    sources: int = 1
    seeds: int = 5
    warmup_cycles: int = 5_000
    cycles: int = 15_000


FULL, QUICK = ChoiceSettings(), ChoiceSettings(sources=8, seeds=2, warmup_cycles=1_000, cycles=3_000)


def messages_of(design: Design, traffic: Traffic) -> Messages:
    """Return the messages of a network's hosts under some traffic."""
    return build_messages(replace(design.config, traffic=traffic), design.routing)


def flits_of(design: Design, destinations: int) -> int:
    """Return the flits of a message to some destinations, sent by hardware, or by software as unicasts."""
    flit_bits = design.config.network_section.flit_bits
    header_flits = design.routing.header_flits(range(destinations))
    return header_flits + -(-8 * BODY_BYTES // flit_bits)


def broadcast_latency(design: Design, sends: dict[str, Any], startup_cycles: int, effort: ChoiceSettings) -> float:
    """Return the mean latency of a broadcast on an empty network, in cycles."""
    nodes = len(design.network.processors)
    copies = 1 if "software" in sends else nodes - 1
    latencies = []
    for source in range(0, nodes, effort.sources):
        traffic = BroadcastTraffic(
            kind="broadcast",
            source=source,
            flits=flits_of(design, copies),
            startup_cycles=startup_cycles,
            **sends,
        )
        results = Simulation(design.model, messages_of(design, traffic), startup_cycles).run()
        assert results.lost == 0
        latencies.append(int(results.group_latency_cycles.max()))
    return float(np.mean(latencies))


def throughput(design: Design, copies: int, sends: dict[str, Any], effort: ChoiceSettings) -> Interval:
    """Return the body bytes that arrive at each node in a cycle, copies counted, in overload."""
    nodes = len(design.network.processors)
    flits = flits_of(design, 1 if "software" in sends else copies)
    until_cycle = effort.warmup_cycles + effort.cycles
    kind: dict[str, Any] = (
        {"broadcast_fraction": 1.0} if copies == nodes - 1 else {"multicast_fraction": float(copies > 1)}
    )
    found = []
    for seed in range(effort.seeds):
        traffic = RandomTraffic(
            kind="random",
            seed=seed,
            cycles=until_cycle,
            messages_per_node_per_cycle=OFFERED_FLITS / flits / copies,
            destinations=copies if "multicast_fraction" in kind else 2,
            flits=flits,
            **kind,
            **sends,
        )
        results = Simulation(design.model, messages_of(design, traffic)).run(until_cycle)
        arrived = int((results.arrival_cycle >= effort.warmup_cycles).sum())
        found.append(BODY_BYTES * arrived / nodes / effort.cycles)
    return confidence_interval(found)


def overtaken(design: Design, effort: ChoiceSettings) -> float:
    """Return how many of 100,000 short unicasts arrive after a later one of the same pair of nodes, in overload."""
    nodes, until_cycle = len(design.network.processors), effort.warmup_cycles + effort.cycles
    rate = OFFERED_FLITS / SHORT_FLITS
    traffic = RandomTraffic(kind="random", cycles=until_cycle, messages_per_node_per_cycle=rate, flits=SHORT_FLITS)
    messages = messages_of(design, traffic)
    arrival = Simulation(design.model, messages).run(until_cycle).arrival_cycle
    pair = messages.source * nodes + messages.destinations
    order = np.argsort(pair, kind="stable")
    order = order[arrival[order] >= 0]
    pair, arrival = pair[order], arrival[order]
    late = 0
    for own in np.split(arrival, np.flatnonzero(np.diff(pair)) + 1):
        late += int((own[1:] < np.maximum.accumulate(own)[:-1]).sum())
    return 1e5 * late / len(order)


@dataclass(frozen=True)
class FamilyRow:
    """Results for a choice; latencies in cycles, throughputs in bytes for each node and cycle.

    Members:
        latency, latency_with_startup (float): Latency of a broadcast, without start-up and with one for each message
            that a host sends.
        binomial_with_startup: Latency of a broadcast by a binomial tree of unicasts, with start-up.
        unicast, multicast, broadcast (Interval): Throughput.
        overtaken: See ``overtaken``.
        lut4: Of the routers, for each node; None if the baseline does not have the router.
        clock_mhz
    """

    latency: float
    latency_with_startup: float
    binomial_with_startup: float
    unicast: Interval
    multicast: Interval
    broadcast: Interval
    overtaken: float
    lut4: float | None
    clock_mhz: float | None


def measured(choice: Choice, effort: ChoiceSettings) -> FamilyRow:
    """Measure one choice."""
    design = choice.design
    nodes, binomial = len(design.network.processors), {"software": BINOMIAL}
    multicast = {} if choice.multicast is None else {"software": choice.multicast}
    router = next((entry for entry in read_baseline() if entry.name == choice.router), None)
    return FamilyRow(
        broadcast_latency(design, choice.broadcast, 0, effort),
        broadcast_latency(design, choice.broadcast, STARTUP_CYCLES, effort),
        broadcast_latency(design, binomial, STARTUP_CYCLES, effort),
        throughput(design, 1, {}, effort),
        throughput(design, MULTICAST_DESTINATIONS, multicast, effort),
        throughput(design, nodes - 1, choice.broadcast, effort),
        overtaken(design, effort),
        None if router is None else router.lut4 * design.network.switches / nodes,
        None if router is None else router.fmax_mhz,
    )


HEAD = """\
| | broadcast alone, cycles | with start-up | binomial with start-up | unicasts, bytes | multicasts | broadcasts \
| overtaken of 100,000 | LUT4 per node | MHz |
|---|---|---|---|---|---|---|---|---|---|"""


def line(choice: Choice, row: FamilyRow) -> str:
    """Return a line of the table."""
    latencies = (row.latency, row.latency_with_startup, row.binomial_with_startup)
    cells = [
        choice.title,
        *(f"{latency:,.0f}" for latency in latencies),
        *map(shown, (row.unicast, row.multicast, row.broadcast)),
        f"{row.overtaken:,.0f}",
        *(("", "") if row.lut4 is None else (f"{row.lut4:,.0f}", f"{row.clock_mhz:.1f}")),
    ]
    return f"| {' | '.join(cells)} |"


def shown(interval: Interval) -> str:
    """Return mean and half width of the 95 % confidence interval."""
    return f"{interval.mean:.2f} ± {interval.half_width:.2f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choosing", description="All families on 64 nodes.")
    parser.add_argument("--quick", action="store_true", help="some sources, two seeds, shorter runs")
    effort = QUICK if parser.parse_args().quick else FULL
    print(HEAD, flush=True)
    for choice in CHOICES:
        print(line(choice, measured(choice, effort)), flush=True)


if __name__ == "__main__":
    main()
