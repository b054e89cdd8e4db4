"""Grants, buffers and requests, 64 routers at a time (docs/look_up/timing_hypercube.md)."""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false


def note_who_waits(row):
    """Find waiting heads and candidates for leader. Returns the bits of heads that only arrive, or must be read."""
    new = splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        held, active = splat(0), vector_at(row, ACTIVE + lane)
        for bit in range(COUNT_BITS):
            held = held | vector_at(row, COUNT + bit * LANES * WIDTH + lane)
        put(row, WAITING + lane, held & ~active)
        put(row, ASKING + lane, (held | vector_at(row, ARRIVED + lane)) & ~active)
    waiting, from_host, read = vector_at(row, WAITING), vector_at(row, IS_HOST), vector_at(row, READ)
    put(row, HEADS, waiting & from_host)
    put(row, FRESH, waiting & from_host & ~read)
    put(row, WAITING, waiting & ~from_host | read)
    for lane in range(0, LANES * WIDTH, WIDTH):
        new = new | vector_at(row, ASKING + lane) & ~vector_at(row, WAITING + lane)
    return new


def first_by_order(row, place, order):
    """Return, of the inputs with a bit, those that come first in the order of the cycle."""
    beaten = splat(0)
    for number in range(INPUTS):
        code = number if number < DIMENSIONS else number + HOST_GAP
        beaten = beaten | splat(row[place + code]) & vector_at(order, code * WIDTH)
    return vector_at(row, place) & ~beaten


def grant_requests(row, order):
    """Grant the first request in the order of the cycle at each output. Returns the granted inputs."""
    granted = splat(0)
    for output in range(0, OUTPUTS * WIDTH, WIDTH):
        rivals = splat(0)
        for lane in range(LANES):
            rivals = rivals | vector_at(row, REQUESTED + lane * OUTPUTS * WIDTH + output)
        put(row, RIVALS + output, rivals)
    for output in range(0, OUTPUTS * WIDTH, WIDTH):
        won = first_by_order(row, RIVALS + output, order)
        granted = granted | won
        for lane in range(LANES):
            place = lane * OUTPUTS * WIDTH + output
            requested = vector_at(row, REQUESTED + place)
            put(row, SENT + place, requested & won)
            put(row, REQUESTED + place, requested & ~won)
    return granted


def move_through_buffers(row, out, granted):
    """Pop granted flits from buffers, and store arriving ones. Returns the inputs that a tail has left."""
    all_ended, entering = splat(0), vector_at(row, MOVED)
    from_host, tail_of_host = vector_at(row, IS_HOST), vector_at(row, TAILS)
    for lane in range(0, LANES * WIDTH, WIDTH):
        request, has_tail = vector_at(row, REQUEST + lane), vector_at(row, HAS_TAIL + lane)
        popped, enters = request & granted, vector_at(row, ARRIVED + lane) | entering
        put(row, REQUEST + lane, request & ~popped)
        more, less = enters & ~popped, popped & ~enters
        held, several = splat(0), splat(0)
        for bit in range(COUNT_BITS):
            place = COUNT + bit * LANES * WIDTH + lane
            number = vector_at(row, place)
            changed = number ^ (more | less)
            put(row, place, changed)
            held = held | changed
            if bit > 0:
                several = several | number
            more, less = more & number, less & ~number
        ended = popped & (has_tail & ~several | tail_of_host)
        put(row, HAS_TAIL + lane, has_tail & ~ended | vector_at(row, ARRIVED_TAIL + lane))
        put(row, FOLLOWING + lane, vector_at(row, ACTIVE + lane) & held & ~ended)
        put(row, ENDED + lane, ended)
        put(out, OUT_CREDIT + lane, popped)
        put(out, OUT_RELEASE + lane, ended & ~from_host)
        all_ended = all_ended | ended
        if lane == 0:
            moved, moved_tail = vector_at(row, MOVED), vector_at(row, MOVED_TAIL)
            move_up(row, ROOM, HELD, TAILS, WIDTH, popped & from_host, moved, moved_tail)
        entering, tail_of_host = splat(0), splat(0)  # hosts have VC 0
    return all_ended


def choose_requests(row):
    """Choose new requests of all inputs that have none. Returns those that have one now, new or old."""
    requesting, later = splat(0), splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        requesting = requesting | vector_at(row, REQUEST + lane)
    for lane in range(LANES):
        can_send = splat(0)
        for target in range(LANES):
            for output in range(OUTPUTS):
                can_send = can_send | splat(row[CAN_SEND + target * WIDTH + output]) & vector_at(
                    row, TARGET + ((target * OUTPUTS + output) * LANES + lane) * WIDTH
                )
        eligible = vector_at(row, FOLLOWING + lane * WIDTH) & can_send & ~requesting
        put(row, ELIGIBLE + lane * WIDTH, eligible)
        later = later | eligible & vector_at(row, TURN + lane * WIDTH)
    seen = splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        rivals = vector_at(row, ELIGIBLE + lane) & (vector_at(row, TURN + lane) | ~later)
        chosen = rivals & ~seen
        seen = seen | rivals
        put(row, CHOSEN + lane, chosen)
        put(row, REQUEST + lane, vector_at(row, REQUEST + lane) | chosen)
    turned = splat(0)
    for lane in range(0, LANES * WIDTH, WIDTH):
        put(row, TURN + lane, vector_at(row, TURN + lane) & ~seen | turned)
        turned = turned | vector_at(row, CHOSEN + lane)
    for target in range(LANES * OUTPUTS):
        requested = vector_at(row, REQUESTED + target * WIDTH)
        for lane in range(LANES):
            has = vector_at(row, TARGET + (target * LANES + lane) * WIDTH)
            requested = requested | vector_at(row, CHOSEN + lane * WIDTH) & has
        put(row, REQUESTED + target * WIDTH, requested)
    return requesting | seen
