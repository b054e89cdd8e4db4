"""State of the plane engine: bits of all routers, and the messages of the worms."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sim_model.engines.counts import KINDS
from sim_model.engines.cycle.records import WHOLE, aligned_words
from sim_model.engines.cycle.state import NONE, EngineState
from sim_model.engines.plane.counts import COUNT_BITS
from sim_model.engines.plane.layout import BIT_MASK, WORD_BITS, WORD_SHIFT, PlaneLayout, ports_of_vector
from sim_model.messages.header_lengths import distinct

# Positions in ``counters``.
ALIVE = 0  # messages that are accepted and whose tail has not arrived
CHANGED = 1  # 1 if anything changed in this cycle
PLANE_COUNTERS = 2


class Moves(NamedTuple):
    """Moves of planes over links: the origins of the bits of a word, in parts of all directions.

    The bits of a part from one direction come from one word and are rotated alike.
    """

    begins: np.ndarray  # int64[words + 1], the first part of each word
    word: np.ndarray  # int64[parts], that they come from
    turn: np.ndarray  # int64[parts, ports as in a vector], places they move up, round the end of the word
    mask: np.ndarray  # int64[parts, ports as in a vector], which bits of the word are this part


class PlaneState(NamedTuple):
    """Bits of all routers, and messages."""

    routing_cycles: int
    empty_reuse: bool
    low_injection: bool
    depth: int  # of buffers, in flits
    ahead: Moves  # of what leaves routers in each direction
    back: Moves  # of what they return over channels of each direction
    bit: np.ndarray  # int64[64], a word with one bit each
    rows: np.ndarray  # int64[words, planes], see ``layout.py``
    outputs: np.ndarray  # int64[2, words, planes], on the links, and credits, by cycle modulo 2
    delays: np.ndarray  # int64[words, bits times input VCs], cycles that heads have waited
    unloaded: np.ndarray  # int64[words, bits], flits behind the one in the injector's register
    neighbours: np.ndarray  # int64[directions, switches]
    front_outputs: np.ndarray  # int64[input VCs, switches], output of the head or worm at the front
    worms: np.ndarray  # int32[input VCs and one for deliveries, switches, 2 + places], see ``lines.py``
    awake: np.ndarray  # int64[2, words], 1 for those in which something can happen, by cycle modulo 2
    near: np.ndarray  # int64[words, words near], those that links lead to
    counts: np.ndarray  # int64[words, kinds, output VCs and one for injectors, bits]; no words if nothing is counted
    counters: np.ndarray  # int64[PLANE_COUNTERS]


def make_plane_state(
    state: EngineState,
    at: PlaneLayout,
    neighbours: np.ndarray,
    moves: tuple[Moves, Moves],
    *,
    routing_cycles: int,
    empty_reuse: bool,
    low_injection: bool,
) -> PlaneState:
    """Return the state before cycle 0.

    Parameters:
        state: Hosts and messages.
        neighbours (int64[directions, switches]): The switches that channels lead to; the switch itself where there is
            no channel.
        moves (tuple of Moves): Ahead and back, see ``moves_of``.
        routing_cycles, empty_reuse, low_injection: As for ``make_vc_state``.
    """
    depth, switches = state.buffer_depth_flits, state.switches
    slots, words = at.SLOTS, words_for(switches)
    places = 1 << (depth + 2).bit_length()
    most_flits = int(state.jobs.flits.max(initial=1))
    return PlaneState(
        routing_cycles=routing_cycles,
        empty_reuse=empty_reuse,
        low_injection=low_injection,
        depth=depth,
        ahead=moves[0],
        back=moves[1],
        bit=np.array([1 << bit for bit in range(WORD_BITS)], dtype=np.uint64).view(np.int64),
        rows=_first_rows(at, words, depth),
        outputs=aligned_words(2, words, at.OUT_SIZE),
        delays=aligned_words(words, max(routing_cycles - 2, 0).bit_length() * slots),
        unloaded=np.zeros((words, most_flits.bit_length()), dtype=np.int64),
        neighbours=neighbours,
        front_outputs=np.zeros((slots, switches), dtype=np.int64),
        worms=np.zeros((slots + 1, switches, 2 + places), dtype=WHOLE),
        awake=np.ones((2, words), dtype=np.int64),
        near=_words_near(neighbours, words),
        counts=np.zeros((words if len(state.tallies) else 0, KINDS, slots + 1, COUNT_BITS), dtype=np.int64),
        counters=np.zeros(PLANE_COUNTERS, dtype=np.int64),
    )


def moves_of(neighbours: np.ndarray) -> tuple[Moves, Moves]:
    """Return the moves of planes over channels, and back against them.

    Parameters:
        neighbours (int64[directions, switches]): As for ``make_plane_state``.
    """
    switches = np.arange(neighbours.shape[1])
    back = np.where(neighbours == switches, NONE, neighbours)
    ahead = np.full_like(back, NONE)
    for came_from, leads_to in zip(ahead, back, strict=True):
        linked = leads_to != NONE
        came_from[leads_to[linked]] = switches[linked]
    return _moves(ahead), _moves(back)


def _moves(origins: np.ndarray) -> Moves:
    """Return moves from int64[directions, switches]: the switch that each gets its bit from, or NONE."""
    words, width = words_for(origins.shape[1]), ports_of_vector(len(origins) + 1)
    begins, sources, moves = [0], [], []
    for word in range(words):
        parts: dict[tuple[int, int], np.ndarray] = {}
        for direction, origin in enumerate(origins):
            front_outputs = list(_moves_from(origin[word << WORD_SHIFT : word + 1 << WORD_SHIFT]))
            for position, (source, turn, mask) in enumerate(front_outputs):
                before = sum(other == source for other, _, _ in front_outputs[:position])
                parts.setdefault((source, before), np.zeros((2, width), dtype=np.int64))[:, direction] = turn, mask
        begins.append(begins[-1] + len(parts))
        sources += [source for source, _ in parts]
        moves += parts.values()
    turns, masks = aligned_words(len(moves), width), aligned_words(len(moves), width)
    for part, move in enumerate(moves):
        turns[part], masks[part] = move
    return Moves(np.array(begins), np.array(sources, dtype=np.int64), turns, masks)


def _moves_from(origin: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Yield word, turn and mask of the bits that some switches of a word get in one direction."""
    places = np.flatnonzero(origin != NONE)
    source, turn = origin[places] >> WORD_SHIFT, places - origin[places] & BIT_MASK
    for key in distinct(source << WORD_SHIFT | turn).tolist():
        mask = np.zeros(WORD_BITS, dtype=bool)
        mask[places[source << WORD_SHIFT | turn == key]] = True
        yield key >> WORD_SHIFT, key & BIT_MASK, int(plane_of(mask)[0])


