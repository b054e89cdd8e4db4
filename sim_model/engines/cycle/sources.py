"""Sources that pause: the supply of words to an injector."""

from sim_model.engines.cycle.endpoints import holds_back
from sim_model.engines.cycle.occupied_outputs import await_move
from sim_model.engines.cycle.state import NONE
from sim_model.loops.bits import index_of, message_of, source_bit
from sim_model.loops.compiled import compiled_apart


@compiled_apart
def await_word(injector, state):
    """Load the next flit of an injector: a header flit at once, a word when the source offers one."""
    endpoints, channel = state.endpoints, state.channels[state.hosts[injector].channel]
    if index_of(channel.register) >= endpoints.header_flits[message_of(channel.register)]:
        endpoints.sources[injector].waiting = 1
        state.vertices[channel.source].occupied &= ~source_bit(channel)


@compiled_apart
def step_sources(cycle, state):
    """Step all sources by one cycle. Returns a number that is 0 only if none of them changes, now or later.

    An offered word stays valid until it is taken, as in AXI4-Stream.
    """
    endpoints, hosts = state.endpoints, state.hosts
    changes = 0
    for injector in range(len(endpoints.sources)):
        if hosts[injector].sending == NONE:
            continue
        source = endpoints.sources[injector]
        if not source.offered:
            changes += 1
            if not holds_back(cycle, source.phase, endpoints.pause_level, endpoints.ring):
                source.offered = 1
        if source.waiting and source.offered:
            changes += 1
            source.waiting = 0
            source.offered = 0
            channel = state.channels[hosts[injector].channel]
            state.vertices[channel.source].occupied |= source_bit(channel)
            await_move(hosts[injector].channel, state)
    return changes


@compiled_apart
def offers_later(cycle, injector, endpoints):
    """Return whether a host may not offer its injector a message yet; if it may, words follow in the next cycle."""
    source = endpoints.sources[injector]
    if holds_back(cycle, source.phase, endpoints.pause_level, endpoints.ring):
        return True
    source.offered = 0
    return False
