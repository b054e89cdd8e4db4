"""Claims about the bus of a node: every receiver has its own slot, and is served in every frame."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.harts.parameters import PORTS
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.harts.bare_node import BareNode
from topology.harts.frame import SLOT_BITS, SLOTS


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
