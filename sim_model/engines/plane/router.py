"""The router with virtual channels, 64 routers at a time (docs/look_up/timing_torus.md).

The functions here name planes by their offsets (``layout.py``), which ``loop.py`` supplies as constants. They process
all routers of a word by bits, where a condition is a mask of routers, and all ports by vectors with a word per port.
"""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false


def update_vc_availability(row, empty_reuse, depth):
    """Find output VCs with credits, those that heads can get, and both including the credits on wires."""
    for lane in range(0, SLOTS, WIDTH):
        free, returned = vector_at(row, FREE + lane), vector_at(row, RETURNED + lane)
        credited = splat(0)
        for bit in range(CREDIT_BITS):
            if MIN_DEPTH >> bit == 0 and depth >> bit == 0:
                break
            credited = credited | vector_at(row, CREDITS + bit * SLOTS + lane)
        put(row, CREDITED + lane, credited)
        put(row, MAY_SEND + lane, credited | returned)
        if empty_reuse:
            everything = has_credits(row, lane, depth)
            put(row, USABLE + lane, free & everything)
            put(row, MAY_START + lane, free & (everything | returned & has_credits(row, lane, depth - 1)))
        else:
            put(row, USABLE + lane, free & credited)
            put(row, MAY_START + lane, free & (credited | returned))


def has_credits(row, lane, credits):
    """Return the outputs at which a VC has exactly ``credits`` credits."""
    found = splat(-1)
    for bit in range(CREDIT_BITS):
        found = found & (vector_at(row, CREDITS + bit * SLOTS + lane) ^ splat((credits >> bit & 1) - 1))
    return found


def find_first_requests(row, low_injection):
    """Find the first request at each output, from the input at or after its turn."""
    active, tail = splat(0), splat(0)
    for lane in range(0, SLOTS, WIDTH):
        requested = vector_at(row, REQUEST_LANE + lane)
        active = active | requested & vector_at(row, ACTIVE + lane)
        tail = tail | requested & vector_at(row, TAILS + lane)
        put(row, SENT + lane, splat(0))
    put(row, ACTIVE_REQUEST, active)
    put(row, TAIL_REQUEST, tail)
    if low_injection:
        _let_others_go_first(row)
    later, taken, winner_active, winner_tail = splat(0), splat(0), splat(0), splat(0)
    for place in range(0, PORTS * WIDTH, WIDTH):
        later = later | vector_at(row, REQUEST + place) & vector_at(row, OUTPUT_TURN + place)
    for port in range(PORTS):
        place = port * WIDTH
        rivals = vector_at(row, REQUEST + place) & (vector_at(row, OUTPUT_TURN + place) | ~later)
        winner = rivals & ~taken
        taken = taken | rivals
        winner_active = winner_active | winner & splat(row[ACTIVE_REQUEST + port])
        winner_tail = winner_tail | winner & splat(row[TAIL_REQUEST + port])
        put(row, WINNER + place, winner)
        for lane in range(0, SLOTS, WIDTH):
            wants_lane = splat(row[REQUEST_TARGET + lane + port])
            put(row, SENT + lane, vector_at(row, SENT + lane) | winner & wants_lane)
    put(row, WINNER_ACTIVE, winner_active)
    put(row, WINNER_TAIL, winner_tail)


def _let_others_go_first(row):
    """Remove inputs from processors from the competition where another input requests."""
    others, own = splat(0), vector_at(row, REQUEST + HOST * WIDTH)
    for place in range(0, HOST * WIDTH, WIDTH):
        others = others | vector_at(row, REQUEST + place)
    put(row, YIELDED, own & others)
    put(row, REQUEST + HOST * WIDTH, own & ~others)


