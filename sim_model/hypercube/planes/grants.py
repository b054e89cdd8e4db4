"""Grants, buffers and requests, 64 routers at a time (docs/look_up/timing_hypercube.md)."""

from sim_model.engines.plane.buffers import move_up
from sim_model.hypercube.planes.layout import CubeLayout
from sim_model.loops.compiled import compiled


@compiled
def note_who_waits(row, at: CubeLayout):
    """Find waiting heads and candidates for leader. Returns the bits of heads that only arrive, or must be read."""
    new = at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        held, active = at.splat(0), at.vector_at(row, at.ACTIVE + vc)
        for bit in range(at.COUNT_BITS):
            held = held | at.vector_at(row, at.COUNT + bit * at.VCS * at.WIDTH + vc)
        at.put(row, at.WAITING + vc, held & ~active)
        at.put(row, at.ASKING + vc, (held | at.vector_at(row, at.ARRIVED + vc)) & ~active)
    waiting, from_host, read = at.vector_at(row, at.WAITING), at.vector_at(row, at.IS_HOST), at.vector_at(row, at.READ)
    at.put(row, at.HEADS, waiting & from_host)
    at.put(row, at.FRESH, waiting & from_host & ~read)
    at.put(row, at.WAITING, waiting & ~from_host | read)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        new = new | at.vector_at(row, at.ASKING + vc) & ~at.vector_at(row, at.WAITING + vc)
    return new


@compiled
def first_by_order(row, place, order, at: CubeLayout):
    """Return, of the inputs with a bit, those that come first in the order of the cycle."""
    lost_arbitration = at.splat(0)
    for number in range(at.INPUTS):
        code = number if number < at.DIMENSIONS else number + at.HOST_GAP
        lost_arbitration = lost_arbitration | at.splat(row[place + code]) & at.vector_at(order, code * at.WIDTH)
    return at.vector_at(row, place) & ~lost_arbitration


@compiled
def grant_requests(row, order, at: CubeLayout):
    """Grant the first request in the order of the cycle at each output. Returns the granted inputs."""
    granted = at.splat(0)
    for output in range(0, at.OUTPUTS * at.WIDTH, at.WIDTH):
        rivals = at.splat(0)
        for vc in range(at.VCS):
            rivals = rivals | at.vector_at(row, at.REQUESTED + vc * at.OUTPUTS * at.WIDTH + output)
        at.put(row, at.RIVALS + output, rivals)
    for output in range(0, at.OUTPUTS * at.WIDTH, at.WIDTH):
        won = first_by_order(row, at.RIVALS + output, order, at)
        granted = granted | won
        for vc in range(at.VCS):
            place = vc * at.OUTPUTS * at.WIDTH + output
            requested = at.vector_at(row, at.REQUESTED + place)
            at.put(row, at.SENT + place, requested & won)
            at.put(row, at.REQUESTED + place, requested & ~won)
    return granted


@compiled
def move_through_buffers(row, out, granted, at: CubeLayout):
    """Pop granted flits from buffers, and store arriving ones. Returns the inputs that a tail has left."""
    all_ended, entering = at.splat(0), at.vector_at(row, at.MOVED)
    from_host, tail_of_host = at.vector_at(row, at.IS_HOST), at.vector_at(row, at.TAILS)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        request, has_tail = at.vector_at(row, at.REQUEST + vc), at.vector_at(row, at.HAS_TAIL + vc)
        popped, enters = request & granted, at.vector_at(row, at.ARRIVED + vc) | entering
        at.put(row, at.REQUEST + vc, request & ~popped)
        more, less = enters & ~popped, popped & ~enters
        held, several = at.splat(0), at.splat(0)
        for bit in range(at.COUNT_BITS):
            place = at.COUNT + bit * at.VCS * at.WIDTH + vc
            number = at.vector_at(row, place)
            changed = number ^ (more | less)
            at.put(row, place, changed)
            held = held | changed
            if bit > 0:
                several = several | number
            more, less = more & number, less & ~number
        ended = popped & (has_tail & ~several | tail_of_host)
        at.put(row, at.HAS_TAIL + vc, has_tail & ~ended | at.vector_at(row, at.ARRIVED_TAIL + vc))
        at.put(row, at.FOLLOWING + vc, at.vector_at(row, at.ACTIVE + vc) & held & ~ended)
        at.put(row, at.ENDED + vc, ended)
        at.put(out, at.OUT_CREDIT + vc, popped)
        at.put(out, at.OUT_RELEASE + vc, ended & ~from_host)
        all_ended = all_ended | ended
        if vc == 0:
            moved, moved_tail = at.vector_at(row, at.MOVED), at.vector_at(row, at.MOVED_TAIL)
            move_up(row, at.ROOM, at.HELD, at.TAILS, at.WIDTH, popped & from_host, moved, moved_tail, at)
        entering, tail_of_host = at.splat(0), at.splat(0)  # hosts have VC 0
    return all_ended


@compiled
def choose_requests(row, at: CubeLayout):
    """Choose new requests of all inputs that have none. Returns those that have one now, new or old."""
    requesting, later = at.splat(0), at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        requesting = requesting | at.vector_at(row, at.REQUEST + vc)
    for vc in range(at.VCS):
        can_send = at.splat(0)
        for target in range(at.VCS):
            for output in range(at.OUTPUTS):
                can_send = can_send | at.splat(row[at.CAN_SEND + target * at.WIDTH + output]) & at.vector_at(
                    row, at.TARGET + ((target * at.OUTPUTS + output) * at.VCS + vc) * at.WIDTH
                )
        eligible = at.vector_at(row, at.FOLLOWING + vc * at.WIDTH) & can_send & ~requesting
        at.put(row, at.ELIGIBLE + vc * at.WIDTH, eligible)
        later = later | eligible & at.vector_at(row, at.TURN + vc * at.WIDTH)
    seen = at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        rivals = at.vector_at(row, at.ELIGIBLE + vc) & (at.vector_at(row, at.TURN + vc) | ~later)
        chosen = rivals & ~seen
        seen = seen | rivals
        at.put(row, at.CHOSEN + vc, chosen)
        at.put(row, at.REQUEST + vc, at.vector_at(row, at.REQUEST + vc) | chosen)
    turned = at.splat(0)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        at.put(row, at.TURN + vc, at.vector_at(row, at.TURN + vc) & ~seen | turned)
        turned = turned | at.vector_at(row, at.CHOSEN + vc)
    for target in range(at.VCS * at.OUTPUTS):
        requested = at.vector_at(row, at.REQUESTED + target * at.WIDTH)
        for vc in range(at.VCS):
            has = at.vector_at(row, at.TARGET + (target * at.VCS + vc) * at.WIDTH)
            requested = requested | at.vector_at(row, at.CHOSEN + vc * at.WIDTH) & has
        at.put(row, at.REQUESTED + target * at.WIDTH, requested)
    return requesting | seen
