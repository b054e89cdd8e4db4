"""Claims about the AXI4-Stream ends."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.endpoints.axi_ejector import SOURCE, AxiStreamEjector
from rtl.endpoints.axi_injector import LEADING_WORD, TUSER, AxiStreamInjector, set_words
from rtl.generator.plan import Addressing
from rtl.parts.byte_count import BYTE_BITS, KeepPacker, KeepUnpacker
from rtl.parts.ejector import EJECTOR_FLITS
from rtl.parts.flit import flit_layout
from rtl.parts.selection import concat
from rtl.spam.multicast_key import MulticastKey
from tests.proofs.claims import Claims, Describe, Inside, started
from tests.proofs.links import ReferenceQueue, assume_link_rules, prove_link_rules
from tests.proofs.route_unit import HEADERS as ROUTE_HEADERS
from topology.common.flits import HeaderFormat
from topology.common.graph import Network
from topology.common.part_headers import PartsFormat
from topology.spam.graph import SpamLabels

# AxiStreamInjector: a header that is right, then the packet's words, each once, the last as the tail.

NODES, MORE_NODES = 4, 7
LABELS = {
    nodes: SpamLabels(Network(2, [(0, 1)], [int(2 * i >= nodes) for i in range(nodes)]), 0)
    for nodes in (NODES, MORE_NODES)
}
"""Two switches with half of the nodes each, by their number."""
KEY_CYCLES = 1
"""Of the key part of these networks: their trees have two levels."""
HEADERS = {
    "one-flit": HeaderFormat((("lca", 3),), NODES, 8),
    "two-flit": HeaderFormat((("lca", 3), ("source", 4)), NODES, 8),
    "parts": PartsFormat((("lca", 4), ("source", 5)), MORE_NODES, 8),
}
"""Header formats of these networks; the second one's bit string starts in the last bit of the first flit. With parts
there are two flits of fields, a part of six nodes and one of a single node."""


def addressing(nodes: int) -> Addressing:
    """Addressing of the senders in a network of this size."""
    labels = LABELS[nodes]
    keys = tuple(labels.lowest_common_ancestor([i]) for i in range(nodes))
    return Addressing(
        lambda: MulticastKey(labels),
        KEY_CYCLES,
        keys,
        (0,) * nodes,
        lambda _sender, destinations: labels.lowest_common_ancestor(destinations),
    )


def members_of(destinations: int) -> list[int]:
    """The nodes of a set."""
    return [i for i in range(destinations.bit_length()) if destinations >> i & 1]


def key_of(header: HeaderFormat, destinations: int) -> int:
    """Key of a set of destinations; 0 of none."""
    return LABELS[header.destinations].lowest_common_ancestor(members_of(destinations)) if destinations else 0


def looked_up(header: HeaderFormat, destinations: Any, function: Callable[[HeaderFormat, int], int]) -> Value:
    """A function of a set of destinations, as a table of all sets."""
    rows = [function(header, mask) for mask in range(1 << header.destinations)]
    return Value.cast(Array(Const(row, max(1, max(rows).bit_length())) for row in rows)[destinations])


def set_of(header: HeaderFormat, destinations: int) -> int:
    """Bits of a header behind the fixed fields, or behind their flits."""
    zeros = [0] * len(header.fields)
    start = header.unicast_flits * header.flit_bits if isinstance(header, PartsFormat) else header.fixed_bits
    return header.pack(zeros, destinations) >> start


def flits_of(header: HeaderFormat, destinations: int) -> int:
    """Flits of a header to several destinations."""
    members = members_of(destinations)
    return header.flits_of(members) if len(members) > 1 else header.multicast_flits


class Packets:
    """Packets of the user, one after the other.

    Taken for granted: once ``tvalid`` is high, the beat holds until it is taken (the rule of AXI4-Stream).

    takes: A beat is taken.
    in_packet, in_body: A beat has been taken, or one behind the destination set; the last one has not.
    by_set: The packet in hand, or else the one that is offered, names a set, which takes a key to be found.
    set_due: Its next beat is a word of that set.
    set_words: Words of the set that have been taken.
    collected: What they say, without the node itself.
    set_ends, without_body: The last word of the set is taken and a body is to follow; the packet has ended with a word
      of the set, in the cycle before.
    pending: Its destinations are valid, and no word of its body has been taken.
    destinations: Its destinations, none as long as words of the set are due.
    header, header_flits: What its header must be.
    """

    def __init__(self, claims: Claims, part: Any):
        m, header = claims.m, part.header
        beat = claims.named(concat((part.tdata, part.tlast, part.tdest, part.tuser)), "beat")
        waits = claims.was(part.tvalid & ~part.tready, "beat_waits")
        claims.assume(~waits | part.tvalid & (beat == claims.was(beat, "beat")))
        self.takes: Any = claims.named(part.tvalid & part.tready, "takes")
        self.in_packet: Any = Signal(name="in_packet_reference")
        self.in_body: Any = Signal(name="in_body_reference")
        self.named_set: Any = Signal(name="named_set")
        self.by_set: Any = claims.named(Mux(self.in_packet, self.named_set, part.tuser.any()), "by_set")
        nodes = header.destinations
        own = claims.named((1 << part.node)[:nodes], "own_bit")
        self._collect(claims, part, own)
        in_first_beat = part.tuser if part.mode == TUSER else Const(0, nodes)
        by_dest = Mux(part.tdest < nodes, (1 << part.tdest)[:nodes], 0)
        named = claims.named(Mux(self.by_set, in_first_beat, by_dest) & ~own, "destinations_named")
        kept: Any = Signal(nodes, name="destinations_kept")
        known: Any = claims.named(Mux(self.in_packet, kept, named), "destinations_known")
        with m.If(self.takes):
            m.d.sync += [
                self.in_packet.eq(~part.tlast),
                self.in_body.eq(~part.tlast & ~self.set_due),
                self.named_set.eq(self.by_set),
                kept.eq(known),
            ]
        if part.mode == LEADING_WORD:
            known = Mux(self.by_set, Mux(self.set_due, 0, self.collected), known)
        self.destinations: Any = claims.named(known, "destinations_reference")
        begun = self.in_packet | part.tvalid
        self.pending: Any = claims.named(begun & ~self.set_due & ~self.in_body, "pending")
        several = claims.named((self.destinations & (self.destinations - 1)).any(), "several")
        keys = range(1 << nodes)
        key = Array(Const(key_of(header, mask), header.fields[0][1]) for mask in keys)[self.destinations]
        fields = (part.node_fields,) if hasattr(part, "node_fields") else ()
        fixed = concat((key, *fields))
        if isinstance(header, PartsFormat):
            fixed = concat((fixed, Const(0, header.unicast_flits * header.flit_bits - header.fixed_bits)))
        sets = Mux(several, looked_up(header, self.destinations, set_of), 0)
        self.several: Any = several
        self.header: Any = claims.named(concat((fixed, sets)), "header_reference")
        flits = Mux(several, looked_up(header, self.destinations, flits_of), header.unicast_flits)
        self.header_flits: Any = claims.named(flits, "header_flits_reference")

    def _collect(self, claims: Claims, part: Any, own: Any) -> None:
        """Record the words of the set at the start of a packet."""
        m, bits = claims.m, part.set_word_bits
        words = set_words(part.header, bits) if part.mode == LEADING_WORD else 0
        self.set_words: Any = Signal(range(words + 1), name="set_words_taken")
        self.collected: Any = Signal(part.header.destinations, name="collected_reference")
        self.set_due: Any = claims.named(self.by_set & (self.set_words != words) if words else 0, "set_due")
        last = self.set_words == words - 1
        self.set_ends: Any = claims.named(self.takes & self.set_due & last & ~part.tlast, "set_ends")
        self.without_body: Any = claims.was(self.takes & self.set_due & part.tlast, "without_body")
        for number in range(words):
            low = number * bits
            here = (part.tdata[:bits] << low)[: len(own)] & ~own
            with m.If(self.takes & self.set_due & (self.set_words == number)):
                m.d.sync += self.collected.eq(self.collected | here if number else here)
        with m.If(self.takes):
            m.d.sync += self.set_words.eq(Mux(part.tlast, 0, self.set_words + self.set_due))


class LinkFlits:
    """Flits on the link, divided into header flits and words.

    free: The link takes a flit in this cycle.
    word, header: The flit on the link has come in this cycle, and is a word that was taken in the cycle before, or not.
    before, loaded: Flits of the present packet's header that came before this cycle, and up to it.
    """

    def __init__(self, claims: Claims, part: Any, packets: Packets):
        m, link = claims.m, part.link
        self.free: Any = claims.named(~link.valid | link.ready, "link_free")
        sent = packets.takes & packets.destinations.any()
        self.word: Any = claims.was(sent, "word_taken")
        new = link.valid & ~claims.was(link.valid & ~link.ready, "link_waits")
        self.header: Any = claims.named(new & ~self.word, "header_flit_comes")
        self.before: Any = Signal(range(part.header.multicast_flits + 2), name="header_flits_before")
        self.loaded: Any = claims.named(self.before + self.header, "header_flits_loaded")[: len(self.before)]
        m.d.sync += self.before.eq(Mux(packets.takes & part.tlast, 0, self.loaded))


def axi_injector(header: str, mode: str = TUSER, set_word_bits: int | None = None) -> Describe:
    """Claims about an injector with one of the ``HEADERS``, and its destination sets at the place of ``mode``."""

    def describe(claims: Claims) -> None:
        layout = HEADERS[header]
        part: Any = AxiStreamInjector(layout, addressing(layout.destinations), mode, set_word_bits)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        claims.never_changes(part.node)
        claims.assume(part.node < layout.destinations)
        if hasattr(part, "node_fields"):
            claims.never_changes(part.node_fields)
        packets = Packets(claims, part)
        flits = LinkFlits(claims, part, packets)
        prove_link_rules(claims, part.link, "link")
        _prove_header(claims, part, packets, flits)
        _prove_words(claims, part, packets, flits)
        swallowed = _prove_errors(claims, part, packets)
        waited = _prove_progress(claims, part, packets, flits)
        _tie(claims, inside, part, packets, flits, swallowed, waited)
        if mode == LEADING_WORD:
            _prove_set(claims, part, packets)
            _tie_set(claims, inside, part, packets, flits, swallowed, waited)
        last = flits.word & part.link.payload.tail
        claims.possible("a multicast of two words is through", last & claims.was(packets.in_body, "in_body"))
        again = packets.takes & flits.word & packets.destinations.any()
        claims.possible("a word follows another one", again & claims.was(again, "streams"))
        claims.possible("a packet is swallowed", part.error & part.tlast)

    return describe


def _prove_header(claims: Claims, part: Any, packets: Packets, flits: LinkFlits) -> None:
    link, bits = part.link, part.header.flit_bits
    due = packets.pending & packets.destinations.any() & (flits.before < packets.header_flits)
    claims.always("header flits are those of a packet that is offered", ~flits.header | due)
    shape = (link.payload.head == (flits.before == 0)) & ~link.payload.tail
    claims.always("the first header flit alone is the head", ~flits.header | shape)
    padded = claims.named(concat((packets.header, Const(0, 2 * bits))), "padded_header")
    for number in range(part.header.multicast_flits):
        here = flits.header & (flits.before == number)
        right = link.payload.data == padded[number * bits : (number + 1) * bits]
        claims.always("the header is that of the destinations", ~here | right)


def _prove_words(claims: Claims, part: Any, packets: Packets, flits: LinkFlits) -> None:
    payload = part.link.payload
    word = claims.was(concat((part.tdata, Const(0, 1), part.tlast)), "word")
    shown = part.link.valid & (Value.cast(payload) == word)
    claims.always("a word that is taken is on the link in the next cycle, the last as the tail", ~flits.word | shown)
    whole = flits.loaded == packets.header_flits
    sent = packets.takes & packets.destinations.any()
    claims.always("words follow the whole header", ~sent | whole)
    due = packets.destinations.any() & whole & flits.free
    claims.always("words wait only for the link", ~due | part.tready)


def _prove_errors(claims: Claims, part: Any, packets: Packets) -> Any:
    """Returns a bit that the error of the packet has been seen."""
    seen: Any = Signal(name="error_seen")
    error = _error_of_destinations(part, packets)
    claims.m.d.sync += seen.eq(~(packets.takes & part.tlast) & (seen | error))
    unroutable = claims.named(~packets.destinations.any() & ~packets.set_due, "goes_nowhere")
    right = packets.pending & unroutable & ~seen
    claims.always("an error is of a packet without a destination, once", ~error | right)
    claims.always(
        "a packet without a destination is swallowed with an error", ~(packets.takes & unroutable) | seen | error
    )
    return seen


def _error_of_destinations(part: Any, packets: Packets) -> Value:
    """An error that does not belong to the packet before, which had no body."""
    return part.error & ~packets.without_body


def _prove_set(claims: Claims, part: Any, packets: Packets) -> None:
    claims.always("a packet without body ends with an error", ~packets.without_body | part.error)
    looked_at = claims.was(part.tvalid & ~packets.in_packet & ~packets.takes, "first_beat_waits")
    due = part.tvalid & packets.set_due & (packets.in_packet | looked_at)
    claims.always("words of the set are taken as they come", ~due | part.tready)
    claims.possible("a packet without body", packets.without_body)
    claims.possible(
        "the set comes in all its words, and has no destination", part.error & packets.pending & packets.by_set
    )


def _prove_progress(claims: Claims, part: Any, packets: Packets, flits: LinkFlits) -> Any:
    """Gives the cycles that the packet has been offered before this one."""
    most = part.addressing.key_cycles + 2
    waited: Any = Signal(range(most + 1), name="cycles_offered")
    offered = claims.named(packets.pending & ~packets.takes, "is_offered")
    more = Mux(offered, waited + (waited < most), 0)
    claims.m.d.sync += waited.eq(Mux(packets.set_ends, 1, more))  # as long as if it had been processed at once
    due = offered & (waited >= Mux(packets.by_set, most, 1)) & packets.destinations.any() & (flits.loaded == 0)
    late = claims.was(due & flits.free, "head_due") & ~(flits.header & (flits.before == 0))
    claims.always("the head waits for the key and the link alone", ~late)
    return waited


def _tie(
    claims: Claims, inside: Inside, part: Any, packets: Packets, flits: LinkFlits, error_seen: Any, waited: Any
) -> None:
    state, cycles = inside.state(), part.addressing.key_cycles
    idle, wait, header, body, swallow = (state(name) for name in ("IDLE", "WAIT", "HEADER", "BODY", "SWALLOW"))
    collect = state("COLLECT") if part.mode == LEADING_WORD else 0
    claims.invariant("a state is one of those that there are", idle | collect | wait | header | body | swallow)
    some, whole = packets.destinations.any(), flits.loaded == packets.header_flits
    no_error = ~error_seen & ~_error_of_destinations(part, packets)
    nothing = (flits.loaded == 0) & no_error
    claims.invariant("between packets no packet is in hand", ~idle | ~packets.in_packet & nothing & (waited == 0))
    fixed, destinations = inside.register("fixed"), inside.register("destinations")
    finding = packets.pending & packets.by_set & nothing & (destinations == packets.destinations)
    counted = inside.register("waited") == (waited - 1)[: len(waited)]
    claims.invariant("a key is found for the packet that is offered", ~wait | finding & counted & (waited != 0))
    claims.invariant("a key is not waited for too long", ~wait | (waited <= cycles + 1) & inside.register("first"))
    claims.invariant("the wait begins anew", wait | (inside.register("waited") == 0))
    finder = inside.placed["key_finder"]
    key = packets.header[: len(finder.key)]
    found = ~some | (finder.key == key) & (finder.multicast == packets.several)
    claims.invariant("the key is found in time", ~(wait & (waited == cycles + 1)) | found)
    # with parts only flits of fixed fields are counted; then the set itself has the rest
    counted_flits: Any = part.header.unicast_flits if part.sends_parts else packets.header_flits
    left = inside.register("flits_left") == (counted_flits - flits.loaded)
    if part.sends_parts:
        of_set = (flits.loaded > counted_flits) & (flits.loaded < packets.header_flits)
        left = left | of_set & (inside.register("flits_left") == 0)
    sending = packets.pending & some & left & ~whole & (inside.register("first") == (flits.loaded == 0))
    claims.invariant("header flits are counted", ~header | sending & no_error & (waited != 0))
    rest: Any = packets.header
    for number in range(part.header.multicast_flits):
        here = header & (flits.loaded == number)
        if part.sends_parts:
            shifted = _parts_are_left(part.header, packets, number, fixed, destinations)
        else:
            shifted = concat((fixed, destinations)) == (rest >> (number * part.header.flit_bits))[: len(rest)]
        claims.invariant("the rest of the header is kept", ~here | shifted)
    there = packets.in_packet | part.tvalid
    claims.invariant("words follow a header", ~body | there & some & whole & no_error)
    behind_set = packets.in_packet & ~packets.set_due
    claims.invariant("a body begins behind the set", ~packets.in_body | behind_set)
    no_set = behind_set & (packets.set_words == 0)
    claims.invariant("a packet without set begins with its body", ~no_set | packets.in_body)
    refused = there & ~some & ~packets.set_due & (flits.loaded == 0) & ~no_error
    claims.invariant("a packet without a destination is refused", ~swallow | refused)


def _parts_are_left(header: PartsFormat, packets: Packets, number: int, fixed: Any, destinations: Any) -> Value:
    """True if the registers contain the rest of the header after this number of flits."""
    sent = max(0, number - header.unicast_flits)

    def unnamed(_header: HeaderFormat, mask: int) -> int:
        members, size = members_of(mask), header.part_processors
        parts = sorted({i // size for i in members})[sent:]
        return sum(1 << i for i in members if i // size in parts)

    kept = destinations == Mux(packets.several, looked_up(header, packets.destinations, unnamed), 0)
    fields = packets.header[: header.fixed_bits] >> (number * header.flit_bits)
    return kept & ((fixed == fields) if number < header.unicast_flits else 1)


def _tie_set(
    claims: Claims, inside: Inside, part: Any, packets: Packets, flits: LinkFlits, error_seen: Any, waited: Any
) -> None:
    collect = inside.state()("COLLECT")
    words = set_words(part.header, part.set_word_bits)
    there = packets.set_due & (packets.in_packet | part.tvalid) & inside.register("first")
    no_error = ~error_seen & ~_error_of_destinations(part, packets)
    claims.invariant("a set is collected first", ~collect | there & (flits.loaded == 0) & (waited == 0) & no_error)
    if words > 1:
        position = inside.register("position")
        claims.invariant("words of a set are counted", position == Mux(collect, packets.set_words, 0))
    claims.invariant("no set has more words", packets.set_words <= words)
    begun = packets.in_packet & packets.named_set
    claims.invariant("a packet with a set begins with it", begun == (packets.set_words != 0))
    for number in range(1, words):
        come = number * part.set_word_bits
        here, collected = packets.set_words == number, packets.collected
        claims.invariant("parts that have not come name no processor", ~here | ~collected[come:].any())
        kept = inside.register("destinations")[:come] == collected[:come]
        claims.invariant("a set is kept as far as it has come", ~(collect & here) | kept)


# AxiStreamEjector: bodies come out whole and in order, fields of their headers beside them.

AXI_EJECTOR_HEADERS = {
    **HEADERS,
    "two-flit-key": ROUTE_HEADERS["two-flit-key"],
    "parts": PartsFormat((("lca", 4), ("source", 5)), 13, 8),
}


class Reader:
    """Reads messages flit by flit, by the header format.

    Taken for granted: messages begin with a head, end with a tail, and have a whole header.

    number: Flits of the message that have been read, or the length of the longest header if they are more.
    in_message: A head has been read, its tail has not.
    header: The header flits that have been read, side by side.
    multicast, body: The flit in front is one of a multicast; is behind the header.
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
        part: Any = AxiStreamEjector(AXI_EJECTOR_HEADERS[header])
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
        _tie_axi_ejector(claims, inside, part, queue, reader)
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


