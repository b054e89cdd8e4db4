"""Contract between a node and its queues, in both directions.

The node's side is assumed in the proof of the queues and proved of the node, the queues' side the other way round.
Both are about one page, which the proof chooses.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.harts.page_queues import CHOICE_SLOTS
from rtl.harts.parameters import PORTS
from tests.proofs.claims import Claims
from topology.harts.graph import DIRECTIONS
from topology.harts.header import HOST

ONCE_EACH = "a packet is sent only to the outputs that it waits for"
OWED = "owed shows whether the packet in a page waits for any output"


class PageQueuesUse:
    """The outputs that the packet in a page waits for, recorded cycle by cycle.

    Parameters
    ----------
    claims : Claims
    queues : PageQueues or interface
    page : int or Value
    name : str
        Suffix of names.

    Members
    -------
    left : Signal
        The outputs.
    enters, starts : Signal
        A packet enters the page in this cycle; the packet in it is being sent to the output of this slot.
    """

    def __init__(self, claims: Claims, queues: Any, page: Any, name: str):
        self.queues, self.page = queues, page
        self.left: Any = Signal(PORTS, name=f"left_{name}")
        self.enters = claims.named(queues.enter & (queues.entered_page == page), f"enters_{name}")
        self.starts = claims.named(queues.start & queues.found & (queues.chosen == page), f"starts_{name}")
        sent = Mux(self.starts, (1 << queues.slot)[:PORTS], 0)
        claims.m.d.sync += self.left.eq(Mux(self.enters, queues.entered_outputs, self.left & ~sent))

    def contract(self) -> Iterator[tuple[str, Any]]:
        """Assumptions of the queues, by name."""
        yield "a packet enters a page in which none waits", ~(self.enters & self.left.any())

    def promises(self) -> Iterator[tuple[str, Any]]:
        """Guarantees of the queues, by name."""
        queues = self.queues
        chosen = queues.found & (queues.chosen == self.page)
        yield ONCE_EACH, ~chosen | self.left.bit_select(queues.slot, 1)
        owed = (queues.page != self.page) | (queues.owed == self.left.any())
        yield OWED, owed


class PageQueuesCalls:
    """Calls of a node to its queues, for any page.

    Parameters
    ----------
    claims : Claims
    queues : PageQueues or interface
    pages : int

    Members
    -------
    wishes : list of Signal
        For each direction, a level more than the highest that waited for it a frame ago; 0 if none waited, or if one
        was started.
    """

    def __init__(self, claims: Claims, queues: Any, pages: int):
        self._claims, self.queues, self.pages = claims, queues, pages
        self.wishes: list[Any] = [Signal(len(queues.wish), name=f"wish_reference_{d}") for d in range(DIRECTIONS)]
        for direction, wish in enumerate(self.wishes):
            with claims.m.If(queues.slot == direction):
                claims.m.d.sync += wish.eq(Mux(queues.found & ~queues.start, queues.level + 1, 0))

    def contract(self, page: Any) -> Iterator[tuple[str, Any]]:
        """Assumptions of the queues, by name; of the page that a packet enters only if it is ``page``."""
        queues = self.queues
        there = ~queues.enter | (queues.entered_page != page) | (page < self.pages)
        yield "a packet enters a page that there is", there
        yield "a packet enters for at least one output", ~queues.enter | queues.entered_outputs.any()
        yield "only packets that were found are started", ~queues.start | queues.found
        following = self._claims.named(queues.slot + 1, "following_slot")[: len(queues.slot)]
        ahead = self._claims.named(queues.slot + CHOICE_SLOTS, "slot_ahead")[: len(queues.slot)]
        for direction, wish in enumerate(self.wishes):
            right = (ahead != direction) | (queues.wish == wish)
            yield "the wish is a level more than the highest that waited a frame ago", right
        yield "packets for the host take turns", (following != HOST) | queues.in_turn
