"""Networks of all families under load, ready to be compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.harts.network import harts_plan
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from rtl.torus.network import torus_plan
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.harts.model import HartsModel
from sim_model.hypercube.model import HypercubeModel
from sim_model.hypercube.multicasts import DOUBLING, software_sends
from sim_model.hypercube.state import HypercubeState
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from sim_model.torus.model import TorusModel
from sim_model.traffic import random_traffic
from tests.sim_model.builders import broadcast, build, harts_model, mixed_traffic
from topology.common.ages import ROUND_ROBIN, STEP_CYCLES
from topology.common.graph import Network
from topology.common.host_pattern import EAGER, HostBehaviour, level_of
from topology.common.part_headers import BIT_STRING
from topology.common.total_order import NO_ORDER
from topology.common.virtual_channels import ATOMIC
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS
from topology.harts.faults import NO_FAULTS, Faults
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import DUATO, HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

# Networks under load, ready to be compared.

# Flits per node and cycle that are offered, in three equal parts of a run: light, busy, and more than any network here
# can carry.
STAGED_LOADS = (0.05, 0.25, 0.9)
QUIET_CYCLES = 16


@dataclass(frozen=True)
class Shape:
    """Parameters that a test varies besides the network."""

    flit_bits: int = 32
    buffer_flits: int = 2
    routing_cycles: int = 1
    enqueue: str = "atomic"
    up_after_down: bool = False
    link_cycles: int = 1
    header_kind: str = BIT_STRING
    ordering: str = NO_ORDER
    fast: bool = False
    arbitration: str = ROUND_ROBIN
    age_step_cycles: int = STEP_CYCLES

    @property
    def name(self) -> str:
        return f"flit{self.flit_bits}-buffer{self.buffer_flits}-routing{self.routing_cycles}"

    @property
    def settings(self) -> dict[str, object]:
        """Parameters of plans and models besides the routing."""
        return {
            "buffer_flits": self.buffer_flits,
            "routing_cycles": self.routing_cycles,
            "enqueue": self.enqueue,
            "link_cycles": self.link_cycles,
            "age_step_cycles": self.age_step_cycles,
        }

    @property
    def plan_settings(self) -> dict[str, object]:
        """Parameters of plans besides the routing."""
        return self.settings | ({"fast": True} if self.fast else {})

    def routing(self, network: Network, root: int | None = None) -> SpamRouting:
        labels = SpamLabels(network, root)
        return SpamRouting(
            labels, self.flit_bits, self.up_after_down, self.header_kind, self.ordering, self.arbitration
        )


def spam_comparison(
    routing: SpamRouting, shape: Shape, records: list[Message], cycles: int | None = None
) -> Comparison:
    """Messages on a network; by default compared until everything is delivered (or deadlocked), and a little longer."""
    model = SpamModel(routing, **shape.settings)
    processors = len(routing.network.processors)
    messages = Messages.build(records, processors=processors, header_flits=model.header_flits)
    if cycles is None:
        cycles = Simulation(model, messages).run().cycles + QUIET_CYCLES
    return Comparison(model, messages, 0, cycles, harness_source(spam_plan(routing, **shape.plan_settings)))


def model_results(job: Comparison) -> Results:
    """The golden model's own account of a job, run to the end."""
    return Simulation(job.model, job.messages, job.startup_cycles).run()


