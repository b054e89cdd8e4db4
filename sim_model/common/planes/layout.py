"""Where the planes of a group of routers lie: rows of 64 bits, one bit for each of 64 routers.

A plane is one register bit of every router. All planes of a group of 64 routers stand in one row of an array, at
offsets that are constants of the compiled loop, so that the compiler knows which of them are apart.
"""

from collections.abc import Mapping

WORD_SHIFT = 6
WORD_BITS = 1 << WORD_SHIFT
BIT_MASK = WORD_BITS - 1


def plane_offsets(ports: int, lanes: int, depth_flits: int) -> Mapping[str, int]:
    """Offsets of all planes of a router with lanes, by name, with the numbers that they follow from.

    An input lane is ``lane * PORTS + port``, and so is an output lane. Injection and delivery have the last port and
    are lane 0 of it; its other lanes are never used.

    Parameters
    ----------
    ports : int
        Inputs, and as many outputs, the host's last.
    lanes : int
        Of a channel.
    depth_flits : int
        Flits that the buffer of a lane holds.
    """
    slots = ports * lanes
    credit_bits = depth_flits.bit_length()
    sizes = {
        "HELD": depth_flits * slots,  # [position in the buffer][input lane]: a flit is there
        "TAILS": depth_flits * slots,  # and is a tail
        "ACTIVE": slots,  # the worm at the front has an output lane
        "LOOKED_UP": slots,  # it is known where the head at the front can go
        "CANDIDATES": lanes * slots,  # [output lane][input lane]: of the output that it wants
        "WANTED": ports * slots,  # [output][input lane]
        "INPUT_TURN": slots,  # the lane is at or after the one with first choice
        "OUTPUT_TURN": ports * ports,  # [input][output]: the same for inputs
        "REQUEST": ports * ports,  # [input][output]
        "REQUEST_LANE": slots,  # [lane][input]: lane whose flit is asked for
        "REQUEST_TARGET": slots,  # [output lane][input]
        "FREE": slots,  # output lanes without a worm
        "CREDITS": credit_bits * slots,  # [bit][output lane]
        "INJECTOR_VALID": 1,  # a flit is in the injector's register
        "INJECTOR_LAST": 1,  # and is a tail
        "DELIVERED": 1,  # a flit was sent to the delivery buffer in the last cycle
        "DELIVERED_TAIL": 1,
        "REGISTER": 1,  # a flit is in the register of the delivery channel
        "REGISTER_TAIL": 1,
        "IN_MESSAGE": slots,  # output lanes between the moves of a head and of its tail; kept only if they are counted
        # what follows is written anew in every cycle
        "ENDED": 2,  # tails that have left injectors, and those that have arrived
        "ARRIVED": slots,
        "ARRIVED_TAIL": slots,
        "RETURNED": slots,  # credits on their wires
        "CREDITED": slots,
        "USABLE": slots,  # output lanes that a head can have
        "MAY_SEND": slots,
        "MAY_START": slots,
        "WINNER": ports * ports,  # [input][output]
        "ANY_LATER": ports,  # by output, like the next five
        "TAKEN": ports,
        "WINNER_ACTIVE": ports,
        "WINNER_TAIL": ports,
        "GOOD": ports,
        "SENT": slots,
        "ACTIVE_REQUEST": ports,  # by input, like the next three
        "TAIL_REQUEST": ports,
        "GRANTED": ports,
        "ASKED": ports,
        "YIELDED": ports,  # by output: requests from the processor that wait for others
        "FOLLOWING": slots,
        "HEADS": slots,
        "ARRIVING": slots,
        "HEAD_POPPED": slots,
        "POSSIBLE": lanes * slots,  # candidates that a head can have
        "ELIGIBLE": slots,
    }
    offsets = {"PORTS": ports, "HOST": ports - 1, "LANES": lanes, "DEPTH": depth_flits}
    offsets |= {"SLOTS": slots, "CREDIT_BITS": credit_bits}
    size = 0
    for name, count in sizes.items():
        offsets[name] = size
        size += count
    sent = {"OUT_VALID": 0, "OUT_TAIL": slots, "OUT_CREDIT": 2 * slots, "OUT_SIZE": 3 * slots}
    return offsets | {"SIZE": size} | sent