def grant_first_requests(row, low_injection):
    """Grant the first requests that have resources, drop the others, and clear both.

    Returns the inputs with a first request, and those whose request is granted.
    """
    active, good = vector_at(row, WINNER_ACTIVE), splat(0)
    changes_hands = ~active ^ vector_at(row, WINNER_TAIL)
    for lane in range(0, SLOTS, WIDTH):
        can = active & vector_at(row, CREDITED + lane) | ~active & vector_at(row, USABLE + lane)
        sent = vector_at(row, SENT + lane) & can
        good = good | sent
        put(row, SENT + lane, sent)
        put(row, FREE + lane, vector_at(row, FREE + lane) ^ sent & changes_hands)
    asked, taken = gathered(row, WINNER), splat(0)
    for place in range(0, PORTS * WIDTH, WIDTH):
        winner, turn = vector_at(row, WINNER + place), vector_at(row, OUTPUT_TURN + place)
        put(row, REQUEST + place, vector_at(row, REQUEST + place) & ~winner)
        put(row, OUTPUT_TURN + place, turn & ~good | taken)
        taken = taken | winner & good
        put(row, WINNER + place, winner & good)
    if low_injection:
        place = REQUEST + HOST * WIDTH
        put(row, place, vector_at(row, place) | vector_at(row, YIELDED))
    return asked, gathered(row, WINNER)


