"""Packets and broadcasts for tests of wrapped hexagonal meshes."""

from collections.abc import Sequence

import numpy as np

from sim_model.harts.model import HartsModel
from sim_model.messages.messages import Message, Messages
from topology.harts.broadcast import COPIES
from topology.harts.faults import NO_FAULTS, Faults
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting, operation

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


def built(model: HartsModel, records: Sequence[Message]) -> Messages:
    """Messages in columns."""
    return Messages.build(records, processors=model.network.nodes, header_flits=model.header_flits)
