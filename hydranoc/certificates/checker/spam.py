"""SPAM: channels in order, and branches nested in a forest."""

import re

from refusal import demand, ranks
from tables import Tables, union
from walk import Walk, check_order, check_sent

ROUTER = r"spam_router_p\d+"
CONSTANTS = ("routes", "reach", "port_class")
CREDITS = False


def side_wires(_hardware):
    """Return no side wires: SPAM has none."""
    return []


def check(hardware, certificate):
    """Check that channels are in order, and that all channels behind a branch lie in its subtree of one forest."""
    switches, tables = hardware.switches, Tables(hardware, 3)
    tables.multicast = range(switches)
    walk = Walk(
        hardware, tables.ways, lambda key: hardware.switch_names[key] if key < switches else f"p{key - switches}"
    )
    below = [union(tables.branches[switch].values()) for switch in range(switches)]
    demand(tables.every in below, "from no switch all processors can be reached by branches")
    for channel in hardware.injections:
        for processor in range(hardware.processors):
            check_sent(walk, channel, switches + processor, 1 << processor)
        for switch in range(switches):
            if len(tables.branches[switch]) > 1:
                check_sent(walk, channel, switch, below[switch])
    check_keys(hardware, walk)
    check_order(hardware, walk.edges, certificate)
    check_nesting(hardware, walk.edges, tables.branches, certificate["nesting"])
    for module in set(hardware.module.values()):
        atomic = re.search(r"^  \S+_spam_(?:conflict_|aged_)?queues_\d+ ", hardware.bodies[module], re.M)
        demand(atomic, f"{module} enters the requests of a header one by one, and not all at once")
        arbitration = hardware.parameters.get("arbitration", "round-robin")
        aged = re.search(r"^  \S+_spam_aged_queues_", hardware.bodies[module], re.M)
        demand(bool(aged) == (arbitration == "age"), f"{module} has other queues than for arbitration {arbitration}")
    demand(hardware.parameters.get("enqueue") == "atomic", "enqueue of the manifest is not atomic")


def check_keys(hardware, walk):
    """Check that sets arrive with the keys that the hardware of AXI4-Stream ports makes, if the network has them.

    The key of a set is the deepest switch of the trusted tree with all its destinations below.
    """
    stream = hardware.manifest.get("axi_stream")
    if stream is None:
        return
    for switch, behind in keys_of(stream["tree"], hardware.switches, hardware.processors):
        for channel in hardware.injections:
            missed = behind & ~walk.reached(channel, switch)
            processor, key = (missed & -missed).bit_length() - 1, hardware.switch_names[switch]
            demand(not missed, f"a set with p{processor} has the key {key}, which does not lead there")


def keys_of(tree, switches, processors):
    """Yield the switches of a tree that are keys of sets, each with the mask of the processors below it."""
    vertices = range(switches + processors)
    known = isinstance(tree, list) and len(tree) == len(vertices) and all(type(above) is int for above in tree)
    demand(known and all(0 <= above < switches for above in tree), "tree of axi_stream is no list of parents")
    below, children = [0] * switches, [set() for _ in range(switches)]
    for processor in range(processors):
        vertex, bit = switches + processor, 1 << processor
        for _ in vertices:
            above = tree[vertex]
            if above == vertex:
                break
            below[above] |= bit
            children[above].add(vertex)
            vertex = above
        demand(tree[vertex] == vertex, f"tree of axi_stream has no root above p{processor}")
    for switch in range(switches):
        if len(children[switch]) > 1:
            yield switch, below[switch]


def check_nesting(hardware, edges, branches, nesting):
    """Check that headers on a branch request only branches nested in it, and that a switch's branches nest in one."""
    names, branching = hardware.names, {channel for of_switch in branches.values() for channel in of_switch}
    demand(isinstance(nesting, dict), "nesting is no mapping of branches")
    ranks([names[channel] for channel in sorted(branching)], list(nesting), "nesting")
    for held, wanted in sorted(edges):
        if held in branching:
            inside = nesting.get(names[wanted]) == names[held]
            demand(inside, f"{names[wanted]} lies behind the branch {names[held]} and is not nested in it")
    for switch, channels in branches.items():
        around = {nesting[names[channel]] for channel in channels}
        demand(len(around) < 2, f"the branches of {hardware.switch_names[switch]} are nested in different ones")
