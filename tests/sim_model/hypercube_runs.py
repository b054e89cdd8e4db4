"""Random hypercubes, messages and stops, on which two engines of the golden model are compared."""

from dataclasses import dataclass, replace

import numpy as np

from sim_model.hypercube.model import HypercubeModel
from sim_model.messages.messages import Message, Messages
from tests.sim_model.builders import pick
from tests.sim_model.random_runs import Run
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import DUATO, HypercubeRouting

FEW_MESSAGES, MAX_MESSAGES, MAX_FLITS, STOPS = 12, 200, 40, 12
"""Messages of a node, the same in a small network, flits of a message, and stops of a run, at most."""
MAX_NODES = 8
"""Of a small network."""


@dataclass(frozen=True)
class Shape:
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


def random_cube_run(shape: Shape, seed: int) -> Run:
    """From light loads to far more than a network carries; some messages wait for others."""
    random = np.random.default_rng([seed, shape.dimensions, shape.vcs, shape.buffer_flits, shape.channels])
    model = shape.model()
    nodes = model.network.switches
    cycles, body = pick(random, 1, 30, 300, 3000), pick(random, 0, 3, 15, MAX_FLITS, 10 * MAX_FLITS)
    most = pick(random, 1, 3, FEW_MESSAGES, MAX_MESSAGES if nodes <= MAX_NODES else FEW_MESSAGES)
    count = int(random.integers(1, 1 + nodes * most))
    waiting, near = pick(random, 0, 0, 0.3, 0.8), random.random() < 0.2
    records: list[Message] = []
    for _ in range(count):
        record = _unicast(random, shape, cycles, body, near=near)
        records.append(_behind_another(random, records, record, nodes) if random.random() < waiting else record)
    messages = Messages.build(
        records, processors=nodes, header_flits=model.header_flits, injection_channels=shape.channels
    )
    stops = np.cumsum(random.integers(0, pick(random, 20, 120, 500), STOPS if random.random() < 0.7 else 0))
    return Run(model, messages, pick(random, 0, 0, 3, 20), tuple(stops.tolist()), random.random() < 0.3)


def _unicast(random: np.random.Generator, shape: Shape, cycles: int, body: int, *, near: bool) -> Message:
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
