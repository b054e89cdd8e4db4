"""Claims about AXI4-Stream ends of packets whose first word travels in the header, and about keys of windows."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value

from rtl.axi4.window_key import WindowKey
from rtl.endpoints.header_words import HeaderWordEjector, HeaderWordInjector
from rtl.generator.plan import Addressing, UnicastAddressing
from rtl.parts.ejector import EJECTOR_FLITS
from rtl.parts.flit import flit_layout
from rtl.parts.selection import concat
from rtl.torus.network import torus_addressing
from tests.proofs.axi_streams import addressing
from tests.proofs.claims import Claims, Describe, Inside, started
from tests.proofs.links import ReferenceQueue, assume_link_rules, prove_link_rules
from tests.proofs.routing_keys import TREES
from topology.axi4.address_map import AddressMap, Region, Window
from topology.common.flits import HeaderFormat
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, TorusRouting

# HeaderWordInjector: the first word is in the header, and each word goes once.

TORUS = TorusRouting(TorusNetwork(Grid(2, 3), 2), 10, DALLY_SEITZ)
NODES = 3
"""Of a network with three of the four numbers of nodes."""
SETS = addressing(4)
ENDS: dict[str, tuple[HeaderFormat, Addressing | UnicastAddressing, int, Callable[[int, int], int]]] = {
    "full": (
        HeaderFormat((("lca", 3),), NODES, 8),
        Addressing(SETS.key, SETS.key_cycles, SETS.unicast_keys[:NODES], (0,) * NODES, SETS.set_key),
        5,
        lambda _node, to: SETS.unicast_keys[to],
    ),
    "source": (HeaderFormat((("lca", 3), ("source", 2)), 4, 8), SETS, 2, lambda _node, to: SETS.unicast_keys[to]),
    "torus": (TORUS.header, torus_addressing(TORUS), 2, lambda node, to: TORUS.routing_key(node, [to])),
}
"""Header format, addressing, bits of the first word, and the key of a message from a node to another one."""


def header_word_injector(ends: str) -> Describe:
    """Claims about an injector with one of the ``ENDS``."""

    def describe(claims: Claims) -> None:
        header, keys, word_bits, key_of = ENDS[ends]
        nodes = len(keys.unicast_keys)
        part: Any = HeaderWordInjector(header, keys, word_bits)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        claims.never_changes(part.node)
        claims.assume(part.node < nodes)
        if hasattr(part, "node_fields"):
            claims.never_changes(part.node_fields)
        beat = claims.named(concat((part.tdata, part.tlast, part.tdest)), "beat")
        held = claims.was(part.tvalid & ~part.tready, "beat_waits")
        claims.assume(~held | part.tvalid & (beat == claims.was(beat, "beat")))
        takes = claims.named(part.tvalid & part.tready, "takes")
        in_packet: Any = Signal(name="in_packet_reference")
        kept: Any = Signal(name="routable_kept")
        offered: Any = Signal(name="was_offered")  # the first word, in the cycle before
        there = claims.named((part.tdest < nodes) & (part.tdest != part.node), "goes_to_another")
        routable = claims.named(Mux(in_packet, kept, there), "routable")
        first = claims.named(part.tvalid & ~in_packet, "first_word")
        claims.m.d.sync += offered.eq(first & ~takes)
        with claims.m.If(takes):
            claims.m.d.sync += [in_packet.eq(~part.tlast), kept.eq(routable)]
        rows = [[key_of(node, to) if node != to else 0 for to in range(nodes)] for node in range(nodes)]
        table = Array(Array(Const(key, header.fields[0][1]) for key in row) for row in rows)
        key = claims.named(table[part.node][part.tdest], "key_reference")
        _prove_flits(claims, part, key, claims.named(takes & routable, "sent"), first)
        free = ~part.link.valid | part.link.ready
        due = routable & free & (in_packet | offered)
        claims.always("a word waits only for its key and the link", ~due | part.tready)
        error = claims.was(first & ~offered & ~there, "begins_without_destination")
        claims.always("a packet without a destination has one error", part.error == error)
        idle, heads, body, swallow = map(inside.state(), ("IDLE", "HEADER", "BODY", "SWALLOW"))
        claims.invariant("between packets no word waits", idle == (~in_packet & ~offered))
        claims.invariant("a first word on offer has waited", ~offered | held)
        claims.invariant("a header is of the first word", heads == (~in_packet & offered & there))
        claims.invariant("a body is of a packet that is sent", body == (in_packet & kept))
        claims.invariant("others are drained", swallow == (in_packet & ~kept | ~in_packet & offered & ~there))
        claims.invariant("the key is found", ~heads | (inside.register("key") == key))
        claims.possible("a packet of one word follows another one", _twice(claims, takes & routable & first, part))
        claims.possible("a packet of two words", takes & routable & in_packet & part.tlast)
        claims.possible("a packet is drained", takes & ~routable & part.tlast)

    return describe


def _prove_flits(claims: Claims, part: Any, key: Any, sent: Any, first: Any) -> None:
    """Claims about the flits on the link; ``sent`` tells that a word is taken which goes to another node."""
    prove_link_rules(claims, part.link, "link")
    fields = (part.node_fields,) if hasattr(part, "node_fields") else ()
    head = concat((key, *fields, part.tdata[: part.word_bits]))
    data = Mux(first, head, part.tdata)[: part.header.flit_bits]
    comes = claims.was(sent, "word_sent")
    shown: Any = flit_layout(part.header.flit_bits)(claims.was(concat((data, first, part.tlast)), "flit"))
    flit = part.link.payload
    right = part.link.valid & (flit.data == shown.data)
    claims.always("a word that is taken is on the link, the first one in its header", ~comes | right)
    marked = (flit.head == shown.head) & (flit.tail == shown.tail)
    claims.always("the first flit is the head, the last one the tail", ~comes | marked)
    new = part.link.valid & ~claims.was(part.link.valid & ~part.link.ready, "link_waits")
    claims.always("nothing else is on the link", ~new | comes)


def _twice(claims: Claims, sent: Any, part: Any) -> Value:
    """Return whether a packet of one word is taken two cycles behind another one."""
    one = claims.named(sent & part.tlast, "one_word")
    return one & claims.was(claims.was(one, "one_word_before"), "one_word_earlier")


# HeaderWordEjector: the words come out.


def header_word_ejector(ends: str) -> Describe:
    """Claims about an ejector with one of the ``ENDS``."""

    def describe(claims: Claims) -> None:
        header, _, word_bits, _ = ENDS[ends]
        part: Any = HeaderWordEjector(header, word_bits)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        assume_link_rules(claims, part.link, "link")
        entering = part.link.valid & part.link.ready
        leaves = claims.named(part.tvalid & part.tready, "leaves")
        queue = ReferenceQueue(claims, EJECTOR_FLITS, entering, part.link.payload, leaves)
        front: Any = flit_layout(header.flit_bits)(queue.row[0])
        there = claims.named(queue.held != 0, "there")
        word = Mux(front.head, front.data >> header.fixed_bits, front.data)[:word_bits]
        claims.always("valid shows that a flit is there", part.tvalid == there)
        claims.always("the first word is that of the header", ~there | (part.tdata[:word_bits] == word))
        claims.always("other words are flits, in order", ~there | front.head | (part.tdata == front.data))
        claims.always("the last word is the tail", ~there | (part.tlast == front.tail))
        free = (queue.held < EJECTOR_FLITS) & started(claims)
        claims.always("ready shows whether a place is free", part.link.ready == free)
        buffer = "ejector/buffer"
        claims.invariant("the counter counts", inside.register("count", buffer) == queue.held)
        claims.invariant("the queue has room for its flits", queue.held <= EJECTOR_FLITS)
        for k, flit in enumerate(queue.row):
            place = inside.register(f"slot_{k}", buffer)
            claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == flit))
        present = inside.placed["ejector"].user.valid == there
        claims.invariant("present shows whether a flit is in", present)
        both = claims.was(leaves & part.tlast, "last_word") & leaves
        claims.possible("a packet of one word follows another packet", both & part.tlast)

    return describe


# WindowKey: the key of a window is that of its processors without the sender.


def _areas(processors: int, *windows: tuple[int, ...]) -> AddressMap:
    regions = [Region(i, 0x1000 * i, 0x1000) for i in range(processors)]
    return AddressMap(regions, [Window(w, 0x100000 + 0x1000 * i, 0x1000) for i, w in enumerate(windows)], 32)


def window_key(family: str) -> Describe:
    """Claims about the keys of windows in a network of SPAM or MIN."""

    def describe(claims: Claims) -> None:
        if family == "spam":
            labels = TREES["irregular"]()
            processors, key_bits = len(labels.network.processors), (labels.network.vertices - 1).bit_length()
            windows = ((1, 3, 5), (1, 3, 6), (1, 3, 5, 2), (4,))

            def set_key(_node: int, members: Any) -> int:
                return labels.lowest_common_ancestor(list(members))
        else:
            routing = MinRouting(MinNetwork("bi-butterfly", 2, 3), 16)
            processors, key_bits, set_key = 8, (routing.keys - 1).bit_length(), routing.routing_key
            windows = ((1, 2), (1, 2, 7))
        managers = (0, 3, 5)
        areas = _areas(processors, *windows)
        part: Any = WindowKey(areas, managers, processors, key_bits, set_key)
        claims.free_inputs(part)
        Inside(claims, part)
        for node in managers:
            for target in range(len(areas.regions), len(areas.areas)):
                members = tuple(sorted(areas.receivers(target, node)))
                mask = sum(1 << i for i in members)
                asked = claims.named((part.node == node) & (part.destinations == mask), f"asks_{node}_{target}")
                key = set_key(node, members)
                claims.always("the key is that of the window without the sender", ~asked | (part.key == key))
                several = part.multicast == (len(members) > 1)
                claims.always("multicast marks several destinations", ~asked | several)
                claims.possible(f"window {target} of sender {node}", asked)

    return describe
