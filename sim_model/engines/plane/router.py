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
    for vc in range(0, at.SLOTS, at.WIDTH):
        free, returned = at.vector_at(row, at.FREE + vc), at.vector_at(row, at.RETURNED + vc)
        credited = at.splat(0)
        for bit in range(at.CREDIT_BITS):
            if at.MIN_DEPTH >> bit == 0 and depth >> bit == 0:
                break
            credited = credited | at.vector_at(row, at.CREDITS + bit * at.SLOTS + vc)
        at.put(row, at.CREDITED + vc, credited)
        at.put(row, at.MAY_SEND + vc, credited | returned)
        if empty_reuse:
            everything = has_credits(row, vc, depth, at)
            at.put(row, at.USABLE + vc, free & everything)
            at.put(row, at.MAY_START + vc, free & (everything | returned & has_credits(row, vc, depth - 1, at)))
        else:
            at.put(row, at.USABLE + vc, free & credited)
            at.put(row, at.MAY_START + vc, free & (credited | returned))


@compiled
def has_credits(row, vc, credits, at: PlaneLayout):
    """Return the outputs at which a VC has exactly ``credits`` credits."""
    found = at.splat(-1)
    for bit in range(at.CREDIT_BITS):
        found = found & (at.vector_at(row, at.CREDITS + bit * at.SLOTS + vc) ^ at.splat((credits >> bit & 1) - 1))
    return found


