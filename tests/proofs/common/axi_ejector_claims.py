"""Claims about ``AxiStreamEjector``: bodies come out whole and in order, fields of their headers beside them."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.endpoints.axi_ejector import SOURCE, AxiStreamEjector
from rtl.parts.ejector import EJECTOR_FLITS
from rtl.parts.flit import flit_layout
from tests.proofs.claims import Claims, Describe, started
from tests.proofs.common.axi_injector_claims import HEADERS as STREAM_HEADERS
from tests.proofs.common.links import assume_link_rules
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.common.route_unit_claims import HEADERS as ROUTE_HEADERS
from tests.proofs.inside import Inside
from topology.common.flits import HeaderFormat
from topology.common.part_headers import PartsFormat

HEADERS = {
    **STREAM_HEADERS,
    "two-flit-key": ROUTE_HEADERS["two-flit-key"],
    "parts": PartsFormat((("lca", 4), ("source", 5)), 13, 8),
}


class Reader:
    """Reads messages flit by flit, by the header format.

    Taken for granted: messages begin with a head, end with a tail, and have a whole header.

    Members
    -------
    number : Signal
        Flits of the message that have been read, or the length of the longest header if they are more.
    in_message : Signal
        A head has been read, its tail has not.
    header : Signal
        The header flits that have been read, side by side.
    multicast, body : Signal
        The flit in front is one of a multicast; is behind the header.
    """

    def __init__(self, claims: Claims, header: HeaderFormat, unicast_key: Any, there: Any, flit: Any, leaves: Any):
        m, bits, most = claims.m, header.flit_bits, header.multicast_flits
        self.format, self.unicast_key = header, unicast_key
        self.number: Any = Signal(range(most + 1), name="number_reference")
        self.in_message: Any = Signal(name="in_message_reference")
        self.header: Any = Signal(most * bits, name="header_reference")
        at = claims.named(Mux(flit.head, 0, self.number), "number_in_front")[: len(self.number)]
        so_far: Any = Signal.like(self.header, name="header_so_far")
        m.d.comb += so_far.eq(self.header)
        for k in range(most):
            with m.If(at == k):
                m.d.comb += so_far[k * bits : (k + 1) * bits].eq(flit.data)
        self.multicast: Any = claims.named(so_far[: len(unicast_key)] != unicast_key, "multicast_in_front")
        length = claims.named(Mux(self.multicast, self._longest(so_far), header.unicast_flits), "header_length")
        self.body: Any = claims.named(~flit.head & (at >= length), "body_in_front")
        claims.assume(~there | (flit.head == ~self.in_message))
        whole = (at + 1 >= length) & (at + 1 >= header.unicast_flits)
        claims.assume(~(there & flit.tail) | whole)
        with m.If(leaves):
            m.d.sync += [self.number.eq(at + (at < most)), self.in_message.eq(~flit.tail), self.header.eq(so_far)]
        self.length_so_far: Any = claims.named(self._longest(self.header), "header_length_so_far")

    def _longest(self, header: Any) -> Value:
        """Flits of a multicast's header, as far as they have been read: up to the one marked as the last."""
        layout, bits = self.format, self.format.flit_bits
        length: Any = Const(layout.multicast_flits)
        if isinstance(layout, PartsFormat):
            for number in reversed(range(layout.unicast_flits, layout.multicast_flits)):
                says_last = (self.number > number) if header is self.header else 1
                length = Mux(header[number * bits + layout.last_bit] & says_last, number + 1, length)
        return length


