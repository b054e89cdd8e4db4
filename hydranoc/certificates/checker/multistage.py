"""Multistage networks: channels in order, and worms whose branches meet again one at a time."""

import re
from itertools import combinations

from documents import natural
from refusal import demand
from tables import Tables, union
from walk import Walk, check_order, check_sent

ROUTER = r"min_router_\w+"
CONSTANTS = ("routes", "reach", "port_class", "release_flits", "starts_here")
CREDITS = False


def rings(network, certificate):
    """Return the switches of each token ring, in the order of the ring, from the certificate."""
    declared, number = certificate["tokens"], {name: switch for switch, name in enumerate(network.switch_names)}
    demand(isinstance(declared, list), "tokens is no list of rings")
    for ring in declared:
        named = isinstance(ring, list) and ring and all(isinstance(name, str) and name in number for name in ring)
        demand(named, "a ring of tokens is no list of this network's switches")
    found = [[number[name] for name in ring] for ring in declared]
    switches = [switch for ring in found for switch in ring]
    demand(len(set(switches)) == len(switches), "a switch is in two rings of tokens")
    return found


def side_wires(hardware):
    """Yield the token wires, from each switch of a ring to the next."""
    for ring in hardware.rings:
        for switch, after in zip(ring, [*ring[1:], ring[0]], strict=True):
            demand(hardware.has(switch, "token_out"), f"{hardware.switch_names[switch]} has no token")
            yield switch, "token_out", after, "token_in"


def check(hardware, certificate):
    """Check that channels are in order, and that switches whose branches meet again share a token for long enough."""
    tables, shared = Tables(hardware, 2 if hardware.has(0, "port_class") else 1), hardware.rings
    tables.multicast = range(hardware.processors, tables.keys)
    walk = Walk(hardware, tables.ways, lambda key: f"p{key}" if key not in tables.multicast else f"key {key}")
    for channel in hardware.injections:
        for processor in range(hardware.processors):
            check_sent(walk, channel, processor, 1 << processor)
        covered = [walk.reached(channel, key) for key in tables.multicast]
        demand(tables.every in covered, f"no multicast from {hardware.names[channel]} gets to all processors")
    if "axi_stream" in hardware.manifest:
        check_turns(hardware, walk, tables.multicast)
    branches, sinks = tables.branches, hardware.sinks
    ahead = {(c, d) for of_switch in branches.values() for c in of_switch for d in branches.get(sinks[c], ())}
    check_tokens(hardware)
    asking = {(c, d) for ring in shared for a in ring for c in hardware.inputs[a] for b in ring for d in branches[b]}
    check_order(hardware, walk.edges | ahead | asking, certificate)
    levels = waits_ahead(hardware, branches)
    check_serialised(hardware, walk.edges, branches, shared, levels)
    pattern = r"_input_buffer_(\d+)_\d+_[1-9]"  # those of routers, which hold something decoded; others end with 0
    depths = {int(depth) for body in hardware.bodies.values() for depth in re.findall(pattern, body)}
    demand(len(depths) == 1, "input buffers of the routers differ")
    on_a_link = depths.pop() + 1 + 2 * (hardware.parameters["link_cycles"] - 1)  # buffer, output register, stages
    for switch in (switch for ring in shared for switch in ring):
        given, needed = hardware.constant(switch, "release_flits")[1], levels[switch] * on_a_link + 1
        name = hardware.switch_names[switch]
        demand(given >= needed, f"{name} gives the token on after {given} flits, and {needed} are needed")


def check_turns(hardware, walk, keys):
    """Check that sets arrive with the keys that the hardware of AXI4-Stream ports makes: stages at which they turn.

    A set within the sender's block of radix ** (n + 1) processors has one of the first n + 1 keys. The last key is for
    all sets, and the only one of networks in one direction.
    """
    radix, stages = (natural(hardware.parameters.get(name), name) for name in ("radix", "stages"))
    demand(radix > 0 and len(keys) in (1, stages), f"{stages} stages have not {len(keys)} keys to turn at")
    for channel in hardware.injections:
        own, size = hardware.sources[channel] - hardware.switches, 1
        for key in keys:
            size = min(size * radix, hardware.processors) if key < keys[-1] else hardware.processors
            first = own - own % size
            block = (1 << min(first + size, hardware.processors)) - (1 << first)
            every = not block & ~walk.reached(channel, key)
            demand(every, f"key {key} does not lead from {hardware.names[channel]} to all processors that need it")


def check_tokens(hardware):
    """Check that each ring begins with one token."""
    for ring in hardware.rings:
        starts = sum(hardware.constant(member, "starts_here")[1] for member in ring)
        demand(starts == 1, f"the ring of {hardware.routers[ring[0]]} begins with {starts} tokens")


def waits_ahead(hardware, branches):
    """Return by switch how many switches behind it, on one path, may make a header wait for another input's worm."""
    found = {}

    def levels(switch):
        if switch not in found:
            found[switch] = max(map(behind, branches[switch]), default=0)
        return found[switch]

    def behind(branch):
        sink = hardware.sinks[branch]
        if sink >= hardware.switches:
            return 0
        further = levels(sink)
        return further + 1 if further or len(hardware.inputs[sink]) > 1 else 0

    return {switch: levels(switch) for switch in branches}


def check_serialised(hardware, edges, branches, rings, levels):
    """Check pairs of branching switches: disjoint subtrees, one behind one branch of the other, or a shared token."""
    names, ring_of = hardware.switch_names, {switch: ring for ring in rings for switch in ring}
    branching = {channel for channels in branches.values() for channel in channels}
    for held, wanted in sorted(edges):
        inside = held not in branching or wanted in branching
        demand(inside, f"{hardware.names[wanted]} lies behind a branch, {hardware.names[held]}, and is none")
    ends = {}

    def end_of(branch):
        sink = hardware.sinks[branch]
        if sink >= hardware.switches:
            return 1 << branch
        return union(whole(sink))

    def whole(switch):
        if switch not in ends:
            ends[switch] = [end_of(branch) for branch in branches[switch]]
        return ends[switch]

    splits = {switch: whole(switch) for switch, channels in branches.items() if len(channels) > 1}
    for switch, found in splits.items():
        demand(sum(found) == union(found), f"two branches of {names[switch]} lead to the same delivery channel")
        alone = switch in ring_of or len(hardware.inputs[switch]) == 1 or levels[switch] == 0
        demand(alone, f"worms of several inputs may branch at {names[switch]} at a time: it has no token")
    for a, b in combinations(splits, 2):
        behind_a, behind_b, together = union(splits[a]), union(splits[b]), b in ring_of.get(a, ())
        if behind_a == behind_b or together:
            right = behind_a == behind_b and together
        else:
            within = any(x & ~one == 0 for x, y in ((behind_a, b), (behind_b, a)) for one in splits[y])
            right = within or not behind_a & behind_b
        demand(right, f"worms that branch at {names[a]} and {names[b]} can each hold what the other one waits for")
