"""Rules of AXI4 and of AXI4-Stream, and all that the proofs of AXI4 interfaces assume about their surroundings.

============  ======================================================================================================
manager       offers requests and data until they are taken
subordinate   offers answers until they are taken; answers a write after AW and the last W of it, a read after AR,
              with ``len`` + 1 beats
networks      offer words until they are taken; deliver whole packets: those of a manager's interface at a
              subordinate's, those of a subordinate's at the manager's, one for each request and receiver
store         see ``axi4_store``, which proves it
============  ======================================================================================================
"""

from collections.abc import Iterable
from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.axi4.ports import channels
from rtl.axi4.words import fields_of
from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from topology.axi4.words import Axi4Format, bits_of


def channel_payload(part: Any, axi: Axi4Format, id_bits: int, channel: str, besides: Iterable[str] = ()) -> Value:
    """Return all signals of a channel, without handshake."""
    _, signals = channels(axi, id_bits)[channel]
    return concat(getattr(part, name) for name in signals if name not in besides)


def stream_payload(part: Any, prefix: str) -> Value:
    """Return all signals of a stream, without handshake."""
    names = [f"{prefix}_{name}" for name in ("tdata", "tlast", "tdest", "tuser")]
    return concat(getattr(part, name) for name in names if hasattr(part, name))


def stays(claims: Claims, valid: Any, ready: Any, payload: Any, name: str) -> Value:
    """Return that an offer that was not taken is still there, unchanged."""
    waits = claims.was(valid & ~ready, f"{name}_waits")
    return ~waits | valid & (payload == claims.was(payload, f"{name}_offered"))


class Transfer:
    """A channel or stream.

    Members:
        goes: A transfer happens.
        stays: The rule of offers.
    """

    def __init__(self, claims: Claims, part: Any, prefix: str, payload: Any):
        valid, ready = getattr(part, f"{prefix}valid"), getattr(part, f"{prefix}ready")
        self.valid: Any = valid
        self.payload: Any = claims.named(payload, f"{prefix}_payload")
        self.goes: Any = claims.named(valid & ready, f"{prefix}_goes")
        self.stays: Any = stays(claims, valid, ready, self.payload, prefix)


class RequestPackets:
    """Packets of requests, read word by word from a stream.

    Members:
        position: Words of fields that have been taken of the present packet; all of them in its data.
        row: Their bits.
        in_fields, in_data: The word that is offered next.
        fields: Of the present packet, with the word that is offered now.
        complete: The last word of fields is taken.
    """

    def __init__(self, claims: Claims, axi: Axi4Format, word: Any, goes: Any, last: Any):
        word_bits = len(word)
        self.words = axi.request_words(word_bits)
        self.position: Any = Signal(range(self.words + 1), name="position_reference")
        self.row: Any = Signal(self.words * word_bits, name="row_reference")
        self.in_fields: Any = claims.named(self.position != self.words, "in_fields")
        self.in_data: Any = claims.named(self.position == self.words, "in_data")
        pieces = [self.row.word_select(i, word_bits) for i in range(self.words)]
        now = concat(Mux(self.position == i, word, piece) for i, piece in enumerate(pieces))
        self.now: Any = claims.named(now, "row_now")
        self.fields: dict[str, Any] = fields_of(self.now, axi.request_fields)
        self.bits = bits_of(axi.request_fields)
        self.complete: Any = claims.named(goes & (self.position == self.words - 1), "fields_complete")
        with claims.m.If(goes):
            claims.m.d.sync += self.position.eq(Mux(last, 0, self.position + self.in_fields))
            with claims.m.If(self.in_fields):
                claims.m.d.sync += self.row.eq(self.now)