def count_delays(row, delays, most_cycles):
    """Count the routing delay of heads. Returns a vector that is 0 only if no head waits."""
    changed = splat(0)
    for lane in range(0, SLOTS, WIDTH):
        popped, short = vector_at(row, HEAD_POPPED + lane), splat(0)
        for place in range(lane, len(delays), SLOTS):
            number = vector_at(delays, place) & ~popped
            short = short | number ^ splat(-(most_cycles >> place // SLOTS & 1))
            put(delays, place, number)
        counting = vector_at(row, HEADS + lane) & short
        put(row, HEADS + lane, vector_at(row, HEADS + lane) & ~counting)
        changed = changed | counting
        for place in range(lane, len(delays), SLOTS):
            number = vector_at(delays, place)
            put(delays, place, number ^ counting)
            counting = counting & number
    return changed


def move_through_buffers(row, out, asked_inputs, granted_inputs, looks_ahead, depth):
    """Pop granted flits, store arriving ones, and find the heads and followers that may request.

    Returns a vector that is 0 only if no buffer changed.
    """
    changed = splat(0)
    for lane in range(0, SLOTS, WIDTH):
        requested = vector_at(row, REQUEST_LANE + lane)
        asked, pop = requested & asked_inputs, requested & granted_inputs
        put(row, REQUEST_LANE + lane, requested & ~asked)
        arrived, active = vector_at(row, ARRIVED + lane), vector_at(row, ACTIVE + lane)
        held, tail = vector_at(row, HELD + lane), vector_at(row, TAILS + lane)
        behind = arrived | vector_at(row, HELD + SLOTS + lane)
        put(row, FOLLOWING + lane, active & (asked & ~tail & behind | ~asked & (held | arrived)))
        ahead = arrived & ~active & ~held & splat(-looks_ahead)
        put(row, ARRIVING + lane, ahead)
        put(row, HEADS + lane, held & ~active & ~asked | ahead)
        put(row, HEAD_POPPED + lane, pop & ~active)
        put(row, ACTIVE + lane, active ^ pop & (~active ^ tail))
        put(row, LOOKED_UP + lane, vector_at(row, LOOKED_UP + lane) & ~pop)
        put(out, OUT_CREDIT + lane, pop)
        changed = changed | arrived
        move_up(row, depth, HELD + lane, TAILS + lane, SLOTS, pop, arrived, vector_at(row, ARRIVED_TAIL + lane))
    return changed


def keep_granted_lanes(row):
    """Reduce the candidates of granted heads to the VC that they were granted."""
    for target in range(LANES):
        wanted = vector_at(row, REQUEST_TARGET + target * WIDTH)
        for lane in range(0, SLOTS, WIDTH):
            popped, place = vector_at(row, HEAD_POPPED + lane), CANDIDATES + target * SLOTS + lane
            put(row, place, vector_at(row, place) & ~popped | wanted & popped)


def send_flits(row, out):
    """Send granted flits over the links in the next cycle, or to the delivery buffer."""
    tail = vector_at(row, WINNER_TAIL)
    for lane in range(0, SLOTS, WIDTH):
        sent = vector_at(row, SENT + lane)
        put(out, OUT_VALID + lane, sent)
        put(out, OUT_TAIL + lane, sent & tail)
    row[DELIVERED] = out[OUT_VALID + HOST]
    row[DELIVERED_TAIL] = out[OUT_TAIL + HOST]


def count_credits(row, depth):
    """Count one credit up for each return, and one down for each flit sent."""
    for lane in range(0, SLOTS, WIDTH):
        returned, sent = vector_at(row, RETURNED + lane), vector_at(row, SENT + lane)
        more, less = returned & ~sent, sent & ~returned
        for bit in range(CREDIT_BITS):
            if MIN_DEPTH >> bit == 0 and depth >> bit == 0:
                break
            place = CREDITS + bit * SLOTS + lane
            number = vector_at(row, place)
            put(row, place, number ^ (more | less))
            more, less = more & number, less & ~number


def choose_requests(row):
    """Choose new requests of all inputs that have none. Returns a vector that is 0 only if there is no new one."""
    requesting, later, seen = splat(0), splat(0), splat(0)
    for lane in range(0, SLOTS, WIDTH):
        requesting = requesting | vector_at(row, REQUEST_LANE + lane)
    for lane in range(0, SLOTS, WIDTH):
        eligible = find_eligible_vcs(row, lane) & ~requesting
        later = later | eligible & vector_at(row, INPUT_TURN + lane)
        put(row, CHOSEN + lane, eligible)
    for lane in range(0, SLOTS, WIDTH):
        rivals = vector_at(row, CHOSEN + lane) & (vector_at(row, INPUT_TURN + lane) | ~later)
        put(row, CHOSEN + lane, rivals & ~seen)
        seen = seen | rivals
    for target in range(0, SLOTS, WIDTH):
        put(row, REQUEST_TARGET + target, vector_at(row, REQUEST_TARGET + target) & ~seen)
    turned = splat(0)
    for lane in range(0, SLOTS, WIDTH):
        chosen = vector_at(row, CHOSEN + lane)
        put(row, INPUT_TURN + lane, vector_at(row, INPUT_TURN + lane) & ~seen | turned)
        turned = turned | chosen
        put(row, REQUEST_LANE + lane, vector_at(row, REQUEST_LANE + lane) | chosen)
        select_target(row, lane, chosen)
    for port in range(PORTS):
        requested = vector_at(row, REQUEST + port * WIDTH)
        for lane in range(0, SLOTS, WIDTH):
            requested = requested | splat(row[CHOSEN + lane + port]) & vector_at(row, WAY + (lane + port) * WIDTH)
        put(row, REQUEST + port * WIDTH, requested)
    return seen


def find_eligible_vcs(row, lane):
    """Find the available candidates of heads in a VC of all inputs. Returns the inputs where the VC may request."""
    eligible = vector_at(row, ARRIVING + lane)
    for target in range(LANES):
        may_start, may_send = splat(0), splat(0)
        for output in range(PORTS):
            wanted = vector_at(row, WANTED + output * SLOTS + lane)
            may_start = may_start | wanted & splat(row[MAY_START + target * WIDTH + output])
            may_send = may_send | wanted & splat(row[MAY_SEND + target * WIDTH + output])
        candidate = vector_at(row, CANDIDATES + target * SLOTS + lane)
        possible = candidate & may_start
        put(row, POSSIBLE + target * SLOTS + lane, possible)
        following = vector_at(row, FOLLOWING + lane) & candidate & may_send
        eligible = eligible | vector_at(row, HEADS + lane) & possible | following
    return eligible


def select_target(row, lane, chosen):
    """Select the lowest available candidate, or else the lowest one (selection function)."""
    left = chosen
    for planes in (POSSIBLE, CANDIDATES):
        for target in range(LANES):
            found, place = left & vector_at(row, planes + target * SLOTS + lane), REQUEST_TARGET + target * WIDTH
            put(row, place, vector_at(row, place) | found)
            left = left & ~found
