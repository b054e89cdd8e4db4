"""Claims about a HARTS node: its bus and the life of its pages."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.generator.structure import flat_ports
from rtl.harts.header_store import HeaderStore
from rtl.harts.page_pool import PagePool
from rtl.harts.page_queues import PageQueues
from rtl.harts.parameters import PORTS
from rtl.harts.relay_rules import SendRules
from rtl.harts.route_decoder import RouteDecoder
from rtl.harts.router import HartsNode
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.harts_pages import (
    OpenInside,
    PagePoolUse,
    PageQueuesCalls,
    PageQueuesUse,
    slot_counter,
    smallest_node,
)
from topology.harts.frame import SLOT_BITS, SLOTS
from topology.harts.header import HOST

# A node without input buffers, pool, queues and memories, whose outputs are any that their own proofs allow.

LEFT_OUT = (HeaderStore, InputBuffer, PagePool, PageQueues, SendRules)


class BareNode:
    """The node, its assumptions, and any one page of it.

    Taken for granted besides the contracts of the parts that are left out: packets have one head, one tail and at most
    ``packet_flits`` flits (a matter of the source's host). Neighbours may wish for whatever they like.

    slot: Counted outside the node.
    popped: Receivers whose flit goes onto the bus in this cycle.
    arriving: Receivers that have popped a head and not yet its tail.
    flits: How many flits they have popped of the packet, per receiver.
    page: Any page number, the same in every cycle.
    packet: Of ``page``.
    """

    def __init__(self, claims: Claims):
        self.claims = claims
        self.parameters = p = smallest_node()
        self.node: Any = HartsNode(p)
        claims.free_inputs(self.node)
        self.inside = OpenInside(claims, self.node, LEFT_OUT)
        placed = self.inside.placed
        self.receivers, self.transmitters = placed["receivers"], placed["transmitters"]
        self.pool, self.queues = placed["pool"], placed["queues"]
        self.buffers = [placed[f"buffer_{port}"] for port in range(PORTS)]
        self.slot = slot_counter(claims)
        claims.invariant("the node counts slots", self.inside.register("slot") == self.slot)
        for part in (self.pool, self.queues, placed["headers"], placed["send_rules"], *self.buffers):
            for _, is_input, value in flat_ports(part):
                if not is_input:
                    claims.anything(value)
        claims.anything(self.inside.take_memory_out())
        self.page: Any = claims.constant(p.page_bits, "any_page")
        self.pool_use = PagePoolUse(claims, self.pool, p.pages)
        self.calls = PageQueuesCalls(claims, self.queues, p.pages)
        self.packet = PageQueuesUse(claims, self.queues, self.page, "here")
        self._assume_parts()
        self._assume_packets()
        self._assume_neighbours()

    def _assume_parts(self) -> None:
        claims, queues = self.claims, self.queues
        for use in (self.pool_use, self.packet):
            for _, condition in use.promises():
                claims.assume(condition)
        for output in range(PORTS):
            waits = queues.found & (self.slot == output)
            claims.assume(~waits | queues.waiting[output])
        claims.assume((self.slot < PORTS) | ~queues.found)

    def _assume_packets(self) -> None:
        """Flits in the buffers form whole packets. They may come and go: stability is not needed."""
        claims, most = self.claims, self.parameters.packet_flits
        self.popped: Any = claims.named(concat(buffer.pop for buffer in self.buffers), "popped")
        self.arriving: Any = Signal(PORTS, name="arriving_reference")
        tails = claims.named(concat(buffer.flit.tail for buffer in self.buffers), "tails")
        claims.m.d.sync += self.arriving.eq((self.arriving | self.popped) & ~(self.popped & tails))
        self.flits = [Signal(range(most + 1), name=f"flits_{port}") for port in range(PORTS)]
        for port, buffer in enumerate(self.buffers):
            flits = self.flits[port]
            with claims.m.If(self.popped[port]):
                claims.m.d.sync += flits.eq(Mux(buffer.flit.tail, 0, flits + 1))
            claims.invariant("flits that have arrived are counted", self.arriving[port] == (flits != 0))
            claims.invariant("no packet has got too long", flits < most)
            whole = (buffer.flit.head == ~self.arriving[port]) & (buffer.flit.tail | (flits < most - 1))
            claims.assume(~buffer.present | whole)
            right = Value.cast(buffer.decoded) == self._decoded(port, buffer)
            claims.assume(~buffer.present | ~buffer.flit.head | right)

    def _decoded(self, port: int, buffer: Any) -> Any:
        """Note of the flit at the front, which the buffer keeps with it."""
        p, claims = self.parameters, self.claims
        decoded: Any = RouteDecoder(p)
        claims.m.submodules[f"way_reference_{port}"] = decoded
        claims.m.d.comb += [
            Value.cast(decoded.header).eq(buffer.flit.data[: p.header_layout.size]),
            decoded.way.eq(0 if port == HOST else 1 << port),
            decoded.dead.eq(self.node.dead),
        ]
        return Value.cast(decoded.decoded)

    def _assume_neighbours(self) -> None:
        self.claims.never_changes(self.node.dead)

    def register(self, name: str, bank: str, index: Any = None) -> Any:
        """A register of a bank; of one port, if it has one for each."""
        if index is None:
            return self.inside.register(name, bank)
        registers = Array(self.inside.register(f"{name}_{port}", bank) for port in range(PORTS))
        return Value.cast(registers[index])


# The bus of a node: every receiver has its own slot, and is served in every frame.


def bus(claims: Claims) -> None:
    """Claims about the bus of the smallest node."""
    bare = BareNode(claims)
    receivers, popped = bare.receivers, bare.popped
    present = concat(buffer.present for buffer in bare.buffers)
    heads = claims.named(concat(buffer.flit.head for buffer in bare.buffers), "heads")
    claims.always("one receiver at most puts a word on the bus in a cycle", at_most_one(popped))
    own = concat(~popped[port] | (bare.slot == port) for port in range(PORTS)).all()
    claims.always("a receiver uses its own slot only", own)
    claims.always("only a flit that is there is popped", ~(popped & ~present).any())
    claims.always("a head goes only if its receiver keeps a page", ~(popped & heads & ~receivers.kept).any())
    held_up = _held_up(claims, bare)
    may_go = claims.named(present & (~heads | receivers.kept) & (heads | ~held_up), "may_go")
    _prove_service(claims, bare, may_go)
    _prove_word(claims, bare)
    lost = claims.was(receivers.kept & ~(popped & heads), "kept_before") & ~receivers.kept
    claims.always("a page is kept until a head goes", ~lost.any())
    claims.possible("all receivers keep a page", receivers.kept.all())
    _prove_pages(claims, bare)


def _prove_pages(claims: Claims, bare: BareNode) -> None:
    """Pages by levels, and the wait of any one receiver for a page while there are enough for any packet."""
    receivers, levels = bare.receivers, bare.parameters.levels
    enough = (receivers.free != 0) & (receivers.free + receivers.wish > levels)
    claims.always("a page is kept only if enough are left for packets of later levels", ~receivers.take | enough)
    mine: Any = claims.constant(SLOT_BITS, "my_page")
    claims.assume(mine < PORTS)
    without: Any = Signal(range(SLOTS + 2), name="cycles_without_a_page")
    lacks = ~receivers.kept.bit_select(mine, 1) & (receivers.free > levels)
    claims.m.d.sync += without.eq(Mux(lacks, without + (without <= SLOTS), 0))
    claims.always("a receiver keeps a page within a frame if there are enough for any packet", without <= SLOTS)
    before = claims.named((bare.slot - mine - 1)[:SLOT_BITS], "slots_since_the_one_after_mine")
    lacked = receivers.kept.bit_select(mine, 1) | (without <= before)
    claims.invariant("a receiver that lacks a page has lacked it since its last slot", lacked)
    claims.possible("a receiver lacks a page for a whole frame", without == SLOTS)


def _held_up(claims: Claims, bare: BareNode) -> Any:
    """Receivers that send on a packet whose last word has not moved from its output register in the cycle before."""
    blocked = claims.was(bare.transmitters.blocked, "blocked_before")
    held_up = concat(
        bare.register("through", "receivers", port) & blocked.bit_select(bare.register("output", "receivers", port), 1)
        for port in range(PORTS)
    )
    noted = bare.inside.register("held_up", "receivers") == held_up.bit_select(bare.slot, 1)
    claims.invariant("the next receiver records whether its register is full", (bare.slot >= PORTS) | noted)
    return held_up


def _prove_service(claims: Claims, bare: BareNode, may_go: Any) -> None:
    """Cycles in which the flit of any one receiver may move and does not."""
    mine: Any = claims.constant(SLOT_BITS, "my_receiver")
    claims.assume(mine < PORTS)
    goes, may = bare.popped.bit_select(mine, 1), may_go.bit_select(mine, 1)
    waited: Any = Signal(range(SLOTS + 1), name="cycles_waited")
    claims.m.d.sync += waited.eq(Mux(may & ~goes, waited + (waited < SLOTS), 0))
    claims.always("a flit that may go goes within a frame", ~may | goes | (waited < SLOTS - 1))
    since = claims.named((bare.slot - mine)[:SLOT_BITS], "slots_since_mine")
    last = Mux(since == 0, SLOTS, since)
    claims.invariant("a receiver that waits has waited since its last slot", (waited == 0) | (waited < last))
    claims.possible("a flit waits for a whole frame", goes & (waited == SLOTS - 1))


def _prove_word(claims: Claims, bare: BareNode) -> None:
    receivers, popped = bare.receivers, bare.popped
    words: Any = 0
    for port, buffer in enumerate(bare.buffers):
        words = words | Mux(popped[port], Value.cast(buffer.flit), 0)
    word = claims.was(words, "popped_word")
    used = claims.was(popped.any(), "popped_any")
    claims.always("the bus is in use when a flit was popped a cycle before", receivers.bus_valid == used)
    same = Value.cast(receivers.bus.word) == word
    claims.always("the word on the bus is the one that was popped", ~receivers.bus_valid | same)
    right = receivers.bus.direction == claims.was(bare.slot, "slot")
    claims.always("the bus names the receiver of the word", ~receivers.bus_valid | right)


# History of any one page, recorded cycle by cycle: free, kept by a receiver, filled by it, full, free again.

FREE, KEPT, FILLING, FULL = range(4)


class PageLife:
    """State of the page of a bare node.

    state: ``FREE``, ``KEPT``, ``FILLING`` or ``FULL``.
    receiver: The receiver that keeps or fills it.
    words: Number of words in it.
    tails: Places in it that contain a tail.
    senders: Outputs that are sending its packet.
    takes, stores, reads, ends, gives: In this cycle it is taken; gets a word; is read; one of its senders has read the
      tail; comes back.
    """

    def __init__(self, claims: Claims, bare: BareNode):
        p, bus, transmitters = bare.parameters, bare.receivers.bus, bare.transmitters
        page, pool = bare.page, bare.pool
        self.state: Any = Signal(2, name="state_reference")
        self.receiver: Any = Signal(SLOT_BITS, name="receiver_reference")
        self.words: Any = Signal(range(p.packet_flits + 2), name="words_reference")
        self.tails: Any = Signal(1 << p.position_bits, name="tails_reference")
        self.senders: Any = Signal(PORTS, name="senders_reference")
        self.takes = claims.named(pool.take & (pool.page == page), "takes_here")
        self.stores: Any = claims.named(bare.receivers.bus_valid & bus.stored & (bus.page == page), "stores_here")
        self.reads = claims.named(transmitters.read & (transmitters.read_page == page), "reads_here")
        sent = transmitters.sent & transmitters.sent_tail
        self.ends = claims.named(sent & (transmitters.sent_page == page), "ends_here")
        self.gives = claims.named(pool.give & (pool.given == page), "gives_here")
        self._step(claims, bare)

    def _step(self, claims: Claims, bare: BareNode) -> None:
        m, bus = claims.m, bare.receivers.bus
        with m.If(self.takes):
            m.d.sync += [self.state.eq(KEPT), self.receiver.eq(bare.slot)]
        with m.Elif(self.stores):
            m.d.sync += [
                self.state.eq(Mux(bus.word.tail, FULL, FILLING)),
                self.words.eq(Mux(bus.word.head, 1, self.words + 1)),
            ]
        with m.Elif(self.gives):
            m.d.sync += self.state.eq(FREE)
        started = Mux(bare.packet.starts, 1 << bare.slot, 0)
        ended = Mux(self.ends, 1 << bare.transmitters.sent_for, 0)
        m.d.sync += self.senders.eq((self.senders | started) & ~ended)
        self._remember_tails(claims, bare)

    def _remember_tails(self, claims: Claims, bare: BareNode) -> None:
        """The packet memory keeps the words written into this page, and the mark of the tail."""
        p, inside = bare.parameters, bare.inside
        places = 1 << p.position_bits
        written = inside.write_enable & (inside.write_address[p.position_bits :] == bare.page)
        for place in range(places):
            with claims.m.If(written & (inside.write_address[: p.position_bits] == place)):
                claims.m.d.sync += self.tails[place].eq(inside.write_data[p.flit_bits])
        read = inside.read_enable & (inside.read_address[p.position_bits :] == bare.page)
        self.was_read = claims.was(read, "read_here")
        self.tail_read = claims.was(self.tails.bit_select(inside.read_address[: p.position_bits], 1), "tail_here")
        claims.assume(~self.was_read | (inside.read_data[p.flit_bits] == self.tail_read))


# Ties the registers of a node to the reference models of its packets, transmitters and any one of its pages.


def tie_packets(claims: Claims, bare: BareNode) -> None:
    """Receivers track the progress of their packets, and the bus shows the action of the last one."""
    receivers, bus = bare.receivers, bare.receivers.bus
    valid, direction = receivers.bus_valid, bus.direction
    last = claims.named((bare.slot - 1)[:SLOT_BITS], "last_slot")
    claims.invariant("the bus shows the receiver of the last slot", ~valid | (direction == last) & (direction < PORTS))
    goes_on = bare.arriving.bit_select(direction, 1)
    claims.invariant("a packet on the bus ends with its tail", ~valid | (goes_on == ~bus.word.tail))
    for name in ("stored", "page", "through", "output"):
        noted = bare.register(name, "receivers", direction) == bus[name]
        claims.invariant("the outcome of the packet on the bus is recorded", ~valid | noted)
    position = bare.register("position", "receivers", direction)
    claims.invariant(
        "the place of the word on the bus is noted", ~valid | bus.word.tail | (position == bus.position + 1)
    )
    claims.invariant("places are within a page", ~valid | (bus.position < bare.parameters.packet_flits))
    for port in range(PORTS):
        at = claims.named(bare.register("position", "receivers", port), f"position_of_{port}")
        claims.invariant("words that have arrived are counted", ~bare.arriving[port] | (at == bare.flits[port]))
    _tie_outputs(claims, bare)


def _tie_outputs(claims: Claims, bare: BareNode) -> None:
    """A stored packet has an output that waits for it or sends it."""
    bus = bare.receivers.bus
    stored = bare.receivers.bus_valid & bus.stored
    claims.invariant("a stored packet has outputs", ~stored | bare.queues.entered_outputs.any())
    for port in range(PORTS):
        head_now = stored & bus.word.head & (bus.direction == port)
        arrives = bare.arriving[port] & bare.register("stored", "receivers", port)
        outputs = bare.inside.register(f"outputs_{port}")
        claims.invariant("outputs are noted until the tail", ~arrives | head_now | outputs.any())


def tie_transmitters(claims: Claims, bare: BareNode) -> None:
    """The word read is for the output of the last slot, which is sending; the queues get the wishes."""
    transmitters = bare.transmitters
    output = transmitters.sent_for
    last = claims.named((bare.slot - 1)[:SLOT_BITS], "last_slot_of_memory")
    right = (output == last) & (output < PORTS)
    claims.invariant("the word read is for the output of the last slot", ~transmitters.sent | right)
    sending = bare.inside.register("sending", "transmitters").bit_select(output, 1)
    same = bare.register("page", "transmitters", output) == transmitters.sent_page
    claims.invariant("a transmitter that has read is sending", ~transmitters.sent | sending & same)
    for wish, reference in zip(transmitters.wish, bare.calls.wishes, strict=True):
        claims.invariant("wishes are noted", wish == reference)


def tie_page(claims: Claims, bare: BareNode, life: PageLife) -> None:
    """The page is exactly where the reference model records it."""
    receivers, bus, page, state = bare.receivers, bare.receivers.bus, bare.page, life.state
    kept = [receivers.kept[port] & (bare.register("landing", "receivers", port) == page) for port in range(PORTS)]
    kept = [claims.named(here, f"kept_by_{port}") for port, here in enumerate(kept)]
    filled: list[Any] = []
    for port in range(PORTS):
        stored = bare.register("stored", "receivers", port) & (bare.register("page", "receivers", port) == page)
        filled.append(claims.named(bare.arriving[port] & stored, f"filled_by_{port}"))
        mine = life.receiver == port
        claims.invariant("the receiver that keeps the page is recorded", ~kept[port] | (state == KEPT) & mine)
        begins = (state == KEPT) & life.stores & bus.word.head
        claims.invariant(
            "the receiver that fills the page is recorded", ~filled[port] | ((state == FILLING) | begins) & mine
        )
        words = Mux(life.stores, bus.position + 1, life.words)
        at = bare.register("position", "receivers", port)
        claims.invariant("words in the page are counted", ~filled[port] | (at == words))
    on_bus = Mux(bus.word.head, state == KEPT, state == FILLING) & (bus.direction == life.receiver)
    claims.invariant("the bus goes on with the page", ~life.stores | on_bus)
    place = Mux(bus.word.head, 0, life.words)
    claims.invariant("the bus goes on with the next word", ~life.stores | (bus.position == place))
    there = page < bare.parameters.pages
    claims.invariant("only a page that there is is used", (state == FREE) | there)
    keeper = concat(kept).any()
    claims.invariant("a kept page has a keeper", (state != KEPT) | keeper ^ (life.stores & bus.word.head))
    filler = concat(filled).any()
    claims.invariant("a page that is filled has a filler", (state != FILLING) | filler ^ (life.stores & bus.word.tail))
    _tie_full(claims, bare, life)


def _tie_full(claims: Claims, bare: BareNode, life: PageLife) -> None:
    """The tail is the last word, and no output has read past it."""
    most = bare.parameters.packet_flits
    state, words, tails = life.state, life.words, life.tails
    filling = (state == FILLING) | (state == FULL)
    claims.invariant("a page that is filled has a word", ~filling | (words >= 1) & (words <= most))
    for place in range(most):
        right = tails[place] == (state == FULL) & (words == place + 1)
        claims.invariant("the tail is the last word", ~filling | (place >= words) | right)
    claims.invariant("an output waits only for a full page", ~bare.packet.left.any() | (state == FULL))
    claims.invariant("an output sends only a full page", ~life.senders.any() | (state == FULL))
    transmitters = bare.transmitters
    sending = bare.inside.register("sending", "transmitters")
    claims.invariant("a read is noted", life.was_read == transmitters.sent & (transmitters.sent_page == bare.page))
    for port in range(PORTS):
        here = bare.register("page", "transmitters", port) == bare.page
        claims.invariant("senders are noted", life.senders[port] == sending[port] & here)
        position = bare.register("position", "transmitters", port)
        just = life.was_read & (transmitters.sent_for == port)
        right = Mux(just, (life.tail_read == (position == words)) & (position <= words), position < words)
        claims.invariant("no output reads past the tail", ~life.senders[port] | right & (position != 0))


# The pages of a node: each is in one place at any time, none is used twice or lost.


def pages(claims: Claims) -> None:
    """Claims about any page of the smallest node."""
    bare = BareNode(claims)
    life = PageLife(claims, bare)
    for name, condition in page_facts(bare, life):
        claims.always(name, condition)
    tie_packets(claims, bare)
    tie_transmitters(claims, bare)
    tie_page(claims, bare, life)
    claims.possible("a page comes back", life.gives)
    claims.possible("two outputs send a page at once", (life.senders & (life.senders - 1)).any())


def page_facts(bare: BareNode, life: PageLife) -> Iterator[tuple[str, Any]]:
    """Facts about the page, by name."""
    yield from bare.pool_use.contract(bare.page)
    yield from bare.packet.contract()
    yield from bare.calls.contract(bare.page)
    yield from _arrival(bare, life)
    yield from _sending(bare, life)


def _arrival(bare: BareNode, life: PageLife) -> Iterator[tuple[str, Any]]:
    bus, state = bare.receivers.bus, life.state
    yield "a page is taken only if it is empty", ~life.takes | (state == FREE)
    out = bare.pool_use.out.bit_select(bare.page, 1)
    yield "a page is out while it is kept, filled or full", out == (state != FREE)
    due = Mux(bus.word.head, state == KEPT, state == FILLING) & (bus.direction == life.receiver)
    yield "a page is filled by the receiver that has kept it, with one packet", ~life.stores | due
    place = Mux(bus.word.head, 0, life.words)
    yield "words are stored one after the other", ~life.stores | (bus.position == place)
    yield "a packet enters the queues with its tail", bare.packet.enters == life.stores & bus.word.tail


def _sending(bare: BareNode, life: PageLife) -> Iterator[tuple[str, Any]]:
    transmitters, left = bare.transmitters, bare.packet.left
    yield "a page is sent only while it is full", ~life.reads | (life.state == FULL)
    stored = transmitters.read_position < life.words
    yield "only words of the packet in the page are sent", ~life.reads | stored
    ended: Any = Mux(life.ends, 1 << transmitters.sent_for, 0)
    still = life.senders & ~ended[:PORTS]
    through = life.ends & ~left.any() & ~still.any()
    yield "a page comes back when the last output has sent it, and never else", life.gives == through
    pending = left.any() | life.senders.any()
    yield "a full page has an output that waits for it or sends it", (life.state != FULL) | pending
