"""Work per head: the grant of a VC, and the state that the next router needs.

A VC is allocated only when it is empty, and again only when the tail has left the buffer behind it. So the message of
its worm, and the route candidates of the head there, are stored at once; they are not read before the head has arrived.
"""

from sim_model.engines.cycle.state import NONE
from sim_model.engines.plane.lines import join, leave
from sim_model.hypercube.planes.layout import BIT_MASK, WORD_SHIFT, CubeLayout
from sim_model.hypercube.planes.state import MESSAGE, TARGET_VC, WANTED_OUTPUTS
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def give_vcs(word, row, planes, at: CubeLayout):
    """Give output VCs to the heads that have been granted one."""
    line = at.vector_at(row, at.LINE)
    for vc in range(at.VCS):
        places = at.places_of(at.vector_at(row, at.GOT + vc * at.WIDTH))
        while places != 0:
            place = lowest_bit(places)
            places &= places - 1
            slot = vc * at.WIDTH + place
            heads = row[at.GOT + slot]
            while heads != 0:
                bit = heads & -heads
                heads ^= bit
                output = lowest_bit(at.places_of(line & at.splat(bit))) ^ place
                target = at.VCS - 1
                if row[at.ESCAPED + slot] & bit == 0:
                    target = 0
                    while row[at.FREE + target * at.WIDTH + output] & bit == 0:
                        target += 1
                row[at.FREE + target * at.WIDTH + output] &= ~bit
                _give_vc(word << WORD_SHIFT | lowest_bit(bit), bit, slot, target, output, row, planes, at)


@compiled
def _give_vc(switch, bit, slot, target, output, row, planes, at: CubeLayout):
    """Give a head on an input VC a VC of an output."""
    record = planes.vcs[switch, slot]
    vc, place = slot // at.WIDTH, slot % at.WIDTH
    if record[TARGET_VC] != NONE:
        row[at.TARGET + (record[TARGET_VC] * at.VCS + vc) * at.WIDTH + place] &= ~bit
    record[TARGET_VC] = target * at.OUTPUTS + output
    row[at.TARGET + (record[TARGET_VC] * at.VCS + vc) * at.WIDTH + place] |= bit
    if output == at.DIMENSIONS:
        join(planes.delivered[switch], record[MESSAGE])
    else:
        expect_head(record[MESSAGE], switch ^ 1 << output, target, output, planes, at)


@compiled
def read_heads(word, row, planes, at: CubeLayout):
    """Read heads that are at the front of the buffers of hosts for the first time."""
    places = at.places_of(at.vector_at(row, at.FRESH))
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        heads = row[at.FRESH + place]
        while heads != 0:
            switch = word << WORD_SHIFT | lowest_bit(heads)
            heads &= heads - 1
            message = leave(planes.injected[switch * at.CHANNELS + place - at.FIRST_HOST])
            expect_head(message, switch, 0, place, planes, at)


@compiled
def expect_head(message, switch, vc, place, planes, at: CubeLayout):
    """Set the message of the next head on an input VC."""
    record = planes.vcs[switch, vc * at.WIDTH + place]
    record[MESSAGE] = message
    wanted = switch ^ planes.key[message]
    if wanted == 0:
        wanted = 1 << at.DIMENSIONS
    row, bit = planes.rows[switch >> WORD_SHIFT], planes.bit[switch & BIT_MASK]
    changed = record[WANTED_OUTPUTS] ^ wanted
    record[WANTED_OUTPUTS] = wanted
    while changed != 0:
        row[at.WANTED + (lowest_bit(changed) * at.VCS + vc) * at.WIDTH + place] ^= bit
        changed &= changed - 1
