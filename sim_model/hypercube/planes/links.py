"""Links of a hypercube by planes: routers whose numbers differ in one bit exchange what they send."""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false


def take_from_links(word, row, coming):
    """Receive the flits, credits and releases that are on the links."""
    here = coming[word]
    for place in range(0, OUT_SIZE, WIDTH):
        put(row, ARRIVED + place, exchanged(vector_at(here, place)))
    for dimension in range(WORD_SHIFT, DIMENSIONS):  # the other router is in another word
        there = coming[word ^ 1 << dimension - WORD_SHIFT]
        for place in range(0, OUT_SIZE, WIDTH):
            row[ARRIVED + place + dimension] = there[place + dimension]


def count_arrived(row):
    """Count the flits that move over links between switches."""
    flits = 0
    for lane in range(LANES):
        flits += count_all(vector_at(row, ARRIVED + lane * WIDTH))
    return flits


def send_flits(row, out, ended):
    """Send granted flits over the links in the next cycle, or to the delivery buffer.

    Parameters
    ----------
    ended : vector by input
        Inputs that a tail has left.
    """
    for lane in range(LANES):
        first = SENT + lane * OUTPUTS * WIDTH
        put(out, OUT_VALID + lane * WIDTH, gathered(row, first))
        for place in range(first, first + OUTPUTS * WIDTH, WIDTH):
            put(row, place, vector_at(row, place) & ended)
        put(out, OUT_TAIL + lane * WIDTH, gathered(row, first))
    row[DELIVERED] = out[OUT_VALID + DIMENSIONS]
    row[DELIVERED_TAIL] = out[OUT_TAIL + DIMENSIONS]


def count_credits(row, out):
    """Count one credit up for each return, and one down for each flit sent. Delivery needs none."""
    between_switches = vector_at(row, IS_DIMENSION)
    for lane in range(0, LANES * WIDTH, WIDTH):
        returned, sent = vector_at(row, RETURNED + lane), vector_at(out, OUT_VALID + lane) & between_switches
        more, less = returned & ~sent, sent & ~returned
        can_send = splat(0)
        for bit in range(COUNT_BITS):
            place = CREDITS + bit * LANES * WIDTH + lane
            number = vector_at(row, place)
            changed = number ^ (more | less)
            put(row, place, changed)
            can_send = can_send | changed
            more, less = more & number, less & ~number
        put(row, CAN_SEND + lane, can_send)
