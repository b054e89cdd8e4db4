"""The router with virtual channels, 64 routers at a time (docs/look_up/timing_torus.md).

The functions here name planes by their offsets (``layout.py``), which ``loop.py`` supplies as constants. They process
all routers of a word by bits, where a condition is a mask of routers, and all ports by vectors with a word per port.
"""

from sim_model.engines.plane.buffers import move_up
from sim_model.engines.plane.layout import PlaneLayout
from sim_model.loops.compiled import compiled


@compiled
def update_vc_availability(row, empty_reuse, depth, at: PlaneLayout):
    """Find output VCs with credits, those that heads can get, and both including the credits on wires."""
    for lane in range(0, at.SLOTS, at.WIDTH):
        free, returned = at.vector_at(row, at.FREE + lane), at.vector_at(row, at.RETURNED + lane)
        credited = at.splat(0)
        for bit in range(at.CREDIT_BITS):
            if at.MIN_DEPTH >> bit == 0 and depth >> bit == 0:
                break
            credited = credited | at.vector_at(row, at.CREDITS + bit * at.SLOTS + lane)
        at.put(row, at.CREDITED + lane, credited)
        at.put(row, at.MAY_SEND + lane, credited | returned)
        if empty_reuse:
            everything = has_credits(row, lane, depth, at)
            at.put(row, at.USABLE + lane, free & everything)
            at.put(row, at.MAY_START + lane, free & (everything | returned & has_credits(row, lane, depth - 1, at)))
        else:
            at.put(row, at.USABLE + lane, free & credited)
            at.put(row, at.MAY_START + lane, free & (credited | returned))


@compiled
def has_credits(row, lane, credits, at: PlaneLayout):
    """Return the outputs at which a VC has exactly ``credits`` credits."""
    found = at.splat(-1)
    for bit in range(at.CREDIT_BITS):
        found = found & (at.vector_at(row, at.CREDITS + bit * at.SLOTS + lane) ^ at.splat((credits >> bit & 1) - 1))
    return found


@compiled
def find_first_requests(row, low_injection, at: PlaneLayout):
    """Find the first request at each output, from the input at or after its turn."""
    active, tail = at.splat(0), at.splat(0)
    for lane in range(0, at.SLOTS, at.WIDTH):
        requested = at.vector_at(row, at.REQUEST_LANE + lane)
        active = active | requested & at.vector_at(row, at.ACTIVE + lane)
        tail = tail | requested & at.vector_at(row, at.TAILS + lane)
        at.put(row, at.SENT + lane, at.splat(0))
    at.put(row, at.ACTIVE_REQUEST, active)
    at.put(row, at.TAIL_REQUEST, tail)
    if low_injection:
        _let_others_go_first(row, at)
    later, taken, winner_active, winner_tail = at.splat(0), at.splat(0), at.splat(0), at.splat(0)
    for place in range(0, at.PORTS * at.WIDTH, at.WIDTH):
        later = later | at.vector_at(row, at.REQUEST + place) & at.vector_at(row, at.OUTPUT_TURN + place)
    for port in range(at.PORTS):
        place = port * at.WIDTH
        rivals = at.vector_at(row, at.REQUEST + place) & (at.vector_at(row, at.OUTPUT_TURN + place) | ~later)
        winner = rivals & ~taken
        taken = taken | rivals
        winner_active = winner_active | winner & at.splat(row[at.ACTIVE_REQUEST + port])
        winner_tail = winner_tail | winner & at.splat(row[at.TAIL_REQUEST + port])
        at.put(row, at.WINNER + place, winner)
        for lane in range(0, at.SLOTS, at.WIDTH):
            wants_lane = at.splat(row[at.REQUEST_TARGET + lane + port])
            at.put(row, at.SENT + lane, at.vector_at(row, at.SENT + lane) | winner & wants_lane)
    at.put(row, at.WINNER_ACTIVE, winner_active)
    at.put(row, at.WINNER_TAIL, winner_tail)


@compiled
def _let_others_go_first(row, at: PlaneLayout):
    """Remove inputs from processors from the competition where another input requests."""
    others, own = at.splat(0), at.vector_at(row, at.REQUEST + at.HOST * at.WIDTH)
    for place in range(0, at.HOST * at.WIDTH, at.WIDTH):
        others = others | at.vector_at(row, at.REQUEST + place)
    at.put(row, at.YIELDED, own & others)
    at.put(row, at.REQUEST + at.HOST * at.WIDTH, own & ~others)