def staged_traffic(
    routing: SpamRouting, cycles: int, seed: int, *, loads=STAGED_LOADS, flits: int = 24
) -> list[Message]:
    """Unicasts and multicasts at three loads one after the other; the last is past saturation.

    The messages are as many as the loads ask for, so after ``cycles`` cycles the hosts still have a queue.
    """
    processors = len(routing.network.processors)
    if processors < 2:
        return []
    destinations = max(1, min(processors - 1, (processors + 1) // 2))
    flits = max(flits, routing.header.multicast_flits)
    stage = cycles // len(loads)
    messages = []
    for position, load in enumerate(loads):
        part = random_traffic(
            processors=processors,
            cycles=stage,
            seed=seed + position,
            messages_per_node_per_cycle=load / flits,
            multicast_fraction=0.2,
            destinations=destinations,
            flits=flits,
        )
        messages += [replace(message, start_cycle=message.start_cycle + position * stage) for message in part]
    return _of_all_lengths(routing, messages, np.random.default_rng(seed))


def _of_all_lengths(routing: SpamRouting, messages: list[Message], random: np.random.Generator) -> list[Message]:
    """From the header alone to twice the given length."""
    shortest = routing.header.multicast_flits
    return [replace(message, flits=int(random.integers(shortest, 2 * message.flits))) for message in messages]


# Multistage networks under load, ready to be compared.

FAULTY = ("bi-butterfly", 2, 3, 1, 16, 2, 1)


def min_job(
    kind,
    radix,
    stages,
    channels,
    flit_bits,
    buffer_flits,
    routing_cycles,
    cycles=2_500,
    seed=3,
    token="exact",
    header_kind=BIT_STRING,
    ordering=NO_ORDER,
    **more,
):
    """Unicasts and multicasts at three loads, the last one past saturation."""
    routing = MinRouting(MinNetwork(kind, radix, stages, channels), flit_bits, header_kind, ordering)
    settings = {"buffer_flits": buffer_flits, "routing_cycles": routing_cycles, "token": token, **more}
    model, random = MinModel(routing, **settings), np.random.default_rng(seed)
    nodes, records = radix**stages, []
    for third, gap in enumerate((12.0, 4.0, 1.5)):
        start = third * cycles / 3
        while start < (third + 1) * cycles / 3:
            source = int(random.integers(nodes))
            wanted = 1 if random.random() < 0.5 else int(random.integers(1, nodes))
            others = random.choice(nodes - 1, wanted, replace=False)
            destinations = [int(other) + int(other >= source) for other in others]
            flits = model.header_flits(destinations) + int(random.integers(0, 24))
            records.append(Message(source, destinations, flits, start_cycle=int(start)))
            start += random.exponential(gap * wanted**0.5)
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    return Comparison(model, messages, 0, results.cycles + 16, harness_source(min_plan(routing, **settings)))


# Tori and meshes under load, ready to be compared.

MAX_BODY_FLITS = 24
MEAN_FLITS = 13.5


def torus_routing(rows: int, columns: int, vcs: int, *, wraps: bool, flit_bits: int, rule: str) -> TorusRouting:
    return TorusRouting(TorusNetwork(Grid(rows, columns, wraps), vcs), flit_bits, rule)


def torus_job(
    routing: TorusRouting,
    buffer_flits: int,
    routing_cycles: int,
    cycles: int = 2_500,
    seed: int = 3,
    hosts: HostBehaviour = EAGER,
    loads: Sequence[float] = (0.35, 0.7, 2.7),
    most_compared: int | None = None,
    **more: Any,
) -> Comparison:
    """Unicasts of 1 flit and more, one load after the other, in flits per node and cycle.

    They are compared to the end, or for so many cycles.
    """
    settings = {"buffer_flits": buffer_flits, "routing_cycles": routing_cycles, **more}
    model, random = TorusModel(routing, **settings), np.random.default_rng(seed)
    nodes, records = routing.network.grid.nodes, []
    for part, load in enumerate(loads):
        start = part * cycles / len(loads)
        while start < (part + 1) * cycles / len(loads):
            source, destination = map(int, random.choice(nodes, 2, replace=False))
            flits = model.header_flits([destination]) + int(random.integers(0, MAX_BODY_FLITS))
            records.append(Message(source, [destination], flits, start_cycle=int(start)))
            start += random.exponential(MEAN_FLITS / load / nodes)
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    results = Simulation(model, messages, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    harness = harness_source(torus_plan(routing, **settings))
    compared = min(results.cycles + 16, most_compared or results.cycles + 16)
    return Comparison(model, messages, 0, compared, harness, hosts=hosts)


# Hypercubes under load, ready to be compared.

BROADCAST_COPIES = 0.25
"""Copies of broadcasts for each unicast."""


def hypercube_routing(
    dimensions: int, vcs: int, *, flit_bits: int = 16, rule: str = DUATO, injection_channels: int = 1
) -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, vcs, injection_channels), flit_bits, rule)


def hypercube_job(
    routing: HypercubeRouting,
    buffer_flits: int,
    cycles: int = 2_500,
    seed: int = 3,
    hosts: HostBehaviour = EAGER,
    loads: Sequence[float] = (0.1, 0.4, 1.5),
    most_compared: int | None = None,
    broadcasts: bool = False,
    vc_reallocation: str = ATOMIC,
    most_body_flits: int = MAX_BODY_FLITS,
) -> Comparison:
    """Messages of 1 flit and more, one load after the other, in flits per node and cycle, over any injection channel.

    With broadcasts these are a fifth of all copies, sent by recursive doubling. Messages are compared to the end, or
    for so many cycles.
    """
    model, random = HypercubeModel(routing, buffer_flits, vc_reallocation), np.random.default_rng(seed)
    nodes, channels, records = routing.network.switches, routing.network.injection_channels_per_processor, []
    mean_flits = MEAN_FLITS - (MAX_BODY_FLITS - most_body_flits) / 2
    for part, load in enumerate(loads):
        start = part * cycles / len(loads)
        while start < (part + 1) * cycles / len(loads):
            source, destination = map(int, random.choice(nodes, 2, replace=False))
            flits = model.header_flits([destination]) + int(random.integers(0, most_body_flits))
            injection = int(random.integers(channels)) if channels > 1 else 0
            record = Message(source, [destination], flits, start_cycle=int(start), injection=injection)
            if broadcasts and random.random() < BROADCAST_COPIES / (nodes - 1):
                record = replace(record, destinations=range(nodes), injection=0)
            records.append(record)
            copies = nodes - 1 if len(record.destinations) > 1 else 1
            start += random.exponential(copies * mean_flits / load / nodes)
    if broadcasts:
        records = software_sends(routing.network, records, DOUBLING)
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits, injection_channels=channels)
    results = Simulation(model, messages, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    harness = harness_source(hypercube_plan(routing, buffer_flits=buffer_flits, vc_reallocation=vc_reallocation))
    compared = min(results.cycles + 16, most_compared or results.cycles + 16)
    return Comparison(model, messages, 0, compared, harness, hosts=hosts)


@dataclass(frozen=True)
class SentHome(HypercubeModel):
    """Every third message carries the number of its own sender, so it is unroutable."""

    def sent_header(self, messages: Messages, message: int) -> int:
        sound = super().sent_header(messages, message)
        mask = (1 << self.routing.network.dimensions) - 1
        return sound if message % 3 else sound & ~mask | int(messages.source[message])

    def make_state(self, messages: Messages) -> HypercubeState:
        state = super().make_state(messages)
        state.key[::3] = messages.source[::3]
        return state


# Hexagonal meshes under load, ready to be compared.

PACKET_FLITS = 32


FAULTS = {2: Faults((), (3,), ((0, 1),)), 3: Faults((5,), (9, 11), ((0, 1), (14, 15)))}


FAULTS |= {4: Faults((5, 20), (9,), ((0, 1),)), 5: Faults((7, 33), (9, 50), ((0, 1), (30, 31)))}


def harts_comparison(model: HartsModel, records) -> Comparison:
    """A run to the end, and some cycles more."""
    messages = build(model, records)
    cycles = Simulation(model, messages).run(until_cycle=10_000_000).cycles + 40
    settings = {name: value for name, value in vars(model).items() if name != "routing"}
    plan = harts_plan(model.routing, packet_flits=PACKET_FLITS, **settings)
    return Comparison(model, messages, 0, cycles, harness_source(plan))


def loaded(size: int, cycles: int, *, faults: Faults = NO_FAULTS, seed: int = 1, **settings) -> Comparison:
    """Packets and broadcasts of all kinds; at the highest load every transmitter has packets waiting."""
    model = harts_model(size, faults=faults, **settings)
    rate = {2: 0.006, 3: 0.004, 4: 0.003, 5: 0.002}[size]
    return harts_comparison(model, mixed_traffic(model, cycles, rate, seed))


def every_broadcast(size: int, *, algorithm_a: bool = False) -> Comparison:
    """One broadcast by each procedure, one after the other, from nodes of which the last is the highest.

    Algorithm A is among them where distances are wide enough for it.
    """
    model = harts_model(size, algorithm_a=algorithm_a)
    names = [name for name in ALGORITHMS if algorithm_a or name != ALGORITHM_A]
    nodes, gap_cycles = model.routing.mesh.nodes, 30 * size * (2 if algorithm_a else 1)
    sources = [-number % nodes for number in range(1, len(names) + 1)]
    records = [
        broadcast(model, name, source, 2, gap_cycles * number)
        for number, (name, source) in enumerate(zip(names, sources, strict=True))
    ]
    return harts_comparison(model, records)


# Networks of all families under load, with host back-pressure.

BLOCKED_CYCLES = 3_000
BACK_PRESSURE_QUIET_CYCLES = 40
SOME, MOST = level_of(0.3), level_of(0.9)
BEHAVIOURS = {
    "0.3": HostBehaviour(SOME, SOME, seed=1),
    "0.9": HostBehaviour(MOST, MOST, seed=2),
}
SMALL_SPAM = Network(3, [(0, 1), (1, 2), (0, 2)], [0, 0, 1, 1, 2, 2])


def holding_back(job: Comparison, hosts: HostBehaviour, most_cycles: int | None = None) -> Comparison:
    """The same messages with host back-pressure: in the model all of them arrive."""
    results = Simulation(job.model, job.messages, job.startup_cycles, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    cycles = results.cycles + BACK_PRESSURE_QUIET_CYCLES
    return replace(job, hosts=hosts, cycles=cycles if most_cycles is None else min(cycles, most_cycles))


def small_spam(cycles: int = 160) -> Comparison:
    shape = Shape(flit_bits=16)
    routing = shape.routing(SMALL_SPAM)
    return spam_comparison(routing, shape, staged_traffic(routing, cycles, 1, loads=(0.3, 0.9), flits=8))


def small_min(cycles: int = 160) -> Comparison:
    """Two channels into each processor."""
    return min_job("bi-butterfly", 2, 2, 2, 16, 2, 1, cycles=cycles)


def small_harts(cycles: int = 300) -> Comparison:
    return loaded(2, cycles)


SMALL: dict[str, Callable[[], Comparison]] = {"spam": small_spam, "min": small_min, "harts": small_harts}
