"""Wrapped hexagonal meshes: packets wait for pages of higher levels, and broadcasts bring their copies everywhere."""

import re
from collections import Counter

from documents import natural
from refusal import demand, ranks

ROUTER = r"harts_node_\w+"
CONSTANTS = ("dead", "corrupting", "node")
CREDITS = False
WAYS = 6


def offsets_of(size):
    """Return the difference of node numbers in each direction."""
    return [1, 3 * size - 1, 3 * size - 2, -1, 1 - 3 * size, 2 - 3 * size]


def side_wires(hardware):
    """Yield the wires for kept pages, back to the previous node, and for its page requests by level."""
    size = natural(hardware.parameters.get("size"), "size")
    nodes = 3 * size * (size - 1) + 1
    demand(nodes == hardware.switches, f"a mesh of size {size} has {nodes} nodes, not {hardware.switches}")
    for node in range(nodes):
        for way, offset in enumerate(offsets_of(size)):
            before = (node - offset) % nodes
            yield node, f"kept_{way}", before, f"ahead_{way}"
            yield before, f"wish_{way}", node, f"wished_{way}"


def check(hardware, certificate):
    """Check that packets wait for pages of higher levels only, and travel no more steps than there are levels."""
    size, levels, pages = (natural(hardware.parameters.get(name), name) for name in ("size", "levels", "pages"))
    nodes = 3 * size * (size - 1) + 1
    offsets = offsets_of(size)
    hardware.check_hosts(range(nodes))
    demand(
        len(certificate["order"]) == levels + 1, f"the order has {len(certificate['order'])} places for {levels} levels"
    )
    place = ranks([f"level {level}" for level in range(levels + 1)], certificate["order"], "the order")
    for node, router in enumerate(hardware.routers):
        for way, offset in enumerate(offsets):
            channel, name = hardware.outputs[node][way], (node + offset) % nodes
            right = hardware.sinks[channel] == name and hardware.inputs[name][way] == channel
            demand(right, f"{hardware.names[channel]} does not lead to the neighbour in direction {way}")
        if hardware.has(node, "node"):
            own = hardware.constant(node, "node")[1]
            demand(own == node, f"node of {router} is {own}; its guard needs {node}")
        broken = hardware.constant(node, "dead")[1] or hardware.constant(node, "corrupting")[1]
        demand(not broken, f"{router} has faults, so not everything can be delivered")
        text = hardware.bodies[hardware.module[router]]
        demand(f"_harts_page_pool_{pages} " in text, f"{router} has not the {pages} pages of the manifest")
        by_level = re.search(r"_harts_receiver_bank_n\d+_\d+ ", text)
        demand(by_level, f"{router} gives any page to packets of any level, which wait for each other's pages then")
    demand(pages >= levels + 8, f"{levels + 8} pages are needed, one per level and receiver, and there are {pages}")
    for level in range(levels):
        held, wanted = f"level {level}", f"level {level + 1}"
        demand(place[held] < place[wanted], f"packets of {held} wait for {wanted}, which does not come later in order")
    check_unicasts(nodes, size, offsets, levels)
    for algorithm, copies in {"sbcast": 1, **{f"{k}-bcast": k for k in range(2, 7)}}.items():
        got = Counter()
        for node, hops in copies_of(size, nodes, offsets, copies):
            demand(hops <= levels, f"{algorithm} travels {hops} links, and there are {levels} levels")
            got[node] += 1
        right = got == Counter(dict.fromkeys(range(1, nodes), copies))
        demand(right, f"{algorithm} does not bring {copies} copies to every node but its source")


def check_unicasts(nodes, size, offsets, levels):
    """Check that tags of two neighbouring axes lead to every node within size - 1 steps, and so within the levels."""
    reached = set()
    for axis in range(6):
        for steps in range(size):
            for turned in range(size - steps):
                reached.add((steps * offsets[axis] + turned * offsets[(axis + 1) % 6]) % nodes)
    demand(len(reached) == nodes and levels >= size - 1, "tags of ordinary packets do not lead to every node")


def copies_of(size, nodes, offsets, copies):
    """Yield nodes that get copies of a broadcast from node 0, and links travelled. Legs: way, steps, stage, turn."""
    whole = size - 1
    work = [(0, 0, way, whole, 1, None) for way in range(6)]
    while work:
        node, hops, way, steps, stage, turn = work.pop()
        for ahead in reversed(range(steps)):
            node, hops = (node + offsets[way]) % nodes, hops + 1
            yield node, hops
            legs = first_turns(copies, whole, ahead) if stage == 1 else [turn(ahead)] if turn and ahead else []
            work += [(node, hops, (way + by) % 6, far, stage + 1, then) for by, far, then in legs if far]


def first_turns(copies, whole, ahead):
    """Return a node's sends on a first leg: turn to the left (negative: right), steps, and any turn on that leg."""
    if copies < 4:
        left = (1, whole if copies == 3 else ahead, None)
        right = (-1, ahead or whole, None)
        return [left, right][: copies if copies < 3 else 2]
    legs = []
    if ahead == 0:
        legs.append((1, whole, (lambda s: (-1, s, None)) if copies == 6 else None))
        legs += [(-1, whole, lambda s: (1, s, None))] * (copies >= 5) + [(0, whole, None)] * (copies == 6)
    if ahead == whole - 1:
        if ahead:
            legs += [(1, whole, lambda _: (1, 1, None)), (-1, whole, lambda _: (-1, 1, None))]
        legs += [(2, 1, None), (-2, 1, None)]
    if 0 < ahead < whole - 1:
        legs += [(1, whole, None), (-1, whole, None)]
    return legs
