"""Masks of ports, words of planes, flits packed into one integer, and lists of numbers."""

from sim_model.loops.compiled import compiled

# A flit is its message number, its index in the message and a tail bit; index 0 is the head.
INDEX_SHIFT = 1
MESSAGE_SHIFT = 17
TAIL = 1
NEXT_FLIT = 1 << INDEX_SHIFT
INDEX_MASK = 0xFFFF


def lowest_bit(mask):
    """Return the position of the lowest 1 in a mask that is not 0."""
    plain = int(mask)
    return (plain & -plain).bit_length() - 1


def highest_bit(mask):
    """Return the position of the highest 1 in a mask that is not 0."""
    return int(mask).bit_length() - 1


@compiled
def first_at_or_after(mask, turn):
    """Return the position of the first 1 at or after ``turn``, cyclically, in a nonzero mask: round robin."""
    later = mask >> turn << turn
    return lowest_bit(later if later != 0 else mask)


@compiled
def last_at_or_before(mask, turn):
    """Return the position of the last 1 at or before ``turn``, cyclically, in a nonzero mask: round robin downwards."""
    earlier = mask & ((2 << turn) - 1)
    return highest_bit(earlier if earlier != 0 else mask)


@compiled
def message_of(flit):
    """Return the message number of a packed flit."""
    return flit >> MESSAGE_SHIFT


@compiled
def index_of(flit):
    """Return the index in the message of a packed flit; 0 is the head."""
    return flit >> INDEX_SHIFT & INDEX_MASK


@compiled
def source_bit(channel):
    """Return the mask of the port at the source of a channel."""
    return 1 << channel.source_port


@compiled
def sink_bit(channel):
    """Return the mask of the port at the sink of a channel."""
    return 1 << channel.sink_port


def count_bits(word):
    """Count the 1 bits of a word of 64."""
    return (int(word) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


def enter(numbers, position, number):
    """Write a number into a list (uint32[...]) at a position, which is not negative."""
    numbers[position] = number
