"""Tori and meshes, messages on them and the channels that they take, for the tests of the golden model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sim_model.messages.messages import Message
from sim_model.torus.chains import Send
from sim_model.torus.model import TorusModel
from tests.sim_model.references import Route, VcReference
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.operations import turns_of
from topology.torus.routing import TorusRouting

# Tori and meshes, messages on them, and routing as the paper has it, for the tests of the golden model.


def torus_model(rows, columns, vcs, *, wraps=True, flit_bits=32, vc_rule="dally-seitz", **parameters) -> TorusModel:
    """A model of a torus or mesh."""
    network = TorusNetwork(Grid(rows, columns, wraps), vcs)
    return TorusModel(TorusRouting(network, flit_bits, vc_rule), **parameters)


def random_records(random: np.random.Generator, model: TorusModel, count: int, *, cycles: int, body: int, turned=0.0):
    """Messages between random nodes, some with turns of their own; in a mesh such a message may be unroutable."""
    nodes = len(model.network.processors)
    records = []
    for _ in range(count):
        source = int(random.integers(nodes))
        destination = int((source + random.integers(1, nodes)) % nodes)
        flits = model.header_flits([destination]) + int(random.integers(0, body + 1))
        number = int(random.integers(1, 5)) if random.random() < turned else 0
        records.append(
            Message(source, [destination], flits, start_cycle=int(random.integers(cycles)), operation=number)
        )
    return records


def reference(
    model: TorusModel, records: list[Message], startup_cycles: int = 0, hosts: HostBehaviour = EAGER
) -> VcReference:
    """The slow network that a model is compared with."""
    return VcReference(
        model.network,
        torus_route(model.routing, records),
        records,
        [model.header_flits(record.destinations) for record in records],
        depth=model.buffer_flits,
        routing_cycles=model.routing_cycles,
        vc_reallocation=model.vc_reallocation,
        injection_priority=model.injection_priority,
        startup=startup_cycles,
        hosts=hosts,
    )


def torus_route(routing: TorusRouting, records: list[Message]) -> Route:
    """Dimension order and the rule for VCs, from coordinates and names of directions."""
    network, grid = routing.network, routing.network.grid

    def travels(vc: int) -> str:
        """+y, -y, +x, -x or host, by what a VC joins and the position of its port."""
        channel = network.channels[vc]
        if max(channel.source, channel.sink) >= network.switches:
            return "host"
        link = network.links.channels[network.link_of[vc]]
        present = [
            name for way, name in enumerate(("+y", "-y", "+x", "-x")) if grid.neighbour(link.source, way) is not None
        ]
        return present[link.source_port]

    def crosses(vc: int) -> bool:
        """True if a VC belongs to a channel from one end of a row or column to the other."""
        channel, name = network.channels[vc], travels(vc)
        axis = 1 if name[1] == "y" else 0
        start, end = grid.position(channel.source)[axis], grid.position(channel.sink)[axis]
        return end < start if name[0] == "+" else end > start

    def good_vcs(vc: int, name: str, here: int, there: int) -> list[int]:
        """Numbers of the VCs that a worm may take in a direction; positions are along it."""
        count = network.vcs
        if not grid.wraps or count == 1:
            return list(range(count))
        end_ahead = there < here if name[0] == "+" else there > here
        fresh = travels(vc) != name or (network.vc_of[vc] < count // 2 and not crosses(vc))
        if routing.vc_rule == "balanced" and fresh and not end_ahead:
            return list(range(count))
        low = fresh if routing.vc_rule == "dateline" else end_ahead
        return list(range(count // 2)) if low else list(range(count // 2, count))

    def route(vc: int, message: int) -> tuple[list[int], list[int]]:
        record, switch = records[message], network.channels[vc].sink
        (row, column), (to_row, to_column) = grid.position(switch), grid.position(record.destinations[0])
        turns = turns_of(record.operation) or grid.shortest(record.source, record.destinations[0])
        if column != to_column:
            name, here, there = "-y" if turns.y_negative else "+y", column, to_column
        elif row != to_row:
            name, here, there = "-x" if turns.x_negative else "+x", row, to_row
        else:
            return [network.delivery_channel(switch)], []
        came = travels(vc)
        if came not in ("host", name) and not (came[1] == "y" and name[1] == "x"):
            return [], []
        vcs = [out for out in network.output_channel[switch] if travels(out) == name]
        good = good_vcs(vc, name, here, there)
        return [out for out in vcs if network.vc_of[out] in good], []

    return route


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
