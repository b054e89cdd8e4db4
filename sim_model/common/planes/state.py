"""State of the engine that moves planes: bits of all routers, and the messages that the worms belong to."""

import os
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sim_model.common.engine.state import NONE, EngineState
from sim_model.common.planes.layout import BIT_MASK, WORD_BITS, WORD_SHIFT, plane_offsets
from sim_model.common.worms.calendar import Calendar, make_calendar

# Positions in ``counters``.
ALIVE = 0  # messages that are accepted and whose tail has not arrived
DUE = 1  # hosts that do something in this cycle
CHANGED = 2  # 1 if anything changed in this cycle
PLANE_COUNTERS = 3

WIDTH = 4  # words of a group, where several are moved at a time: as many as vector instructions take
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
MOST_CYCLES_WITHOUT_COUNT = 2  # routing cycles for which heads need not count

# Kinds of counts, and their bits; bit k of all routers' numbers is a plane.
FLITS, STALLED_CYCLES, BUBBLES = 0, 1, 2
COUNT_KINDS = 3
COUNT_BITS = 48


class Moves(NamedTuple):
    """How planes move over links: where the bits of a word come from, in parts that are rotated alike."""

    begins: np.ndarray  # int64[directions, words + 1], the first part of each word
    word: np.ndarray  # int64[parts], that they come from
    turn: np.ndarray  # int64[parts], by how many places they move up, round the end of the word
    mask: np.ndarray  # int64[parts], which bits of the word are this part


class PlaneState(NamedTuple):
    """Bits of all routers, and messages."""

    routing_cycles: int
    empty_reuse: bool
    low_injection: bool
    ahead: Moves  # of what leaves routers in each direction
    back: Moves  # of what they return over channels of each direction
    bit: np.ndarray  # int64[64], a word with one bit each
    rows: np.ndarray  # int64[groups, planes, words of a group], see ``layout.py``
    outputs: np.ndarray  # int64[2, groups, planes, words of a group], on the links, and credits, by cycle modulo 2
    delays: np.ndarray  # int64[words, bits, input lanes], cycles that heads have waited
    unloaded: np.ndarray  # int64[groups, bits, words of a group], flits behind the one in the injector's register
    neighbours: np.ndarray  # int64[directions, switches]
    ways: np.ndarray  # int64[input lanes, switches], output of the head or worm at the front
    worms: np.ndarray  # int64[input lanes and one for deliveries, switches, places], messages in line
    first_worm: np.ndarray  # int64[input lanes and one, switches], the first of them, modulo the places
    end_of_worms: np.ndarray  # int64[input lanes and one, switches]
    awake: np.ndarray  # int64[2, groups], 1 for groups in which something can happen, by cycle modulo 2
    near: np.ndarray  # int64[groups, groups near], those that links lead to
    counts: np.ndarray  # int64[words, kinds, output lanes and one for injectors, bits]; no words if nothing is counted
    calendar: Calendar  # of hosts
    due: np.ndarray  # int64[injectors], hosts that do something in this cycle
    due_cycle: np.ndarray  # int64[injectors], when they last did
    counters: np.ndarray  # int64[PLANE_COUNTERS]


def make_plane_state(
    state: EngineState,
    neighbours: np.ndarray,
    moves: tuple[Moves, Moves],
    *,
    width: int,
    lanes: int,
    routing_cycles: int,
    empty_reuse: bool,
    low_injection: bool,
) -> PlaneState:
    """Everything as it is before cycle 0.

    Parameters
    ----------
    state : EngineState
        Hosts and messages.
    neighbours : int64[directions, switches]
        The switches that channels lead to; the switch itself where there is no channel.
    moves : tuple of Moves
        Ahead and back, see ``moves_of``.
    width : int
        Words of a group, see ``width_for``.
    lanes : int
        Of a channel between switches.
    routing_cycles, empty_reuse, low_injection
        As for ``make_lane_state``.
    """
    depth, switches = state.buffer_depth_flits, state.switches
    at = plane_offsets(len(neighbours) + 1, lanes, depth)
    slots, words = at["SLOTS"], words_for(switches)
    groups = words // width
    places = 1 << (depth + 2).bit_length()
    most_flits = int(state.jobs.flits.max(initial=1))
    return PlaneState(
        routing_cycles=routing_cycles,
        empty_reuse=empty_reuse,
        low_injection=low_injection,
        ahead=moves[0],
        back=moves[1],
        bit=np.array([1 << bit for bit in range(WORD_BITS)], dtype=np.uint64).view(np.int64),
        rows=np.repeat(_first_rows(at, groups)[:, :, np.newaxis], width, axis=2),
        outputs=np.zeros((2, groups, at["OUT_SIZE"], width), dtype=np.int64),
        delays=np.zeros((words, max(routing_cycles - 2, 0).bit_length(), slots), dtype=np.int64),
        unloaded=np.zeros((groups, most_flits.bit_length(), width), dtype=np.int64),
        neighbours=neighbours,
        ways=np.zeros((slots, switches), dtype=np.int64),
        worms=np.full((slots + 1, switches, places), NONE, dtype=np.int64),
        first_worm=np.zeros((slots + 1, switches), dtype=np.int64),
        end_of_worms=np.zeros((slots + 1, switches), dtype=np.int64),
        awake=np.ones((2, groups), dtype=np.int64),
        near=_groups_near(neighbours, groups, WORD_SHIFT + width.bit_length() - 1),
        counts=np.zeros((words if len(state.tallies) else 0, COUNT_KINDS, slots + 1, COUNT_BITS), dtype=np.int64),
        calendar=make_calendar(len(state.hosts)),
        due=np.zeros(len(state.hosts), dtype=np.int64),
        due_cycle=np.full(len(state.hosts), NONE),
        counters=np.zeros(PLANE_COUNTERS, dtype=np.int64),
    )


