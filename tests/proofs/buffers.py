"""Claims about buffers, register stages and guards on a link, and about its two ends."""

from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.parts.deep_ring import MISSING_FLITS, DeepRing
from rtl.parts.ejector import EJECTOR_FLITS, MessageEjector
from rtl.parts.injector import MessageInjector
from rtl.parts.input_buffer import MAX_REGISTER_FLITS, InputBuffer
from rtl.parts.link_stage import LinkStage, WireStages
from rtl.parts.selection import concat
from rtl.parts.worm_guard import WormGuard
from tests.proofs.claims import Claims, Describe, Inside, started
from tests.proofs.links import ReferenceQueue, assume_link_rules, prove_link_rules
from topology.common.flits import MESSAGE_FLITS_BITS, HeaderFormat

# InputBuffer: a first-in first-out queue with a cursor, whose ready shows a free place.

FLIT_BITS = 8
NOTE_BITS = 2


def input_buffer(depth: int, header_flits: int) -> Describe:
    """Claims about a buffer of some depth for headers of some length."""

    def describe(claims: Claims) -> None:
        buffer = InputBuffer(FLIT_BITS, depth, header_flits, NOTE_BITS)
        claims.free_inputs(buffer)
        inside = Inside(claims, buffer)
        assume_link_rules(claims, buffer.link, "link")
        arriving = claims.named(buffer.link.valid & buffer.link.ready, "arriving")
        entry = concat((buffer.link.payload, buffer.arriving_decoded))
        queue = ReferenceQueue(claims, depth, arriving, entry, buffer.pop)
        claims.assume(~buffer.pop | (queue.held != 0))
        ready = (queue.held < depth) & started(claims)
        claims.always("ready shows whether a place is free", buffer.link.ready == ready)
        claims.always("present shows whether there is a front", buffer.present == (queue.held != 0))
        claims.possible("the buffer gets full", queue.held == depth)
        if depth > 1:
            claims.possible("a flit leaves as another one arrives", buffer.pop & arriving)

        read: Any = concat((buffer.flit, buffer.decoded))
        if header_flits == 1:
            claims.always("flits are read unaltered in the order of arrival", ~buffer.present | (read == queue.row[0]))
            cursor = None
        else:
            cursor = _prove_cursor(claims, buffer, queue, arriving, read)
        _tie_inside(claims, inside, buffer, queue, cursor)

    return describe


def _prove_cursor(claims: Claims, buffer: Any, queue: ReferenceQueue, arriving: Any, read: Any) -> Any:
    """Gives the number of flits that are before the cursor."""
    cursor: Any = Signal(range(buffer.depth + 1), name="reference_cursor")
    claims.m.d.sync += cursor.eq(Mux(buffer.at_front, 0, cursor + buffer.advance))
    claims.assume(~buffer.pop | buffer.at_front)
    claims.assume(~buffer.advance | ~buffer.at_front)
    claims.assume(~buffer.advance | (cursor < queue.held) | (cursor == queue.held) & arriving)
    claims.always("readable shows whether there is a flit at the cursor", buffer.readable == (cursor < queue.held))
    there = Mux(buffer.at_front, buffer.present, buffer.readable)
    right = read == Mux(buffer.at_front, queue.row[0], queue.at(cursor))
    claims.always("flits are read unaltered in the order of arrival", ~there | right)
    returns = buffer.at_front & (cursor == buffer.header_flits)
    claims.possible("the cursor returns after the last header flit", returns)
    claims.possible("the cursor runs ahead of the arrivals", buffer.advance & (cursor == queue.held))
    return cursor


def _tie_inside(claims: Claims, inside: Inside, buffer: Any, queue: ReferenceQueue, cursor: Any) -> None:
    claims.invariant("the counter counts", inside.register("count") == queue.held)
    claims.invariant("the queue has room for its flits", queue.held <= buffer.depth)
    if buffer.header_flits == 1 and buffer.depth <= MAX_REGISTER_FLITS:
        for k, entry in enumerate(queue.row):
            place = inside.register(f"slot_{k}")
            claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == entry))
    else:
        _tie_ring(claims, inside, queue, cursor)


