"""Layout of the planes of 64 routers of a hypercube: vectors in a row of words, one bit for each of 64 routers.

A plane is one register bit of every router. Planes that belong together are a vector: one for each input of a router,
or one for each output. Inputs are at the places of their numbers on diagonals (``topology/hypercube/diagonals.py``), so
that the outputs along a diagonal are a vector with its words crossed. Input VCs of all inputs are a vector for each VC;
hosts have VC 0 of their inputs. All offsets are constants of the compiled loop.
"""

from collections.abc import Mapping

from sim_model.engines.plane.layout import least_depth
from topology.hypercube.diagonals import input_codes

WORD_SHIFT = 6
BIT_MASK = 63
MIN_WIDTH = 8
STATE_BITS = 16
"""Width of the shift register behind a random order (``topology/common/choice_orders.py``)."""


def cube_offsets(dimensions: int, lanes: int, room: int, channels: int, adaptive_lanes: int) -> Mapping[str, int]:
    """Return offsets of all vectors, by name, with the numbers that they follow from.

    Parameters
    ----------
    dimensions : int
    lanes : int
        Of a channel.
    room : int
        Flits that there are planes for in the buffer of a VC, see ``room_for``.
    channels : int
        From a processor into its switch.
    adaptive_lanes : int
        VCs of a channel, the first ones, that any head may have. The last one is an escape if it is none of them.
    """
    codes = input_codes(dimensions, channels)
    width = max(MIN_WIDTH, 1 << max(codes).bit_length())
    outputs, bits = dimensions + 1, room.bit_length()
    sizes = {
        # What is on the links; the first four lie as in ``outputs`` and are written anew in every cycle.
        "ARRIVED": lanes,  # flits, by input
        "ARRIVED_TAIL": lanes,
        "RETURNED": lanes,  # credits, by output
        "RELEASED": lanes,
        # Registers.
        "COUNT": bits * lanes,  # [bit][lane] by input: flits in the buffer
        "HAS_TAIL": lanes,  # by input from another switch: one of them is a tail
        "HELD": room,  # [position in the buffer] by input from the host: a flit is there
        "TAILS": room,  # and is a tail
        "ACTIVE": lanes,  # by input: the worm has an output VC
        "CLOSING": lanes,  # and its tail left in the last cycle
        "READ": 1,  # by input from the host: the head has been read
        "REQUEST": lanes,  # by input: the VC whose flit is requested
        "TURN": lanes,  # by input: the VC is at or after the one first in turn
        "TARGET": lanes * outputs * lanes,  # [output lane][output][lane] by input: what the worm has
        "REQUESTED": lanes * outputs,  # [output lane][output] by input: of the request
        "WANTED": outputs * lanes,  # [output][lane] by input: of the head
        "FREE": lanes,  # by output
        "CREDITS": bits * lanes,  # [bit][lane] by output
        "LEADER": lanes,  # by input
        "ALLOWED": lanes,  # by input: VCs that count in the examination
        "ESCAPING": lanes,  # by input: the leader that picked an escape
        "ESCAPE": 1,  # by output: which
        "LINE": 1,  # by number of the diagonal
        "ORDER": dimensions,  # [dimension] by place in the random order
        "STATE": -(-(STATE_BITS + width) // width),  # bits of the shift register behind it
        "INJECTOR_VALID": 1,  # by input from the host: a flit is in the injector's register
        "INJECTOR_LAST": 1,  # and is a tail
        "IN_MESSAGE": lanes,  # by output: between the moves of a head and of its tail; kept only if they are counted
        # What never changes.
        "IS_HOST": 1,  # by input
        "IS_DIMENSION": 1,  # by output
        "IS_DELIVERY": 1,
        "IS_FIRST": 1,  # dimension 0
        "FEEDBACK": -(-STATE_BITS // width),
        # What follows is written anew in every cycle.
        "MOVED": 1,  # by input from the host, like the next one
        "MOVED_TAIL": 1,
        "HEADS": 1,
        "FRESH": 1,  # heads that have not been read
        "ASKING": lanes,  # by input, like all down to CHOSEN
        "WAITING": lanes,
        "ENDED": lanes,
        "FOLLOWING": lanes,
        "ELIGIBLE": lanes,
        "GOT": lanes,
        "ESCAPED": lanes,
        "CHOSEN": lanes,
        "RIVALS": outputs,  # [output] by input
        "SENT": lanes * outputs,  # [output lane][output] by input
        "BY_OUTPUT": outputs,  # [output] by input or place: to be gathered
        "LOOKING": outputs,  # [output] by input
        "CAN_SEND": lanes,  # by output
        "ANY_FREE": 1,  # by output
        "USABLE": 1,  # by output
        "LEADING": 1,  # by input
        # Single planes.
        "CHOSE": 1,  # routers that made a choice at random in the last cycle
        "DELIVERED": 1,  # a flit was sent to the delivery buffer in the last cycle
        "DELIVERED_TAIL": 1,
        "REGISTER": 1,  # a flit is in the register of the delivery channel
        "REGISTER_TAIL": 1,
    }
    offsets = {"DIMENSIONS": dimensions, "OUTPUTS": outputs, "LANES": lanes, "ROOM": room}
    offsets |= {"CHANNELS": channels, "INPUTS": len(codes), "FIRST_HOST": codes[dimensions], "COUNT_BITS": bits}
    offsets |= {"HOST_GAP": codes[dimensions] - dimensions, "ADAPTIVE_LANES": adaptive_lanes, "WIDTH": width}
    offsets["MIN_DEPTH"] = least_depth(room)
    offsets["STATE_VECTORS"] = sizes["FEEDBACK"]
    size = 0
    for name, vectors in sizes.items():
        offsets[name] = size
        size += vectors * width
    sent = {"OUT_VALID": 0, "OUT_TAIL": lanes, "OUT_CREDIT": 2 * lanes, "OUT_RELEASE": 3 * lanes, "OUT_SIZE": 4 * lanes}
    return offsets | {"SIZE": size} | {name: vectors * width for name, vectors in sent.items()}