@compiled
def grant_first_requests(row, low_injection, at: PlaneLayout):
    """Grant the first requests that have resources, drop the others, and clear both.

    Returns the inputs with a first request, and those whose request is granted.
    """
    active, good = at.vector_at(row, at.WINNER_ACTIVE), at.splat(0)
    changes_hands = ~active ^ at.vector_at(row, at.WINNER_TAIL)
    for lane in range(0, at.SLOTS, at.WIDTH):
        can = active & at.vector_at(row, at.CREDITED + lane) | ~active & at.vector_at(row, at.USABLE + lane)
        sent = at.vector_at(row, at.SENT + lane) & can
        good = good | sent
        at.put(row, at.SENT + lane, sent)
        at.put(row, at.FREE + lane, at.vector_at(row, at.FREE + lane) ^ sent & changes_hands)
    asked, taken = at.gathered(row, at.WINNER), at.splat(0)
    for place in range(0, at.PORTS * at.WIDTH, at.WIDTH):
        winner, turn = at.vector_at(row, at.WINNER + place), at.vector_at(row, at.OUTPUT_TURN + place)
        at.put(row, at.REQUEST + place, at.vector_at(row, at.REQUEST + place) & ~winner)
        at.put(row, at.OUTPUT_TURN + place, turn & ~good | taken)
        taken = taken | winner & good
        at.put(row, at.WINNER + place, winner & good)
    if low_injection:
        place = at.REQUEST + at.HOST * at.WIDTH
        at.put(row, place, at.vector_at(row, place) | at.vector_at(row, at.YIELDED))
    return asked, at.gathered(row, at.WINNER)


