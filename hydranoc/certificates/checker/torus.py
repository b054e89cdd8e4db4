"""Tori and meshes: VCs in order, by dimension-order routing and a rule for VCs, which is restated here."""

from documents import natural
from refusal import demand
from walk import Walk, check_order, check_sent

ROUTER = r"torus_router_\w+"
CONSTANTS = ("column", "row", "closes_ring")
CREDITS = True


def side_wires(hardware):
    """Return the credit wires, from each link's sink back to its source."""
    return [(sink, f"credits_{into}", source, f"credited_{out}") for source, out, sink, into in vc_links(hardware)]


def vc_links(hardware):
    """Yield the links between switches: source and its output, sink and its input."""
    for channel in filter(hardware.between, range(len(hardware.channels))):
        if hardware.channels[channel]["source_port"] % hardware.vcs == 0:
            out, into = (hardware.network.port(channel, side) for side in ("source", "sink"))
            yield hardware.sources[channel], out, hardware.sinks[channel], into


def check(hardware, certificate):
    """Check that VCs are in order, by the manifest's rule, for headers of both directions in each dimension."""
    grid = Grid(hardware)
    walk = Walk(hardware, grid.ways, lambda key: f"column {key[0]}, row {key[1]}, directions {key[2:]}")
    at_switch = {position: switch for switch, position in grid.position.items()}
    for channel in hardware.injections:
        start = grid.position[hardware.sinks[channel]]
        for end, switch in at_switch.items():
            both = [
                (1, -1) if grid.wraps and a != b else (1,) if a <= b else (-1,) for a, b in zip(start, end, strict=True)
            ]
            for key in [(*end, a, b) for a in both[0] for b in both[1] if start != end]:
                processor = hardware.sinks[grid.delivery[switch]] - hardware.switches
                check_sent(walk, channel, key, 1 << processor)
    check_order(hardware, walk.edges, certificate)


