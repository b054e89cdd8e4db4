"""Layout of the planes of 64 routers of a hypercube: vectors in a row of words, one bit for each of 64 routers.

A plane is one register bit of every router. Planes that belong together are a vector: one for each input of a router,
or one for each output. Inputs are at the places of their numbers on diagonals (``topology/hypercube/diagonals.py``), so
that the outputs along a diagonal are a vector with its words crossed. Input VCs of all inputs are a vector for each VC;
hosts have VC 0 of their inputs. All offsets are constants of the compiled loop.
"""

from functools import cache

from sim_model.engines.plane.layout import RouterLayout, least_depth
from sim_model.loops.vector_operations import cube_operations, memory_operations, move_operations, word_operations
from topology.hypercube.diagonals import input_codes

WORD_SHIFT = 6
BIT_MASK = 63
MIN_WIDTH = 8
STATE_BITS = 16
"""Width of the shift register behind a random order (``topology/common/choice_orders.py``)."""


class CubeLayout(RouterLayout):
    """Offsets of all vectors, and the numbers that they follow from.

    Parameters:
        vcs: Of a channel.
        room: Flits that there are planes for in the buffer of a VC, see ``room_for``.
        channels: From a processor into its switch.
        adaptive_vcs: VCs of a channel, the first ones, that any head may have. The last one is an escape if it is none
            of them.
    """

    def __init__(self, dimensions: int, vcs: int, room: int, channels: int, adaptive_vcs: int):
        codes = input_codes(dimensions, channels)
        width, outputs = max(MIN_WIDTH, 1 << max(codes).bit_length()), dimensions + 1
        operations = {
            **memory_operations(width, outputs),
            **word_operations(width),
            **move_operations(width),
            **cube_operations(width, min(dimensions, WORD_SHIFT)),
        }
        super().__init__(f"{dimensions}_{vcs}_{room}_{channels}_{adaptive_vcs}", width, operations)
        self.DIMENSIONS, self.OUTPUTS, self.VCS, self.ADAPTIVE_VCS = dimensions, outputs, vcs, adaptive_vcs
        self.ROOM, self.MIN_DEPTH, self.COUNT_BITS = room, least_depth(room), room.bit_length()
        self.CHANNELS, self.INPUTS, self.FIRST_HOST = channels, len(codes), codes[dimensions]
        self.SLOTS, self.HOST_OUTPUT, self.HELD_STEP = vcs * width, dimensions, width
        self.HOST_GAP, self.STATE_VECTORS = self.FIRST_HOST - dimensions, -(-STATE_BITS // width)
        self.OUT_VALID, self.OUT_TAIL, self.OUT_CREDIT, self.OUT_RELEASE, self.OUT_SIZE = (
            part * vcs * width for part in range(5)
        )
        self._place_registers(vcs)
        self._place_signals(vcs)

    def _place_registers(self, vcs: int) -> None:
        """Place what is on the links, and what is kept from cycle to cycle."""
        take = self.take
        # What is on the links; the first four lie as in ``outputs`` and are written anew in every cycle.
        self.ARRIVED = take(vcs)  # flits, by input
        self.ARRIVED_TAIL = take(vcs)
        self.RETURNED = take(vcs)  # credits, by output
        self.RELEASED = take(vcs)
        # Registers.
        self.COUNT = take(self.COUNT_BITS * vcs)  # [bit][VC] by input: flits in the buffer
        self.HAS_TAIL = take(vcs)  # by input from another switch: one of them is a tail
        self.HELD = take(self.ROOM)  # [position in the buffer] by input from the host: a flit is there
        self.TAILS = take(self.ROOM)  # and is a tail
        self.ACTIVE = take(vcs)  # by input: the worm has an output VC
        self.CLOSING = take(vcs)  # and its tail left in the last cycle
        self.READ = take(1)  # by input from the host: the head has been read
        self.REQUEST = take(vcs)  # by input: the VC whose flit is requested
        self.TURN = take(vcs)  # by input: the VC is at or after the one first in turn
        self.TARGET = take(vcs * self.OUTPUTS * vcs)  # [output VC][output][VC] by input: what the worm has
        self.REQUESTED = take(vcs * self.OUTPUTS)  # [output VC][output] by input: of the request
        self.WANTED = take(self.OUTPUTS * vcs)  # [output][VC] by input: of the head
        self.FREE = take(vcs)  # by output
        self.CREDITS = take(self.COUNT_BITS * vcs)  # [bit][VC] by output
        self.LEADER = take(vcs)  # by input
        self.ALLOWED = take(vcs)  # by input: VCs that count in the examination
        self.ESCAPING = take(vcs)  # by input: the leader that picked an escape
        self.ESCAPE = take(1)  # by output: which
        self.LINE = take(1)  # by number of the diagonal
        self.ORDER = take(self.DIMENSIONS)  # [dimension] by place in the random order
        self.STATE = take(-(-(STATE_BITS + self.WIDTH) // self.WIDTH))  # bits of the shift register behind it
        self.INJECTOR_VALID = take(1)  # by input from the host: a flit is in the injector's register
        self.INJECTOR_LAST = take(1)  # and is a tail
        self.IN_MESSAGE = take(vcs + 1)  # [slot]: between the moves of a head and of its tail, if they are counted
        # What never changes.
        self.IS_HOST = take(1)  # by input
        self.IS_DIMENSION = take(1)  # by output
        self.IS_DELIVERY = take(1)
        self.IS_FIRST = take(1)  # dimension 0
        self.FEEDBACK = take(self.STATE_VECTORS)
        # Single planes.
        self.CHOSE = take(1)  # routers that made a choice at random in the last cycle
        self.DELIVERED = take(1)  # a flit was sent to the delivery buffer in the last cycle
        self.DELIVERED_TAIL = take(1)
        self.REGISTER = take(1)  # a flit is in the register of the delivery channel
        self.REGISTER_TAIL = take(1)

    def _place_signals(self, vcs: int) -> None:
        """Place what is written anew in every cycle."""
        take = self.take
        self.MOVED = take(1)  # by input from the host, like the next one
        self.MOVED_TAIL = take(1)
        self.HEADS = take(1)
        self.FRESH = take(1)  # heads that have not been read
        self.ASKING = take(vcs)  # by input, like all down to CHOSEN
        self.WAITING = take(vcs)
        self.ENDED = take(vcs)
        self.FOLLOWING = take(vcs)
        self.ELIGIBLE = take(vcs)
        self.GOT = take(vcs)
        self.ESCAPED = take(vcs)
        self.CHOSEN = take(vcs)
        self.RIVALS = take(self.OUTPUTS)  # [output] by input
        self.SENT = take(vcs * self.OUTPUTS)  # [output VC][output] by input
        self.BY_OUTPUT = take(self.OUTPUTS)  # [output] by input or place: to be gathered
        self.LOOKING = take(self.OUTPUTS)  # [output] by input
        self.CAN_SEND = take(vcs)  # by output
        self.ANY_FREE = take(1)  # by output
        self.USABLE = take(1)  # by output
        self.LEADING = take(1)  # by input


cube_layout = cache(CubeLayout)
"""The layout of a shape: loops are compiled for each."""
