"""Layout of the planes of a group of routers: rows of 64 bits, one bit for each of 64 routers.

A plane is one register bit of every router. All planes of a group of 64 routers are in one row of an array, at offsets
that are constants of the compiled loop, so that the compiler sees that they do not overlap. Those of all ports are side
by side, in as many places as a vector has, so that one instruction processes all of them.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from sim_model.loops.vector_layout import VectorLayout
from sim_model.loops.vector_operations import memory_operations, turn_operations, word_operations

WORD_SHIFT = 6
WORD_BITS = 1 << WORD_SHIFT
BIT_MASK = WORD_BITS - 1
MIN_ROOM = 4


def ports_of_vector(ports: int) -> int:
    """Return the places for planes of all ports side by side: the next power of 2."""
    return 1 << (ports - 1).bit_length()


def room_for(depth_flits: int) -> int:
    """Return the room in flits that planes have for a buffer depth: a loop is compiled for a room, not for a depth.

    Parameters:
        depth_flits: Flits that the buffer of a virtual channel holds.

    Returns:
        4, 8, or another power of 2.
    """
    return max(MIN_ROOM, 1 << (depth_flits - 1).bit_length())


def least_depth(room: int) -> int:
    """Return the least depth of the buffers that have a room, see ``room_for``."""
    return 1 if room == MIN_ROOM else room // 2 + 1


class RouterLayout(VectorLayout):
    """Names that are common to the routers of all families.

    Members:
        ROOM, MIN_DEPTH (int): Room in flits, see ``room_for``, and the least depth of buffers that have it.
        CHANNELS, FIRST_HOST (int): Channels from a processor, and the place of the first one among the inputs.
        SLOTS, HOST_OUTPUT (int): Places of all output VCs, VC by VC, and the place of the delivery channel.
        IN_MESSAGE: Planes of the slots of counts: the output VCs, and behind them the channels from the host.
        HELD, HELD_STEP (int): Planes of the first place of buffers, and from there to the next place.
    """

    ROOM: int
    MIN_DEPTH: int
    CHANNELS: int
    FIRST_HOST: int
    SLOTS: int
    HOST_OUTPUT: int
    HELD: int
    HELD_STEP: int
    INJECTOR_VALID: int
    INJECTOR_LAST: int
    REGISTER: int
    REGISTER_TAIL: int
    IN_MESSAGE: int
    OUT_VALID: int
    OUT_TAIL: int


class PlaneLayout(RouterLayout):
    """Offsets of all planes of a router with virtual channels, and the numbers that they follow from.

    An input VC is ``vc * WIDTH + port``, and so is an output VC; unused numbers, for ports from ``ports`` to
    ``WIDTH``, stay 0. Injection and delivery have the last port and are VC 0 of it; its other VCs are never used.

    Parameters:
        ports: Inputs, and as many outputs, the host's last.
        vcs: Of a channel.
        room: Flits that there are planes for in the buffer of a VC, see ``room_for``.
        find_route (compiled function): Gets switch, port, VC, message, the states of the engine and of the family's
            routing. Returns the port of the output, and the mask of its VCs, for a head of the message that comes on
            this input VC.
    """

    def __init__(self, ports: int, vcs: int, room: int, find_route: Callable[..., Any]):
        width = ports_of_vector(ports)
        operations = {**memory_operations(width, ports), **word_operations(width), **turn_operations(width)}
        super().__init__(f"{ports}_{vcs}_{room}", width, operations)
        self.PORTS, self.HOST, self.VCS, self.ROOM, self.MIN_DEPTH = ports, ports - 1, vcs, room, least_depth(room)
        self.SLOTS, self.CREDIT_BITS, self.find_route = vcs * width, room.bit_length(), find_route
        self.CHANNELS, self.FIRST_HOST, self.HOST_OUTPUT, self.HELD_STEP = 1, self.HOST, self.HOST, self.SLOTS
        self.OUT_VALID, self.OUT_TAIL, self.OUT_CREDIT, self.OUT_SIZE = (part * self.SLOTS for part in range(4))
        self._place_registers(ports, vcs, room)
        self._place_signals(ports, vcs)

    def _place_registers(self, ports: int, vcs: int, room: int) -> None:
        """Place what is kept from cycle to cycle."""
        take = self.take
        self.HELD = take(room * vcs)  # [position in the buffer][input VC]: a flit is there
        self.TAILS = take(room * vcs)  # and is a tail
        self.ACTIVE = take(vcs)  # the worm at the front has an output VC
        self.LOOKED_UP = take(vcs)  # it is known where the head at the front can go
        self.CANDIDATES = take(vcs * vcs)  # [output VC][input VC]: of the requested output
        self.WANTED = take(ports * vcs)  # [output][input VC]
        self.ROUTE = take(vcs * self.WIDTH)  # [input VC][output]: the same
        self.INPUT_TURN = take(vcs)  # the VC is at or after the one first in turn
        self.OUTPUT_TURN = take(ports)  # [input][output]: the same for inputs
        self.REQUEST = take(ports)  # [input][output]
        self.REQUEST_VC = take(vcs)  # [VC][input]: VC whose flit is requested
        self.REQUEST_TARGET = take(vcs)  # [output VC][input]
        self.FREE = take(vcs)  # output VCs without a worm
        self.CREDITS = take(self.CREDIT_BITS * vcs)  # [bit][output VC]
        self.INJECTOR_VALID = take(1)  # a flit is in the injector's register
        self.INJECTOR_LAST = take(1)  # and is a tail
        self.DELIVERED = take(1)  # a flit was sent to the delivery buffer in the last cycle
        self.DELIVERED_TAIL = take(1)
        self.REGISTER = take(1)  # a flit is in the register of the delivery channel
        self.REGISTER_TAIL = take(1)
        self.IN_MESSAGE = take(vcs + 1)  # [slot]: between the moves of a head and of its tail, if they are counted

    def _place_signals(self, ports: int, vcs: int) -> None:
        """Place what is written anew in every cycle."""
        take = self.take
        self.ARRIVED = take(vcs)
        self.ARRIVED_TAIL = take(vcs)
        self.RETURNED = take(vcs)  # credits on their wires
        self.CREDITED = take(vcs)
        self.USABLE = take(vcs)  # output VCs that a head can have
        self.MAY_SEND = take(vcs)
        self.MAY_START = take(vcs)
        self.WINNER = take(ports)  # [input][output]
        self.WINNER_ACTIVE = take(1)  # by output
        self.WINNER_TAIL = take(1)
        self.SENT = take(vcs)
        self.ACTIVE_REQUEST = take(1)  # by input
        self.TAIL_REQUEST = take(1)
        self.YIELDED = take(1)  # by output: requests from the processor that wait for others
        self.FOLLOWING = take(vcs)
        self.HEADS = take(vcs)
        self.ARRIVING = take(vcs)
        self.HEAD_POPPED = take(vcs)
        self.POSSIBLE = take(vcs * vcs)  # candidates that a head can have
        self.NEW_HEADS = take(1)  # of one VC
        self.CHOSEN = take(vcs)


plane_layout = cache(PlaneLayout)
"""The layout of a shape: loops are compiled for each."""
