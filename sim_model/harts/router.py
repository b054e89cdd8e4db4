"""One cycle of all nodes (docs/look_up/timing_harts.md): the time-sliced bus of receivers, transmitters and memory.

Words on the bus and in the memory in one cycle are in a transmitter's register after the next one. So each cycle begins
with the words of the cycle before.
"""

from sim_model.engines.cycle.occupied_outputs import load_register
from sim_model.engines.cycle.state import NONE
from sim_model.engines.cycle.wakeups import WORD_SHIFT, take_alarms
from sim_model.harts.packets import give_back, set_due
from sim_model.harts.page_sets import add_page, is_any, next_page, take_page
from sim_model.harts.receiver import pass_word, step_receiver
from sim_model.harts.state import ENDED, LAST_CHANGE, WORDS
from sim_model.harts.transmitter import hand_over, postpone_deliveries, step_transmitter
from sim_model.loops.bits import TAIL, index_of, lowest_bit, source_bit
from sim_model.loops.compiled import compiled
from topology.harts.frame import PROCESSOR_SLOT, SLOTS
from topology.harts.header import HOST

ALL_OUTPUTS = (2 << HOST) - 1


@compiled
def step_nodes(cycle, moves, state, family):
    """Step all nodes by one cycle. Returns a number that is 0 only if nothing will ever change by itself.

    A slot steps the nodes on its map: a word is in the receiver's buffer or no page is kept for the next packet, or the
    transmitter has a packet or a wish.
    """
    slot = cycle % SLOTS
    changes = moves
    if len(state.endpoints.receivers) > 0:
        postpone_deliveries(cycle, state, family)
    ended = family.counters[ENDED]
    changes += _load_words(state, family)
    for word in range(family.due.shape[1]):
        rest = family.due[slot, word]
        while rest != 0:
            bit = lowest_bit(rest)
            rest &= rest - 1
            switch = word << WORD_SHIFT | bit
            if slot == PROCESSOR_SLOT:
                changes += _see_new_packets(cycle, switch, state, family)
                has_more = is_any(family.fresh[switch])
            else:
                changes += _step_node(cycle, switch, slot, state, family)
                has_more = _has_more(switch, slot, state, family)
            family.due[slot, word] &= ~((0 if has_more else 1) << bit)
    _free_pages(ended, family)
    _let_in(cycle, state, family)
    if changes:
        family.counters[LAST_CHANGE] = cycle
        return changes
    # every slot comes once more after the last gap has ended
    return 1 if cycle - family.counters[LAST_CHANGE] < family.gap_cycles + 3 * SLOTS else 0


@compiled
def _step_node(cycle, switch, slot, state, family):
    """Step receiver and transmitter of a slot. Returns a number that is 0 if nothing has changed."""
    vertex = state.vertices[switch]
    arriving = state.input_channel[switch, slot]
    receiver = family.receivers[arriving]
    held, has_landing = vertex.nonempty >> slot & 1, receiver.landing != NONE
    changes = 0
    if held and has_landing and _is_body(arriving, state):
        pass_word(arriving, receiver, vertex, state, family)
        changes += 1
    elif held or not has_landing:
        changes += step_receiver(cycle, switch, slot, state, family)
    transmitter = family.transmitters[vertex.first_output + slot]
    if transmitter.page != NONE or is_any(family.waiting[switch, slot]) or transmitter.wish != 0:
        changes += step_transmitter(cycle, switch, slot, state, family)
    return changes


@compiled
def _is_body(number, state):
    """Return whether the first flit of an input is neither a head nor a tail."""
    flit = state.slots[number, state.channels[number].front]
    return index_of(flit) != 0 and not flit & TAIL


@compiled
def _has_more(switch, slot, state, family):
    """Return whether a node has work in this slot of the next frame, as far as known."""
    vertex = state.vertices[switch]
    transmitter = family.transmitters[vertex.first_output + slot]
    held = vertex.nonempty >> slot & 1
    busy = transmitter.page != NONE or is_any(family.waiting[switch, slot]) or transmitter.wish != 0
    return held or busy or family.receivers[state.input_channel[switch, slot]].landing == NONE


@compiled
def _load_words(state, family):
    """Load the words of the last cycle into output registers."""
    words = family.counters[WORDS]
    family.counters[WORDS] = 0
    for position in range(words):
        word = family.words[position]
        channel = state.channels[word.channel]
        state.vertices[channel.source].occupied |= source_bit(channel)
        load_register(word.channel, word.flit, state)
    return words


@compiled
def _free_pages(ended, family):
    """Free pages a cycle after their last tail was read: the first ``ended`` ones of the list."""
    for position in range(ended):
        give_back(family.ended[position] // family.pages, family.ended[position] % family.pages, family)
    if ended:
        family.counters[ENDED] -= ended
        for position in range(family.counters[ENDED]):
            family.ended[position] = family.ended[ended + position]


@compiled
def _let_in(cycle, state, family):
    """Add the flits that arrived in this cycle to the receivers' buffers, and mark their slots as due."""
    for word in range(family.due.shape[1]):
        rest = take_alarms(word, cycle, state)
        while rest != 0:
            bit = lowest_bit(rest)
            rest &= rest - 1
            vertex = state.vertices[word << WORD_SHIFT | bit]
            arrived = vertex.arrived
            vertex.nonempty |= arrived
            vertex.arrived = 0
            while arrived != 0:
                family.due[lowest_bit(arrived), word] |= 1 << bit
                arrived &= arrived - 1


@compiled
def _see_new_packets(cycle, switch, state, family):
    """Enter the packets that have arrived into the queues of the outputs, as the network processor does."""
    fresh = family.fresh[switch]
    page = next_page(fresh, NONE)
    while page != NONE:
        packet = family.packets[switch * family.pages + page]
        packet.fresh -= 1
        if packet.fresh == 0:
            take_page(page, fresh)
            if family.memory_hosts and packet.outputs >> HOST & 1:
                hand_over(cycle, switch, page, packet, state, family)
            rest = packet.outputs & ALL_OUTPUTS  # of 64 bits
            while rest != 0:
                output = lowest_bit(rest)
                rest &= rest - 1
                add_page(page, family.waiting[switch, output])
                set_due(switch, output, family)
        page = next_page(fresh, page)
    return 1
