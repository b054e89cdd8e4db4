"""VC allocation for waiting heads, 64 routers at a time (docs/look_up/timing_hypercube.md)."""

from sim_model.hypercube.planes.grants import first_by_order
from sim_model.hypercube.planes.layout import CubeLayout
from sim_model.loops.compiled import compiled


@compiled
def note_free_outputs(row, at: CubeLayout):
    """Find the outputs with a free VC for any head."""
    free = at.splat(0)
    for vc in range(0, at.ADAPTIVE_VCS * at.WIDTH, at.WIDTH):
        free = free | at.vector_at(row, at.FREE + vc)
    delivery = at.vector_at(row, at.FREE) & at.vector_at(row, at.IS_DELIVERY)
    at.put(row, at.ANY_FREE, free & at.vector_at(row, at.IS_DIMENSION) | delivery)


@compiled
def examine(row, at: CubeLayout):
    """Grant output VCs to the heads on the diagonal. Returns the bits of the inputs that have got one."""
    line, anything = at.vector_at(row, at.LINE), at.splat(0)
    for output in range(at.OUTPUTS):
        at.put(row, at.LOOKING + output * at.WIDTH, at.crossed(line, output) & at.splat(row[at.ANY_FREE + output]))
    escape_is_free = at.any_of(at.vector_at(row, at.ESCAPE) & at.vector_at(row, at.FREE + (at.VCS - 1) * at.WIDTH))
    seen = at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        wanted, waiting = at.splat(0), at.vector_at(row, at.WAITING + vc)
        for output in range(at.OUTPUTS):
            wants = at.vector_at(row, at.WANTED + output * at.VCS * at.WIDTH + vc)
            wanted = wanted | at.vector_at(row, at.LOOKING + output * at.WIDTH) & wants
        rivals = wanted & waiting & at.vector_at(row, at.ALLOWED + vc)
        escaped = at.vector_at(row, at.ESCAPING + vc) & waiting & at.splat(escape_is_free)
        got = rivals & ~seen | escaped
        seen = seen | rivals
        at.put(row, at.ESCAPED + vc, escaped)
        at.put(row, at.GOT + vc, got)
        anything = anything | got
    return anything


@compiled
def pick(row, highest, at: CubeLayout):
    """Pick outputs for the leaders, to be examined in the next cycle. Returns the routers that chose.

    Parameters:
        highest (int): Routers whose escape is that of the highest dimension.
    """
    leading = at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        leading = leading | at.vector_at(row, at.LEADER + vc)
    at.put(row, at.LEADING, leading)
    usable, wanted = _outputs_of_leaders(row, at)
    any_usable, leads = at.any_of(usable), at.any_of(leading)
    escape = _pick_escape(wanted & at.splat(~any_usable), highest, at) if at.ADAPTIVE_VCS < at.VCS else at.splat(0)
    chosen = _first_at_random(row, at)
    output = chosen | usable & at.vector_at(row, at.IS_DELIVERY) | escape
    output = output | at.splat(leads & ~at.any_of(output)) & at.vector_at(row, at.IS_FIRST)
    line = at.splat(0)
    for number in range(at.INPUTS):
        code = number if number < at.DIMENSIONS else number + at.HOST_GAP
        line = line | at.splat(row[at.LEADING + code]) & at.crossed(output, code)
    at.put(row, at.LINE, line)
    at.put(row, at.ESCAPE, escape)
    adaptive = at.splat(any_usable) if at.ADAPTIVE_VCS < at.VCS else at.splat(-1)
    escaping = at.splat(at.any_of(escape))
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        leader = at.vector_at(row, at.LEADER + vc)
        at.put(row, at.ALLOWED + vc, ~leading | leader & adaptive)
        at.put(row, at.ESCAPING + vc, leader & escaping)
    return at.any_of(chosen)


@compiled
def _outputs_of_leaders(row, at: CubeLayout):
    """Return the available outputs of the leaders' heads, and the dimensions that they request, by output."""
    for output in range(at.OUTPUTS):
        wanted = at.splat(0)
        for vc in range(at.VCS):
            leader = at.vector_at(row, at.LEADER + vc * at.WIDTH)
            wanted = wanted | leader & at.vector_at(row, at.WANTED + (output * at.VCS + vc) * at.WIDTH)
        at.put(row, at.BY_OUTPUT + output * at.WIDTH, wanted)
    wanted = at.gathered(row, at.BY_OUTPUT)
    usable = wanted & at.vector_at(row, at.ANY_FREE)
    at.put(row, at.USABLE, usable)
    return usable, wanted & at.vector_at(row, at.IS_DIMENSION)


