"""Claims about a HARTS node: the words of packets and their transmitters."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.harts.parameters import PORTS
from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from tests.proofs.harts_node import (
    FILLING,
    FULL,
    BareNode,
    PageLife,
    page_facts,
    tie_packets,
    tie_page,
    tie_transmitters,
)
from tests.proofs.links import HOLDS
from topology.harts.frame import SLOT_BITS, SLOTS
from topology.harts.header import HOST

# History of any one transmitter, recorded cycle by cycle: its owner, and the flits that enter its register.


class OutputLife:
    """Activity of one output of a bare node. Neighbours may leave a flit in its register for any time.

    output: Any output, the same in every cycle.
    valid, ready, payload: Of its link.
    owned, holder: A receiver has it, and the number of that receiver.
    sending, page: It sends the packet of a page, and the number of that page.
    given, started: In this cycle a receiver gets it; it starts a packet from memory.
    from_bus, from_memory: Its register is loaded.
    head, tail: The flit loaded is a head, or a tail.
    open: A head has been loaded and not yet its tail.
    rested: Cycles since a tail was loaded, or ``most_rest``.
    age: Cycles that the flit has been in the register before this one, or ``most_rest - 1``.
    """

    def __init__(self, claims: Claims, bare: BareNode):
        self.most_rest = SLOTS * (bare.parameters.gap_frames + 1)
        self.output: Any = claims.constant(SLOT_BITS, "any_output")
        claims.assume(self.output < PORTS)
        links = bare.node.outputs
        self.valid = claims.named(Array(link.valid for link in links)[self.output], "valid")
        self.ready = claims.named(Array(link.ready for link in links)[self.output], "ready")
        payloads: Any = Array(Value.cast(link.payload) for link in links)[self.output]
        self.payload = claims.named(payloads, "payload")
        self._watch_owners(claims, bare)
        self._watch_loads(claims, bare)

    def _watch_owners(self, claims: Claims, bare: BareNode) -> None:
        m, bus, transmitters = claims.m, bare.receivers.bus, bare.transmitters
        self.given = claims.named(transmitters.reserve.bit_select(self.output, 1), "given_here")
        self.started = claims.named(transmitters.start & (bare.slot == self.output), "started_here")
        through = bare.receivers.bus_valid & bus.through & (bus.output == self.output)
        self.from_bus = claims.named(through, "from_bus_here")
        self.from_memory = claims.named(transmitters.sent & (transmitters.sent_for == self.output), "from_memory_here")
        self.owned: Any = Signal(name="owned_reference")
        self.holder: Any = Signal(SLOT_BITS, name="holder_reference")
        self.sending: Any = Signal(name="sending_reference")
        self.page: Any = Signal(bare.parameters.page_bits, name="page_reference")
        with m.If(self.given):
            m.d.sync += [self.owned.eq(1), self.holder.eq(bare.slot)]
        with m.Elif(self.from_bus & bus.word.tail):
            m.d.sync += self.owned.eq(0)
        with m.If(self.started):
            m.d.sync += [self.sending.eq(1), self.page.eq(bare.queues.chosen)]
        with m.Elif(self.from_memory & transmitters.sent_tail):
            m.d.sync += self.sending.eq(0)

    def _watch_loads(self, claims: Claims, bare: BareNode) -> None:
        m, word, transmitters = claims.m, bare.receivers.bus.word, bare.transmitters
        self.loads = claims.named(self.from_bus | self.from_memory, "loads_here")
        self.head = claims.named(Mux(self.from_memory, transmitters.sent_head, word.head), "head_here")
        self.tail = claims.named(Mux(self.from_memory, transmitters.sent_tail, word.tail), "tail_here")
        self.open: Any = Signal(name="open_reference")
        self.rested: Any = Signal(range(self.most_rest + 1), name="rested_reference", init=self.most_rest)
        self.age: Any = Signal(range(self.most_rest), name="age_reference", init=self.most_rest - 1)
        m.d.sync += [
            self.rested.eq(self.rested + (self.rested != self.most_rest)),
            self.age.eq(self.age + (self.age != self.most_rest - 1)),
        ]
        with m.If(self.loads):
            m.d.sync += [self.open.eq(~self.tail), self.age.eq(0)]
            with m.If(self.tail):
                m.d.sync += self.rested.eq(1)


# The transmitters of a node: each has one owner at most, and packets on an output keep apart.


def transmitters(claims: Claims) -> None:
    """Claims about any output of the smallest node."""
    bare = BareNode(claims)
    life = OutputLife(claims, bare)
    _prove_owner(claims, bare, life)
    _prove_loads(claims, life)
    tie_packets(claims, bare)
    tie_transmitters(claims, bare)
    _tie_owner(claims, bare, life)
    _tie_loads(claims, bare, life)
    claims.possible("a packet of several words is cut through", life.from_bus & life.tail & ~life.head)
    claims.possible("a packet of several words comes from memory", life.from_memory & life.tail & ~life.head)
    still_resting = claims.was(life.rested < life.most_rest, "resting")
    claims.possible("a head follows a tail as closely as it may", life.from_memory & life.head & still_resting)


def _prove_owner(claims: Claims, bare: BareNode, life: OutputLife) -> None:
    bank, bus = bare.transmitters, bare.receivers.bus
    claims.always("a transmitter never has a receiver and a page at once", ~(life.owned & life.sending))
    taken = life.given | life.started
    free = ~life.owned & ~life.sending & ~(life.given & life.started)
    claims.always("a transmitter is given or started only when it is free", ~taken | free)
    rested = life.rested >= life.most_rest - 1
    empty = ~life.valid | (life.output == HOST)
    idle = ~life.owned & ~life.sending & rested & empty & bank.ahead.bit_select(life.output, 1)
    room = (bare.slot == life.output) & ~bank.blocked.bit_select(life.output, 1)
    claims.always("the packet that is found starts as soon as it may", life.started == bank.found & room & idle)
    reads = bank.read & (bank.read_page == life.page)
    claims.always("a packet that has started goes on in each frame that finds room", ~(life.sending & room) | reads)
    several = claims.named(bank.reserve & (bank.reserve - 1), "all_but_the_lowest")
    claims.always("one transmitter at most is given at a time", ~several.any())
    mine = life.owned & (bus.direction == life.holder)
    claims.always("words of one receiver only go through a transmitter until the tail", ~life.from_bus | mine)
    same = life.sending & (bank.sent_page == life.page)
    claims.always("words of one page only are sent until the tail", ~life.from_memory | same)


def _prove_loads(claims: Claims, life: OutputLife) -> None:
    claims.always("an output never gets words from bus and memory at once", ~(life.from_bus & life.from_memory))
    waits = life.valid & ~life.ready
    claims.always("no word overwrites a flit that waits", ~(life.loads & waits))
    held = claims.was(waits, "waiting")
    unchanged = life.valid & (life.payload == claims.was(life.payload, "payload"))
    claims.always(HOLDS, ~held | unchanged)
    loaded = claims.was(life.loads, "loaded")
    head, tail = life.payload[-2], life.payload[-1]
    shown = life.valid & (head == claims.was(life.head, "head")) & (tail == claims.was(life.tail, "tail"))
    claims.always("a word that is sent is on the link in the next cycle", ~loaded | shown)
    claims.always("packets never mix on an output", ~loaded | (head == ~claims.was(life.open, "open")))
    gap = life.rested == life.most_rest
    claims.always("between a tail and the next head are at least gap frames", ~(life.loads & life.head) | gap)


def _tie_owner(claims: Claims, bare: BareNode, life: OutputLife) -> None:
    inside, bus, output = bare.inside, bare.receivers.bus, life.output
    owned = inside.register("owned", "transmitters").bit_select(output, 1)
    sending = inside.register("sending", "transmitters").bit_select(output, 1)
    claims.invariant("transmitters of receivers are noted", owned == life.owned)
    claims.invariant("transmitters that send are noted", sending == life.sending)
    page = bare.register("page", "transmitters", output)
    claims.invariant("the page that is sent is noted", ~life.sending | (page == life.page))
    claims.invariant(
        "words on the bus are their holder's", ~life.from_bus | life.owned & (bus.direction == life.holder)
    )
    holders: list[Any] = []
    for port in range(PORTS):
        through = bare.register("through", "receivers", port) & (bare.register("output", "receivers", port) == output)
        holders.append(claims.named(bare.arriving[port] & through, f"holder_{port}"))
        mine = life.owned & (life.holder == port)
        claims.invariant("a packet that goes through has its transmitter", ~holders[port] | mine)
    passing = concat(holders).any() | life.from_bus & bus.word.tail
    claims.invariant("a transmitter of a receiver has a packet that goes through", ~life.owned | passing)
    claims.invariant("no receiver has the host's transmitter", ~life.owned | (output != HOST))


def _tie_loads(claims: Claims, bare: BareNode, life: OutputLife) -> None:
    most = life.most_rest
    busy = life.owned | life.sending
    begins = life.loads & life.head
    claims.invariant("a packet is open from its head to its tail", life.open == busy & ~begins)
    gap = bare.register("gap", "transmitters", life.output)
    claims.invariant("the rest is counted up to the gap", life.rested <= most)
    waits = (life.output != HOST) & life.valid & ~busy
    left = Mux(life.rested >= most - 1, waits, most - 1 - life.rested)
    claims.invariant("the gap is counted down", (gap == left) & (life.rested != 0))
    claims.invariant("a transmitter in use had its gap", ~busy | (life.rested >= most - 1))
    claims.invariant("a packet begins after the gap", ~begins | (life.rested == most))
    claims.invariant("between packets the register is as old as the tail", life.open | (life.age == life.rested - 1))
    mine = life.owned & (life.holder == bare.slot)
    held_up = bare.inside.register("held_up", "receivers")
    seen = held_up | ~life.valid | (life.age == 0) | ~life.open
    claims.invariant("a receiver records a flit that has not moved", ~mine | seen)
    phase = (bare.slot - life.holder - 2)[:SLOT_BITS]
    claims.invariant(
        "words of a receiver come a frame apart", ~(life.owned & life.open) | (life.age >= SLOTS) | (life.age == phase)
    )
    claims.invariant("words from memory find their register empty", ~life.from_memory | ~life.valid)
    claims.invariant("words of receivers find their register empty", ~life.from_bus | ~life.valid)


# Any one word of the packet in any one page, on its way to any one output, recorded cycle by cycle.


class WordLife:
    """A word of the page's packet as it was stored, and the words that have left the page for an output.

    Taken for granted: the memory gives what was last written into a row; the output's register is empty or being
    emptied when it is loaded, from the bus or the memory but not both (proved of the transmitters).

    place, output: Any place in the page, and any output.
    word: Data of the flit that went in as the packet's ``place``-th: as its receiver popped it.
    kept: Content of the memory in that place.
    owed: The packet waited for the output when it was complete.
    count: Words that have come out of the page for the output since then.
    comes, goes_through: One comes out in this cycle: it is loaded into the output's register; a word on the bus is. No
      receiver has the transmitter of the host (proved of the transmitters).
    popped_number, popped_data: Of the flit that a receiver popped in the cycle before, so that it is on the bus now.
    read_place, was_read, read_word: Place that was read in the cycle before, whether it was this one, and what it held.
    link: Head, tail and data on the output.
    """

    def __init__(self, claims: Claims, bare: BareNode, life: PageLife):
        p = bare.parameters
        self.place: Any = claims.constant(p.position_bits, "any_place")
        self.output: Any = claims.constant(SLOT_BITS, "any_output")
        claims.assume(self.output < len(bare.node.outputs))
        self.owed: Any = Signal(name="owed_reference")
        self.count: Any = Signal(range(p.packet_flits + 2), name="words_out_reference")
        transmitters = bare.transmitters
        here = transmitters.sent & (transmitters.sent_page == bare.page) & (transmitters.sent_for == self.output)
        self.comes: Any = claims.named(here, "comes_out_here")
        bus = bare.receivers.bus
        through = bare.receivers.bus_valid & bus.through & (bus.output == self.output) & (self.output != HOST)
        self.goes_through: Any = claims.named(through, "goes_through_here")
        with claims.m.If(bare.packet.enters):
            entered = bare.queues.entered_outputs.bit_select(self.output, 1)
            claims.m.d.sync += [self.owed.eq(entered), self.count.eq(0)]
        with claims.m.Else():
            claims.m.d.sync += self.count.eq(self.count + self.comes)
        self._watch_entry(claims, bare, life)
        self._watch_memory(claims, bare)
        self._watch_output(claims, bare)

    def _watch_entry(self, claims: Claims, bare: BareNode, life: PageLife) -> None:
        flits: Any = 0
        number: Any = 0
        for port, buffer in enumerate(bare.buffers):
            flits = flits | Mux(bare.popped[port], Value.cast(buffer.flit.data), 0)
            number = number | Mux(bare.popped[port], bare.flits[port], 0)
        self.popped_data: Any = claims.was(flits, "popped_data")
        self.popped_number: Any = claims.was(number, "popped_number")
        self.word: Any = Signal(bare.parameters.flit_bits, name="word_reference")
        with claims.m.If(life.stores & (self.popped_number == self.place)):
            claims.m.d.sync += self.word.eq(self.popped_data)

    def _watch_memory(self, claims: Claims, bare: BareNode) -> None:
        inside, bits = bare.inside, bare.parameters.position_bits
        self.kept: Any = Signal(bare.parameters.flit_bits, name="kept_reference")

        def is_here(address: Any) -> Any:
            return (address[bits:] == bare.page) & (address[:bits] == self.place)

        with claims.m.If(inside.write_enable & is_here(inside.write_address)):
            claims.m.d.sync += self.kept.eq(inside.write_data[: len(self.kept)])
        self.was_read = claims.was(inside.read_enable & is_here(inside.read_address), "word_read_here")
        self.read_word = claims.was(self.kept, "kept")
        claims.assume(~self.was_read | (inside.read_data[: len(self.kept)] == self.read_word))
        self.read_place = claims.was(inside.read_address[:bits], "read_place")

    def _watch_output(self, claims: Claims, bare: BareNode) -> None:
        links = bare.node.outputs
        occupied: Any = Array(link.valid & ~link.ready for link in links)[self.output]
        claims.assume(~((self.comes | self.goes_through) & occupied))
        claims.assume(~(self.goes_through & bare.transmitters.sent & (bare.transmitters.sent_for == self.output)))
        self.valid: Any = claims.named(Array(link.valid for link in links)[self.output], "valid_here")
        payload: Any = claims.named(Array(Value.cast(link.payload) for link in links)[self.output], "payload_here")
        self.data, self.head, self.tail = payload[:-2], payload[-2], payload[-1]


# The words of stored packets: each comes out once for every output that waits for it, as it went in.


def words(claims: Claims) -> None:
    """Claims about any word of the smallest node."""
    bare = BareNode(claims)
    life = PageLife(claims, bare)
    word = WordLife(claims, bare, life)
    claims.assume(~bare.node.corrupting)
    _prove_exactly_once(claims, life, word)
    _prove_data(claims, life, word)
    for name, condition in page_facts(bare, life):
        claims.invariant(name, condition)
    tie_packets(claims, bare)
    tie_transmitters(claims, bare)
    tie_page(claims, bare, life)
    _tie_word(claims, bare, life, word)
    second = word.comes & (word.count == 1) & (life.words == 2) & (word.output == 2) & (bare.page == 0)
    claims.possible("the second and last word comes out", second)
    claims.possible("a word goes through", word.goes_through & (word.popped_number == 1))


def _prove_exactly_once(claims: Claims, life: PageLife, word: WordLife) -> None:
    claims.always("an output gets only packets that have waited for it", ~word.comes | word.owed)
    claims.always("an output gets no more words than went in", ~word.comes | (word.count < life.words))
    everything = word.count + word.comes == life.words
    claims.always("a page comes back when its outputs have got every word", ~life.gives | ~word.owed | everything)


def _prove_data(claims: Claims, life: PageLife, word: WordLife) -> None:
    came = claims.was(word.comes, "came")
    number = claims.was(word.count, "number")
    ends = claims.was(word.count + 1 == life.words, "ends")
    marked = word.valid & (word.head == (number == 0)) & (word.tail == ends)
    claims.always("the first word is the head, the last one the tail", ~came | marked)
    right = word.data == claims.was(word.word, "word")
    body = came & (number != 0) & (number == word.place)
    claims.always("words come out in order as they went in", ~body | right)
    went = claims.was(word.goes_through & (word.popped_number != 0), "went_through")
    unaltered = word.valid & (word.data == claims.was(word.popped_data, "on_the_bus"))
    claims.always("words that go through are not altered", ~went | unaltered)


def _tie_word(claims: Claims, bare: BareNode, life: PageLife, word: WordLife) -> None:
    bus, output = bare.receivers.bus, word.output
    valid = bare.receivers.bus_valid
    claims.invariant("words on the bus are counted", ~valid | (word.popped_number == bus.position))
    claims.invariant("the word on the bus was popped", ~valid | (word.popped_data == bus.word.data))
    claims.invariant("heads are first on the bus", ~valid | (bus.word.head == (bus.position == 0)))
    stored = ((life.state == FILLING) | (life.state == FULL)) & (word.place < life.words)
    claims.invariant("the memory keeps the word", ~stored | (word.kept == word.word))
    left = claims.named(bare.packet.left.bit_select(output, 1), "still_waits")
    sends = claims.named(life.senders.bit_select(output, 1), "sends_here")
    full = life.state == FULL
    claims.invariant("an output that waits or sends was promised the packet", ~(full & (left | sends)) | word.owed)
    claims.invariant("an output that waits is not sending yet", ~(left & sends))
    just = claims.named(life.was_read & (bare.transmitters.sent_for == output), "just_read_here")
    position: Any = bare.register("position", "transmitters", output)
    read = Mux(just, word.count + 1, word.count)
    claims.invariant("words that were read are counted", ~(full & sends) | (position == read))
    claims.invariant("an output that waits has received nothing yet", ~(full & left) | (word.count == 0))
    through = full & word.owed & ~left & ~sends
    claims.invariant("an output that has finished has received every word", ~through | (word.count == life.words))
    place = bare.register("position", "transmitters", bare.transmitters.sent_for)
    noted = (word.read_place + 1)[: len(position)] == place
    claims.invariant("the place that was read is noted", ~life.was_read | noted)
    head = bare.transmitters.sent_head == (word.read_place == 0)
    claims.invariant("a head is read first", ~life.was_read | head)
    here = claims.named(life.was_read & (word.read_place == word.place), "place_was_read")
    claims.invariant("a read of the word is noted", word.was_read == here)
    claims.invariant("the data read is the word", ~here | (word.read_word == word.word))
    claims.invariant("no data is spoiled", bare.inside.register("spoilers") == 0)
