"""Claims about ``MessageInjector``: one message at a time, its header and then its words, head and tail marked."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.parts.injector import MessageInjector
from tests.proofs.claims import Claims, Describe, started
from tests.proofs.common.links import assume_link_rules, prove_link_rules
from tests.proofs.inside import Inside
from topology.common.flits import MESSAGE_FLITS_BITS, HeaderFormat

FLIT_BITS = 8


def header_format(header_flits: int) -> HeaderFormat:
    """A header that takes some number of 8-bit flits, all of them full."""
    return HeaderFormat((("key", FLIT_BITS - 4),), FLIT_BITS * header_flits - 4, FLIT_BITS)


class ReferenceMessage:
    """The message in hand, and how much of it has moved.

    Members
    -------
    in_hand : Signal
        A message has been accepted, and its tail has not moved yet.
    message : Signal
        Its descriptor.
    moved, expected : Signal, Value
        Flits that have moved; number of the flit on the link, or of the next one if there is none.
    word : Signal
        The payload word that was taken last.
    words : Signal
        Payload words that were taken.
    """

    def __init__(self, claims: Claims, part: Any):
        m, link = claims.m, part.link
        self.in_hand: Any = Signal()
        self.message: Any = Signal(part.message.payload.shape(), name="reference_message")
        self.moved: Any = Signal(MESSAGE_FLITS_BITS + 1, name="reference_moved")
        self.words: Any = Signal(MESSAGE_FLITS_BITS + 1, name="reference_words")
        self.word: Any = Signal(part.header.flit_bits, name="reference_word")
        offered = part.message.payload
        fits = (offered.header_flits >= 1) & (offered.header_flits <= part.header.multicast_flits)
        takes = part.message.valid & part.message.ready
        sound = claims.named(fits & (offered.flits >= offered.header_flits), "sound")
        self.accepted = claims.named(takes & sound, "accepted")
        self.refused = claims.named(takes & ~sound, "refused")
        moves = claims.named(link.valid & link.ready, "moves")
        takes = claims.named(part.payload.valid & part.payload.ready, "takes")
        self.takes = takes
        with m.If(self.accepted):
            m.d.sync += [self.in_hand.eq(1), self.message.eq(part.message.payload), self.moved.eq(0), self.words.eq(0)]
        with m.Else():
            m.d.sync += [self.moved.eq(self.moved + moves), self.words.eq(self.words + takes)]
            with m.If(moves & (self.moved == self.message.flits - 1)):
                m.d.sync += self.in_hand.eq(0)
        with m.If(takes):
            m.d.sync += self.word.eq(part.payload.payload)

    def header_flit(self, claims: Claims, number: Any, header_flits: int) -> Value:
        """Flit ``number`` of the header."""
        flit: Any = self.message.header[:FLIT_BITS]
        for k in range(1, header_flits):
            flit = Mux(number == k, self.message.header.word_select(k, FLIT_BITS), flit)
        return claims.named(flit, "reference_header_flit")


def injector(header_flits: int) -> Describe:
    """Claims about an injector for headers of some length."""

    def describe(claims: Claims) -> None:
        part = MessageInjector(header_format(header_flits))
        claims.free_inputs(part)
        inside = Inside(claims, part)
        assume_link_rules(claims, part.message, "message")
        assume_link_rules(claims, part.payload, "payload")
        reference = ReferenceMessage(claims, part)
        prove_link_rules(claims, part.link, "link")
        _prove_flits(claims, part, reference, header_flits)
        _prove_handshakes(claims, part, reference)
        _prove_refusals(claims, part, reference)
        _tie_inside(claims, inside, part, reference)
        claims.possible("a message of one flit", reference.in_hand & (reference.message.flits == 1))
        done = claims.was(reference.in_hand, "in_hand") & ~reference.in_hand
        longest = (reference.message.header_flits == header_flits) & (reference.message.flits == header_flits + 2)
        claims.possible("a message with the longest header and two words", done & longest)

    return describe


def _prove_flits(claims: Claims, part: Any, reference: ReferenceMessage, header_flits: int) -> None:
    """The flit on the link is the next one of the message."""
    link, message, moved = part.link, reference.message, reference.moved
    claims.always("no flit is sent without a message", ~link.valid | reference.in_hand)
    claims.always("the first flit alone is the head", ~link.valid | (link.payload.head == (moved == 0)))
    claims.always("the last flit alone is the tail", ~link.valid | (link.payload.tail == (moved == message.flits - 1)))
    of_header = claims.named(moved < message.header_flits, "flit_of_header")
    right = link.payload.data == reference.header_flit(claims, moved, header_flits)
    claims.always("header flits are those of the descriptor", ~link.valid | ~of_header | right)
    claims.always("body flits are the words in order", ~link.valid | of_header | (link.payload.data == reference.word))
    on_link = Mux(link.valid, 1, 0)
    sent = Mux(moved + on_link > message.header_flits, moved + on_link - message.header_flits, 0)
    claims.always("each word is sent once", ~reference.in_hand | (reference.words == sent))


def _prove_handshakes(claims: Claims, part: Any, reference: ReferenceMessage) -> None:
    link, message = part.link, reference.message
    ready = ~reference.in_hand & started(claims)
    claims.always("ready shows that no message is in hand", part.message.ready == ready)
    on_link = Mux(link.valid, 1, 0)
    left = claims.named(message.flits - reference.moved - on_link, "flits_to_load")
    header_due = reference.moved + on_link < message.header_flits
    can_load = reference.in_hand & (left != 0) & (header_due | part.payload.valid)
    # an empty register is filled for any ready: valid never waits for ready
    empty = claims.was(can_load & ~link.valid, "loadable_empty")
    claims.always("valid never waits for ready", ~empty | link.valid)
    emptied = claims.was(can_load & link.valid & link.ready, "loadable_emptied")
    claims.always("a flit follows the other without a bubble", ~emptied | link.valid)
    first = claims.was(reference.accepted, "accepted")
    claims.always("the head is on the link one cycle after the message", ~first | link.valid & link.payload.head)


def _prove_refusals(claims: Claims, part: Any, reference: ReferenceMessage) -> None:
    """A message without an end is not sent, and reported until reset."""
    ever: Any = Signal(name="refused_ever")
    claims.m.d.sync += ever.eq(ever | reference.refused)
    claims.always("a descriptor without end is an error for good", part.error == ever)
    before = claims.was(reference.refused, "refused_before")
    claims.always("no flit of a refused message is sent", ~before | ~part.link.valid)
    claims.possible("a sound message after one that was refused", ever & reference.in_hand)


def _tie_inside(claims: Claims, inside: Inside, part: Any, reference: ReferenceMessage) -> None:
    link, message, moved = part.link, reference.message, reference.moved
    in_hand = reference.in_hand
    loaded = claims.named(moved + Mux(link.valid, 1, 0), "loaded")
    left = inside.register("flits_left")
    header_left = inside.register("header_left")
    header = inside.register("header")
    claims.invariant("no flit is left without a message", in_hand | (left == 0))
    claims.invariant("the flits left are counted", ~in_hand | (left == message.flits - loaded))
    due = Mux(loaded < message.header_flits, message.header_flits - loaded, 0)
    claims.invariant("the header flits left are counted", ~in_hand | (header_left == due))
    claims.invariant("a message in hand is not done", ~in_hand | (moved < message.flits) & (loaded >= 1))
    fits = (message.header_flits >= 1) & (message.header_flits <= part.header.multicast_flits)
    claims.invariant("the message is sound", ~in_hand | fits & (message.flits >= message.header_flits))
    for k in range(1, part.header.multicast_flits):
        shifted = (message.header >> (FLIT_BITS * k))[: len(header)]
        due_next = in_hand & (loaded == k) & (k < message.header_flits)
        claims.invariant(f"flit {k} of the header is the next one", ~due_next | (header == shifted))
