"""Masks of ports, and flits packed into one integer."""

from sim_model.common.engine.compiled import compiled

# A flit is its message number, its index in the message and a tail bit; index 0 is the head.
INDEX_SHIFT = 1
MESSAGE_SHIFT = 17
TAIL = 1
NEXT_FLIT = 1 << INDEX_SHIFT
INDEX_MASK = 0xFFFF


@compiled
def lowest_bit(mask):
    """Position of the lowest 1 in a mask that is not 0."""
    position = 0
    while mask & 1 == 0:
        mask >>= 1
        position += 1
    return position


@compiled
def first_at_or_after(mask, turn):
    """Position of the first 1 at or after ``turn``, cyclically, in a mask that is not 0: round robin."""
    later = mask >> turn << turn
    return lowest_bit(later if later != 0 else mask)


@compiled
def message_of(flit):
    """Message number of a packed flit."""
    return flit >> MESSAGE_SHIFT


@compiled
def index_of(flit):
    """Index in the message of a packed flit; 0 is the head."""
    return flit >> INDEX_SHIFT & INDEX_MASK
