"""Packets at a node (Sec. 3 and 4): their outputs, and their headers on the way out."""

from sim_model.engines.cycle.state import NONE
from sim_model.engines.cycle.wakeups import BIT_MASK, WORD_SHIFT
from sim_model.harts.state import WORDS
from sim_model.loops.compiled import compiled
from topology.harts.broadcast import ALGORITHMS, SFBCAST
from topology.harts.graph import DIRECTIONS
from topology.harts.header import HOST
from topology.harts.routing import UNICAST

STORED_FORWARD = ALGORITHMS.index(SFBCAST) + 1


@compiled
def copy_header(source, sink):
    """Copy the header fields of one record to another."""
    sink.stage = source.stage
    sink.tag = source.tag
    sink.distance = source.distance
    sink.hops = source.hops
    sink.m0 = source.m0
    sink.m1 = source.m1
    sink.m2 = source.m2
    sink.direction = source.direction
    sink.forwarded = source.forwarded
    sink.spoilt = source.spoilt


@compiled
def onward_outputs(header):
    """Return the two directions of shortest paths, in the order in which they are tried; NONE for none."""
    first = NONE
    second = NONE
    for axis in range(3):
        steps = header.m0 if axis == 0 else header.m1 if axis == 1 else header.m2
        if steps != 0:
            direction = axis if steps > 0 else axis + 3
            if first == NONE:
                first = direction
            else:
                second = direction
    return first, second


@compiled
def step_tags(header, direction):
    """Count a step in a direction of a shortest path."""
    change = -1 if direction < 3 else 1
    if direction % 3 == 0:
        header.m0 += change
    elif direction % 3 == 1:
        header.m1 += change
    else:
        header.m2 += change


@compiled
def relay_outputs(operation, packet, family):
    """Return the mask of outputs that a stored broadcast copy still needs, the host's included."""
    turns = family.relay_outputs[operation, packet.stage, packet.distance, packet.tag]
    if packet.direction == HOST:
        return turns
    outputs = ((turns << packet.direction) | (turns << packet.direction >> DIRECTIONS)) & (1 << DIRECTIONS) - 1
    if not packet.forwarded:
        outputs |= 1 << packet.direction
    return outputs | 1 << HOST


@compiled
def send_header(operation, packet, output, header, family):
    """Build the header of a stored packet on its way out."""
    copy_header(packet, header)
    if output == HOST:
        return
    if operation == UNICAST:
        step_tags(header, output)
        return
    if packet.direction == output and not packet.forwarded:
        return  # straight on, the rest of the leg
    turn = output if packet.direction == HOST else (output - packet.direction) % DIRECTIONS
    leg = family.relay_legs[operation, packet.stage, packet.distance, packet.tag, turn]
    header.distance = leg[0]
    header.stage = leg[1]
    header.tag = leg[2]


@compiled
def is_honest(switch, direction, operation, message, head, family):
    """Return whether a broadcast packet may arrive at a node in a direction (topology/harts/guard.py)."""
    offset = (switch - family.source[message]) % family.arrivals.shape[1]
    expected = family.arrivals[operation, offset, direction]
    return head.distance == expected[0] and head.stage == expected[1] and head.tag == expected[2]


@compiled
def may_cut_through(operation, packet):
    """Return whether an arriving broadcast packet may cut through at once."""
    return packet.stage != 0 and packet.distance != 0 and operation != STORED_FORWARD


@compiled
def set_due(switch, slot, family):
    """Mark a node as due in a slot."""
    family.due[slot, switch >> WORD_SHIFT] |= 1 << (switch & BIT_MASK)


@compiled
def put_on_bus(number, flit, family):
    """Put a word on the bus to the output register of a channel, which it reaches in the next cycle."""
    word = family.words[family.counters[WORDS]]
    word.flit = flit
    word.channel = number
    family.counters[WORDS] += 1


@compiled
def give_back(switch, page, family):
    """Append a freed page of a node to the ring of free pages. Divisions would dominate the cost."""
    node = family.nodes[switch]
    place = node.first_free + node.free
    family.free[switch, place - family.pages if place >= family.pages else place] = page
    node.free += 1
