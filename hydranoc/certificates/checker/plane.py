"""Collective planes: switches, links and endpoints are wired by the tree, masks are those of the groups' members, and
all waits between buffers rise in the order of the certificate."""

from documents import demand_same
from plane_tree import OPERATORS, end_name
from refusal import demand, ranks
from structure import Structure, joined, part

LIMIT_BITS = 16
STREAMS = ("s_axis_", "m_axis_")
BARRIERS = ("barrier_request", "barrier_done", "barrier_error")
UP, DOWN, WORDS = range(3)
SUM = OPERATORS.index("sum")


class PlaneHardware:
    """Required inside of a plane in the Verilog.

    Parameters:
        tree (PlaneTree)
        found (WiredModule): The top.
        ports_of (dict): Ports of all modules.
    """

    def __init__(self, tree, found, ports_of):
        self.tree, self.structure = tree, Structure(found, ports_of, f"{tree.top}_")
        self.flush = self.structure.input_port("flush", tree.groups)
        if tree.timeouts:
            self.limit = self.structure.input_port("timeout", LIMIT_BITS)
        for switch in tree.switches:
            self._place_switch(switch)
        if tree.operators:
            for processor in range(len(tree.homes)):
                self._place_endpoint(processor)
        for switch in tree.switches:
            for port, (is_processor, number) in enumerate(tree.branches[switch]):
                if is_processor and not tree.operators:
                    self._connect_member(f"switch_s{switch}", port, number)
                    continue
                lower = f"{'endpoint_p' if is_processor else 'switch_s'}{number}"
                staged = f"s{number}" if tree.link_cycles > 1 and not is_processor else ""
                self._link(f"switch_s{switch}", port, lower, "down" if is_processor else "parent", staged)
        self.structure.check()

    def _place_switch(self, switch):
        structure, name, branches = self.structure, f"switch_s{switch}", len(self.tree.branches[switch])
        ports = structure.place(name, self.tree.switch_module(switch))
        taking_part, top = self.tree.constants(switch)
        for port, value, width in (
            ("taking_part", taking_part, branches * self.tree.groups),
            ("top", top, self.tree.groups),
        ):
            structure.connect(name, port, (f"{width}'h{value:0{-(-width // 4)}x}", width))
        structure.connect(name, "flush", self.flush)
        if self.tree.timeouts:
            structure.connect(name, "limit", self.limit)
        for mask in ("mismatches", "timeouts"):
            if mask in ports:
                structure.drive(f"{mask}_s{switch}", structure.output(name, mask))
                clear = f"clear_{mask}"
                structure.connect(name, clear, structure.input_port(f"{clear}_s{switch}", branches))

    def _place_endpoint(self, processor):
        structure, name = self.structure, f"endpoint_p{processor}"
        ports = structure.place(name, self.tree.endpoint_module())
        structure.connect(name, "flush", self.flush)
        for port, (direction, width) in ports.items():
            if not port.startswith((*STREAMS, *BARRIERS)):
                continue
            stem = next((stem for stem in STREAMS if port.startswith(stem)), "")
            outside = f"{stem}n{processor}_{port.removeprefix(stem)}" if stem else f"{port}_n{processor}"
            if direction == "input":
                structure.connect(name, port, structure.input_port(outside, width))
            else:
                structure.drive(outside, structure.output(name, port))

    def _connect_member(self, switch, port, processor):
        """Connect the barrier wires of a processor to its switch, in a plane that has barriers alone."""
        structure, groups = self.structure, self.tree.groups
        structure.connect(switch, f"up_{port}", structure.input_port(f"barrier_request_n{processor}", groups))
        over = part(structure.output(switch, "down"), port * groups, groups)
        structure.drive(f"barrier_done_n{processor}", over)

    def _link(self, upper, port, lower, down, staged):
        """Connect a branch of a switch to what is at its lower end; ``staged`` names its register stages."""
        structure, groups = self.structure, self.tree.groups
        if not self.tree.operators:
            self._wire(f"link_up_{staged}", structure.output(lower, "up"), upper, f"up_{port}", staged)
            over = part(structure.output(upper, "down"), port * groups, groups)
            self._wire(f"link_down_{staged}", over, lower, down, staged)
            return
        self._words(f"link_up_{staged}", (lower, "up"), None, (upper, f"up_{port}"), staged)
        self._words(f"link_down_{staged}", (upper, "down"), port, (lower, down), staged)
        credits_up = structure.output(upper, f"up_credits_{port}")
        self._wire(f"credits_up_{staged}", credits_up, lower, "up_credited", staged)
        credits_down = structure.output(lower, f"{down}_credits")
        self._wire(f"credits_down_{staged}", credits_down, upper, f"down_credited_{port}", staged)

    def _words(self, name, source, bit, sink, staged):
        """Connect the words of a link; ``bit`` is that of a shared register's ``valid``."""
        structure = self.structure
        valid, payload = (structure.output(source[0], f"{source[1]}__{of}") for of in ("valid", "payload"))
        if bit is not None:
            valid = part(valid, bit, 1)
        if staged:
            wire = self._stages(name, joined((payload, valid)))
            payload, valid = part(wire, 0, payload[1]), part(wire, payload[1], 1)
        structure.connect(sink[0], f"{sink[1]}__payload", payload)
        structure.connect(sink[0], f"{sink[1]}__valid", valid)

    def _wire(self, name, net, sink, port, staged):
        self.structure.connect(sink, port, self._stages(name, net) if staged else net)

    def _stages(self, name, net):
        """Place the register stages of a link, and return the net behind them."""
        self.structure.place(name, f"wire_stages_{net[1]}_{self.tree.link_cycles - 1}")
        self.structure.connect(name, "source", net)
        return self.structure.output(name, "sink")


