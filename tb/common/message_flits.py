"""Every flit of a message set on every channel, as lanes of 32 bits, for many flits at once."""

import numpy as np

from sim_model.engines.model import Model
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, MESSAGE_SHIFT, TAIL
from sim_model.messages.header_lengths import header_lengths
from sim_model.messages.messages import Messages
from tb.common.packed_rows import FlitContents
from topology.common.flit_signature import LANE_BITS, LANE_MASK, lanes_of, rotation
from topology.common.flits import FlitFormat
from topology.common.pattern import SEED_STEP, STEP, lane_constant

HEADERS_AT_A_TIME = 4096
"""Headers that are packed together: as bits they take eight times their space."""


class MessageFlits:
    """Data, head and tail of any flit of a message set.

    Parameters:
        model: The golden model, which defines the headers.

    Members:
        headers (tuple of int): Header of each message as it is sent, as an integer.
        header_flits (int array, shape (messages,))
        contents (FlitContents): The same flits for compiled loops.
    """

    def __init__(self, model: Model, messages: Messages):
        numbers = range(len(messages))
        self.model, self.messages = model, messages
        self.format = FlitFormat(model.flit_bits)
        self.headers = tuple(model.sent_header(messages, message) for message in numbers)
        self.header_flits = header_lengths(messages.offsets, messages.destinations, model.header_flits)
        self._data_lanes = lanes_of(model.flit_bits)
        self._constants = np.array([lane_constant(lane) for lane in range(self._data_lanes)], dtype=np.uint32)
        self._first_header = np.concatenate(([0], np.cumsum(self.header_flits)))
        self._header_lanes = self._sent_headers()
        self.contents = self._contents()

    def lanes(self, flits: np.ndarray, variants: np.ndarray) -> np.ndarray:
        """Return the packed flits that a recording names.

        Parameters:
            flits, variants (int64 array, shape (n,)): As in `Trace`.

        Returns:
            uint32 array, shape (n, lanes): Bits behind a flit's last one are 0.
        """
        message, index = flits >> MESSAGE_SHIFT, flits >> INDEX_SHIFT & INDEX_MASK
        position = index - self.header_flits[message]
        lanes = np.zeros((len(flits), lanes_of(self.format.width)), dtype=np.uint32)
        data = lanes[:, : self._data_lanes]
        data[:] = self._payload(message, position)
        changed = np.flatnonzero(variants)
        if len(changed):
            data[changed[self.model.is_spoilt(variants[changed])]] = LANE_MASK
        if self.format.flit_bits % LANE_BITS:
            data[:, -1] &= np.uint32((1 << self.format.flit_bits % LANE_BITS) - 1)
        in_header = np.flatnonzero(position < 0)
        data[in_header] = self._header_lanes[self._first_header[message[in_header]] + index[in_header]]
        changed = in_header[variants[in_header] != 0]
        if len(changed):
            for low, bits, values in self.model.header_changes(variants[changed]):
                _put(data, changed, low, bits, values)
        for bit, value in enumerate((index == 0, flits & TAIL), start=self.format.flit_bits):
            lanes[:, bit // LANE_BITS] |= value.astype(np.uint32) << np.uint32(bit % LANE_BITS)
        return lanes

    def bits(self, lanes: np.ndarray) -> np.ndarray:
        """Return flits as bits, uint8[flits, flit width], the lowest first."""
        raw = np.ascontiguousarray(lanes.astype("<u4")).view(np.uint8)
        return np.unpackbits(raw, axis=1, bitorder="little")[:, : self.format.width]

    def packed(self, flit: int, variant: int) -> int:
        """Return one flit as an integer."""
        lanes = self.lanes(np.array([flit]), np.array([variant]))[0].tolist()
        return sum(bits << number * LANE_BITS for number, bits in enumerate(lanes))

    def _contents(self) -> FlitContents:
        masks = np.full(self._data_lanes, LANE_MASK)
        masks[-1] >>= -self.format.flit_bits % LANE_BITS
        return FlitContents(
            self.header_flits.astype(np.int64),
            self._first_header.astype(np.int64),
            self._header_lanes,
            self._constants.astype(np.int64),
            masks,
            np.array([rotation(lane) for lane in range(lanes_of(self.format.width))]),
            self.format.flit_bits,
        )

    def _payload(self, message: np.ndarray, position: np.ndarray) -> np.ndarray:
        """Return `topology.common.pattern.payload_word` for many flits at once."""
        state = message.astype(np.uint32) * np.uint32(SEED_STEP) + np.uint32(STEP)
        state += position.astype(np.uint32) * np.uint32(STEP)
        return (state ^ state >> np.uint32(16))[:, np.newaxis] ^ self._constants

    def _sent_headers(self) -> np.ndarray:
        """Return the lanes of all header flits, message by message; each header is packed as a whole."""
        lanes = np.zeros((int(self._first_header[-1]), self._data_lanes), dtype=np.uint32)
        for flits in np.unique(self.header_flits).tolist():
            members = np.flatnonzero(self.header_flits == flits)
            for first in range(0, len(members), HEADERS_AT_A_TIME):
                some = members[first : first + HEADERS_AT_A_TIME]
                rows = self._first_header[some][:, np.newaxis] + np.arange(flits)
                lanes[rows] = self._header_lanes_of(some.tolist(), flits)
        return lanes

    def _header_lanes_of(self, messages: list[int], flits: int) -> np.ndarray:
        """Return the headers of some messages, of equal length; uint32[messages, flits, lanes]."""
        width, size = self.format.flit_bits, -(-flits * self.format.flit_bits // 8)
        raw = b"".join(self.headers[message].to_bytes(size, "little") for message in messages)
        bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8).reshape(-1, size), axis=1, bitorder="little")
        padded = np.zeros((len(messages), flits, LANE_BITS * self._data_lanes), dtype=np.uint8)
        padded[:, :, :width] = bits[:, : flits * width].reshape(len(messages), flits, width)
        return np.packbits(padded, axis=2, bitorder="little").view("<u4")


def _put(lanes: np.ndarray, rows: np.ndarray, low: int, bits: int, values: np.ndarray) -> None:
    """Write a field, which has at most 32 bits, into some rows of lanes."""
    lane, shift = divmod(low, LANE_BITS)
    field, moved = ((1 << bits) - 1) << shift, values.astype(np.uint64) << np.uint64(shift)
    for number in range(lane, lane + lanes_of(shift + bits)):
        kept = lanes[rows, number] & np.uint32(~field & LANE_MASK)
        lanes[rows, number] = kept | (moved & np.uint64(LANE_MASK)).astype(np.uint32)
        field, moved = field >> LANE_BITS, moved >> np.uint64(LANE_BITS)
