"""VC allocation for waiting heads, 64 routers at a time (docs/look_up/timing_hypercube.md)."""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false


def note_free_outputs(row):
    """Find the outputs with a free VC for any head."""
    free = splat(0)
    for lane in range(0, ADAPTIVE_LANES * WIDTH, WIDTH):
        free = free | vector_at(row, FREE + lane)
    delivery = vector_at(row, FREE) & vector_at(row, IS_DELIVERY)
    put(row, ANY_FREE, free & vector_at(row, IS_DIMENSION) | delivery)


def examine(row):
    """Grant output VCs to the heads on the diagonal. Returns the bits of the inputs that have got one."""
    line, anything = vector_at(row, LINE), splat(0)
    for output in range(OUTPUTS):
        put(row, LOOKING + output * WIDTH, crossed(line, output) & splat(row[ANY_FREE + output]))
    escape_is_free = any_of(vector_at(row, ESCAPE) & vector_at(row, FREE + (LANES - 1) * WIDTH))
    seen = splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        wanted, waiting = splat(0), vector_at(row, WAITING + lane)
        for output in range(OUTPUTS):
            wants = vector_at(row, WANTED + output * LANES * WIDTH + lane)
            wanted = wanted | vector_at(row, LOOKING + output * WIDTH) & wants
        rivals = wanted & waiting & vector_at(row, ALLOWED + lane)
        escaped = vector_at(row, ESCAPING + lane) & waiting & splat(escape_is_free)
        got = rivals & ~seen | escaped
        seen = seen | rivals
        put(row, ESCAPED + lane, escaped)
        put(row, GOT + lane, got)
        anything = anything | got
    return anything


def pick(row, highest):
    """Pick outputs for the leaders, to be examined in the next cycle. Returns the routers that chose.

    Parameters
    ----------
    highest : int
        Routers whose escape is that of the highest dimension.
    """
    leading = splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        leading = leading | vector_at(row, LEADER + lane)
    put(row, LEADING, leading)
    usable, wanted = _outputs_of_leaders(row)
    any_usable, leads = any_of(usable), any_of(leading)
    escape = _pick_escape(wanted & splat(~any_usable), highest) if ADAPTIVE_LANES < LANES else splat(0)
    chosen = _first_at_random(row)
    output = chosen | usable & vector_at(row, IS_DELIVERY) | escape
    output = output | splat(leads & ~any_of(output)) & vector_at(row, IS_FIRST)
    line = splat(0)
    for number in range(INPUTS):
        code = number if number < DIMENSIONS else number + HOST_GAP
        line = line | splat(row[LEADING + code]) & crossed(output, code)
    put(row, LINE, line)
    put(row, ESCAPE, escape)
    adaptive = splat(any_usable) if ADAPTIVE_LANES < LANES else splat(-1)
    escaping = splat(any_of(escape))
    for lane in range(0, LANES * WIDTH, WIDTH):
        leader = vector_at(row, LEADER + lane)
        put(row, ALLOWED + lane, ~leading | leader & adaptive)
        put(row, ESCAPING + lane, leader & escaping)
    return any_of(chosen)


def _outputs_of_leaders(row):
    """Return the available outputs of the leaders' heads, and the dimensions that they request, by output."""
    for output in range(OUTPUTS):
        wanted = splat(0)
        for lane in range(LANES):
            leader = vector_at(row, LEADER + lane * WIDTH)
            wanted = wanted | leader & vector_at(row, WANTED + (output * LANES + lane) * WIDTH)
        put(row, BY_OUTPUT + output * WIDTH, wanted)
    wanted = gathered(row, BY_OUTPUT)
    usable = wanted & vector_at(row, ANY_FREE)
    put(row, USABLE, usable)
    return usable, wanted & vector_at(row, IS_DIMENSION)


def _pick_escape(wanted, highest):
    """Return the lowest of the requested dimensions, or the highest one."""
    lowest = wanted & ~before(wanted)
    if highest == 0:
        return lowest
    return lowest & splat(~highest) | wanted & ~behind(wanted) & splat(highest)


def _first_at_random(row):
    """Return the first usable dimension in the random order, by dimension."""
    places = splat(0)
    for dimension in range(DIMENSIONS):
        places = places | splat(row[USABLE + dimension]) & vector_at(row, ORDER + dimension * WIDTH)
    first = places & ~before(places)
    for dimension in range(DIMENSIONS):
        put(row, BY_OUTPUT + dimension * WIDTH, vector_at(row, ORDER + dimension * WIDTH) & first)
    put(row, BY_OUTPUT + DIMENSIONS * WIDTH, splat(0))
    return gathered(row, BY_OUTPUT)


def step_random_orders(row, routers):
    """Step the random order of some routers after a choice (``topology.common.choice_orders.next_random_order``)."""
    low = row[STATE]
    changes = splat(routers)
    before_it = vector_at(row, ORDER + (DIMENSIONS - 1) * WIDTH)
    for place in range(ORDER, ORDER + DIMENSIONS * WIDTH, WIDTH):
        places = vector_at(row, place)
        put(row, place, places & ~changes | before_it & changes)
        before_it = places
    if DIMENSIONS > 1:
        one, other = vector_at(row, ORDER), vector_at(row, ORDER + WIDTH)
        difference = (one ^ other) & splat(low & routers)
        put(row, ORDER, one ^ difference)
        put(row, ORDER + WIDTH, other ^ difference)
    for place in range(0, STATE_VECTORS * WIDTH, WIDTH):
        state, following = vector_at(row, STATE + place), vector_at(row, STATE + place + 1)
        following = following ^ vector_at(row, FEEDBACK + place) & splat(low)
        put(row, STATE + place, state & ~changes | following & changes)


def elect(row, order, lane_order):
    """Elect the leaders: the first VC of the cycle of the first input of the cycle with a requesting head."""
    asking = splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        asking = asking | vector_at(row, ASKING + lane)
    put(row, LEADING, asking)
    leading, seen = first_by_order(row, LEADING, order), splat(0)
    for position in range(LANES):
        lane = lane_order[position] * WIDTH
        asks = vector_at(row, ASKING + lane)
        put(row, LEADER + lane, asks & leading & ~seen)
        seen = seen | asks
    return asking


def is_hopeful(row, highest):
    """Return the routers in which a waiting head could get a VC, as a word that is 0 only if there is none."""
    hopeful = splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        waiting, below, above = vector_at(row, WAITING + lane), splat(0), splat(0)
        for output in range(OUTPUTS):
            wants = vector_at(row, WANTED + output * LANES * WIDTH + lane)
            hopeful = hopeful | waiting & wants & splat(row[ANY_FREE + output])
        if ADAPTIVE_LANES < LANES:
            for dimension in range(DIMENSIONS):
                wants = vector_at(row, WANTED + dimension * LANES * WIDTH + lane)
                free = row[FREE + (LANES - 1) * WIDTH + dimension] & ~highest
                hopeful = hopeful | waiting & wants & ~below & splat(free)
                below = below | wants
            for dimension in range(DIMENSIONS - 1, -1, -1):
                wants = vector_at(row, WANTED + dimension * LANES * WIDTH + lane)
                free = row[FREE + (LANES - 1) * WIDTH + dimension] & highest
                hopeful = hopeful | waiting & wants & ~above & splat(free)
                above = above | wants
    return any_of(hopeful)
