"""Links of a hypercube by planes: routers whose numbers differ in one bit exchange what they send."""

from sim_model.hypercube.planes.layout import WORD_SHIFT, CubeLayout
from sim_model.loops.compiled import compiled


@compiled
def take_from_links(word, row, coming, at: CubeLayout):
    """Receive the flits, credits and releases that are on the links."""
    here = coming[word]
    for place in range(0, at.OUT_SIZE, at.WIDTH):
        at.put(row, at.ARRIVED + place, at.exchanged(at.vector_at(here, place)))
    for dimension in range(WORD_SHIFT, at.DIMENSIONS):  # the other router is in another word
        there = coming[word ^ 1 << dimension - WORD_SHIFT]
        for place in range(0, at.OUT_SIZE, at.WIDTH):
            row[at.ARRIVED + place + dimension] = there[place + dimension]


@compiled
def count_arrived(row, at: CubeLayout):
    """Count the flits that move over links between switches."""
    flits = 0
    for vc in range(at.VCS):
        flits += at.count_all(at.vector_at(row, at.ARRIVED + vc * at.WIDTH))
    return flits


@compiled
def send_flits(row, out, ended, at: CubeLayout):
    """Send granted flits over the links in the next cycle, or to the delivery buffer.

    Parameters:
        ended (vector by input): Inputs that a tail has left.
    """
    for vc in range(at.VCS):
        first = at.SENT + vc * at.OUTPUTS * at.WIDTH
        at.put(out, at.OUT_VALID + vc * at.WIDTH, at.gathered(row, first))
        for place in range(first, first + at.OUTPUTS * at.WIDTH, at.WIDTH):
            at.put(row, place, at.vector_at(row, place) & ended)
        at.put(out, at.OUT_TAIL + vc * at.WIDTH, at.gathered(row, first))
    row[at.DELIVERED] = out[at.OUT_VALID + at.DIMENSIONS]
    row[at.DELIVERED_TAIL] = out[at.OUT_TAIL + at.DIMENSIONS]


@compiled
def count_credits(row, out, at: CubeLayout):
    """Count one credit up for each return, and one down for each flit sent. Delivery needs none."""
    between_switches = at.vector_at(row, at.IS_DIMENSION)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        returned, sent = (
            at.vector_at(row, at.RETURNED + vc),
            at.vector_at(out, at.OUT_VALID + vc) & between_switches,
        )
        more, less = returned & ~sent, sent & ~returned
        can_send = at.splat(0)
        for bit in range(at.COUNT_BITS):
            place = at.CREDITS + bit * at.VCS * at.WIDTH + vc
            number = at.vector_at(row, place)
            changed = number ^ (more | less)
            at.put(row, place, changed)
            can_send = can_send | changed
            more, less = more & number, less & ~number
        at.put(row, at.CAN_SEND + vc, can_send)
