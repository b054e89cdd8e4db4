"""Claims about the pages of a node: each is in one place at any time, none is used twice or lost.

They are about any one page, and so about all. What pool and queues take for granted of the node is among them.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Mux

from rtl.harts.parameters import PORTS
from tests.proofs.claims import Claims
from tests.proofs.harts.bare_node import BareNode
from tests.proofs.harts.node_ties import tie_packets, tie_page, tie_transmitters
from tests.proofs.harts.page_life import FILLING, FREE, FULL, KEPT, PageLife


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
