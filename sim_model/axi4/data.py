"""Data of transactions: beats of writes, and the words of memories that they change."""

from typing import NamedTuple

import numpy as np

from sim_model.axi4.messages import Axi4Messages
from sim_model.axi4.system import Axi4System
from sim_model.axi4.transactions import Transactions

LANE_BYTES = 8
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Return pseudo-random words, a function of each number (splitmix64). uint64 of the same shape."""
    words = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_STEP)
    words = (words ^ words >> np.uint64(30)) * np.uint64(_FIRST)
    words = (words ^ words >> np.uint64(27)) * np.uint64(_SECOND)
    return words ^ words >> np.uint64(31)


class Axi4Data(NamedTuple):
    """Words of L lanes of 64 bits; the last lane may be partly used.

    Members:
        first_beat (int64[transactions]): Among the beats of all writes.
        written (int64[beats, L])
        strobes (uint64[beats]): Bit i: byte i of the beat is written.
        masks (int64[beats, L]): Bits that are written.
        first_place (int64[responses])
        places (int64): Word of the memory of each beat of each response.
        memory (int64[words, L]): First content.
        address (uint64[responses]): First address at the subordinate.
    """

    first_beat: np.ndarray
    written: np.ndarray
    strobes: np.ndarray
    masks: np.ndarray
    first_place: np.ndarray
    places: np.ndarray
    memory: np.ndarray
    address: np.ndarray


def axi4_data(system: Axi4System, given: Transactions, messages: Axi4Messages) -> Axi4Data:
    """Return the data of transactions, which depend on their numbers alone.

    A quarter of the beats has strobes at random, the others have all.
    """
    strobe_bytes = system.format.strobe_bits
    lanes = -(-strobe_bytes // LANE_BYTES)
    used = np.uint64((1 << 8 * min(strobe_bytes, LANE_BYTES)) - 1)
    beats = np.where(given.is_write, given.beats, 0)
    first_beat = np.cumsum(beats) - beats
    numbers = np.arange(int(beats.sum()))
    written = mixed(numbers[:, None] * lanes + np.arange(lanes)) & used
    drawn = mixed(numbers + (1 << 40))
    every = np.uint64((1 << strobe_bytes) - 1)
    strobes = np.where(mixed(numbers + (1 << 41)) % np.uint64(4) == 0, drawn & every, every)
    address = _addresses(system, given, messages)
    response_beats = messages.own.beats[messages.request]
    places, words = _places(address, response_beats, strobe_bytes)
    return Axi4Data(
        first_beat=first_beat,
        written=written.view(np.int64),
        strobes=strobes,
        masks=_bits_of(strobes, lanes).view(np.int64),
        first_place=np.cumsum(response_beats) - response_beats,
        places=places,
        memory=(mixed(np.arange(words)[:, None] * lanes + np.arange(lanes) + (1 << 42)) & used).view(np.int64),
        address=address,
    )


def _bits_of(strobes: np.ndarray, lanes: int) -> np.ndarray:
    """Return strobes as masks of bits, by lane."""
    found = np.zeros((len(strobes), lanes), dtype=np.uint64)
    for byte in range(LANE_BYTES * lanes):
        lane, position = divmod(byte, LANE_BYTES)
        bit = strobes >> np.uint64(byte) & np.uint64(1)
        found[:, lane] |= bit * np.uint64(0xFF) << np.uint64(8 * position)
    return found


def _addresses(system: Axi4System, given: Transactions, messages: Axi4Messages) -> np.ndarray:
    """Return the first address of each response at its subordinate; a window has the offset in the first region."""
    areas = system.areas
    owner = messages.own.transaction[messages.request]
    address, windows = given.address[owner], messages.target[owner] - len(areas.regions)
    for number, window in enumerate(areas.windows):
        own = np.flatnonzero(windows == number)
        bases = {processor: areas.first_base(processor) for processor in window.processors}
        base = np.array([bases[processor] for processor in messages.receiver[own].tolist()], dtype=np.uint64)
        address[own] = address[own] & np.uint64(window.size - 1) | base
    return address + messages.own.first_beat[messages.request].astype(np.uint64) * np.uint64(system.format.strobe_bits)


def _places(address: np.ndarray, beats: np.ndarray, strobe_bytes: int) -> tuple[np.ndarray, int]:
    """Return the word of each beat of each response, and the number of words: those that any beat has."""
    first = np.cumsum(beats) - beats
    beat = np.arange(int(beats.sum())) - np.repeat(first, beats)
    words = np.repeat(address // np.uint64(strobe_bytes), beats) + beat.astype(np.uint64)
    keys, places = np.unique(words, return_inverse=True)  # regions do not overlap, so neither do their words
    return places.astype(np.int64), len(keys)
