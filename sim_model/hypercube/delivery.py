"""The delivery buffer of a switch, and its ready signal."""

from sim_model.loops.bits import enter, source_bit
from sim_model.loops.compiled import compiled
from sim_model.vc.delivery import deliver_flit
from sim_model.vc.registers import CHANGED, NEXT_ROOM, ROOM, ROW, WIDTH
from sim_model.vc.state import DELIVERIES


@compiled
def deliver(cycle, state, family):
    """Move a flit from each delivery buffer into an empty register behind it; to be called before grants.

    A buffer that has become empty is visited once more: it has room then.
    """
    kept = 0
    for position in range(family.counts[DELIVERIES]):
        number = family.deliveries[position]
        enter(family.deliveries, kept, number)
        channel, waiting = state.channels[number], family.buffers[family.output_vcs[number].buffer]
        bit = source_bit(channel)
        place = (channel.source // WIDTH) * ROW + channel.source % WIDTH
        room = bit if waiting.count <= family.most_flits_with_room else 0
        family.words[place + CHANGED] |= family.words[place + ROOM] ^ room
        family.words[place + NEXT_ROOM] = room
        if waiting.count == 0:
            waiting.listed = 0
        else:
            kept += 1
            family.words[place + CHANGED] |= deliver_flit(cycle, number, waiting, state, family)
    family.counts[DELIVERIES] = kept