def moves_of(neighbours: np.ndarray) -> tuple[Moves, Moves]:
    """How planes move over channels, and back against them.

    Parameters
    ----------
    neighbours : int64[directions, switches]
        As for ``make_plane_state``.
    """
    switches = np.arange(neighbours.shape[1])
    back = np.where(neighbours == switches, NONE, neighbours)
    ahead = np.full_like(back, NONE)
    for came_from, leads_to in zip(ahead, back, strict=True):
        linked = leads_to != NONE
        came_from[leads_to[linked]] = switches[linked]
    return _moves(ahead), _moves(back)


def _moves(origins: np.ndarray) -> Moves:
    """Moves from int64[directions, switches]: the switch that each gets its bit from, or NONE."""
    words = words_for(origins.shape[1])
    begins, parts = np.zeros((len(origins), words + 1), dtype=np.int64), []
    for direction, origin in enumerate(origins):
        for word in range(words):
            begins[direction, word] = len(parts)
            own = origin[word << WORD_SHIFT : word + 1 << WORD_SHIFT]
            places = np.flatnonzero(own != NONE)
            source, turn = own[places] >> WORD_SHIFT, places - own[places] & BIT_MASK
            for key in np.unique(source << WORD_SHIFT | turn).tolist():
                mask = np.zeros(WORD_BITS, dtype=bool)
                mask[places[source << WORD_SHIFT | turn == key]] = True
                parts.append((key >> WORD_SHIFT, key & BIT_MASK, int(plane_of(mask)[0])))
        begins[direction, words] = len(parts)
    return Moves(begins, *np.array(parts, dtype=np.int64).reshape(-1, 3).T.copy())


def words_for(switches: int) -> int:
    """Words that have a bit for each switch."""
    return (switches + BIT_MASK) >> WORD_SHIFT


def plane_of(switches: np.ndarray) -> np.ndarray:
    """Words in which the bits of some switches are 1, from bool[switches]."""
    bits = np.zeros(words_for(len(switches)) * WORD_BITS, dtype=bool)
    bits[: len(switches)] = switches
    return np.packbits(bits, bitorder="little").view(np.int64)


def width_for(state: EngineState, switches: int, routing_cycles: int) -> int:
    """How many words are moved at a time: several if they make whole groups, and nothing is to be counted for each.

    Parameters
    ----------
    state : EngineState
    switches, routing_cycles : int
    """
    counts = len(state.tallies) > 0 or routing_cycles > MOST_CYCLES_WITHOUT_COUNT
    return WIDTH if COMPILED and not counts and words_for(switches) % WIDTH == 0 else 1


def _groups_near(neighbours: np.ndarray, groups: int, shift: int) -> np.ndarray:
    """int64[groups, most]: those with switches that channels of a group's switches lead to, some of them repeated."""
    near: list[set[int]] = [{group} for group in range(groups)]
    for way in neighbours:
        for source, sink in enumerate((way >> shift).tolist()):
            near[source >> shift].add(sink)
    most = max(map(len, near))
    return np.array([sorted(found) + [group] * (most - len(found)) for group, found in enumerate(near)], dtype=np.int64)


def _first_rows(at: Mapping[str, int], words: int) -> np.ndarray:
    """No flits, all credits, all lanes free, and everybody's turn is the first one's."""
    rows = np.zeros((words, at["SIZE"]), dtype=np.int64)
    slots, ports = at["SLOTS"], at["PORTS"]
    for name, count in (("FREE", slots), ("INPUT_TURN", slots), ("OUTPUT_TURN", ports * ports)):
        rows[:, at[name] : at[name] + count] = -1
    for bit in range(at["CREDIT_BITS"]):
        first = at["CREDITS"] + bit * slots
        rows[:, first : first + slots] = -(at["DEPTH"] >> bit & 1)
    return rows
