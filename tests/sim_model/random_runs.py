"""Random networks, messages and stops, on which two engines of the golden model are compared."""

from dataclasses import dataclass, replace

import numpy as np

from sim_model.engines.model import Model
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from sim_model.torus.model import TorusModel
from tests.sim_model.builders import build, pick, random_network, random_records, spam_model
from topology.common.part_headers import BIT_STRING, HEADER_KINDS
from topology.common.virtual_channels import INJECTION_PRIORITY, VC_REALLOCATION
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import DUATO, HypercubeRouting
from topology.min.graph import BIDIRECTIONAL, KINDS, MinNetwork
from topology.min.groups import AS_PUBLISHED, EXACT, NO_TOKEN
from topology.min.routing import MinRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid, Turns
from topology.torus.operations import operation
from topology.torus.routing import VC_RULES, TorusRouting

BUFFER_FLITS, ROUTING_CYCLES = (1, 2, 3, 8), (1, 2, 3, 4)
MIN_SHAPES = ((2, 2), (2, 3), (2, 4), (4, 2), (3, 2), (8, 1))
GRIDS = ((2, 2), (1, 5), (3, 3), (4, 4), (8, 8), (9, 9), (5, 14), (12, 13), (1, 64), (2, 40), (16, 16))
"""Some with more than 64 nodes, and with rings of two."""
MAX_MESSAGES, STOPS = 120, 12
COMPARED = (
    "start_cycle",
    "accepted_cycle",
    "arrival_cycle",
    "copies",
    "cycles",
    "flit_hops",
    "stray",
    "disordered",
    "deadlocked",
    "discarded",
)


@dataclass(frozen=True)
class Run:
    """Parameters of a run, and the cycles in which it is stopped and compared."""

    model: Model
    messages: Messages
    startup_cycles: int
    stops: tuple[int, ...]

    counting: bool = False

    def simulate(self, engine: str) -> tuple[Simulation, list[Results], list[np.ndarray]]:
        """Results at every stop and at the end; and channel counts until then, if they are enabled."""
        simulation = Simulation(
            self.model, self.messages, self.startup_cycles, engine=engine, count_channels=self.counting
        )
        results, counts = [], []
        for stop in (*self.stops, None):
            results.append(simulation.run(stop))
            if self.counting:
                counts.append(np.array(simulation.channel_counts()))
        return simulation, results, counts


def random_run(family: str, seed: int) -> Run:
    """From light loads to far more than a network carries; some of them deadlock."""
    random = np.random.default_rng([seed, len(family)])
    model = random_spam(random) if family == "spam" else random_min(random)
    cycles, body = pick(random, 1, 30, 300, 3000), pick(random, 0, 3, 30, 100, 400, 2000)
    records = random_records(random, model, int(random.integers(1, MAX_MESSAGES)), cycles=cycles, body=body)
    if random.random() < 0.3:
        records = _dependent(random, records, len(model.network.processors))
    longest = pick(random, 120, 1500)
    stops = np.cumsum(random.integers(0, longest, STOPS if random.random() < 0.5 else 0))
    startup_cycles, counting = pick(random, 0, 0, 3, 20), random.random() < 0.3
    return Run(model, build(model, records), startup_cycles, tuple(stops.tolist()), counting)


def random_vc_run(vcs: int, buffer_flits: int, seed: int) -> Run:
    """A torus or mesh with VCs of a given number and depth; tori with one VC can deadlock."""
    random = np.random.default_rng([seed, vcs, buffer_flits])
    model = random_torus(random, vcs, buffer_flits)
    nodes = len(model.network.processors)
    cycles, body = pick(random, 1, 30, 300, 3000), pick(random, 0, 3, 30, 100, 400)
    count = int(random.integers(1, pick(random, 20, MAX_MESSAGES, 4 * nodes)))
    records = [_unicast(random, model, cycles, body) for _ in range(count)]
    if random.random() < 0.3:
        records = _dependent(random, records, nodes)
    stops = np.cumsum(random.integers(0, pick(random, 120, 1500), STOPS if random.random() < 0.5 else 0))
    startup_cycles, counting = pick(random, 0, 0, 3, 20), random.random() < 0.4
    return Run(model, build(model, records), startup_cycles, tuple(stops.tolist()), counting)


def random_torus(random: np.random.Generator, vcs: int, buffer_flits: int) -> TorusModel:
    """A torus or mesh."""
    grid = Grid(*pick(random, *GRIDS), wraps=bool(random.random() < 0.6))
    return TorusModel(
        TorusRouting(TorusNetwork(grid, vcs), 32, pick(random, *VC_RULES)),
        buffer_flits=buffer_flits,
        routing_cycles=pick(random, 1, *ROUTING_CYCLES, 7),
        vc_reallocation=pick(random, *VC_REALLOCATION),
        injection_priority=pick(random, *INJECTION_PRIORITY),
    )


def _unicast(random: np.random.Generator, model: TorusModel, cycles: int, body: int) -> Message:
    source, destination = random.choice(len(model.network.processors), 2, replace=False).tolist()
    flits = model.header_flits([destination]) + int(random.integers(0, body + 1))
    wraps = model.routing.network.grid.wraps  # in a mesh other ways than the shortest have an end
    turns = Turns(*(random.random(2) < 0.5).tolist()) if wraps and random.random() < 0.2 else None
    start_cycle = int(random.integers(cycles))
    return Message(source, [destination], flits, start_cycle=start_cycle, operation=operation(turns))


