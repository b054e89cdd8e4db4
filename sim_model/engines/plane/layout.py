"""Layout of the planes of a group of routers: rows of 64 bits, one bit for each of 64 routers.

A plane is one register bit of every router. All planes of a group of 64 routers are in one row of an array, at offsets
that are constants of the compiled loop, so that the compiler sees that they do not overlap. Those of all ports are side
by side, in as many places as a vector has, so that one instruction processes all of them.
"""

from collections.abc import Mapping

WORD_SHIFT = 6
WORD_BITS = 1 << WORD_SHIFT
BIT_MASK = WORD_BITS - 1
MIN_ROOM = 4


def ports_of_vector(ports: int) -> int:
    """Return the places for planes of all ports side by side: the next power of 2."""
    return 1 << (ports - 1).bit_length()


def room_for(depth_flits: int) -> int:
    """Return the room in flits that planes have for a buffer depth: a loop is compiled for a room, not for a depth.

    Parameters
    ----------
    depth_flits : int
        Flits that the buffer of a virtual channel holds.

    Returns
    -------
    int
        4, 8, or another power of 2.
    """
    return max(MIN_ROOM, 1 << (depth_flits - 1).bit_length())


def least_depth(room: int) -> int:
    """Return the least depth of the buffers that have a room, see ``room_for``."""
    return 1 if room == MIN_ROOM else room // 2 + 1


def plane_offsets(ports: int, lanes: int, room: int) -> Mapping[str, int]:
    """Return offsets of all planes of a router with virtual channels, by name, with the numbers that they follow from.

    An input VC is ``lane * WIDTH + port``, and so is an output VC; unused numbers, for ports from ``ports`` to
    ``WIDTH``, stay 0. Injection and delivery have the last port and are VC 0 of it; its other VCs are never used.

    Parameters
    ----------
    ports : int
        Inputs, and as many outputs, the host's last.
    lanes : int
        Of a channel.
    room : int
        Flits that there are planes for in the buffer of a VC, see ``room_for``.
    """
    width = ports_of_vector(ports)
    credit_bits = room.bit_length()
    sizes = {  # in vectors
        "HELD": room * lanes,  # [position in the buffer][input lane]: a flit is there
        "TAILS": room * lanes,  # and is a tail
        "ACTIVE": lanes,  # the worm at the front has an output VC
        "LOOKED_UP": lanes,  # it is known where the head at the front can go
        "CANDIDATES": lanes * lanes,  # [output lane][input lane]: of the requested output
        "WANTED": ports * lanes,  # [output][input lane]
        "WAY": lanes * width,  # [input lane][output]: the same
        "INPUT_TURN": lanes,  # the VC is at or after the one first in turn
        "OUTPUT_TURN": ports,  # [input][output]: the same for inputs
        "REQUEST": ports,  # [input][output]
        "REQUEST_LANE": lanes,  # [lane][input]: VC whose flit is requested
        "REQUEST_TARGET": lanes,  # [output lane][input]
        "FREE": lanes,  # output VCs without a worm
        "CREDITS": credit_bits * lanes,  # [bit][output lane]
        "INJECTOR_VALID": 1,  # a flit is in the injector's register
        "INJECTOR_LAST": 1,  # and is a tail
        "DELIVERED": 1,  # a flit was sent to the delivery buffer in the last cycle
        "DELIVERED_TAIL": 1,
        "REGISTER": 1,  # a flit is in the register of the delivery channel
        "REGISTER_TAIL": 1,
        "IN_MESSAGE": lanes,  # output VCs between the moves of a head and of its tail; kept only if they are counted
        # what follows is written anew in every cycle
        "ARRIVED": lanes,
        "ARRIVED_TAIL": lanes,
        "RETURNED": lanes,  # credits on their wires
        "CREDITED": lanes,
        "USABLE": lanes,  # output VCs that a head can have
        "MAY_SEND": lanes,
        "MAY_START": lanes,
        "WINNER": ports,  # [input][output]
        "WINNER_ACTIVE": 1,  # by output
        "WINNER_TAIL": 1,
        "SENT": lanes,
        "ACTIVE_REQUEST": 1,  # by input
        "TAIL_REQUEST": 1,
        "YIELDED": 1,  # by output: requests from the processor that wait for others
        "FOLLOWING": lanes,
        "HEADS": lanes,
        "ARRIVING": lanes,
        "HEAD_POPPED": lanes,
        "POSSIBLE": lanes * lanes,  # candidates that a head can have
        "NEW_HEADS": 1,  # of one VC
        "CHOSEN": lanes,
    }
    slots = lanes * width
    offsets = {"PORTS": ports, "HOST": ports - 1, "LANES": lanes, "ROOM": room, "MIN_DEPTH": least_depth(room)}
    offsets |= {"WIDTH": width, "SLOTS": slots, "CREDIT_BITS": credit_bits}
    size = 0
    for name, vectors in sizes.items():
        offsets[name] = size
        size += vectors * width
    sent = {"OUT_VALID": 0, "OUT_TAIL": slots, "OUT_CREDIT": 2 * slots, "OUT_SIZE": 3 * slots}
    return offsets | {"SIZE": size} | sent