@compiled
def _pick_escape(wanted, highest, at: CubeLayout):
    """Return the lowest of the requested dimensions, or the highest one."""
    lowest = wanted & ~at.before(wanted)
    if highest == 0:
        return lowest
    return lowest & at.splat(~highest) | wanted & ~at.behind(wanted) & at.splat(highest)


@compiled
def _first_at_random(row, at: CubeLayout):
    """Return the first usable dimension in the random order, by dimension."""
    places = at.splat(0)
    for dimension in range(at.DIMENSIONS):
        places = places | at.splat(row[at.USABLE + dimension]) & at.vector_at(row, at.ORDER + dimension * at.WIDTH)
    first = places & ~at.before(places)
    for dimension in range(at.DIMENSIONS):
        at.put(row, at.BY_OUTPUT + dimension * at.WIDTH, at.vector_at(row, at.ORDER + dimension * at.WIDTH) & first)
    at.put(row, at.BY_OUTPUT + at.DIMENSIONS * at.WIDTH, at.splat(0))
    return at.gathered(row, at.BY_OUTPUT)


@compiled
def step_random_orders(row, routers, at: CubeLayout):
    """Step the random order of some routers after a choice (``topology.common.choice_orders.next_random_order``)."""
    low = row[at.STATE]
    changes = at.splat(routers)
    before_it = at.vector_at(row, at.ORDER + (at.DIMENSIONS - 1) * at.WIDTH)
    for place in range(at.ORDER, at.ORDER + at.DIMENSIONS * at.WIDTH, at.WIDTH):
        places = at.vector_at(row, place)
        at.put(row, place, places & ~changes | before_it & changes)
        before_it = places
    if at.DIMENSIONS > 1:
        one, other = at.vector_at(row, at.ORDER), at.vector_at(row, at.ORDER + at.WIDTH)
        difference = (one ^ other) & at.splat(low & routers)
        at.put(row, at.ORDER, one ^ difference)
        at.put(row, at.ORDER + at.WIDTH, other ^ difference)
    for place in range(0, at.STATE_VECTORS * at.WIDTH, at.WIDTH):
        state, following = at.vector_at(row, at.STATE + place), at.vector_at(row, at.STATE + place + 1)
        following = following ^ at.vector_at(row, at.FEEDBACK + place) & at.splat(low)
        at.put(row, at.STATE + place, state & ~changes | following & changes)


@compiled
def elect(row, order, lane_order, at: CubeLayout):
    """Elect the leaders: the first VC of the cycle of the first input of the cycle with a requesting head."""
    asking = at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        asking = asking | at.vector_at(row, at.ASKING + vc)
    at.put(row, at.LEADING, asking)
    leading, seen = first_by_order(row, at.LEADING, order, at), at.splat(0)
    for position in range(at.VCS):
        vc = lane_order[position] * at.WIDTH
        asks = at.vector_at(row, at.ASKING + vc)
        at.put(row, at.LEADER + vc, asks & leading & ~seen)
        seen = seen | asks
    return asking


@compiled
def is_hopeful(row, highest, at: CubeLayout):
    """Return the routers in which a waiting head could get a VC, as a word that is 0 only if there is none."""
    hopeful = at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        waiting, below, above = at.vector_at(row, at.WAITING + vc), at.splat(0), at.splat(0)
        for output in range(at.OUTPUTS):
            wants = at.vector_at(row, at.WANTED + output * at.VCS * at.WIDTH + vc)
            hopeful = hopeful | waiting & wants & at.splat(row[at.ANY_FREE + output])
        if at.ADAPTIVE_VCS < at.VCS:
            for dimension in range(at.DIMENSIONS):
                wants = at.vector_at(row, at.WANTED + dimension * at.VCS * at.WIDTH + vc)
                free = row[at.FREE + (at.VCS - 1) * at.WIDTH + dimension] & ~highest
                hopeful = hopeful | waiting & wants & ~below & at.splat(free)
                below = below | wants
            for dimension in range(at.DIMENSIONS - 1, -1, -1):
                wants = at.vector_at(row, at.WANTED + dimension * at.VCS * at.WIDTH + vc)
                free = row[at.FREE + (at.VCS - 1) * at.WIDTH + dimension] & highest
                hopeful = hopeful | waiting & wants & ~above & at.splat(free)
                above = above | wants
    return at.any_of(hopeful)
