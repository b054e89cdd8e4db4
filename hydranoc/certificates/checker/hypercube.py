"""Hypercubes: every header has an escape channel, and escapes are in order, whatever adaptive VCs lie between them."""

import re

from refusal import demand, ranks
from torus import vc_links
from walk import Walk, check_sent

ROUTER = r"hypercube_router_\w+"
CONSTANTS = ("node",)
CREDITS = True
MAX_DIMENSIONS = 16


def side_wires(hardware):
    """Yield wires for credits, and for releases under atomic VC reallocation, from each link's sink to its source."""
    for source, out, sink, into in vc_links(hardware):
        yield sink, f"credits_{into}", source, f"credited_{out}"
        if hardware.has(sink, f"releases_{into}"):
            yield sink, f"releases_{into}", source, f"released_{out}"


class Cube:
    """A hypercube: nodes' numbers are constants of the routers, ports are dimensions. Rules by the manifest's name."""

    def __init__(self, hardware):
        parameters, self.hardware = hardware.parameters, hardware
        self.dimensions, self.rule, self.reuse = (parameters[name] for name in ("dimensions", "rule", "lane_reuse"))
        demand(type(self.dimensions) is int and 0 < self.dimensions <= MAX_DIMENSIONS, "no such number of dimensions")
        demand(self.rule in ("duato", "adaptive-only", "wrong-escape"), f"no such rule: {self.rule!r}")
        demand(self.reuse in ("empty", "escape-tail", "tail"), f"no such reuse of VCs: {self.reuse!r}")
        self.node = [hardware.constant(switch, "node")[1] for switch in range(hardware.switches)]
        whole = sorted(self.node) == list(range(1 << self.dimensions))
        demand(whole, "the nodes of the routers are not those of the hypercube, each once")
        named = [name.replace("-", "_") for name in (self.rule, self.reuse) if name not in ("duato", "empty")]
        size = f"_n{self.dimensions}_l{hardware.vcs}_b{parameters['buffer_flits']}"
        pattern = "_".join([rf"\S*_hypercube_router{size}(_i\d+)?", *named])
        for router in hardware.routers:
            demand(re.fullmatch(pattern, hardware.module[router]), f"{hardware.module[router]} is for other rules")
        self.arrival = {}
        for channel in filter(hardware.between, range(len(hardware.channels))):
            about, source, sink = hardware.channels[channel], hardware.sources[channel], hardware.sinks[channel]
            dimension = about["source_port"] // hardware.vcs
            right = self.node[source] ^ self.node[sink] == 1 << dimension == 1 << about["sink_port"] // hardware.vcs
            demand(right, f"{hardware.names[channel]} does not lead to the neighbour in its dimension")
            self.arrival[channel] = dimension
        hardware.check_hosts(self.node)

    def choices(self, channel, key):
        """Return the route candidates of a header, and of them the escape channels, which it waits for."""
        switch, vcs = self.hardware.sinks[channel], self.hardware.vcs
        left, outputs = self.node[switch] ^ key, self.hardware.outputs[self.hardware.sinks[channel]]
        if left == 0:
            return outputs[self.dimensions * vcs :], []
        if channel in self.arrival and left >> self.arrival[channel] & 1:
            return [], []
        ahead = [dimension for dimension in range(self.dimensions) if left >> dimension & 1]
        if self.rule == "adaptive-only":
            return [outputs[dimension * vcs + vc] for dimension in ahead for vc in range(vcs)], []
        odd = self.rule == "wrong-escape" and self.node[switch].bit_count() % 2
        escape = outputs[ahead[-1 if odd else 0] * vcs + vcs - 1]
        return [outputs[d * vcs + vc] for d in ahead for vc in range(vcs - 1)] + [escape], [escape]

    def ways(self, channel, key):
        """Return route candidates in the form of ``Walk``."""
        return [(vc, None) for vc in self.choices(channel, key)[0]]


def check(hardware, certificate):
    """Check that every header has an escape channel at every switch, and that every dependency goes up in the order."""
    cube = Cube(hardware)
    walk = Walk(hardware, cube.ways, lambda key: f"node {key}")
    for channel in hardware.injections:
        for switch, node in enumerate(cube.node):
            if hardware.sinks[channel] != switch:
                delivery = hardware.outputs[switch][cube.dimensions * hardware.vcs]
                check_sent(walk, channel, node, 1 << hardware.sinks[delivery] - hardware.switches)
    moving = {state: cube.choices(*state) for state in walk.known}
    escapes = {vc for _, of_state in moving.values() for vc in of_state}
    vcs = {vc for vc, _ in moving if vc in cube.arrival}
    for (channel, key), (asked, of_state) in moving.items():
        arrived = any(vc not in cube.arrival for vc in asked)
        name = hardware.names[channel]
        demand(not escapes or of_state or arrived, f"a header for node {key} that comes on {name} has no escape")
    reuse = "empty" if hardware.parameters["buffer_flits"] == 1 else cube.reuse  # with one flit they are the same
    shared = {"empty": set(), "escape-tail": escapes, "tail": vcs}[reuse]
    named = [hardware.names[vc] for vc in sorted(escapes)]
    ranks(named, certificate["escapes"], "the escapes")
    nodes = shared | (escapes or vcs)
    place = ranks([hardware.names[vc] for vc in sorted(nodes)], certificate["order"], "the order")
    first = {}

    def first_behind(state):
        """Return the first VC in the order that a header may wait for, or that it takes if that is shared."""
        if state not in first:
            asked, of_state = moving[state]
            found = []
            for vc in (vc for vc in asked if vc in cube.arrival):
                stops = vc in (of_state or asked) or vc in shared
                found.append((place[hardware.names[vc]], vc) if stops else first_behind((vc, state[1])))
            first[state] = min(found, default=(len(place), None))
        return first[state]

    for vc, key in sorted(state for state in moving if state[0] in nodes):
        rank, wanted = first_behind((vc, key))
        name = hardware.names[vc]
        later = wanted is None or place[name] < rank
        demand(later, f"behind {name} a header may wait for {hardware.names[wanted or 0]}, which is not later in order")
