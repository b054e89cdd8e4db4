"""A node, one cycle of all nodes (docs/timing.md): the time-sliced bus between receivers, transmitters and memory.

What the bus and the memory carry in one cycle is in a transmitter's register after the next one. So each cycle begins
with the words of the cycle before.
"""

from sim_model.common.engine.bits import TAIL, index_of
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.movers import load_register
from sim_model.common.engine.state import NONE
from sim_model.harts.page_sets import add_page, is_any, next_page, take_page
from sim_model.harts.receiver import pass_word, step_receiver
from sim_model.harts.state import LAST_CHANGE
from sim_model.harts.transmitter import hand_over, postpone_deliveries, step_transmitter
from topology.harts.frame import PROCESSOR_SLOT, SLOTS
from topology.harts.header import HOST


@compiled
def step_nodes(cycle, moves, state, family):
    """One cycle of all nodes. Returns a number that is 0 only if nothing will ever change by itself."""
    slot = cycle % SLOTS
    changes = moves
    if len(state.endpoints.receivers) > 0:
        postpone_deliveries(cycle, state, family)
    for switch in range(state.switches):
        vertex, node = state.vertices[switch], family.nodes[switch]
        ended = node.ended
        if node.received_for != NONE or node.read_for != NONE:
            changes += _load_words(node, state)
        if slot == PROCESSOR_SLOT:
            if node.fresh:
                changes += _see_new_packets(cycle, switch, node, state, family)
        else:
            arriving = state.input_channel[switch, slot]
            receiver = family.receivers[arriving]
            if receiver.landing == NONE:
                changes += step_receiver(cycle, switch, slot, state, family)
            elif vertex.nonempty >> slot & 1:
                flit = state.slots[arriving, state.channels[arriving].front]
                if index_of(flit) != 0 and not flit & TAIL:
                    pass_word(arriving, receiver, vertex, node, state)
                    changes += 1
                else:
                    changes += step_receiver(cycle, switch, slot, state, family)
            transmitter = family.transmitters[vertex.first_output + slot]
            if transmitter.page != NONE or transmitter.wish != 0 or is_any(family.waiting[switch, slot]):
                changes += step_transmitter(cycle, switch, slot, state, family)
        if ended != NONE:
            family.free[switch, (node.first_free + node.free) % family.pages] = ended
            node.free += 1
            node.ended = NONE if node.ended == ended else node.ended
        vertex.nonempty |= vertex.arrived
        vertex.arrived = 0
    if changes:
        family.counters[LAST_CHANGE] = cycle
        return changes
    # every slot comes once more after the last gap has ended
    return 1 if cycle - family.counters[LAST_CHANGE] < family.gap_cycles + 3 * SLOTS else 0


@compiled
def _load_words(node, state):
    """The words of the last cycle go into output registers."""
    loads = 0
    if node.received_for != NONE:
        _load_word(node.received_for, node.received, state)
        node.received_for = NONE
        loads += 1
    if node.read_for != NONE:
        _load_word(node.read_for, node.read, state)
        node.read_for = NONE
        loads += 1
    return loads


@compiled
def _load_word(number, flit, state):
    channel = state.channels[number]
    state.vertices[channel.source].occupied |= channel.source_bit
    load_register(number, flit, state)


@compiled
def _see_new_packets(cycle, switch, node, state, family):
    """The network processor puts what has arrived into the queues of the outputs."""
    fresh = family.fresh[switch]
    page = next_page(fresh, NONE)
    while page != NONE:
        packet = family.packets[switch * family.pages + page]
        packet.fresh -= 1
        if packet.fresh == 0:
            node.fresh -= 1
            take_page(page, fresh)
            if family.memory_hosts and packet.outputs >> HOST & 1:
                hand_over(cycle, switch, page, packet, state, family)
            for output in range(HOST + 1):
                if packet.outputs >> output & 1:
                    add_page(page, family.waiting[switch, output])
        page = next_page(fresh, page)
    return 1
