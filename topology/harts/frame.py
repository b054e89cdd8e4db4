"""The frame of a node's time-sliced bus (Sec. 3): the user of each slot.

In slot s the word of receiver s is on the bus, and the packet memory is read for transmitter s. Slots 0 to 5 are the
links', by direction; 6 is the host's; in 7 the network processor handles the packets that have arrived in this frame.
"""

from collections.abc import Iterable

from topology.harts.header import HOST

SLOT_BITS = 3
SLOTS = 1 << SLOT_BITS
PROCESSOR_SLOT = SLOTS - 1

HEAD_CYCLES = 2
"""Cycles from the slot in which a head is on the bus to the cycle in which it is on the link."""
MAX_LINK_CYCLES = SLOTS - HEAD_CYCLES
GUARD_CYCLES = 2
"""Cycles from a guard's look at a head to the slot of its receiver."""


def most_link_cycles(gap_frames: int, *, guard: bool = False) -> int:
    """Return the maximum of cycles for a link between nodes.

    A head that is on the bus in cycle t can be in the next node's buffer in cycle t + 8, one frame later, if its link
    takes 6 cycles or less. The page that was kept for it is kept no more in the cycle after its slot there, in cycle
    t + 10 + L at the latest for links of L cycles, and the node before has seen that after L - 1 more. Before that, it
    must not start another packet, which it can do 8 (``gap_frames`` + 1) cycles after a tail. The shortest packet is a
    head alone, so 9 + 2 L must not be more than that. A guard must see the head two cycles before its slot, or it would
    cost a frame.
    """
    return min(MAX_LINK_CYCLES - GUARD_CYCLES * guard, (SLOTS * (gap_frames + 1) - SLOTS - 1) // 2)


def packet_cycles(
    accepted_cycle: int, directions: Iterable[int], flits: int, *, relay_frames: int = 1, link_cycles: int = 1
) -> int:
    """Return the time of an ordinary packet alone, from the acceptance of its head to the arrival of its tail.

    All words of the packet are there when the node may take them. The packet is stored at its destination alone.

    Parameters:
        accepted_cycle: Its slot in the frame determines the wait for the host's slot.
        directions: Directions of travel, one per link.
        flits: Whole packet, header included.
        relay_frames: Frames that the network processor takes per packet.
        link_cycles: Cycles of a link between nodes.
    """
    head = _next(accepted_cycle + HEAD_CYCLES, HOST)
    for direction in directions:
        head = _next(head + HEAD_CYCLES + link_cycles, direction)
    stored = head + SLOTS * (flits - 1)
    seen = _next(stored, PROCESSOR_SLOT) + SLOTS * (relay_frames - 1)
    return _next(seen, HOST) + SLOTS * (flits - 1) + HEAD_CYCLES - accepted_cycle


def _next(cycle: int, slot: int) -> int:
    """Return the first cycle of a slot, not before some cycle."""
    return cycle + (slot - cycle) % SLOTS
