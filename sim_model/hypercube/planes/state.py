"""State of the planes of a hypercube."""

from typing import Any, NamedTuple

import numpy as np

from sim_model.engines.counts import KINDS
from sim_model.engines.cycle.records import aligned_words
from sim_model.engines.cycle.state import NONE, EngineState
from sim_model.engines.plane.counts import COUNT_BITS
from sim_model.engines.plane.layout import room_for
from sim_model.engines.plane.state import PLANE_COUNTERS, plane_of, words_for
from sim_model.hypercube.planes.layout import STATE_BITS, CubeLayout, cube_layout
from topology.common.choice_orders import ORDER_FEEDBACK, ORDER_SEED, cycle_order, order_size, vc_order_size
from topology.hypercube.diagonals import input_codes
from topology.hypercube.routing import WRONG_ESCAPE, parity

# Fields of ``vcs``.
MESSAGE = 0  # of the worm on the VC
WANTED_OUTPUTS = 1  # of its head, as a mask
TARGET_VC = 2  # output VC times the number of outputs, and output, that the last worm has got; or NONE
VC_FIELDS = 4
ASKING_HEADS = PLANE_COUNTERS
"""Position in ``counters``: 1 if a head requests a VC in this cycle."""


class CubeState(NamedTuple):
    """Bits of all routers, and messages."""

    depth: int  # of buffers, in flits
    bit: np.ndarray  # int64[64], a word with one bit each
    rows: np.ndarray  # int64[words, planes], see ``layout.py``
    outputs: np.ndarray  # int64[2, words, planes], what is on the links, by cycle modulo 2
    unloaded: np.ndarray  # int64[words, bits times width], flits behind the one in the injector's register
    highest: np.ndarray  # int64[words], routers whose escape is that of the highest dimension
    vcs: np.ndarray  # int64[switches, input VCs, VC_FIELDS]
    injected: np.ndarray  # int64[injectors, 2 + places], messages whose head is on its way to be read, see ``hosts.py``
    delivered: np.ndarray  # int64[switches, 2 + places], messages whose tail is on its way to the processor
    key: np.ndarray  # int64[messages], destinations
    input_orders: np.ndarray  # int64[cycles, inputs times width], see ``input_orders``
    vc_orders: np.ndarray  # int64[cycles, VCs]
    awake: np.ndarray  # int64[2, words], 1 for words in which something can happen, by cycle modulo 2
    counts: np.ndarray  # int64[words, kinds, output VCs and injectors, bits]; no words if nothing is counted
    counters: np.ndarray  # int64[PLANE_COUNTERS + 1]


def make_cube_state(state: EngineState, key: np.ndarray, model: Any) -> CubeState:
    """Return the state before cycle 0.

    Parameters:
        state: Hosts and messages.
        key (int64[messages]): Their destinations.
        model (HypercubeModel)
    """
    network, at = model.network, layout_of(model)
    words, width = words_for(network.switches), at.WIDTH
    most_flits = int(state.jobs.flits.max(initial=1))
    line = 2 + (1 << (model.buffer_flits + 3).bit_length())
    slots = at.SLOTS + at.CHANNELS
    odd = np.array([parity(switch) == 1 for switch in range(network.switches)])
    return CubeState(
        depth=model.buffer_flits,
        bit=np.array([1 << bit for bit in range(64)], dtype=np.uint64).view(np.int64),
        rows=_first_rows(at, words, model.buffer_flits),
        outputs=aligned_words(2, words, at.OUT_SIZE),
        unloaded=aligned_words(words, most_flits.bit_length() * width),
        highest=plane_of(odd) if model.routing.rule == WRONG_ESCAPE else np.zeros(words, dtype=np.int64),
        vcs=np.tile([NONE, 0, NONE, 0], (network.switches, at.VCS * width, 1)),
        injected=np.zeros((len(state.hosts), line), dtype=np.int64),
        delivered=np.zeros((network.switches, line), dtype=np.int64),
        key=key,
        input_orders=input_orders(network.dimensions, at.INPUTS, width),
        vc_orders=vc_orders(at.INPUTS, network.vcs),
        awake=np.ones((2, words), dtype=np.int64),
        counts=np.zeros((words if len(state.tallies) else 0, KINDS, slots, COUNT_BITS), dtype=np.int64),
        counters=np.zeros(PLANE_COUNTERS + 1, dtype=np.int64),
    )


def layout_of(model: Any) -> CubeLayout:
    """Return the layout of a model's planes."""
    network = model.network
    channels = network.injection_channels_per_processor
    return cube_layout(
        network.dimensions, network.vcs, room_for(model.buffer_flits), channels, model.routing.adaptive_vcs
    )


def _first_rows(at: CubeLayout, words: int, depth: int) -> np.ndarray:
    """Return the first rows: no flits, all credits, all VCs free, every turn at the first input, and no leader."""
    rows, width, vcs = aligned_words(words, at.SIZE), at.WIDTH, at.VCS * at.WIDTH
    for offset in (at.FREE, at.TURN, at.ALLOWED):
        rows[:, offset : offset + vcs] = -1
    for bit in range(at.COUNT_BITS):
        first = at.CREDITS + bit * vcs
        rows[:, first : first + vcs] = -(depth >> bit & 1)
    for dimension in range(at.DIMENSIONS):
        rows[:, at.ORDER + dimension * width + dimension] = -1
    for bit in range(STATE_BITS):
        rows[:, at.STATE + bit] = -(ORDER_SEED >> bit & 1)
        rows[:, at.FEEDBACK + bit] = -(ORDER_FEEDBACK >> bit & 1)
    rows[:, at.IS_HOST + at.FIRST_HOST : at.IS_HOST + at.FIRST_HOST + at.CHANNELS] = -1
    rows[:, at.IS_DIMENSION : at.IS_DIMENSION + at.DIMENSIONS] = -1
    rows[:, at.IS_DELIVERY + at.DIMENSIONS] = -1
    rows[:, at.IS_FIRST] = -1
    return rows


def input_orders(dimensions: int, inputs: int, width: int) -> np.ndarray:
    """Return the precedence among inputs: int64[cycles, width * width], by cycle + 1 modulo their number.

    From ``code * width`` on there is a vector that is -1 for all inputs that come after the one with this code
    (``topology/hypercube/diagonals.py``).
    """
    size, codes = order_size(inputs), input_codes(dimensions, inputs - dimensions)
    table = np.zeros((2 * size, width, width), dtype=np.int64)
    for step in range(2 * size):
        order = [codes[number] for number in cycle_order(size, step - 1) if number < inputs]
        for position, code in enumerate(order):
            table[step, code, order[position + 1 :]] = -1
    return table.reshape(2 * size, width * width)


def vc_orders(inputs: int, vcs: int) -> np.ndarray:
    """Return the VCs of any input, the first one first: int64[cycles, VCs], by cycle + 1 modulo their number."""
    size = vc_order_size(vcs, order_size(inputs))
    orders = [[vc for vc in cycle_order(size, step - 1) if vc < vcs] for step in range(2 * size)]
    return np.array(orders, dtype=np.int64)
