"""Tori and meshes, messages on them and the channels that they take, for the tests of the golden model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sim_model.messages.messages import Message
from sim_model.torus.chains import Send
from sim_model.torus.model import TorusModel
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting


def torus_model(rows, columns, vcs, *, wraps=True, flit_bits=32, vc_rule="dally-seitz", **parameters) -> TorusModel:
    """A model of a torus or mesh."""
    network = TorusNetwork(Grid(rows, columns, wraps), vcs)
    return TorusModel(TorusRouting(network, flit_bits, vc_rule), **parameters)


def random_records(random: np.random.Generator, model: TorusModel, count: int, *, cycles: int, body: int):
    """Messages between random nodes."""
    nodes = len(model.network.processors)
    records = []
    for _ in range(count):
        source = int(random.integers(nodes))
        destination = int((source + random.integers(1, nodes)) % nodes)
        flits = model.header_flits([destination]) + int(random.integers(0, body + 1))
        records.append(Message(source, [destination], flits, start_cycle=int(random.integers(cycles))))
    return records


# Channels that the sends of a multicast take, for the tests of its schedules.

Channel = tuple[int, int]
Vc = tuple[int, int, int]


def links(grid: Grid, send: Send) -> Iterator[Channel]:
    """Physical channels of a send."""
    for hop in grid.path(send.sender, send.receiver, send.turns):
        yield hop.node, hop.direction


def vcs(grid: Grid, send: Send) -> Iterator[Vc]:
    """Channels with the class that stands for the VC: 0 while the ring is yet to be closed."""
    for hop in grid.path(send.sender, send.receiver, send.turns):
        yield hop.node, hop.direction, 0 if hop.wrap_ahead else 1


def conflicts(grid: Grid, sends: Iterable[Send], used) -> int:
    """Number of repeated uses of a channel or VC within a step."""
    uses = Counter((send.step, place) for send in sends for place in used(grid, send))
    return sum(uses.values()) - len(uses)


def random_multicasts(
    grid: Grid, count: int, seed: int, most: int | None = None
) -> Iterator[tuple[int, Sequence[int]]]:
    """Sources and destinations; how many there are, 1 to ``most`` (default: all), is random too."""
    generator = np.random.Generator(np.random.PCG64(seed))
    most = grid.nodes - 1 if most is None else most
    for _ in range(count):
        source, *others = generator.permutation(grid.nodes).tolist()
        yield source, others[: int(generator.integers(1, most + 1))]