class Grid:
    """A torus or mesh: positions (column, row) are constants of the routers; a direction is (dimension, step).

    Row and column of a node follow from its number: the processor with this number is at the switch with this place.
    """

    DIRECTIONS = {(0, 1): "_py", (0, -1): "_ny", (1, 1): "_px", (1, -1): "_nx"}
    """The directions in the order of ports, and each in names of routers that lack another one."""

    def __init__(self, hardware):
        parameters, self.hardware = hardware.parameters, hardware
        self.sides, self.wraps = (parameters["columns"], parameters["rows"]), parameters["wraps"]
        self.rule, self.classed = parameters["lane_rule"], self.wraps and hardware.vcs > 1
        self.follows = self.classed and self.rule != "dally-seitz"
        demand(self.rule in ("dally-seitz", "dateline", "balanced"), f"no such rule of VCs: {self.rule!r}")
        self.position = {
            switch: tuple(hardware.constant(switch, name)[1] for name in ("column", "row"))
            for switch in range(hardware.switches)
        }
        columns, rows = (natural(side, "side of the grid") for side in self.sides)
        whole = columns * rows == hardware.switches
        demand(whole, f"a grid of {columns} columns and {rows} rows has not {hardware.switches} switches")
        places = {(column, row) for column in range(self.sides[0]) for row in range(self.sides[1])}
        whole = set(self.position.values()) == places
        demand(whole, "the columns and rows of the routers are not those of the grid, each once")
        self.heading, self.closes, self.high, self.leaving, self.delivery = {}, {}, {}, {}, {}
        for channel in range(len(hardware.channels)):
            self._place(channel)
        hardware.check_hosts([row * columns + column for column, row in self.position.values()])
        for switch, router in enumerate(hardware.routers):
            self._check_router(switch, router)

    def next_to(self, position, direction, step=1):
        """Return the position behind a channel that leaves in a direction; None if there is none."""
        dimension, way = direction
        side, moved = self.sides[dimension], position[dimension] + step * way
        if side == 1 or not (self.wraps or 0 <= moved < side):
            return None
        return (moved % side, position[1]) if dimension == 0 else (position[0], moved % side)

    def _place(self, channel):
        """Record the direction of a channel, by its output port; it must lead there, and to the right port."""
        hardware = self.hardware
        source, sink = hardware.sources[channel], hardware.sinks[channel]
        if not hardware.between(channel):
            self.delivery.update({source: channel} if source < hardware.switches else {})
            return
        place, (port, vc) = self.position[source], divmod(hardware.channels[channel]["source_port"], hardware.vcs)
        direction = [way for way in self.DIRECTIONS if self.next_to(place, way)][port]
        arrivals = [way for way in self.DIRECTIONS if self.next_to(self.position[sink], way, -1)]
        end = arrivals[hardware.channels[channel]["sink_port"] // hardware.vcs]
        right = self.next_to(place, direction) == self.position[sink] and end == direction
        demand(right, f"{hardware.names[channel]} does not lead to the neighbour in its direction")
        self.heading[channel], self.high[channel] = direction, self.classed and vc >= hardware.vcs // 2
        last = 0 if direction[1] < 0 else self.sides[direction[0]] - 1
        self.closes[channel] = self.wraps and place[direction[0]] == last
        self.leaving.setdefault((source, direction), []).append(channel)

    def _check_router(self, switch, router):
        """Check that its module names VCs, buffers, directions, rules, and any inputs that close a ring."""
        hardware, module, follows = self.hardware, self.hardware.module[router], self.follows
        parameters = hardware.parameters
        links = [channel for channel in hardware.outputs[switch] if hardware.between(channel)]
        size = f"p{len(links) // hardware.vcs + 1}_l{hardware.vcs}_b{parameters['buffer_flits']}"
        rules = ((self.rule if follows else "", ""), (parameters["lane_reuse"], "tail"))
        rules += ((parameters["injection_priority"], "equal"),)
        ending = "".join(f"_{rule}" for rule, usual in rules if rule != usual)
        ahead = [way for way in self.DIRECTIONS if self.next_to(self.position[switch], way)]
        sides = "" if len(ahead) == len(self.DIRECTIONS) else "".join(self.DIRECTIONS[way] for way in ahead)
        right = f"torus_router_{size}_r{parameters['routing_cycles']}{sides}{ending}"
        demand(module == f"{hardware.network.top}_{right}", f"{router} is {module}, and {right} is needed there")
        demand(follows == hardware.has(switch, "closes_ring"), f"{router} is not one for the rule {self.rule}")
        if follows:
            arriving = [c for c in hardware.inputs[switch] if hardware.between(c)][:: hardware.vcs]
            closes = [bool(bit) for bit in hardware.rows(switch, "closes_ring", 1)]
            demand(closes == [self.closes[c] for c in arriving], f"{router} takes other inputs for the ends of rings")

    def ways(self, channel, key):
        """Return route candidates in dimension order, on the rule's VCs; none if a header had to turn otherwise."""
        switch = self.hardware.sinks[channel]
        here, end, arrived = self.position[switch], key[:2], self.heading.get(channel)
        if here == end:
            return [(self.delivery[switch], None)]
        dimension = 0 if here[0] != end[0] else 1
        direction = dimension, key[2 + dimension]
        if arrived not in (None, direction) and not (arrived[0] == 0 and dimension == 1):
            return []
        ahead = end[dimension] < here[dimension] if direction[1] > 0 else end[dimension] > here[dimension]
        late = arrived == direction and (self.closes[channel] or self.high[channel])
        may_low, may_high = {
            "dally-seitz": (ahead, not ahead),
            "dateline": (not late, late),
            "balanced": (ahead or not late, not ahead),
        }[self.rule]
        vcs = self.leaving.get((switch, direction), ())
        return [(vc, None) for vc in vcs if not self.classed or (may_high if self.high[vc] else may_low)]