def place_name(group, state, switch, end):
    """Return the name of the buffer of a group at an end of a link, and of the state in which others wait for it."""
    ends = (end_name(end), f"s{switch}")
    first, last = ends if state != DOWN else ends[::-1]
    return f"{'words' if state == WORDS else 'room'} g{group} {first}->{last}"


def waits(tree):
    """Yield all waits: a place that is full or empty, and one that it waits for."""
    for group in range(tree.groups):
        for switch in tree.switches:
            for end in taking_part(tree, switch, group):
                yield from _of_branch(tree, group, switch, end)


def taking_part(tree, switch, group):
    """Return the branches of a switch that take part in a group."""
    return [end for port, end in enumerate(tree.branches[switch]) if tree.masks[switch][group] >> port & 1]


def _of_branch(tree, group, switch, end):
    full, others = place_name(group, UP, switch, end), taking_part(tree, switch, group)
    for other in others:
        if other != end:
            yield full, place_name(group, WORDS, switch, other)
        if tree.tops[group] == switch:
            yield full, place_name(group, DOWN, switch, other)
    if tree.tops[group] != switch:
        yield full, place_name(group, UP, tree.parent[switch], (False, switch))
    is_processor, child = end
    if not is_processor:
        for state in (DOWN, WORDS):
            for below in taking_part(tree, child, group):
                yield place_name(group, state, switch, end), place_name(group, state, child, below)


def check_order(tree, certificate):
    """Check that every wait rises in the certificate's order, which has all places and no others."""
    names = [
        place_name(group, state, switch, end)
        for group in range(tree.groups)
        for switch in tree.switches
        for end in taking_part(tree, switch, group)
        for state in (UP, DOWN, WORDS)
    ]
    place = ranks(names, certificate["order"], "order")
    for held, wanted in waits(tree):
        demand(place[held] < place[wanted], f"{held} waits for {wanted}, which does not come later in the order")


def check_bounds(tree, certificate):
    """Check the cycles within which a word that all members of a group have sent is offered to all of them."""
    right = []
    for group, members in enumerate(tree.manifest["groups"]):
        levels = max(tree.depth[tree.homes[member]] for member in members) - tree.depth[tree.tops[group]]
        right.append(word_cycles(tree, levels))
    demand_same(certificate["word_cycles"], right, "word_cycles of the certificate")
    return max(right)


def word_cycles(tree, levels):
    """Return the bound of a group whose farthest member is some links below the top."""
    link = tree.link_cycles
    if not tree.operators:
        return 2 * levels * link + 1
    stages = 1 if tree.operators == [SUM] else 3
    turn = 2 * tree.groups + stages
    return link + 1 + levels * (2 * (turn + link) + stages) + turn + stages + 1 + tree.groups