@compiled
def count_delays(row, delays, most_cycles, at: PlaneLayout):
    """Count the routing delay of heads. Returns a vector that is 0 only if no head waits."""
    changed = at.splat(0)
    for lane in range(0, at.SLOTS, at.WIDTH):
        popped, short = at.vector_at(row, at.HEAD_POPPED + lane), at.splat(0)
        for place in range(lane, len(delays), at.SLOTS):
            number = at.vector_at(delays, place) & ~popped
            short = short | number ^ at.splat(-(most_cycles >> place // at.SLOTS & 1))
            at.put(delays, place, number)
        counting = at.vector_at(row, at.HEADS + lane) & short
        at.put(row, at.HEADS + lane, at.vector_at(row, at.HEADS + lane) & ~counting)
        changed = changed | counting
        for place in range(lane, len(delays), at.SLOTS):
            number = at.vector_at(delays, place)
            at.put(delays, place, number ^ counting)
            counting = counting & number
    return changed


@compiled
def move_through_buffers(row, out, asked_inputs, granted_inputs, looks_ahead, depth, at: PlaneLayout):
    """Pop granted flits, store arriving ones, and find the heads and followers that may request.

    Returns a vector that is 0 only if no buffer changed.
    """
    changed = at.splat(0)
    for lane in range(0, at.SLOTS, at.WIDTH):
        requested = at.vector_at(row, at.REQUEST_LANE + lane)
        asked, pop = requested & asked_inputs, requested & granted_inputs
        at.put(row, at.REQUEST_LANE + lane, requested & ~asked)
        arrived, active = at.vector_at(row, at.ARRIVED + lane), at.vector_at(row, at.ACTIVE + lane)
        held, tail = at.vector_at(row, at.HELD + lane), at.vector_at(row, at.TAILS + lane)
        behind = arrived | at.vector_at(row, at.HELD + at.SLOTS + lane)
        at.put(row, at.FOLLOWING + lane, active & (asked & ~tail & behind | ~asked & (held | arrived)))
        ahead = arrived & ~active & ~held & at.splat(-looks_ahead)
        at.put(row, at.ARRIVING + lane, ahead)
        at.put(row, at.HEADS + lane, held & ~active & ~asked | ahead)
        at.put(row, at.HEAD_POPPED + lane, pop & ~active)
        at.put(row, at.ACTIVE + lane, active ^ pop & (~active ^ tail))
        at.put(row, at.LOOKED_UP + lane, at.vector_at(row, at.LOOKED_UP + lane) & ~pop)
        at.put(out, at.OUT_CREDIT + lane, pop)
        changed = changed | arrived
        move_up(
            row,
            depth,
            at.HELD + lane,
            at.TAILS + lane,
            at.SLOTS,
            pop,
            arrived,
            at.vector_at(row, at.ARRIVED_TAIL + lane),
            at,
        )
    return changed


@compiled
def keep_granted_lanes(row, at: PlaneLayout):
    """Reduce the candidates of granted heads to the VC that they were granted."""
    for target in range(at.LANES):
        wanted = at.vector_at(row, at.REQUEST_TARGET + target * at.WIDTH)
        for lane in range(0, at.SLOTS, at.WIDTH):
            popped, place = at.vector_at(row, at.HEAD_POPPED + lane), at.CANDIDATES + target * at.SLOTS + lane
            at.put(row, place, at.vector_at(row, place) & ~popped | wanted & popped)


@compiled
def send_flits(row, out, at: PlaneLayout):
    """Send granted flits over the links in the next cycle, or to the delivery buffer."""
    tail = at.vector_at(row, at.WINNER_TAIL)
    for lane in range(0, at.SLOTS, at.WIDTH):
        sent = at.vector_at(row, at.SENT + lane)
        at.put(out, at.OUT_VALID + lane, sent)
        at.put(out, at.OUT_TAIL + lane, sent & tail)
    row[at.DELIVERED] = out[at.OUT_VALID + at.HOST]
    row[at.DELIVERED_TAIL] = out[at.OUT_TAIL + at.HOST]


@compiled
def count_credits(row, depth, at: PlaneLayout):
    """Count one credit up for each return, and one down for each flit sent."""
    for lane in range(0, at.SLOTS, at.WIDTH):
        returned, sent = at.vector_at(row, at.RETURNED + lane), at.vector_at(row, at.SENT + lane)
        more, less = returned & ~sent, sent & ~returned
        for bit in range(at.CREDIT_BITS):
            if at.MIN_DEPTH >> bit == 0 and depth >> bit == 0:
                break
            place = at.CREDITS + bit * at.SLOTS + lane
            number = at.vector_at(row, place)
            at.put(row, place, number ^ (more | less))
            more, less = more & number, less & ~number


@compiled
def choose_requests(row, at: PlaneLayout):
    """Choose new requests of all inputs that have none. Returns a vector that is 0 only if there is no new one."""
    requesting, later, seen = at.splat(0), at.splat(0), at.splat(0)
    for lane in range(0, at.SLOTS, at.WIDTH):
        requesting = requesting | at.vector_at(row, at.REQUEST_LANE + lane)
    for lane in range(0, at.SLOTS, at.WIDTH):
        eligible = find_eligible_vcs(row, lane, at) & ~requesting
        later = later | eligible & at.vector_at(row, at.INPUT_TURN + lane)
        at.put(row, at.CHOSEN + lane, eligible)
    for lane in range(0, at.SLOTS, at.WIDTH):
        rivals = at.vector_at(row, at.CHOSEN + lane) & (at.vector_at(row, at.INPUT_TURN + lane) | ~later)
        at.put(row, at.CHOSEN + lane, rivals & ~seen)
        seen = seen | rivals
    for target in range(0, at.SLOTS, at.WIDTH):
        at.put(row, at.REQUEST_TARGET + target, at.vector_at(row, at.REQUEST_TARGET + target) & ~seen)
    turned = at.splat(0)
    for lane in range(0, at.SLOTS, at.WIDTH):
        chosen = at.vector_at(row, at.CHOSEN + lane)
        at.put(row, at.INPUT_TURN + lane, at.vector_at(row, at.INPUT_TURN + lane) & ~seen | turned)
        turned = turned | chosen
        at.put(row, at.REQUEST_LANE + lane, at.vector_at(row, at.REQUEST_LANE + lane) | chosen)
        select_target(row, lane, chosen, at)
    for port in range(at.PORTS):
        requested = at.vector_at(row, at.REQUEST + port * at.WIDTH)
        for lane in range(0, at.SLOTS, at.WIDTH):
            requested = requested | at.splat(row[at.CHOSEN + lane + port]) & at.vector_at(
                row, at.WAY + (lane + port) * at.WIDTH
            )
        at.put(row, at.REQUEST + port * at.WIDTH, requested)
    return seen


@compiled
def find_eligible_vcs(row, lane, at: PlaneLayout):
    """Find the available candidates of heads in a VC of all inputs. Returns the inputs where the VC may request."""
    eligible = at.vector_at(row, at.ARRIVING + lane)
    for target in range(at.LANES):
        may_start, may_send = at.splat(0), at.splat(0)
        for output in range(at.PORTS):
            wanted = at.vector_at(row, at.WANTED + output * at.SLOTS + lane)
            may_start = may_start | wanted & at.splat(row[at.MAY_START + target * at.WIDTH + output])
            may_send = may_send | wanted & at.splat(row[at.MAY_SEND + target * at.WIDTH + output])
        candidate = at.vector_at(row, at.CANDIDATES + target * at.SLOTS + lane)
        possible = candidate & may_start
        at.put(row, at.POSSIBLE + target * at.SLOTS + lane, possible)
        following = at.vector_at(row, at.FOLLOWING + lane) & candidate & may_send
        eligible = eligible | at.vector_at(row, at.HEADS + lane) & possible | following
    return eligible


@compiled
def select_target(row, lane, chosen, at: PlaneLayout):
    """Select the lowest available candidate, or else the lowest one (selection function)."""
    left = chosen
    for planes in (at.POSSIBLE, at.CANDIDATES):
        for target in range(at.LANES):
            found, place = (
                left & at.vector_at(row, planes + target * at.SLOTS + lane),
                at.REQUEST_TARGET + target * at.WIDTH,
            )
            at.put(row, place, at.vector_at(row, place) | found)
            left = left & ~found
