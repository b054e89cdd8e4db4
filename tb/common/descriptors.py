"""Messages in the format of the harness's injectors; importable without a simulator."""

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
        value, position = self._messages.headers[message], self._header_bits
        for field, width in (
            (int(self._messages.header_flits[message]), self._count_bits),
            (int(self._messages.messages.flits[message]), MESSAGE_FLITS_BITS),
        ):
            value |= field << position
            position += width
        return value | payload_seed(message) << position
