"""Faults of the bus and of the pages of a HARTS node."""

from tests.proofs.fault_lines import (
    FILLS_THE_FIRST_PAGE,
    GIVES_BACK_WHAT_IS_OWED,
    HARTS_NODE,
    RECEIVER_BANK,
    TRANSMITTER_BANK,
)
from tests.proofs.faults import Fault

BUS_FAULTS = (
    Fault(
        "harts-bus",
        "one receiver at most puts a word on the bus in a cycle",
        HARTS_NODE,
        "buffer.pop.eq(receivers.pop & (slot == port))",
        "buffer.pop.eq(receivers.pop)",
    ),
    Fault(
        "harts-bus",
        "a receiver uses its own slot only",
        HARTS_NODE,
        "buffer.pop.eq(receivers.pop & (slot == port))",
        "buffer.pop.eq(receivers.pop & (slot == port ^ 1))",
    ),
    Fault(
        "harts-bus",
        "only a flit that is there is popped",
        RECEIVER_BANK,
        "in_use & self.present & (",
        "in_use & (",
    ),
    Fault(
        "harts-bus",
        "a head goes only if its receiver keeps a page",
        RECEIVER_BANK,
        "(~self.word.head | kept",
        "(1 | kept",
    ),
    Fault(
        "harts-bus",
        "a flit that may go goes within a frame",
        RECEIVER_BANK,
        "kept.eq((self.kept & bit).any())",
        "kept.eq(self.kept[0])",
    ),
    Fault(
        "harts-bus",
        "a flit that may go goes within a frame",
        RECEIVER_BANK,
        "in_use & self.present & (",
        "in_use & (self.free != 0) & self.present & (",
    ),
    Fault(
        "harts-bus",
        "the bus is in use when a flit was popped a cycle before",
        RECEIVER_BANK,
        "self.bus_valid.eq(go)",
        "self.bus_valid.eq(in_use & self.present)",
    ),
    Fault(
        "harts-bus",
        "the word on the bus is the one that was popped",
        HARTS_NODE,
        "Value.cast(receivers.word).eq(words[port])",
        "Value.cast(receivers.word).eq(words[0])",
    ),
    Fault(
        "harts-bus", "the bus tells whose word it is", RECEIVER_BANK, "bus.direction.eq(slot)", "bus.direction.eq(0)"
    ),
    Fault("harts-bus", "a page is kept until a head goes", RECEIVER_BANK, "with m.Elif(used):", "with m.Elif(in_use):"),
)

PAGE_FAULTS = (
    Fault(
        "harts-pages",
        "a page is taken only if one is free",
        RECEIVER_BANK,
        "(self.free != 0) & (self.free + self.wish > p.levels)",
        "self.free + self.wish > p.levels",
    ),
    Fault("harts-pages", "a page comes back only if it is out", *GIVES_BACK_WHAT_IS_OWED),
    Fault("harts-pages", "a packet enters a page in which none waits", *FILLS_THE_FIRST_PAGE),
    Fault(
        "harts-pages",
        "a packet enters a page that there is",
        RECEIVER_BANK,
        "landing[self.slot].eq(self.page)",
        "landing[self.slot].eq(~self.page)",
    ),
    Fault(
        "harts-pages",
        "a packet enters for at least one output",
        HARTS_NODE,
        "rules.outputs & concat((ways, 1))",
        "rules.outputs & concat((ways, 0))",
    ),
    Fault(
        "harts-pages",
        "only what is found is started",
        TRANSMITTER_BANK,
        "self.found & free & (bit",
        "free & (bit",
    ),
    Fault(
        "harts-pages",
        "the wish is a level more than the highest that waited a frame ago",
        TRANSMITTER_BANK,
        "Mux(self.found & ~self.start, self.level + 1, 0)",
        "Mux(self.found, self.level + 1, 0)",
    ),
    Fault(
        "harts-pages",
        "packets for the host take turns",
        HARTS_NODE,
        "*(state[1] for state in ahead), 1])",
        "*(state[1] for state in ahead), 0])",
    ),
    Fault("harts-pages", "a page is taken only if nothing is in it", *FILLS_THE_FIRST_PAGE),
    Fault("harts-pages", "a page is out while it is kept, filled or full", *FILLS_THE_FIRST_PAGE),
    Fault(
        "harts-pages",
        "a page is filled by the receiver that has kept it, with one packet",
        RECEIVER_BANK,
        "landing[self.slot].eq(self.page)",
        "landing[self.slot ^ 1].eq(self.page)",
    ),
    Fault(
        "harts-pages",
        "words are stored one after the other",
        RECEIVER_BANK,
        '("position", 0)',
        '("position", 1)',
    ),
    Fault(
        "harts-pages",
        "a packet enters the queues with its tail",
        HARTS_NODE,
        "receivers.bus_valid & bus.stored & bus.word.tail",
        "receivers.bus_valid & bus.stored",
    ),
    Fault(
        "harts-pages",
        "a packet enters the queues with its tail",
        HARTS_NODE,
        "queues.entered_page.eq(bus.page)",
        "queues.entered_page.eq(receivers.page)",
    ),
    Fault(
        "harts-pages",
        "a page is sent only while it is full",
        TRANSMITTER_BANK,
        "Mux(self.start, self.chosen, pages[slot])",
        "pages[slot]",
    ),
    Fault(
        "harts-pages",
        "only words of the packet in the page are sent",
        TRANSMITTER_BANK,
        "Mux(self.start, 0, positions[slot])",
        "Mux(self.start, 1, positions[slot])",
    ),
    Fault(
        "harts-pages",
        "a page comes back when the last output has sent it, and never else",
        TRANSMITTER_BANK,
        "sending[port] & ~ended[port] & (pages[port]",
        "sending[port] & (pages[port]",
    ),
    Fault(
        "harts-pages",
        "a full page has an output that waits for it or sends it",
        HARTS_NODE,
        "pool.give.eq(transmitters.give)",
        "pool.give.eq(0)",
    ),
)
