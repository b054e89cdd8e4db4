"""Sources that pause: where an injector gets the words of a message from."""

from sim_model.common.engine.bits import index_of, message_of
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.endpoints import holds_back
from sim_model.common.engine.state import NONE


@compiled
def await_word(vertex, processor, flit, state):
    """The next flit of an injector is to be loaded: a header flit at once, a word when the source has one."""
    endpoints = state.endpoints
    if index_of(flit) >= endpoints.header_flits[message_of(flit)]:
        endpoints.sources[processor].waiting = 1
        vertex.occupied = 0


@compiled
def step_sources(cycle, state):
    """One cycle of all sources. Returns a number that is 0 only if none of them changes, now or later.

    A word that is on offer stays so until it is taken: sources, too, keep the rules of streams.
    """
    endpoints, hosts, vertices = state.endpoints, state.hosts, state.vertices
    changes = 0
    for processor in range(len(endpoints.sources)):
        if hosts[processor].sending == NONE:
            continue
        source = endpoints.sources[processor]
        if not source.offered:
            changes += 1
            if not holds_back(cycle, source.phase, endpoints.pause_level, endpoints.ring):
                source.offered = 1
        if source.waiting and source.offered:
            changes += 1
            source.waiting = 0
            source.offered = 0
            vertices[state.switches + processor].occupied = 1
    return changes


@compiled
def may_offer(cycle, processor, endpoints):
    """Whether a host may offer its injector a message in this cycle."""
    if len(endpoints.sources) == 0:
        return True
    source = endpoints.sources[processor]
    return not holds_back(cycle, source.phase, endpoints.pause_level, endpoints.ring)


@compiled
def start_message(processor, endpoints):
    """The injector has accepted a message: its words can be had from the next cycle on."""
    if len(endpoints.sources) > 0:
        endpoints.sources[processor].offered = 0
