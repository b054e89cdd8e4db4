"""Messages in the format of the harness's injectors; importable without a simulator."""

from collections.abc import Sequence

import numpy as np

from tb.common.message_flits import MessageFlits
from topology.common.flits import MESSAGE_FLITS_BITS, bits_for
from topology.common.pattern import payload_seed


class Descriptors:
    """Packs messages for the harness's injectors: header, header length, length, payload seed.

    Parameters:
        flits: The messages.
        header_flits: Length of the longest header.
    """

    def __init__(self, flits: MessageFlits, header_flits: int):
        self._messages = flits
        self._header_bits = header_flits * flits.format.flit_bits
        self._count_bits = bits_for(header_flits + 1)

    def pack(self, message: int) -> int:
        """Return the packed descriptor of a message."""
        return self.pack_all([message])[0]

    def pack_all(self, messages: Sequence[int]) -> list[int]:
        """Return the packed descriptors of some messages."""
        lengths, numbers = self._messages.messages.flits, np.array(messages, dtype=np.int64)
        behind = payload_seed(numbers) << MESSAGE_FLITS_BITS | lengths[numbers]
        behind = behind << self._count_bits | self._messages.header_flits[numbers]
        headers, shift = self._messages.headers, self._header_bits
        return [headers[m] | fields << shift for m, fields in zip(messages, behind.tolist(), strict=True)]
