"""Networks, messages, jobs and simulations for the tests of the golden model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim_model.engines.model import Model
from sim_model.engines.simulation import Simulation
from sim_model.harts.model import HartsModel
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING
from topology.harts.broadcast import COPIES
from topology.harts.faults import NO_FAULTS, Faults
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting, operation
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


def build(model: Model, records: Sequence[Message]) -> Messages:
    """Checked messages for a model."""
    network = model.network
    return Messages.build(
        records,
        processors=len(network.processors),
        header_flits=model.header_flits,
        injection_channels=network.injection_channels_per_processor,
    )


def simulate(model: Model, records: Sequence[Message], startup_cycles: int = 0, **options: Any) -> Simulation:
    """A simulation that has not begun."""
    return Simulation(model, build(model, records), startup_cycles, **options)


def spam_model(
    network: Network, *, flit_bits=32, root=None, up_after_down=False, header_kind=BIT_STRING, **parameters
) -> SpamModel:
    """A model with default labels."""
    return SpamModel(SpamRouting(SpamLabels(network, root), flit_bits, up_after_down, header_kind), **parameters)


def random_network(random: np.random.Generator, processors: int | None = None) -> Network:
    """A random connected network of a few switches; ``processors`` (default 2 to 24) are spread evenly."""
    switches = int(random.integers(16, 20)) if processors else int(random.integers(1, 10))
    edges = {(int(random.integers(switch)), switch) for switch in range(1, switches)}
    for _ in range(int(random.integers(0, switches + 1))):
        a, b = sorted(int(end) for end in random.integers(0, switches, 2))
        if a != b:
            edges.add((a, b))
    count = processors or int(random.integers(2, 24))
    return Network(switches, sorted(edges), [processor % switches for processor in range(count)])


def random_records(random: np.random.Generator, model: Model, count: int, *, cycles: int, body: int) -> list[Message]:
    """Messages with random sources, destinations, lengths (up to ``body`` flits after the header) and starts."""
    processors = len(model.network.processors)
    records = []
    for _ in range(count):
        source = int(random.integers(processors))
        wanted = 1 if random.random() < 0.4 else int(random.integers(1, processors))
        others = random.choice(processors - 1, wanted, replace=False)
        destinations = [int(other) + int(other >= source) for other in others]
        flits = model.header_flits(destinations) + int(random.integers(0, body + 1))
        records.append(Message(source, destinations, flits, start_cycle=int(random.integers(cycles))))
    return records


def pick(random: np.random.Generator, *choices):
    """One of the choices."""
    return choices[int(random.integers(len(choices)))]


# Packets and broadcasts for tests of wrapped hexagonal meshes.

PAPER_ALGORITHMS = tuple(COPIES)[:6]
LOADED_ALGORITHMS = tuple(COPIES)[:7]


def harts_model(
    size: int, *, faults: Faults = NO_FAULTS, algorithm_a: bool = False, guard: bool = False, **settings
) -> HartsModel:
    """A mesh with 64-bit flits."""
    return HartsModel(HartsRouting(HexMesh(size), 64, faults, algorithm_a, guard), **settings)


def broadcast(model: HartsModel, algorithm: str, source: int, flits: int, start_cycle: int = 0) -> Message:
    """A broadcast, with the copies that the faults let through."""
    copies = model.routing.wanted_copies(operation(algorithm), source)
    return Message(source, tuple(copies), flits, start_cycle=start_cycle, operation=operation(algorithm), copies=copies)


def mixed_traffic(
    model: HartsModel,
    cycles: int,
    packets_per_node_per_cycle: float,
    seed: int,
    *,
    broadcasts: float = 0.1,
    flits: tuple[int, int] = (1, 20),
    algorithms: Sequence[str] = LOADED_ALGORITHMS,
) -> list[Message]:
    """Poisson packets of all nodes that are not silent; one share of them broadcasts."""
    random, mesh = np.random.default_rng(seed), model.network
    live = [node for node in range(mesh.nodes) if not model.routing.faults.is_silent(node)]
    records = []
    for source in live:
        start = random.exponential(1 / packets_per_node_per_cycle)
        while start < cycles:
            length = int(random.integers(*flits))
            if random.random() < broadcasts:
                algorithm = algorithms[int(random.integers(len(algorithms)))]
                records.append(broadcast(model, algorithm, source, length, int(start)))
            else:
                destination = int(random.choice([node for node in live if node != source]))
                records.append(Message(source, [destination], length, start_cycle=int(start)))
            start += random.exponential(1 / packets_per_node_per_cycle)
    return sorted(records, key=lambda record: record.start_cycle)


# Jobs for multistage networks that deadlock without tokens.

# Both multicasts branch at stage 0 and again towards 4 and 19; the unicast holds the channel to 19 up. With buffers of
# one flit the paper's rule lets the token go after 6 flits, when a header that is held up may still be two switches
# from the end; the exact rule waits for 9.
PRINTED_NETWORK = ("baseline", 2, 5)


PRINTED_FLIT_BITS = 64


PRINTED_DEADLOCK = [
    Message(0, [4, 19], 24, start_cycle=3),
    Message(29, [4, 19], 24, start_cycle=3),
    Message(17, [19], 24, start_cycle=10),
]


def simulated(model: MinModel, records: list[Message]) -> Simulation:
    simulation = simulate(model, records)
    simulation.run()
    return simulation


def heavy_jobs(random: np.random.Generator, nodes: int) -> list[Message]:
    """Three to seven multicasts of 24 flits that start nearly together."""
    records = []
    for _ in range(int(random.integers(3, 8))):
        source = int(random.integers(nodes))
        others = random.choice(nodes - 1, int(random.integers(2, nodes)), replace=False)
        destinations = [int(other) + int(other >= source) for other in others]
        records.append(Message(source, destinations, 24, start_cycle=int(random.integers(6))))
    return records
