"""Small networks for tests."""

from itertools import product

import numpy as np

from topology.common.channels import ChannelNetwork
from topology.common.graph import Network
from topology.common.virtual_channels import VcNetwork
from topology.torus.graph import TorusLinks, TorusNetwork
from topology.torus.grid import Grid

# Figure 1 of the SPAM paper: its vertices 1, 2, 3, 4, 6, 7 are switches 0 to 5, its vertices 5, 8, 9, 10, 11 are
# processors 0 to 4.
FIGURE_1_SWITCH = {1: 0, 2: 1, 3: 2, 4: 3, 6: 4, 7: 5}
FIGURE_1_PROCESSOR = {5: 0, 8: 1, 9: 2, 10: 3, 11: 4}


def figure_1() -> Network:
    """The example of the SPAM paper."""
    edges = [(1, 2), (1, 3), (1, 4), (4, 6), (4, 7), (2, 3), (3, 4)]
    switches = [(FIGURE_1_SWITCH[a], FIGURE_1_SWITCH[b]) for a, b in edges]
    return Network(6, switches, [FIGURE_1_SWITCH[switch] for switch in (2, 6, 6, 6, 7)])


def random_irregular(seed: int, switches: int | None = None) -> Network:
    """A random connected graph with up to two processors on each switch."""
    random = np.random.default_rng(seed)
    switches = switches or int(random.integers(3, 12))
    edges = {(int(random.integers(0, b)), b) for b in range(1, switches)}
    for _ in range(int(random.integers(0, 2 * switches))):
        a, b = sorted(int(x) for x in random.choice(switches, 2, replace=False))
        edges.add((a, b))
    hosts = [switch for switch in range(switches) for _ in range(int(random.integers(0, 3)))]
    return Network(switches, sorted(edges), hosts or [0])


def ring(switches: int) -> Network:
    """A ring with one processor on each switch."""
    return Network(switches, [(i, (i + 1) % switches) for i in range(switches)], list(range(switches)))


def five_port_network() -> Network:
    """Five switches of five ports, so that all routers are one module.

    Below root 0 the tree branches twice; 1-2 and 3-4 join switches of one level, 2-3 those of two, and from 3 and 4
    some routes are ties.
    """
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]
    return Network(5, edges, [0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 4])


class InjectingLinks(TorusLinks):
    """A torus or mesh whose processors have several injection channels, behind the ports that all have."""

    def __init__(self, grid: Grid, injection_channels: int):
        plain = TorusLinks(grid)
        self.__dict__.update(plain.__dict__)
        wires = [(channel.source, channel.source_port, channel.sink, channel.sink_port) for channel in plain.channels]
        for node, port in product(range(grid.nodes), range(1, injection_channels)):
            wires.append((grid.nodes + node, port, node, len(plain.input_channel[node]) + port - 1))
        ChannelNetwork.__init__(
            self,
            grid.nodes,
            grid.nodes,
            wires,
            positions=plain.positions,
            injection_channels_per_processor=injection_channels,
        )


class InjectingTorus(TorusNetwork):
    """The network with VCs. Routing uses directions alone, so that of tori fits."""

    def __init__(self, grid: Grid, vcs: int, injection_channels: int):
        self.grid, self.vcs = grid, vcs
        links = InjectingLinks(grid, injection_channels)
        self.directions = links.directions
        ways = [links.direction_of(channel) for channel in links.channels]
        VcNetwork.__init__(self, links, [1 if way is None else vcs for way in ways])
        self.direction_of = tuple(ways[link] for link in self.link_of)
        self.closes_ring = tuple(
            way is not None and grid.closes_ring(links.channels[link].source, way)
            for link, way in zip(self.link_of, self.direction_of, strict=True)
        )


def with_own_lengths(network: Network, random: np.random.Generator) -> Network:
    """The same network; two thirds of its channels between switches have a random length of their own."""
    given = {}
    for a, b in network.edges:
        for ends in ((a, b), (b, a)):
            if random.random() < 2 / 3:
                given[ends] = int(random.choice([1, 1, 2, 3, 5, 16]))
    return Network(network.switches, network.edges, network.processors, link_cycles=given)


def with_parallel_links(network: Network, random: np.random.Generator) -> Network:
    """The same network; each link is there once, twice or three times, some of them with a length of their own."""
    edges = [edge for edge in network.edges for _ in range(int(random.choice([1, 1, 2, 3])))]
    edges += network.edges[:1]  # one at least is there twice
    given = {(a, b, 1): int(random.choice([1, 2, 3])) for a, b in network.edges if random.random() < 1 / 3}
    return Network(network.switches, edges, network.processors, link_cycles=given, parallel_links=True)
