"""AXI4-Stream ends of both networks, as in ``rtl/endpoints``: packets into injectors, flits out of ejectors.

The ends of a cycle are computed from the networks before it, which then run that cycle. Loads of output registers and
takes from ejectors follow the cycle, before the next one: no router sees them within it. So the engine needs no mode
of its own. Its hosts always hold back, and this code moves the words in their place.
"""

from sim_model.engines.cycle.occupied_outputs import await_move, load_register, unblock
from sim_model.engines.cycle.records import NONE
from sim_model.engines.cycle.state import FLITS_IN_NETWORK
from sim_model.loops.bits import MESSAGE_SHIFT, NEXT_FLIT, TAIL, index_of, message_of, source_bit
from sim_model.loops.compiled import compiled

# States of a source, those of the injector in ``rtl/endpoints/axi_injector.py``.
IDLE, WAIT, HEADER, BODY = range(4)
# What a source loads at the end of a cycle.
NOTHING, HEAD, WORD = range(3)


@compiled
def is_ready(source, network):
    """Return whether a source takes a word of a packet in this cycle."""
    takes_words = source.state == BODY or (source.header_word != 0 and source.state == HEADER)
    return takes_words and _is_free(source, network)


@compiled
def _is_free(source, network):
    """Return whether the output register of a source is empty, or is emptied in this cycle."""
    channel = network.channels[source.channel]
    if network.vertices[channel.source].occupied & source_bit(channel) == 0:
        return True
    return channel.count < network.buffer_depth_flits


@compiled
def is_blocked(source, network):
    """Return whether a source has a flit that its output register has no room for."""
    return source.state >= HEADER and not _is_free(source, network)


@compiled
def step_source(source, message, is_last, by_set, key_cycles, network):
    """Step a source by one cycle.

    Parameters:
        message: That a word is offered of, or NONE.
        is_last: The word is the last one of the message.
        by_set: The packet names a set of destinations.
        key_cycles: Of the key of a set.
    """
    source.action = NOTHING
    if source.state == BODY:
        if message != NONE and _is_free(source, network):
            source.action = WORD
            if is_last:
                source.state = IDLE
    elif source.state == HEADER:
        if _is_free(source, network):
            if source.header_left == network.endpoints.header_flits[source.message]:
                source.action = HEAD
            source.header_left -= 1
            if source.header_left == 0:
                source.state = IDLE if source.header_word != 0 and is_last else BODY
    elif source.state == WAIT:
        if source.waited == key_cycles:
            source.state = HEADER
        source.waited += 1
    elif message != NONE:
        source.message = message
        source.header_left = network.endpoints.header_flits[message]
        source.waited = 0
        source.state = WAIT if by_set else HEADER


@compiled
def load_source(source, cycle, network):
    """Load the output register behind a source at the end of a cycle."""
    if source.action == NOTHING:
        return
    channel = network.channels[source.channel]
    network.vertices[channel.source].occupied |= source_bit(channel)
    if source.action == WORD:
        network.endpoints.sources[source.injector].waiting = 0
        await_move(source.channel, network)
    else:
        network.hosts[source.injector].sending = source.message
        network.jobs[source.message].accepted_cycle = cycle
        network.counters[FLITS_IN_NETWORK] += 1
        tail = TAIL if network.jobs[source.message].flits == 1 else 0
        load_register(source.channel, source.message << MESSAGE_SHIFT | tail, network)
    source.action = NOTHING


@compiled
def front(sink, network):
    """Return the packed flit that a sink, or the buffer behind it, offers in this cycle; or NONE."""
    if sink.buffered:
        return sink.output if sink.valid else NONE
    if sink.held == 0 or _is_header(sink.first, sink, network):
        return NONE
    return sink.first


@compiled
def _is_header(flit, sink, network):
    return word_of(flit, sink, network) < 0


@compiled
def word_of(flit, sink, network):
    """Return the position of a flit in its packet; less than 0 in a header flit without a word."""
    return index_of(flit) + sink.header_word - network.endpoints.header_flits[message_of(flit)]


@compiled
def step_sink(sink, takes, network):
    """Take the first flit of a sink in this cycle, if there is one: header flits at once, words if they are taken."""
    sink.released = 1 if takes else 0
    takes_word = sink.ready != 0 if sink.buffered else takes
    sink.taking = 1 if sink.held > 0 and (takes_word or _is_header(sink.first, sink, network)) else 0


@compiled
def _step_buffer(sink, ring, written):
    """Step the buffer behind a sink to the end of a cycle; ``written`` tells whether it takes the first flit."""
    flits = len(ring)
    fetched = sink.stored > 0 and (sink.valid == 0 or sink.released != 0)
    sink.ready = 0 if sink.stored == flits or (written and sink.stored == flits - 1) else 1
    if written:
        ring[(sink.begin + sink.stored) % flits] = sink.first
        sink.stored += 1
    sink.valid = 1 if fetched or (sink.valid and not sink.released) else 0
    if fetched:
        sink.output = ring[sink.begin]
        sink.begin = (sink.begin + 1) % flits
        sink.stored -= 1


@compiled
def update_sink(sink, ring, network):
    """Remove the flit that was taken in a cycle, and add the one that arrived."""
    channel = network.channels[sink.channel]
    if sink.buffered:
        _step_buffer(sink, ring, sink.taking != 0 and not _is_header(sink.first, sink, network))
    if sink.taking:
        sink.first = sink.second
        sink.held -= 1
        if channel.count == network.buffer_depth_flits:
            unblock(sink.channel, channel, network)
        channel.count -= 1
        sink.taking = 0
    if channel.expected != sink.expected:
        ended = NONE - 1 - channel.expected
        flit = channel.expected - NEXT_FLIT if channel.expected >= 0 else ended | TAIL
        if sink.held == 0:
            sink.first = flit
        else:
            sink.second = flit
        sink.held += 1
        sink.expected = channel.expected
