"""Sources that pause: where an injector gets the words of a message from."""

from sim_model.engines.cycle.endpoints import holds_back
from sim_model.engines.cycle.movers import await_move
from sim_model.engines.cycle.state import NONE
from sim_model.loops.bits import index_of, message_of, source_bit
from sim_model.loops.compiled import compiled_apart


@compiled_apart
def await_word(injector, state):
    """The next flit of an injector is to be loaded: a header flit at once, a word when the source has one."""
    endpoints, channel = state.endpoints, state.channels[state.hosts[injector].channel]
    if index_of(channel.register) >= endpoints.header_flits[message_of(channel.register)]:
        endpoints.sources[injector].waiting = 1
        state.vertices[channel.source].occupied &= ~source_bit(channel)


@compiled_apart
def step_sources(cycle, state):
    """One cycle of all sources. Returns a number that is 0 only if none of them changes, now or later.

    A word that is on offer stays so until it is taken: sources, too, keep the rules of streams.
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
    """Whether a host may not offer its injector a message yet; if it may, words can be had from the next cycle on."""
    source = endpoints.sources[injector]
    if holds_back(cycle, source.phase, endpoints.pause_level, endpoints.ring):
        return True
    source.offered = 0
    return False