def _tie_ring(claims: Claims, inside: Inside, queue: ReferenceQueue, cursor: Any) -> None:
    front = inside.register("front")
    rows = Array(inside.memory_row(k) for k in range(1 << len(front)))

    def after_front(flits: Any) -> Value:
        """The pointer to a place some flits behind the front."""
        return (front + flits)[: len(front)]

    claims.invariant("the back is behind the last flit", inside.register("back") == after_front(queue.held))
    if cursor is not None:
        claims.invariant("the cursor is not past the end", cursor <= queue.held)
        claims.invariant("the unread flits are counted", inside.register("unread") == queue.held - cursor)
        claims.invariant("the read pointer is at the cursor", inside.register("cursor") == after_front(cursor))
    for k, entry in enumerate(queue.row):
        place = Value.cast(rows[after_front(k)])
        claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == entry))


# DeepRing: its first flits can be read within the cycle, as if all of it were in LUT RAM.

BITS = 4


def deep_ring(depth: int, slots: int) -> Describe:
    """Claims about a ring of some depth with a front of some slots."""

    def describe(claims: Claims) -> None:
        ring: Any = DeepRing(BITS, depth, slots)
        claims.free_inputs(ring)
        inside = Inside(claims, ring)
        queue = ReferenceQueue(claims, depth, ring.write, ring.entry, ring.pop)
        claims.assume(~ring.write | (queue.held < depth))
        claims.assume(~ring.pop | (queue.held != 0))
        front: Any = Signal(range(slots), name="front_reference")
        claims.m.d.sync += front.eq(front + ring.pop)
        ahead = claims.named(ring.position - front, "position_from_front")[: len(front)]
        there = claims.named((ahead < queue.held) & (ahead < slots - MISSING_FLITS), "flit_can_be_read")
        claims.always("flits near the front are read unaltered in order", ~there | (ring.read == queue.at(ahead)))
        _tie(claims, inside, ring, queue, front)
        claims.possible("the ring gets full", queue.held == depth)
        far = inside.register("far")
        claims.possible(
            "a flit comes out of block RAM to the end of the front", (far == 0) & inside.register("fetched")
        )

    return describe