@compiled
def find_first_requests(row, low_injection, at: PlaneLayout):
    """Find the first request at each output, from the input at or after its turn."""
    active, tail = at.splat(0), at.splat(0)
    for vc in range(0, at.SLOTS, at.WIDTH):
        requested = at.vector_at(row, at.REQUEST_VC + vc)
        active = active | requested & at.vector_at(row, at.ACTIVE + vc)
        tail = tail | requested & at.vector_at(row, at.TAILS + vc)
        at.put(row, at.SENT + vc, at.splat(0))
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
        for vc in range(0, at.SLOTS, at.WIDTH):
            wants_vc = at.splat(row[at.REQUEST_TARGET + vc + port])
            at.put(row, at.SENT + vc, at.vector_at(row, at.SENT + vc) | winner & wants_vc)
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
    for vc in range(0, at.SLOTS, at.WIDTH):
        can = active & at.vector_at(row, at.CREDITED + vc) | ~active & at.vector_at(row, at.USABLE + vc)
        sent = at.vector_at(row, at.SENT + vc) & can
        good = good | sent
        at.put(row, at.SENT + vc, sent)
        at.put(row, at.FREE + vc, at.vector_at(row, at.FREE + vc) ^ sent & changes_hands)
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
    for vc in range(0, at.SLOTS, at.WIDTH):
        popped, short = at.vector_at(row, at.HEAD_POPPED + vc), at.splat(0)
        for place in range(vc, len(delays), at.SLOTS):
            number = at.vector_at(delays, place) & ~popped
            short = short | number ^ at.splat(-(most_cycles >> place // at.SLOTS & 1))
            at.put(delays, place, number)
        counting = at.vector_at(row, at.HEADS + vc) & short
        at.put(row, at.HEADS + vc, at.vector_at(row, at.HEADS + vc) & ~counting)
        changed = changed | counting
        for place in range(vc, len(delays), at.SLOTS):
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
    for vc in range(0, at.SLOTS, at.WIDTH):
        requested = at.vector_at(row, at.REQUEST_VC + vc)
        asked, pop = requested & asked_inputs, requested & granted_inputs
        at.put(row, at.REQUEST_VC + vc, requested & ~asked)
        arrived, active = at.vector_at(row, at.ARRIVED + vc), at.vector_at(row, at.ACTIVE + vc)
        held, tail = at.vector_at(row, at.HELD + vc), at.vector_at(row, at.TAILS + vc)
        behind = arrived | at.vector_at(row, at.HELD + at.SLOTS + vc)
        at.put(row, at.FOLLOWING + vc, active & (asked & ~tail & behind | ~asked & (held | arrived)))
        ahead = arrived & ~active & ~held & at.splat(-looks_ahead)
        at.put(row, at.ARRIVING + vc, ahead)
        at.put(row, at.HEADS + vc, held & ~active & ~asked | ahead)
        at.put(row, at.HEAD_POPPED + vc, pop & ~active)
        at.put(row, at.ACTIVE + vc, active ^ pop & (~active ^ tail))
        at.put(row, at.LOOKED_UP + vc, at.vector_at(row, at.LOOKED_UP + vc) & ~pop)
        at.put(out, at.OUT_CREDIT + vc, pop)
        changed = changed | arrived
        move_up(
            row,
            depth,
            at.HELD + vc,
            at.TAILS + vc,
            at.SLOTS,
            pop,
            arrived,
            at.vector_at(row, at.ARRIVED_TAIL + vc),
            at,
        )
    return changed


@compiled
def keep_granted_vcs(row, at: PlaneLayout):
    """Reduce the candidates of granted heads to the VC that they were granted."""
    for target in range(at.VCS):
        wanted = at.vector_at(row, at.REQUEST_TARGET + target * at.WIDTH)
        for vc in range(0, at.SLOTS, at.WIDTH):
            popped, place = at.vector_at(row, at.HEAD_POPPED + vc), at.CANDIDATES + target * at.SLOTS + vc
            at.put(row, place, at.vector_at(row, place) & ~popped | wanted & popped)


@compiled
def send_flits(row, out, at: PlaneLayout):
    """Send granted flits over the links in the next cycle, or to the delivery buffer."""
    tail = at.vector_at(row, at.WINNER_TAIL)
    for vc in range(0, at.SLOTS, at.WIDTH):
        sent = at.vector_at(row, at.SENT + vc)
        at.put(out, at.OUT_VALID + vc, sent)
        at.put(out, at.OUT_TAIL + vc, sent & tail)
    row[at.DELIVERED] = out[at.OUT_VALID + at.HOST]
    row[at.DELIVERED_TAIL] = out[at.OUT_TAIL + at.HOST]


@compiled
def count_credits(row, depth, at: PlaneLayout):
    """Count one credit up for each return, and one down for each flit sent."""
    for vc in range(0, at.SLOTS, at.WIDTH):
        returned, sent = at.vector_at(row, at.RETURNED + vc), at.vector_at(row, at.SENT + vc)
        more, less = returned & ~sent, sent & ~returned
        for bit in range(at.CREDIT_BITS):
            if at.MIN_DEPTH >> bit == 0 and depth >> bit == 0:
                break
            place = at.CREDITS + bit * at.SLOTS + vc
            number = at.vector_at(row, place)
            at.put(row, place, number ^ (more | less))
            more, less = more & number, less & ~number


@compiled
def choose_requests(row, at: PlaneLayout):
    """Choose new requests of all inputs that have none. Returns a vector that is 0 only if there is no new one."""
    requesting, later, seen = at.splat(0), at.splat(0), at.splat(0)
    for vc in range(0, at.SLOTS, at.WIDTH):
        requesting = requesting | at.vector_at(row, at.REQUEST_VC + vc)
    for vc in range(0, at.SLOTS, at.WIDTH):
        eligible = find_eligible_vcs(row, vc, at) & ~requesting
        later = later | eligible & at.vector_at(row, at.INPUT_TURN + vc)
        at.put(row, at.CHOSEN + vc, eligible)
    for vc in range(0, at.SLOTS, at.WIDTH):
        rivals = at.vector_at(row, at.CHOSEN + vc) & (at.vector_at(row, at.INPUT_TURN + vc) | ~later)
        at.put(row, at.CHOSEN + vc, rivals & ~seen)
        seen = seen | rivals
    for target in range(0, at.SLOTS, at.WIDTH):
        at.put(row, at.REQUEST_TARGET + target, at.vector_at(row, at.REQUEST_TARGET + target) & ~seen)
    turned = at.splat(0)
    for vc in range(0, at.SLOTS, at.WIDTH):
        chosen = at.vector_at(row, at.CHOSEN + vc)
        at.put(row, at.INPUT_TURN + vc, at.vector_at(row, at.INPUT_TURN + vc) & ~seen | turned)
        turned = turned | chosen
        at.put(row, at.REQUEST_VC + vc, at.vector_at(row, at.REQUEST_VC + vc) | chosen)
        select_target(row, vc, chosen, at)
    for port in range(at.PORTS):
        requested = at.vector_at(row, at.REQUEST + port * at.WIDTH)
        for vc in range(0, at.SLOTS, at.WIDTH):
            requested = requested | at.splat(row[at.CHOSEN + vc + port]) & at.vector_at(
                row, at.ROUTE + (vc + port) * at.WIDTH
            )
        at.put(row, at.REQUEST + port * at.WIDTH, requested)
    return seen


@compiled
def find_eligible_vcs(row, vc, at: PlaneLayout):
    """Find the available candidates of heads in a VC of all inputs. Returns the inputs where the VC may request."""
    eligible = at.vector_at(row, at.ARRIVING + vc)
    for target in range(at.VCS):
        may_start, may_send = at.splat(0), at.splat(0)
        for output in range(at.PORTS):
            wanted = at.vector_at(row, at.WANTED + output * at.SLOTS + vc)
            may_start = may_start | wanted & at.splat(row[at.MAY_START + target * at.WIDTH + output])
            may_send = may_send | wanted & at.splat(row[at.MAY_SEND + target * at.WIDTH + output])
        candidate = at.vector_at(row, at.CANDIDATES + target * at.SLOTS + vc)
        possible = candidate & may_start
        at.put(row, at.POSSIBLE + target * at.SLOTS + vc, possible)
        following = at.vector_at(row, at.FOLLOWING + vc) & candidate & may_send
        eligible = eligible | at.vector_at(row, at.HEADS + vc) & possible | following
    return eligible


@compiled
def select_target(row, vc, chosen, at: PlaneLayout):
    """Select the lowest available candidate, or else the lowest one (selection function)."""
    left = chosen
    for planes in (at.POSSIBLE, at.CANDIDATES):
        for target in range(at.VCS):
            found, place = (
                left & at.vector_at(row, planes + target * at.SLOTS + vc),
                at.REQUEST_TARGET + target * at.WIDTH,
            )
            at.put(row, place, at.vector_at(row, place) | found)
            left = left & ~found
