"""Ties the registers of a node to the reference models of its packets, transmitters and any one of its pages."""

from typing import Any

from amaranth.hdl import Mux

from rtl.harts.parameters import PORTS
from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from tests.proofs.harts.bare_node import BareNode
from tests.proofs.harts.page_life import FILLING, FREE, FULL, KEPT, PageLife
from topology.harts.frame import SLOT_BITS


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
