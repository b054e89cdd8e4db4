"""Claims about the transmitters of a node: each has one owner at most, and packets on an output keep apart.

They are about any one output, and so about all.
"""

from typing import Any

from amaranth.hdl import Mux

from rtl.harts.parameters import PORTS
from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from tests.proofs.common.links import HOLDS
from tests.proofs.harts.bare_node import BareNode
from tests.proofs.harts.node_ties import tie_packets, tie_transmitters
from tests.proofs.harts.output_life import OutputLife
from topology.harts.frame import SLOT_BITS, SLOTS
from topology.harts.header import HOST


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
