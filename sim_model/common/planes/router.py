"""The router with lanes, 64 routers at a time (docs/timing.md, "Router with lanes").

The functions here name planes by their offsets (``layout.py``), which ``loop.py`` gives them as constants. What they do
to all routers of a word they do by bits: a condition is a mask of routers.
"""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false


def note_what_can_be_had(row, empty_reuse):
    """Output lanes with credits, those that heads can have, and the same with the credits that are on wires."""
    for lane in range(SLOTS):
        credited = 0
        for bit in range(CREDIT_BITS):
            credited |= row[CREDITS + bit * SLOTS + lane]
        returned = row[RETURNED + lane]
        row[CREDITED + lane] = credited
        row[MAY_SEND + lane] = credited | returned
        row[USABLE + lane] = row[FREE + lane] & credited
        row[MAY_START + lane] = row[FREE + lane] & (credited | returned)
    if empty_reuse:
        for lane in range(SLOTS):
            everything, one_less = -1, row[RETURNED + lane]
            for bit in range(CREDIT_BITS):
                number = row[CREDITS + bit * SLOTS + lane]
                everything &= number if DEPTH >> bit & 1 else ~number
                one_less &= number if DEPTH - 1 >> bit & 1 else ~number
            row[USABLE + lane] = row[FREE + lane] & everything
            row[MAY_START + lane] = row[FREE + lane] & (everything | one_less)


def find_first_requests(row, low_injection):
    """The first request at each output, from the input at or after its turn."""
    for port in range(PORTS):
        active, tail = 0, 0
        for lane in range(LANES):
            requested = row[REQUEST_LANE + lane * PORTS + port]
            active |= requested & row[ACTIVE + lane * PORTS + port]
            tail |= requested & row[TAILS + lane * PORTS + port]
        row[ACTIVE_REQUEST + port] = active
        row[TAIL_REQUEST + port] = tail
        row[GRANTED + port] = 0
        row[ASKED + port] = 0
    if low_injection:
        _let_others_go_first(row)
    for output in range(PORTS):
        later = 0
        for port in range(PORTS):
            later |= row[REQUEST + port * PORTS + output] & row[OUTPUT_TURN + port * PORTS + output]
        row[ANY_LATER + output] = later
        row[TAKEN + output] = 0
        row[WINNER_ACTIVE + output] = 0
        row[WINNER_TAIL + output] = 0
    for lane in range(SLOTS):
        row[SENT + lane] = 0
    for port in range(PORTS):
        for output in range(PORTS):
            place = port * PORTS + output
            rivals = row[REQUEST + place] & (row[OUTPUT_TURN + place] | ~row[ANY_LATER + output])
            winner = rivals & ~row[TAKEN + output]
            row[TAKEN + output] |= rivals
            row[WINNER + place] = winner
            row[WINNER_ACTIVE + output] |= winner & row[ACTIVE_REQUEST + port]
            row[WINNER_TAIL + output] |= winner & row[TAIL_REQUEST + port]
            for lane in range(LANES):
                row[SENT + lane * PORTS + output] |= winner & row[REQUEST_TARGET + lane * PORTS + port]


def _let_others_go_first(row):
    """Inputs from processors do not compete where another input asks."""
    for output in range(PORTS):
        others = 0
        for port in range(HOST):
            others |= row[REQUEST + port * PORTS + output]
        row[YIELDED + output] = row[REQUEST + HOST * PORTS + output] & others
        row[REQUEST + HOST * PORTS + output] &= ~others