def _tie(claims: Claims, inside: Inside, ring: Any, queue: ReferenceQueue, front: Any) -> None:
    slots, bits = ring.slots, len(front)
    near, far, fetched = (inside.register(name) for name in ("near", "far", "fetched"))
    claims.invariant("flits are near or far", (queue.held == near + far) & (near <= slots))
    claims.invariant("the ring has room for its flits", queue.held <= ring.depth)
    claims.invariant("far flits wait behind a full front", ~((far != 0) | fetched) | (near >= slots - 1))
    landed = claims.named(near - fetched, "landed")[: len(near)]
    filled = inside.register("filled")
    claims.invariant("the next place is behind the last flit", filled == (front + landed)[:bits])
    back, first = inside.register("far_back"), inside.register("far_front")
    claims.invariant("the far flits form a row", back == (first + far)[: len(first)])
    last = queue.at(claims.named(near - 1, "last_near")[: len(near)])
    claims.invariant(
        "the flit that was fetched is the last one near", ~fetched | (inside.memory_output("far_slots") == last)
    )
    halves = [[inside.memory_row(row, f"slots_{parity}") for row in range(slots // 2)] for parity in range(2)]
    rows = Array(Value.cast(halves[place % 2][place // 2]) for place in range(slots))
    for k in range(slots):
        right = Value.cast(rows[(front + k)[:bits]]) == queue.row[k]
        claims.invariant("slots near the front hold their flits", (landed <= k) | right)
    beyond = Array(Value.cast(inside.memory_row(row, "far_slots")) for row in range(1 << len(first)))
    for k in range(ring.depth - slots + 1):
        behind = queue.at(claims.named(near + Const(k), f"far_flit_{k}"))
        right = Value.cast(beyond[(first + k)[: len(first)]]) == behind
        claims.invariant("block RAM holds the flits behind", (far <= k) | right)


# LinkStage: a stage makes a link a cycle longer.

STAGE_FLITS = 2


def link_stage(claims: Claims) -> None:
    """Claims about one stage."""
    part = LinkStage(FLIT_BITS)
    claims.free_inputs(part)
    inside = Inside(claims, part)
    assume_link_rules(claims, part.link, "link")
    prove_link_rules(claims, part.onward, "onward")
    entering = claims.named(part.link.valid & part.link.ready, "entering")
    leaving = claims.named(part.onward.valid & part.onward.ready, "leaving")
    queue = ReferenceQueue(claims, STAGE_FLITS, entering, part.link.payload, leaving)
    claims.always("a flit that is in is on the next link", part.onward.valid == (queue.held != 0))
    unaltered = Value.cast(part.onward.payload) == queue.row[0]
    claims.always("flits come out unaltered in order", ~part.onward.valid | unaltered)
    free = (queue.held < STAGE_FLITS) & started(claims)
    claims.always("ready shows whether a place is free", part.link.ready == free)
    refused = Signal()
    claims.m.d.sync += refused.eq(refused | part.onward.valid & ~part.onward.ready)
    claims.always("a link that is always ready is never stalled", refused | part.link.ready | ~started(claims))
    claims.invariant("without refusal one flit is in at most", refused | (queue.held <= 1))
    full = inside.register("full")
    claims.invariant("the spare register is the second place", full == (queue.held == STAGE_FLITS))
    claims.invariant("the spare register holds the second flit", ~full | (inside.register("spare") == queue.row[1]))
    claims.invariant("the stage has room for its flits", queue.held <= STAGE_FLITS)
    claims.possible("both registers are full", queue.held == STAGE_FLITS)
    claims.possible("one flit per cycle", leaving & entering & claims.was(leaving & entering, "streaming"))


# WireStages: a side wire with additional registers.


def wire_stages(bits: int, stages: int) -> Describe:
    """Claims about a wire of some width with some registers; with any values."""

    def describe(claims: Claims) -> None:
        part: Any = WireStages(bits, stages)
        claims.free_inputs(part)
        Inside(claims, part)
        earlier: Any = part.source
        for stage in range(stages):
            earlier = claims.was(earlier, f"source_{stage + 1}_ago")
            here = part.underway[stage * bits : (stage + 1) * bits]
            claims.always("each register has an earlier value of the source, the last one highest", here == earlier)
        claims.always("the sink is the source delayed by the number of registers", part.sink == earlier)
        claims.possible("every register holds something else", part.underway == (1 << bits * stages) // 3)

    return describe


# MessageEjector: flits of the delivery channel reach the user in order.


def ejector() -> Describe:
    """Claims about an ejector."""

    def describe(claims: Claims) -> None:
        part = MessageEjector(FLIT_BITS)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        assume_link_rules(claims, part.link, "link")
        prove_link_rules(claims, part.user, "user")
        entering = part.link.valid & part.link.ready
        leaving = claims.named(part.user.valid & part.user.ready, "leaving")
        begun = started(claims)
        queue = ReferenceQueue(claims, EJECTOR_FLITS, entering, part.link.payload, leaving)
        claims.always("valid waits for nothing once a flit is in", part.user.valid == (queue.held != 0))
        unaltered = Value.cast(part.user.payload) == queue.row[0]
        claims.always("flits come out unaltered in order", ~part.user.valid | unaltered)
        claims.always("ready shows whether a place is free", part.link.ready == (queue.held < EJECTOR_FLITS) & begun)
        refused = Signal()
        claims.m.d.sync += refused.eq(refused | part.user.valid & ~part.user.ready)
        claims.always("a user that is always ready never stalls the link", refused | part.link.ready | ~begun)
        claims.invariant("without refusal one flit is in at most", refused | (queue.held <= 1))
        claims.invariant("the counter counts", inside.register("count", "buffer") == queue.held)
        claims.invariant("the queue has room for its flits", queue.held <= EJECTOR_FLITS)
        for k, flit in enumerate(queue.row):
            place = inside.register(f"slot_{k}", "buffer")
            claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == flit))
        claims.possible("the link is stalled", part.link.valid & ~part.link.ready)
        claims.possible("one flit per cycle", leaving & entering & claims.was(leaving & entering, "streaming"))

    return describe


# MessageInjector: one message at a time, its header and then its words, head and tail marked.


def header_format(header_flits: int) -> HeaderFormat:
    """A header that takes some number of 8-bit flits, all of them full."""
    return HeaderFormat((("key", FLIT_BITS - 4),), FLIT_BITS * header_flits - 4, FLIT_BITS)


class ReferenceMessage:
    """The message in hand, and how much of it has moved.

    in_hand: A message has been accepted, and its tail has not moved yet.
    message: Its descriptor.
    moved, expected: Flits that have moved; number of the flit on the link, or of the next one if there is none.
    word: The payload word that was taken last.
    words: Payload words that were taken.
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
        _tie_inside_injector(claims, inside, part, reference)
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


def _tie_inside_injector(claims: Claims, inside: Inside, part: Any, reference: ReferenceMessage) -> None:
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


# WormGuard: for any input, whole worms go on, and sound worms are unchanged.

COVERED_FLITS = 10
"""A longer worm is not cut off within the cycles of the search."""


def worm_guard(watchdog_flits: int) -> Describe:
    """Claims about a guard with or without a watchdog."""

    def describe(claims: Claims) -> None:
        part: Any = WormGuard(FLIT_BITS, watchdog_flits)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        assume_link_rules(claims, part.link, "link")
        prove_link_rules(claims, part.onward, "onward")
        flit, onward = part.link.payload, part.onward.payload
        moves = claims.named(part.link.valid & part.link.ready, "moves")
        out: Any = Signal(name="out_worm_reference")
        flits: Any = Signal(range(watchdog_flits + 2), name="flits_reference")
        goes_on = claims.named(part.onward.valid & part.onward.ready, "goes_on")
        with claims.m.If(goes_on):
            claims.m.d.sync += [out.eq(~onward.tail), flits.eq(Mux(onward.tail, 0, flits + (flits <= watchdog_flits)))]
        valid = part.onward.valid
        claims.always("a head goes on first and only first", ~valid | (onward.head == ~out))
        dropped = part.link.valid & ~out & ~flit.head
        claims.always("flits are dropped between worms alone, heads never", valid == part.link.valid & ~dropped)
        claims.always("dropped flits move like all others", part.link.ready == part.onward.ready)
        claims.always("data goes on unaltered", ~valid | (onward.data == flit.data))
        if watchdog_flits:
            last = flits == watchdog_flits - 1
            claims.always("no worm is longer than the watchdog allows", ~valid | (flits < watchdog_flits))
            if watchdog_flits < COVERED_FLITS:
                claims.possible("a worm is cut off", goes_on & last & ~flit.tail)
        else:
            last = 0
        claims.always("a worm ends with its tail, or when it is too long", ~valid | (onward.tail == flit.tail | last))
        changed = moves & (~valid | (onward.head != flit.head) | (onward.tail != flit.tail))
        told = part.misframed == claims.was(changed, "changed")
        claims.always("misframed marks flits that were dropped or altered", told)
        claims.possible("a head inside a worm", goes_on & out & flit.head)
        claims.possible("a flit is dropped after a worm", claims.was(goes_on & onward.tail, "ended") & moves & ~valid)
        claims.invariant("an open worm is noted", inside.register("in_worm") == out)
        if watchdog_flits:
            claims.invariant("flits are counted", (inside.register("flits") == flits) & (flits < watchdog_flits))
            claims.invariant("between worms the counter is 0", out == (flits != 0))

    return describe