def random_spam(random: np.random.Generator) -> SpamModel:
    """Some of them route up after down, and deadlock."""
    header_kind = pick(random, *HEADER_KINDS)
    return spam_model(
        random_network(random),
        header_kind=header_kind,
        flit_bits=pick(random, 32, 64) if header_kind == BIT_STRING else pick(random, 8, 11, 16),
        buffer_flits=pick(random, *BUFFER_FLITS),
        routing_cycles=pick(random, *ROUTING_CYCLES),
        up_after_down=random.random() < 0.5,
    )


def random_min(random: np.random.Generator) -> MinModel:
    """Some of them have no tokens, or the paper's, and deadlock."""
    radix, stages = pick(random, *MIN_SHAPES)
    network = MinNetwork(pick(random, *KINDS, BIDIRECTIONAL), radix, stages, pick(random, 1, radix))
    return MinModel(
        MinRouting(network, pick(random, 8, 16, 64), pick(random, *HEADER_KINDS)),
        buffer_flits=pick(random, *BUFFER_FLITS),
        routing_cycles=pick(random, *ROUTING_CYCLES),
        token=pick(random, EXACT, EXACT, AS_PUBLISHED, NO_TOKEN),
    )


def _dependent(random: np.random.Generator, records: list[Message], processors: int) -> list[Message]:
    """A fifth of the messages wait for an earlier one, at its source or at one of its destinations."""
    chained: list[Message] = []
    for record in records:
        message = record
        if chained and random.random() < 0.2:
            number = int(random.integers(len(chained)))
            parent = chained[number]
            source = parent.source if random.random() < 0.5 else int(pick(random, *parent.destinations))
            others = [node for node in record.destinations if node != source] or [(source + 1) % processors]
            delay_cycles = int(random.integers(0, 5))
            message = replace(record, source=source, destinations=others, parents=(number,), delay_cycles=delay_cycles)
        chained.append(message)
    return chained


def differences(one: Results, other: Results) -> list[str]:
    """Names of the results that are not the same."""
    return [name for name in COMPARED if not np.array_equal(getattr(one, name), getattr(other, name))]


# Random hypercubes, messages and stops, on which two engines of the golden model are compared.

FEW_MESSAGES, MAX_CUBE_MESSAGES, MAX_FLITS = 12, 200, 40
"""Messages of a node, the same in a small network, and flits of a message, at most."""
MAX_NODES = 8
"""Of a small network."""


@dataclass(frozen=True)
class CubeShape:
    """Parameters for which the loop of planes is compiled; the rule decides only how many VCs are for any head."""

    dimensions: int
    vcs: int
    buffer_flits: int
    channels: int = 1
    rule: str = DUATO

    def model(self) -> HypercubeModel:
        """A model with this shape."""
        network = HypercubeNetwork(self.dimensions, self.vcs, self.channels)
        return HypercubeModel(HypercubeRouting(network, 32, self.rule), self.buffer_flits)


def random_cube_run(shape: CubeShape, seed: int) -> Run:
    """From light loads to far more than a network carries; some messages wait for others."""
    random = np.random.default_rng([seed, shape.dimensions, shape.vcs, shape.buffer_flits, shape.channels])
    model = shape.model()
    nodes = model.network.switches
    cycles, body = pick(random, 1, 30, 300, 3000), pick(random, 0, 3, 15, MAX_FLITS, 10 * MAX_FLITS)
    most = pick(random, 1, 3, FEW_MESSAGES, MAX_CUBE_MESSAGES if nodes <= MAX_NODES else FEW_MESSAGES)
    count = int(random.integers(1, 1 + nodes * most))
    waiting, near = pick(random, 0, 0, 0.3, 0.8), random.random() < 0.2
    records: list[Message] = []
    for _ in range(count):
        record = _unicast_in_cube(random, shape, cycles, body, near=near)
        records.append(_behind_another(random, records, record, nodes) if random.random() < waiting else record)
    messages = build(model, records)
    stops = np.cumsum(random.integers(0, pick(random, 20, 120, 500), STOPS if random.random() < 0.7 else 0))
    return Run(model, messages, pick(random, 0, 0, 3, 20), tuple(stops.tolist()), random.random() < 0.3)


def _unicast_in_cube(random: np.random.Generator, shape: CubeShape, cycles: int, body: int, *, near: bool) -> Message:
    """A message to any other node, or to the first of them."""
    nodes = 1 << shape.dimensions
    source = int(random.integers(nodes))
    destination = int(random.integers(min(nodes, 2 if near else nodes)))
    if destination == source:
        destination = source ^ 1 << int(random.integers(shape.dimensions))
    return Message(
        source,
        [destination],
        1 + int(random.integers(body + 1)),
        start_cycle=int(random.integers(cycles)),
        injection=int(random.integers(shape.channels)),
    )


def _behind_another(random: np.random.Generator, records: list[Message], record: Message, nodes: int) -> Message:
    """The message waits for an earlier one, if there is any, at its source or at its destination."""
    if not records:
        return record
    number = int(random.integers(len(records)))
    parent = records[number]
    source = parent.source if random.random() < 0.3 else _destination(parent)
    destination = _destination(record)
    if destination == source:
        destination = (source + 1) % nodes
    delay_cycles = int(random.integers(0, 5))
    return replace(record, source=source, destinations=[destination], parents=(number,), delay_cycles=delay_cycles)


def _destination(record: Message) -> int:
    (destination,) = record.destinations
    return destination