def grant_first_requests(row, low_injection):
    """Grant the first requests that are good, drop those that are not, and forget both."""
    for output in range(PORTS):
        active, good = row[WINNER_ACTIVE + output], 0
        for lane in range(LANES):
            number = lane * PORTS + output
            can = active & row[CREDITED + number] | ~active & row[USABLE + number]
            row[SENT + number] &= can
            good |= row[SENT + number]
        row[GOOD + output] = good
        changes_hands = ~active ^ row[WINNER_TAIL + output]
        for lane in range(LANES):
            row[FREE + lane * PORTS + output] ^= row[SENT + lane * PORTS + output] & changes_hands
        row[TAKEN + output] = 0
    for port in range(PORTS):
        for output in range(PORTS):
            place = port * PORTS + output
            granted = row[WINNER + place] & row[GOOD + output]
            row[OUTPUT_TURN + place] = row[OUTPUT_TURN + place] & ~row[GOOD + output] | row[TAKEN + output]
            row[TAKEN + output] |= granted
            row[GRANTED + port] |= granted
            row[ASKED + port] |= row[WINNER + place]
    for port in range(PORTS):
        for output in range(PORTS):
            row[REQUEST + port * PORTS + output] &= ~row[ASKED + port]
    if low_injection:
        for output in range(PORTS):
            row[REQUEST + HOST * PORTS + output] |= row[YIELDED + output]


def count_delays(row, delays, most_cycles):
    """Heads wait for so many cycles before they may ask. Returns a word that is 0 only if none waits."""
    changed = 0
    for slot in range(SLOTS):
        popped, short = row[HEAD_POPPED + slot], 0
        for bit in range(len(delays)):
            delays[bit, slot] &= ~popped
            short |= delays[bit, slot] ^ -(most_cycles >> bit & 1)
        counting = row[HEADS + slot] & short
        row[HEADS + slot] ^= counting
        changed |= counting
        for bit in range(len(delays)):
            number = delays[bit, slot]
            delays[bit, slot] = number ^ counting
            counting &= number
    return changed


def move_through_buffers(row, out, looks_ahead):
    """Granted flits leave their buffers, and those that have arrived enter. Heads and followers that may ask are noted.

    Returns a word that is 0 only if no buffer changed.
    """
    changed = 0
    for lane in range(LANES):
        for port in range(PORTS):
            slot = lane * PORTS + port
            requested = row[REQUEST_LANE + slot]
            asked, pop = requested & row[ASKED + port], requested & row[GRANTED + port]
            row[REQUEST_LANE + slot] = requested & ~asked
            arrived, active = row[ARRIVED + slot], row[ACTIVE + slot]
            held, tail = row[HELD + slot], row[TAILS + slot]
            behind = arrived
            if DEPTH > 1:
                behind |= row[HELD + SLOTS + slot]
            row[FOLLOWING + slot] = active & (asked & ~tail & behind | ~asked & (held | arrived))
            ahead = arrived & ~active & ~held if looks_ahead else 0
            row[ARRIVING + slot] = ahead
            row[HEADS + slot] = held & ~active & ~asked | ahead
            row[HEAD_POPPED + slot] = pop & ~active
            row[ACTIVE + slot] = active ^ pop & (~active ^ tail)
            row[LOOKED_UP + slot] &= ~pop
            out[OUT_CREDIT + slot] = pop
            changed |= arrived
            below = arrived  # a flit that arrives takes the first place that is not held
            for place in range(DEPTH):
                held, tail = row[HELD + place * SLOTS + slot], row[TAILS + place * SLOTS + slot]
                following, following_tail = 0, 0
                if place + 1 < DEPTH:
                    following = row[HELD + (place + 1) * SLOTS + slot]
                    following_tail = row[TAILS + (place + 1) * SLOTS + slot]
                held = held & ~pop | following & pop
                tail = tail & ~pop | following_tail & pop
                enters = below & ~held
                below &= held
                row[HELD + place * SLOTS + slot] = held | enters
                row[TAILS + place * SLOTS + slot] = tail | enters & row[ARRIVED_TAIL + slot]
    return changed


def keep_granted_lanes(row):
    """Heads that were granted have the lane that they asked for, and no other."""
    for target in range(LANES):
        for lane in range(LANES):
            for port in range(PORTS):
                slot = lane * PORTS + port
                popped, place = row[HEAD_POPPED + slot], CANDIDATES + target * SLOTS + slot
                row[place] = row[place] & ~popped | row[REQUEST_TARGET + target * PORTS + port] & popped


