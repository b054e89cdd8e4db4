"""Claims about two HARTS nodes: a stored packet gets a page in the next node, and starts."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.generator.structure import flat_ports
from rtl.harts.parameters import PORTS
from rtl.harts.router import HartsNode
from tests.proofs.claims import Claims
from tests.proofs.harts_node import LEFT_OUT
from tests.proofs.harts_pages import OpenInside, slot_counter, smallest_node
from topology.harts.frame import SLOT_BITS
from topology.harts.graph import DIRECTIONS

MAX_FRAMES = 2
"""Frames that pass before the one in which a packet starts: its level is shown, and the next node keeps a page."""


class _Node:
    """A node whose buffers, pool, queues and memories show anything."""

    def __init__(self, claims: Claims, node_name: str, slot: Any, joined: tuple[str, ...]):
        node: Any = HartsNode(smallest_node())
        claims.free_inputs(node, joined)
        self.ports = node
        self.inside = OpenInside(claims, node, LEFT_OUT, node_name)
        self.placed = placed = self.inside.placed
        for name in ("pool", "queues", "headers", "send_rules", *(f"buffer_{port}" for port in range(PORTS))):
            for _, is_input, value in flat_ports(placed[name]):
                if not is_input:
                    claims.anything(value)
        claims.anything(self.inside.take_memory_out())
        claims.invariant("the node counts slots", self.inside.register("slot") == slot)


def chain(claims: Claims) -> None:
    """Claims about the smallest node, whose links all lead to another one, and any direction."""
    slot = slot_counter(claims)
    near = _Node(claims, "near", slot, ("ahead_",))
    far = _Node(claims, "far", slot, ("wished_",))
    for direction in range(DIRECTIONS):
        claims.m.d.comb += [
            getattr(near.ports, f"ahead_{direction}").eq(getattr(far.ports, f"kept_{direction}")),
            getattr(far.ports, f"wished_{direction}").eq(getattr(near.ports, f"wish_{direction}")),
        ]
    mine: Any = claims.constant(SLOT_BITS, "any_direction")
    claims.assume(mine < DIRECTIONS)
    bank, receivers, queues = near.placed["transmitters"], far.placed["receivers"], near.placed["queues"]
    here = claims.named(slot == mine, "slot_of_mine")
    starts = claims.named(here & bank.start, "starts")
    kept = claims.named(receivers.kept.bit_select(mine, 1), "kept")
    claims.always("a packet starts only if the next node keeps a page", ~starts | kept)
    idle = near.inside.wire("idle", "transmitters").bit_select(mine, 1)
    waits = claims.named(queues.found & idle & ~bank.blocked.bit_select(mine, 1), "may_start_but_for_the_page")
    wish: Any = Value.cast(Array(bank.wish)[mine])
    levels = smallest_node().levels
    enough = claims.named((receivers.free != 0) & (receivers.free + wish > levels), "enough_for_its_level")
    used = claims.was(kept, "kept") & ~kept  # by a packet that was on the way
    frames: Any = Signal(range(MAX_FRAMES + 2), name="frames_waited")
    so_far = Mux(used & (frames > 1), 1, frames)
    goes_on = Mux((so_far == 0) | enough | kept, so_far + (so_far <= MAX_FRAMES), 1)
    claims.m.d.sync += frames.eq(Mux(here, Mux(waits & ~starts, goes_on, 0), so_far))
    claims.always(
        "a packet starts in the third frame at the latest if the next node has pages for its level",
        frames <= MAX_FRAMES,
    )
    claims.invariant("in the second frame the next node keeps a page", (frames < MAX_FRAMES) | kept | used)
    claims.possible("a packet starts in the third frame", starts & (frames == MAX_FRAMES))
