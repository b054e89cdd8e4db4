"""Data of transactions: beats of writes, and the words of memories that they change."""

from typing import NamedTuple

import numpy as np

from sim_model.axi4.messages import Axi4Messages
from sim_model.axi4.system import Axi4System
from sim_model.axi4.transactions import Transactions
from topology.axi4.bursts import Bursts, lanes_of_beats

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

    A quarter of the beats has strobes at random, the others have all of their byte lanes.
    """
    strobe_bytes = system.format.strobe_bits
    lanes = -(-strobe_bytes // LANE_BYTES)
    used = np.uint64((1 << 8 * min(strobe_bytes, LANE_BYTES)) - 1)
    beats = np.where(given.is_write, given.beats, 0)
    first_beat = np.cumsum(beats) - beats
    numbers = np.arange(int(beats.sum()))
    written = mixed(numbers[:, None] * lanes + np.arange(lanes)) & used
    owner = np.repeat(np.arange(len(given)), beats)
    bursts = Bursts(given.address, given.burst, given.size, given.beats)
    at = bursts.beat_addresses(owner, numbers - first_beat[owner])
    every = lanes_of_beats(at, given.size[owner], strobe_bytes)
    is_partial = mixed(numbers + (1 << 41)) & np.uint64(3) == 0
    strobes = np.where(is_partial, mixed(numbers + (1 << 40)) & every, every)
    arriving = _at_subordinates(system, given, messages)
    response_beats = messages.own.beats[messages.request]
    places, words = _places(arriving, messages, strobe_bytes)
    return Axi4Data(
        first_beat=first_beat,
        written=written.view(np.int64),
        strobes=strobes,
        masks=_bits_of(strobes, lanes).view(np.int64),
        first_place=np.cumsum(response_beats) - response_beats,
        places=places,
        memory=(mixed(np.arange(words)[:, None] * lanes + np.arange(lanes) + (1 << 42)) & used).view(np.int64),
        address=arriving.beat_addresses(np.arange(len(response_beats)), messages.own.first_beat[messages.request]),
    )


def _bits_of(strobes: np.ndarray, lanes: int) -> np.ndarray:
    """Return strobes as masks of bits, by lane."""
    found = np.zeros((len(strobes), lanes), dtype=np.uint64)
    for byte in range(LANE_BYTES * lanes):
        lane, position = divmod(byte, LANE_BYTES)
        bit = strobes >> np.uint64(byte) & np.uint64(1)
        found[:, lane] |= bit * np.uint64(0xFF) << np.uint64(8 * position)
    return found


def _at_subordinates(system: Axi4System, given: Transactions, messages: Axi4Messages) -> Bursts:
    """Return the whole burst of each response at its subordinate; a multicast has its offset there."""
    owner = messages.own.transaction[messages.request]
    bases = {processor: system.areas.first_base(processor) for processor in system.areas.subordinates}
    base = np.array([bases[processor] for processor in messages.receiver.tolist()], dtype=np.uint64)
    address = np.where(
        messages.is_multicast[owner], given.address[owner] & messages.kept[owner] | base, given.address[owner]
    )
    return Bursts(address, given.burst[owner], given.size[owner], given.beats[owner])


def _places(arriving: Bursts, messages: Axi4Messages, word_bytes: int) -> tuple[np.ndarray, int]:
    """Return the word of each beat of each response, and the number of words: those that any beat has."""
    beats = messages.own.beats[messages.request]
    first = messages.own.first_beat[messages.request] - (np.cumsum(beats) - beats)
    response = np.repeat(np.arange(len(beats)), beats)
    at = arriving.beat_addresses(response, np.arange(len(response)) + first[response])
    # regions do not overlap, so neither do their words
    keys, places = np.unique(at >> np.uint64(word_bytes.bit_length() - 1), return_inverse=True)
    return places.astype(np.int64), len(keys)
