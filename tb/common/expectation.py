"""Rows of the harness's ``observed`` vector as the golden model expects them, for many cycles at once.

The layout is defined in ``topology.common.observed``. The bench samples before it changes the offers, so it reads those
of the cycle before, all of which must have been taken: ``accepted`` is expected to be zero, and a descriptor that was
not taken appears as one.
"""

import numpy as np

from sim_model.engines.cycle.state import NONE, Trace
from sim_model.engines.model import Model
from tb.common.message_flits import MessageFlits
from tb.common.packed_rows import places_of, write_flits, write_sent_flits, write_signals
from topology.common.flit_signature import SIGNATURE_BITS, flit_signatures
from topology.common.observed import UNSIGNED, ObservedLayout

ZERO, ONE = ord("0"), ord("1")
_SIGNATURE_TEXT = np.unpackbits(np.arange(1 << SIGNATURE_BITS, dtype=np.uint8)[:, np.newaxis], axis=1) + np.uint8(ZERO)


class Expectation:
    """The model's recording in the format of the hardware.

    Parameters:
        layout: Of the harness.

    Raises:
        ValueError: If hardware and model do not have the same side wires or status outputs. Signals absent in the model
            are expected to be 0.
    """

    def __init__(self, flits: MessageFlits, layout: ObservedLayout):
        model = flits.model
        if tuple(model.side_wires) != layout.side_wires:
            raise ValueError("Hardware and golden model must have the same side wires")
        self.layout = layout
        self._flits = flits
        self._text = np.empty((0, layout.bits), dtype=np.uint8)  # reused: allocation would cost more
        self._signature_of = np.array(layout.signature_of)
        self._delivery = np.full(layout.hops, NONE)
        self._delivery[list(model.network.delivery_channels)] = range(layout.deliveries)
        self._known_status, self._status_signals = _status_positions(model, layout)
        self._places = places_of(layout, self._delivery, self._known_status)
        self._found = np.empty((2, 0), dtype=np.int64)  # reused as well

    def rows(self, recording: Trace) -> list[str]:
        """Return one string of '0' and '1' per cycle, highest bit first, as a simulator prints ``observed``."""
        return [str(row.data, "ascii") for row in self._characters(recording)]

    def packed_rows(self, recording: Trace, row_bytes: int) -> np.ndarray:
        """Return the rows as bytes, the lowest bit first, padded with zeros; uint8[cycles, row_bytes]."""
        rows = np.zeros((len(recording.flits), row_bytes), dtype=np.uint8)
        if len(self._found[0]) < recording.flits.size:
            self._found = np.empty((2, recording.flits.size), dtype=np.int64)
        sent = (recording.flits, recording.variants, self._flits.contents, self._places, rows)
        cycle, hop = self._found[:, : write_sent_flits(*sent, *self._found)]
        lanes = self._flits.lanes(recording.flits[cycle, hop], recording.variants[cycle, hop])
        write_flits(cycle, hop, flit_signatures(lanes), lanes, self._places, rows)
        write_signals(recording.signals, self._places, rows)
        return rows

    def _characters(self, recording: Trace) -> np.ndarray:
        cycles = len(recording.flits)
        if len(self._text) < cycles:
            self._text = np.empty((cycles, self.layout.bits), dtype=np.uint8)
        text = self._text[:cycles]
        text.fill(ZERO)
        self._write_flits(recording, text)
        self._write_signals(recording.signals, text)
        return text

    def _part(self, text: np.ndarray, name: str) -> np.ndarray:
        """Return the characters of a part, by cycle and hop, highest bit first; a view."""
        part, length = self.layout.parts[name], text.shape[1]
        columns = text[:, length - part.low - part.bits : length - part.low]
        return columns.reshape(len(text), -1, part.stride)[:, ::-1]

    def _write_flits(self, recording: Trace, text: np.ndarray) -> None:
        cycle, hop = np.nonzero(recording.flits != NONE)
        lanes = self._flits.lanes(recording.flits[cycle, hop], recording.variants[cycle, hop])
        self._part(text, "moved")[cycle, hop] = ONE
        signature = self._signature_of[hop]
        signed = np.flatnonzero(signature != UNSIGNED)
        signatures = _SIGNATURE_TEXT[flit_signatures(lanes[signed])]
        self._part(text, "signatures")[cycle[signed], signature[signed]] = signatures
        delivery = self._delivery[hop]
        ejected = np.flatnonzero(delivery != NONE)
        bits = self._flits.bits(lanes[ejected])
        delivered = self._part(text, "ejected")
        delivered[cycle[ejected], delivery[ejected], :-1] = bits[:, ::-1] + np.uint8(ZERO)
        delivered[cycle[ejected], delivery[ejected], -1] = ONE

    def _write_signals(self, signals: np.ndarray, text: np.ndarray) -> None:
        side_wires = self._part(text, "side_wires")[:, :, 0]
        side_wires += signals[:, : side_wires.shape[1]]
        if len(self._known_status):
            self._part(text, "status")[:, self._known_status, 0] += signals[:, self._status_signals]


def _status_positions(model: Model, layout: ObservedLayout) -> tuple[np.ndarray, np.ndarray]:
    """Return the bits of the part ``status`` that the model computes, and their places in its recorded signals.

    Raises:
        ValueError: If the hardware lacks an output of the model, or the widths differ.
    """
    hardware, low = {}, 0
    for output in layout.status:
        hardware[output.name] = range(low, low + output.bits)
        low += output.bits
    known = []
    for output in model.status_outputs:
        positions = hardware.get(output.name, range(0))
        if len(positions) != output.bits:
            raise ValueError(f"Status output {output.name} must have {output.bits} bits, not {len(positions)}")
        known += positions
    first = sum(wire.bits for wire in model.side_wires)
    return np.array(known, dtype=np.int64), np.arange(first, first + len(known))
