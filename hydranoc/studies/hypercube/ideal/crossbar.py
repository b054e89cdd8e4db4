"""Routers with one crossbar port per input: an input requests one worm at a time, until it is granted."""

from hydranoc.studies.hypercube.ideal.router import deliver_flit, move_flit
from hydranoc.studies.hypercube.ideal.state import DELIVERY, NONE
from sim_model.loops.bits import first_at_or_after
from sim_model.loops.compiled import compiled


@compiled
def move_requested(cycle, node, state):
    """Move the requested flits of a node over links and into the node. Returns the number of flits.

    The first input changes from cycle to cycle, and so does the direction in which the others follow: in one of them,
    an input behind several idle ones would be first more often.
    """
    record = state.nodes[node]
    if record.ready | record.delivering == 0:
        return 0
    _choose_requests(node, state)
    ports, moved, busy = state.ports.shape[1], 0, 0
    size = ports | 1  # odd: so each is first in both directions
    direction = 1 - 2 * (cycle & 1)
    for place in range(size):
        number = (cycle + direction * place) % size
        if number >= ports:
            continue
        port = state.ports[node, number]
        if port.request == NONE:
            continue
        output = state.inputs[node, port.request].output
        if output == DELIVERY:
            deliver_flit(cycle, node, port.request, state)
        else:
            link = 1 << state.dimension_of[output]
            if busy & link:
                continue
            busy |= link
            move_flit(cycle, node, output, state)
        port.request = NONE
        moved += 1
    return moved


@compiled
def _choose_requests(node, state):
    """Choose a request for idle inputs: the next of their worms, in turn, that has a flit, and room behind."""
    vcs_per_link = state.vcs // state.dimensions
    for number in range(state.ports.shape[1]):
        port = state.ports[node, number]
        if port.request != NONE:
            continue
        first, count = number * vcs_per_link, vcs_per_link
        if number >= state.dimensions:
            first, count = state.vcs + number - state.dimensions, 1
        able = 0
        for vc in range(first, first + count):
            if _can_leave(node, vc, state):
                able |= 1 << vc
        if able != 0:
            port.request = first_at_or_after(able, port.turn)
            port.turn = port.request + 1  # behind the last VC: equivalent to the first


@compiled
def _can_leave(node, vc, state):
    """Return whether an input has a worm with a flit, and with room behind it."""
    record, output = state.nodes[node], state.inputs[node, vc].output
    if output == NONE:
        return False
    if output == DELIVERY:
        return record.delivering >> vc & 1 == 1
    return record.ready >> output & 1 == 1