def words_for(switches: int) -> int:
    """Return words that have a bit for each switch."""
    return (switches + BIT_MASK) >> WORD_SHIFT


def plane_of(switches: np.ndarray) -> np.ndarray:
    """Return words with a 1 for some switches, from bool[switches]."""
    bits = np.zeros(words_for(len(switches)) * WORD_BITS, dtype=bool)
    bits[: len(switches)] = switches
    return np.packbits(bits, bitorder="little").view(np.int64)


def _words_near(neighbours: np.ndarray, words: int) -> np.ndarray:
    """Return the words that the channels of each word lead to, int64[words, most], some of them repeated."""
    near: list[set[int]] = [{word} for word in range(words)]
    for route in neighbours:
        for source, sink in enumerate((route >> WORD_SHIFT).tolist()):
            near[source >> WORD_SHIFT].add(sink)
    most = max(map(len, near))
    return np.array([sorted(found) + [word] * (most - len(found)) for word, found in enumerate(near)], dtype=np.int64)


def _first_rows(at: PlaneLayout, words: int, depth: int) -> np.ndarray:
    """Return the first rows: no flits, all credits, all virtual channels free, every turn at the first input."""
    rows = aligned_words(words, at.SIZE)
    width, slots, ports = at.WIDTH, at.SLOTS, at.PORTS
    for offset, count in ((at.FREE, slots), (at.INPUT_TURN, slots), (at.OUTPUT_TURN, ports * width)):
        for first in range(offset, offset + count, width):
            rows[:, first : first + ports] = -1
    for bit in range(at.CREDIT_BITS):
        for vc in range(0, slots, width):
            first = at.CREDITS + bit * slots + vc
            rows[:, first : first + ports] = -(depth >> bit & 1)
    return rows
