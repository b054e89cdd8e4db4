"""Rows of ``observed`` as bits: places every flit and signal of `Expectation`.

The layout gives the places of all fields, `MessageFlits` the content of flits; this file only moves bits, compiled.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.state import NONE
from sim_model.loops.compiled import compiled_loop
from topology.common.flit_signature import SIGNATURE_BITS
from topology.common.observed import UNSIGNED, ObservedLayout


class Places(NamedTuple):
    """Bit positions in a row."""

    moved: int  # of the first channel
    signature: np.ndarray  # int64[hops], of each one's signature; UNSIGNED for none
    ejected: np.ndarray  # int64[hops], of each one's delivered flit; NONE for none
    flit_bits: int  # of a delivered flit
    signals: np.ndarray  # int64[signals], of each signal


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


@compiled_loop
def find_flits(recorded, cycle, hop):
    """Find the rows and hops of all flits of a recording, as ``numpy.nonzero`` gives them; return their number."""
    found = 0
    for row in range(recorded.shape[0]):
        for column in range(recorded.shape[1]):
            if recorded[row, column] != NONE:
                cycle[found], hop[found] = row, column
                found += 1
    return found


@compiled_loop
def write_flits(cycle, hop, signatures, lanes, places, rows):
    """Put flits that move into rows that are all 0."""
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
