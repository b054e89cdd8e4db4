"""Rows of ``observed`` as bits, compiled: places every flit and signal of `Expectation`.

The layout gives the places of all fields, `MessageFlits` the contents of flits.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.state import NONE
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, MESSAGE_SHIFT, TAIL
from sim_model.loops.compiled import compiled, compiled_loop
from topology.common.flit_signature import LANE_BITS, LANE_MASK, MULTIPLIER, SIGNATURE_BITS, SIGNATURE_SHIFT
from topology.common.observed import UNSIGNED, ObservedLayout
from topology.common.pattern import SEED_STEP, STEP

HALF_STATE_BITS = 16
"""Bits by which a payload's state is folded (``topology.common.pattern``)."""


class Places(NamedTuple):
    """Bit positions in a row."""

    moved: int  # of the first channel
    signature: np.ndarray  # int64[hops], of each one's signature; UNSIGNED for none
    ejected: np.ndarray  # int64[hops], of each one's delivered flit; NONE for none
    flit_bits: int  # of a delivered flit
    signals: np.ndarray  # int64[signals], of each signal


class FlitContents(NamedTuple):
    """Contents of the flits of a message set, in lanes of 32 bits."""

    header_flits: np.ndarray  # int64[messages]
    first_header: np.ndarray  # int64[messages + 1], row of each message's first flit in ``headers``
    headers: np.ndarray  # uint32[header flits, lanes of data]
    constants: np.ndarray  # int64[lanes of data], of payloads
    masks: np.ndarray  # int64[lanes of data], bits of data
    rotations: np.ndarray  # int64[lanes], of signatures
    flit_bits: int  # of data


def places_of(layout: ObservedLayout, delivery: np.ndarray, known_status: np.ndarray) -> Places:
    """Return the places of a layout.

    Parameters:
        delivery (int array, shape (hops,)): Number of each hop's delivery channel, or NONE.
        known_status (int array): Bits of the part ``status`` for the model's last signals.
    """
    parts, signature = layout.parts, np.array(layout.signature_of)
    low = parts["signatures"].low + SIGNATURE_BITS * signature
    ejected = parts["ejected"].low + parts["ejected"].stride * delivery + 1
    side_wires = np.arange(parts["side_wires"].bits) + parts["side_wires"].low
    return Places(
        parts["moved"].low,
        np.where(signature == UNSIGNED, UNSIGNED, low).astype(np.int64),
        np.where(delivery == NONE, NONE, ejected).astype(np.int64),
        parts["ejected"].stride - 1,
        np.concatenate((side_wires, parts["status"].low + known_status)).astype(np.int64),
    )


@compiled
def _lane(contents, flit, lane):
    """Return a lane of a packed flit that is as its source sent it."""
    message, index, value = flit >> MESSAGE_SHIFT, flit >> INDEX_SHIFT & INDEX_MASK, 0
    position = index - int(contents.header_flits[message])
    if lane < len(contents.masks):
        if position < 0:
            value = int(contents.headers[int(contents.first_header[message]) + index, lane])
        else:
            state = message * SEED_STEP + (position + 1) * STEP & LANE_MASK
            value = (state ^ state >> HALF_STATE_BITS ^ int(contents.constants[lane])) & int(contents.masks[lane])
    head, tail = contents.flit_bits - lane * LANE_BITS, contents.flit_bits + 1 - lane * LANE_BITS
    if index == 0 and 0 <= head < LANE_BITS:
        value |= 1 << head
    if flit & TAIL and 0 <= tail < LANE_BITS:
        value |= 1 << tail
    return value


@compiled
def _put(rows, row, position, value):
    """Put a value into bits of a row that are 0."""
    byte, rest = position >> 3, value << (position & 7)
    while rest:
        rows[row, byte] |= rest & 0xFF
        byte, rest = byte + 1, rest >> 8


@compiled_loop
def write_sent_flits(recorded, variants, contents, places, rows, cycle, hop):
    """Put the flits that are as their sources sent them into rows that are all 0.

    Returns:
        Number of all other flits, whose rows and hops are in ``cycle`` and ``hop``.
    """
    others = 0
    for row in range(recorded.shape[0]):
        for channel in range(recorded.shape[1]):
            flit = int(recorded[row, channel])
            if flit == NONE:
                continue
            if variants[row, channel] != 0:
                cycle[others], hop[others] = row, channel
                others += 1
                continue
            _put(rows, row, places.moved + channel, 1)
            signature, ejected, word = int(places.signature[channel]), int(places.ejected[channel]), 0
            for lane in range(len(contents.rotations)):
                value, turn = _lane(contents, flit, lane), int(contents.rotations[lane])
                word ^= (value << turn | value >> (LANE_BITS - turn)) & LANE_MASK
                if ejected != NONE:
                    _put(rows, row, ejected + lane * LANE_BITS, value)
            if signature != UNSIGNED:
                _put(rows, row, signature, (word * MULTIPLIER & LANE_MASK) >> SIGNATURE_SHIFT)
            if ejected != NONE:
                _put(rows, row, ejected - 1, 1)
    return others


@compiled_loop
def write_flits(cycle, hop, signatures, lanes, places, rows):
    """Put flits of given contents into rows without them."""
    for flit in range(len(cycle)):
        row, channel = cycle[flit], hop[flit]
        position = places.moved + channel
        rows[row, position >> 3] |= 1 << (position & 7)
        low = places.signature[channel]
        if low >= 0:
            value = np.uint32(signatures[flit]) << (low & 7)
            rows[row, low >> 3] |= value & 0xFF
            if low & 7:
                rows[row, (low >> 3) + 1] |= value >> 8
        low = places.ejected[channel]
        if low >= 0:
            rows[row, low - 1 >> 3] |= 1 << (low - 1 & 7)
            for bit in range(places.flit_bits):
                if lanes[flit, bit >> 5] >> np.uint32(bit & 31) & 1:
                    rows[row, low + bit >> 3] |= 1 << (low + bit & 7)


@compiled_loop
def write_signals(signals, places, rows):
    """Put side wires and status outputs into rows."""
    for row in range(signals.shape[0]):
        for number in range(signals.shape[1]):
            if signals[row, number]:
                position = places.signals[number]
                rows[row, position >> 3] |= 1 << (position & 7)