def send_flits(row, out):
    """What was granted is on the links in the next cycle, or in the delivery buffer."""
    for output in range(PORTS):
        for lane in range(LANES):
            sent = row[SENT + lane * PORTS + output]
            out[OUT_VALID + lane * PORTS + output] = sent
            out[OUT_TAIL + lane * PORTS + output] = sent & row[WINNER_TAIL + output]
    row[DELIVERED] = out[OUT_VALID + HOST]
    row[DELIVERED_TAIL] = out[OUT_TAIL + HOST]


def count_credits(row):
    """One credit more for what has been returned, and one less for what was sent."""
    for lane in range(SLOTS):
        more = row[RETURNED + lane] & ~row[SENT + lane]
        less = row[SENT + lane] & ~row[RETURNED + lane]
        for bit in range(CREDIT_BITS):
            number = row[CREDITS + bit * SLOTS + lane]
            row[CREDITS + bit * SLOTS + lane] = number ^ (more | less)
            more &= number
            less &= ~number


def choose_requests(row):
    """New requests of all inputs that have none. Returns a word that is 0 only if there is no new one."""
    for slot in range(SLOTS):
        row[ELIGIBLE + slot] = row[ARRIVING + slot]
    for target in range(LANES):
        for slot in range(SLOTS):
            may_start, may_send = 0, 0
            for output in range(PORTS):
                wanted = row[WANTED + output * SLOTS + slot]
                may_start |= wanted & row[MAY_START + target * PORTS + output]
                may_send |= wanted & row[MAY_SEND + target * PORTS + output]
            candidate = row[CANDIDATES + target * SLOTS + slot]
            possible = candidate & may_start
            row[POSSIBLE + target * SLOTS + slot] = possible
            row[ELIGIBLE + slot] |= row[HEADS + slot] & possible | row[FOLLOWING + slot] & candidate & may_send
    changed = 0
    for port in range(PORTS):
        requesting, later = 0, 0
        for lane in range(LANES):
            requesting |= row[REQUEST_LANE + lane * PORTS + port]
        for lane in range(LANES):
            slot = lane * PORTS + port
            row[ELIGIBLE + slot] &= ~requesting
            later |= row[ELIGIBLE + slot] & row[INPUT_TURN + slot]
        chosen_before = 0
        for lane in range(LANES):
            slot = lane * PORTS + port
            rivals = row[ELIGIBLE + slot] & (row[INPUT_TURN + slot] | ~later)
            row[ELIGIBLE + slot] = rivals & ~chosen_before
            chosen_before |= rivals
        changed |= chosen_before
        for target in range(LANES):
            row[REQUEST_TARGET + target * PORTS + port] &= ~chosen_before
        turned = 0
        for lane in range(LANES):
            slot = lane * PORTS + port
            chosen = row[ELIGIBLE + slot]
            row[INPUT_TURN + slot] = row[INPUT_TURN + slot] & ~chosen_before | turned
            turned |= chosen
            row[REQUEST_LANE + slot] |= chosen
            for output in range(PORTS):
                row[REQUEST + port * PORTS + output] |= chosen & row[WANTED + output * SLOTS + slot]
            select_target(row, port, slot, chosen)
    return changed


def select_target(row, port, slot, chosen):
    """The selection function: the lowest candidate that can be had, or else the lowest one."""
    left = chosen
    for target in range(LANES):
        found = left & row[POSSIBLE + target * SLOTS + slot]
        row[REQUEST_TARGET + target * PORTS + port] |= found
        left &= ~found
    for target in range(LANES):
        found = left & row[CANDIDATES + target * SLOTS + slot]
        row[REQUEST_TARGET + target * PORTS + port] |= found
        left &= ~found
