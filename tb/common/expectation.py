"""What the golden model expects to see on the harness's ``observed`` vector, for many cycles at once.

``observed`` is, from its lowest bit: ``moved`` (one bit per channel and per stage of a link); ``accepted`` (one bit per
processor: a descriptor on offer is taken); then per channel into a processor one bit that says whether a flit moved on
it and that flit (data, head, tail), zero when none moved. The bench samples before it changes the offers, so it still
sees those of the cycle before, and every one of them must have been taken: ``accepted`` is expected to be zero, and a
descriptor that was not taken shows as one.
"""

import functools

import numpy as np

from sim_model.common.engine.state import Trace
from sim_model.common.messages import Messages
from sim_model.common.model import Model
from topology.common.flits import FlitFormat
from topology.common.pattern import LANE_STEP, MASK, SEED_STEP, STEP

LANE_BITS = 32


class MessageBits:
    """Data, head and tail of any flit of a message set, as bits.

    Parameters
    ----------
    model : Model
        The golden model, which says what headers look like.
    messages : Messages

    Members
    -------
    headers : tuple of int
        Header of each message as it is sent, as an integer.
    header_flits : int array, shape (messages,)
    """

    def __init__(self, model: Model, messages: Messages):
        numbers = range(len(messages))
        self.network, self.flit_bits = model.network, model.flit_bits
        self.messages = messages
        self.headers = tuple(model.sent_header(messages, message) for message in numbers)
        self.header_flits = np.array([model.header_flits(messages.destinations_of(m).tolist()) for m in numbers])
        self._is_spoilt = np.vectorize(model.is_spoilt, otypes=[bool])
        self._header = functools.cache(
            lambda message, destination, variant: model.delivered_header(messages, message, destination, variant)
        )

    def of(self, message: np.ndarray, index: np.ndarray, processor: np.ndarray, variant: np.ndarray) -> np.ndarray:
        """Bits of the flits ``index`` of ``message`` as ``processor`` gets them.

        Returns
        -------
        uint8 array, shape (len(message), flit width)
            Lowest bit first.
        """
        bits = np.zeros((len(message), FlitFormat(self.flit_bits).width), dtype=np.uint8)
        in_header = index < self.header_flits[message]
        bits[:, : self.flit_bits] = self._payload_bits(message, index - self.header_flits[message])
        bits[self._is_spoilt(variant), : self.flit_bits] = 1
        for row in np.flatnonzero(in_header):
            header = self._header(int(message[row]), int(processor[row]), int(variant[row]))
            bits[row, : self.flit_bits] = self._header_bits(header, int(index[row]))
        bits[:, self.flit_bits] = index == 0
        bits[:, self.flit_bits + 1] = index == self.messages.flits[message] - 1
        return bits

    def _payload_bits(self, message: np.ndarray, index: np.ndarray) -> np.ndarray:
        """`topology.common.pattern.payload_word` for many flits at once."""
        seed = message.astype(np.uint64) * SEED_STEP + STEP
        state = (seed + index.astype(np.uint64) * STEP) & MASK
        folded = state ^ state >> np.uint64(16)
        lanes = -(-self.flit_bits // LANE_BITS)
        constants = np.array([lane * LANE_STEP & MASK for lane in range(lanes)], dtype=np.uint64)
        words = (folded[:, np.newaxis] ^ constants).astype("<u4")
        return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, : self.flit_bits]

    def _header_bits(self, header: int, index: int) -> np.ndarray:
        data = header >> self.flit_bits * index & (1 << self.flit_bits) - 1
        raw = np.frombuffer(data.to_bytes(-(-self.flit_bits // 8), "little"), dtype=np.uint8)
        return np.unpackbits(raw, bitorder="little")[: self.flit_bits]


def expected_rows(recording: Trace, bits: MessageBits) -> list[str]:
    """One string of '0' and '1' per cycle, highest bit first, as a simulator prints ``observed``."""
    cycles, moved_bits = recording.moved.shape
    processors, deliveries = recording.accepted_message.shape[1], recording.ejected_message.shape[1]
    width = FlitFormat(bits.flit_bits).width
    delivered = np.zeros((cycles, deliveries, 1 + width), dtype=np.uint8)
    cycle, channel = np.nonzero(recording.ejected_message >= 0)
    delivered[cycle, channel, 0] = 1
    delivered[cycle, channel, 1:] = bits.of(
        recording.ejected_message[cycle, channel],
        recording.ejected_flit[cycle, channel],
        np.array(bits.network.delivery_processors)[channel],
        recording.ejected_variant[cycle, channel],
    )
    untaken = np.zeros((cycles, processors), dtype=np.uint8)
    observed = np.concatenate([recording.moved, untaken, delivered.reshape(cycles, -1)], axis=1)
    text = (observed[:, ::-1] + ord("0")).astype(np.uint8).tobytes().decode("ascii")
    length = moved_bits + processors + deliveries * (1 + width)
    return [text[start : start + length] for start in range(0, len(text), length)]