def _tie_axi_ejector(claims: Claims, inside: Inside, part: Any, queue: Any, reader: Reader) -> None:
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


# KeepPacker and KeepUnpacker: the bytes at the input appear at the output.


def byte_count(count: int) -> Describe:
    """Claims about the two ends of words of some bytes, one behind the other; and about the second one alone."""

    def describe(claims: Claims) -> None:
        packer: Any = KeepPacker(count)
        unpacker: Any = KeepUnpacker(count)
        alone: Any = KeepUnpacker(count)
        for name, part in (("packer", packer), ("unpacker", unpacker), ("alone", alone)):
            Inside(claims, part, name=name)
        claims.free_inputs(packer)
        claims.free_inputs(alone)
        claims.m.d.comb += unpacker.word.eq(packer.word)
        for byte in range(count):
            there = claims.named(packer.tkeep[: byte + 1].all(), f"byte_{byte}_is_there")
            claims.always("bytes below the first gap are there, and no others", unpacker.tkeep[byte] == there)
            same = unpacker.tdata.word_select(byte, BYTE_BITS) == packer.tdata.word_select(byte, BYTE_BITS)
            claims.always("bytes that are there are not altered", ~there | same)
            below = alone.tkeep[:byte].all() if byte else 1
            claims.always("whatever the word, its bytes have no gap", ~alone.tkeep[byte] | below)
        full = packer.tkeep.all()
        claims.always("the highest bit marks a word that is not full", packer.word[-1] == ~full)
        claims.possible("a word without any byte", ~unpacker.tkeep.any())
        claims.possible("a full word", unpacker.tkeep.all() & (unpacker.tdata.all()))
        if count > 1:
            claims.possible("a byte above a gap", packer.tkeep[-1] & ~unpacker.tkeep[-1] & unpacker.tkeep[0])

    return describe
