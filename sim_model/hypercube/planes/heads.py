"""Work per head: the grant of a VC, and the state that the next router needs.

A VC is allocated only when it is empty, and again only when the tail has left the buffer behind it. So the message of
its worm, and the route candidates of the head there, are stored at once; they are not read before the head has arrived.
"""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from sim_model.engines.cycle.state import NONE
from sim_model.hypercube.planes.layout import BIT_MASK, WORD_SHIFT
from sim_model.hypercube.planes.state import MESSAGE, TARGET_LANE, WANTED_OUTPUTS
from sim_model.loops.bits import lowest_bit


def give_lanes(word, row, planes):
    """Give output VCs to the heads that have been granted one."""
    line = vector_at(row, LINE)
    for lane in range(LANES):
        places = places_of(vector_at(row, GOT + lane * WIDTH))
        while places != 0:
            place = lowest_bit(places)
            places &= places - 1
            slot = lane * WIDTH + place
            heads = row[GOT + slot]
            while heads != 0:
                bit = heads & -heads
                heads ^= bit
                output = lowest_bit(places_of(line & splat(bit))) ^ place
                target = LANES - 1
                if row[ESCAPED + slot] & bit == 0:
                    target = 0
                    while row[FREE + target * WIDTH + output] & bit == 0:
                        target += 1
                row[FREE + target * WIDTH + output] &= ~bit
                _give_lane(word << WORD_SHIFT | lowest_bit(bit), bit, slot, target, output, row, planes)


def _give_lane(switch, bit, slot, target, output, row, planes):
    """Give a head on an input VC a VC of an output."""
    record = planes.lanes[switch, slot]
    lane, place = slot // WIDTH, slot % WIDTH
    if record[TARGET_LANE] != NONE:
        row[TARGET + (record[TARGET_LANE] * LANES + lane) * WIDTH + place] &= ~bit
    record[TARGET_LANE] = target * OUTPUTS + output
    row[TARGET + (record[TARGET_LANE] * LANES + lane) * WIDTH + place] |= bit
    if output == DIMENSIONS:
        join(planes.delivered[switch], record[MESSAGE])
    else:
        expect_head(record[MESSAGE], switch ^ 1 << output, target, output, planes)


def read_heads(word, row, planes):
    """Read heads that are at the front of the buffers of hosts for the first time."""
    places = places_of(vector_at(row, FRESH))
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        heads = row[FRESH + place]
        while heads != 0:
            switch = word << WORD_SHIFT | lowest_bit(heads)
            heads &= heads - 1
            message = leave(planes.injected[switch * CHANNELS + place - FIRST_HOST])
            expect_head(message, switch, 0, place, planes)


def expect_head(message, switch, lane, place, planes):
    """Set the message of the next head on an input VC."""
    record = planes.lanes[switch, lane * WIDTH + place]
    record[MESSAGE] = message
    wanted = switch ^ planes.key[message]
    if wanted == 0:
        wanted = 1 << DIMENSIONS
    row, bit = planes.rows[switch >> WORD_SHIFT], planes.bit[switch & BIT_MASK]
    changed = record[WANTED_OUTPUTS] ^ wanted
    record[WANTED_OUTPUTS] = wanted
    while changed != 0:
        row[WANTED + (lowest_bit(changed) * LANES + lane) * WIDTH + place] ^= bit
        changed &= changed - 1