def axi_ejector(header: str) -> Describe:
    """Claims about an ejector with one of the ``HEADERS``."""

    def describe(claims: Claims) -> None:
        part: Any = AxiStreamEjector(HEADERS[header])
        claims.free_inputs(part)
        inside = Inside(claims, part)
        claims.never_changes(part.unicast_key)
        assume_link_rules(claims, part.link, "link")
        entering = part.link.valid & part.link.ready
        leaves: Any = Signal(name="leaves_reference")
        queue = ReferenceQueue(claims, EJECTOR_FLITS, entering, part.link.payload, leaves)
        there = claims.named(queue.held != 0, "there")
        front: Any = flit_layout(part.header.flit_bits)(queue.row[0])
        reader = Reader(claims, part.header, part.unicast_key, there, front, leaves)
        # a header flit never waits, a body flit waits for the user
        claims.m.d.comb += leaves.eq(there & Mux(reader.body, part.tready, 1))
        _prove_stream(claims, part, queue, reader, front, there)
        _tie(claims, inside, part, queue, reader)
        last = part.tvalid & part.tready & part.tlast
        claims.possible(
            "the second word of a multicast is the last", last & reader.multicast & claims.was(part.tvalid, "on")
        )
        claims.possible("the user stalls a full ejector", (queue.held == EJECTOR_FLITS) & part.tvalid & ~part.tready)

    return describe


def _prove_stream(claims: Claims, part: Any, queue: Any, reader: Reader, front: Any, there: Any) -> None:
    shown = claims.named(there & reader.body, "shown")
    claims.always("valid shows that a body flit is in front", part.tvalid == shown)
    unaltered = (part.tdata == front.data) & (part.tlast == front.tail)
    claims.always("body flits come out unaltered in order, the tail as the last", ~shown | unaltered)
    free = (queue.held < EJECTOR_FLITS) & started(claims)
    claims.always("ready shows whether a place is free", part.link.ready == free)
    claims.always("the multicast flag is that of the message", ~shown | (part.tuser == reader.multicast))
    if hasattr(part, "tid"):
        claims.always("the sender is that of the header", ~shown | (part.tid == _source(part, reader)))


def _source(part: Any, reader: Reader) -> Value:
    names = [name for name, _ in part.header.fields]
    start = sum(width for _, width in part.header.fields[: names.index(SOURCE)])
    return reader.header[start : start + dict(part.header.fields)[SOURCE]]


def _tie(claims: Claims, inside: Inside, part: Any, queue: Any, reader: Reader) -> None:
    header, buffer = part.header, "ejector/buffer"
    claims.invariant("the counter counts", inside.register("count", buffer) == queue.held)
    claims.invariant("the queue has room for its flits", queue.held <= EJECTOR_FLITS)
    for k, flit in enumerate(queue.row):
        place = inside.register(f"slot_{k}", buffer)
        claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == flit))
    present = inside.placed["ejector"].user.valid == (queue.held != 0)
    claims.invariant("present shows whether a flit is in", present)
    number, bits, reading = reader.number, header.flit_bits, reader.in_message
    claims.invariant("a message that is read has begun", ~reading | (number != 0))
    differs: Any = 0
    for k in range(header.key_flits):
        part_of_key = slice(k * bits, min((k + 1) * bits, len(part.unicast_key)))
        unlike = reader.header[part_of_key] != part.unicast_key[part_of_key]
        differs = differs | unlike & (number > k)
    differs = claims.named(differs, "key_differs")
    claims.invariant("a key that differs is noted", ~reading | (part.tuser == differs))
    if hasattr(part, "tid"):
        known = number >= header.unicast_flits
        claims.invariant("the sender is noted", ~(reading & known) | (part.tid == _source(part, reader)))
        _tie_pieces(claims, part, reader)
    if header.multicast_flits > 1:
        length = Mux(differs, reader.length_so_far, header.unicast_flits)
        body = reading & (number >= length) & (number >= header.unicast_flits)
        claims.invariant("the length of the body is right", inside.register("in_body") == body)
        within = reading & ~body
        claims.invariant("header flits are counted", ~within | (inside.register("position") == number))


def _tie_pieces(claims: Claims, part: Any, reader: Reader) -> None:
    """Bits of the sender that lie in flits that have been read."""
    names = [name for name, _ in part.header.fields]
    start = sum(width for _, width in part.header.fields[: names.index(SOURCE)])
    for bit in range(len(part.tid)):
        read = reader.in_message & (reader.number > (start + bit) // part.header.flit_bits)
        claims.invariant("read bits of the sender are noted", ~read | (part.tid[bit] == reader.header[start + bit]))
