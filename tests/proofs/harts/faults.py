"""Faults of a HARTS node: at least one for every property."""

from tests.proofs.fault_lines import PAGE_POOL, PAGE_QUEUES
from tests.proofs.faults import Fault
from tests.proofs.harts.node_faults import BUS_FAULTS, PAGE_FAULTS
from tests.proofs.harts.page_pool_claims import TURN_BOUND
from tests.proofs.harts.page_queues_use import ONCE_EACH, OWED
from tests.proofs.harts.transmitter_faults import TRANSMITTER_FAULTS
from tests.proofs.harts.word_faults import WORD_FAULTS

POOL_FAULTS = (
    Fault(
        "page-pool-3",
        "a page that is handed out is not out already",
        PAGE_POOL,
        "front.eq(front + 1)",
        "front.eq(front)",
    ),
    Fault(
        "page-pool-3",
        "a page that is handed out is not out already",
        PAGE_POOL,
        "Mux(all_used, read.data, unused)",
        "unused",
    ),
    Fault(
        "page-pool-3",
        "free pages and pages that are out make up all",
        PAGE_POOL,
        "self.take != self.give",
        "self.take | self.give",
    ),
    Fault(
        "page-pool-3",
        "free pages and pages that are out make up all",
        PAGE_POOL,
        "init=self.pages",
        "init=self.pages - 1",
    ),
    Fault("page-pool-3", TURN_BOUND, PAGE_POOL, "write.en.eq(self.give)", "write.en.eq(0)"),
)

QUEUE_FAULTS = (
    Fault("page-queues", ONCE_EACH, PAGE_QUEUES, "(row & output).any()", "row.bit_select(self.slot, 1)"),
    Fault("page-queues", ONCE_EACH, PAGE_QUEUES, "row.eq(row & ~(1 << self.slot)[:PORTS])", "row.eq(row)"),
    Fault("page-queues", OWED, PAGE_QUEUES, "row.eq(row & ~(1 << self.slot)[:PORTS])", "row.eq(0)"),
    Fault("page-queues", OWED, PAGE_QUEUES, "row.any() & (self.page == page)", "row[0] & (self.page == page)"),
    Fault(
        "page-queues",
        "found shows whether a packet waits for the output of this slot",
        PAGE_QUEUES,
        "(frames == 0) | (self.slot > PROCESSOR_SLOT - CHOICE_SLOTS) & (frames == 1)",
        "frames == 0",
    ),
    Fault(
        "page-queues",
        "found shows whether a packet waits for the output of this slot",
        PAGE_QUEUES,
        "soon & (self.entered_outputs & output).any()",
        "0",
    ),
    Fault(
        "page-queues",
        "found shows whether a packet waits for the output of this slot",
        PAGE_QUEUES,
        "frames.eq(self.parameters.relay_frames)",
        "frames.eq(0)",
    ),
    Fault(
        "page-queues",
        "waiting marks the outputs that recorded packets wait for",
        PAGE_QUEUES,
        "Mux(frames[page] == 0, row, 0)",
        "row",
    ),
    Fault(
        "page-queues",
        "level is the highest of those that wait",
        PAGE_QUEUES,
        "Mux(values[i] > values[i + 1], values[i], values[i + 1])",
        "values[i]",
    ),
    Fault(
        "page-queues",
        "of packets that wait for the output one that may have the page ahead is chosen",
        PAGE_QUEUES,
        "encoded(next_picked, range(pages),",
        "encoded(next_picked, range(1, pages + 1),",
    ),
    Fault(
        "page-queues",
        "of packets that wait for the output one that may have the page ahead is chosen",
        PAGE_QUEUES,
        "Mux(self.in_turn, column, column & entitled)",
        "column",
    ),
    Fault(
        "page-queues",
        "of packets that wait for the output one that may have the page ahead is chosen",
        PAGE_QUEUES,
        "Mux(entered, newcomer_entitled, levels[page] + 1 >= self.wish)",
        "levels[page] + 1 >= self.wish",
    ),
    Fault(
        "page-queues",
        "the chosen packet is the first from the turn on",
        PAGE_QUEUES,
        "page >= self.turn for page",
        "page > self.turn for page",
    ),
)

HARTS_FAULTS = (*POOL_FAULTS, *QUEUE_FAULTS, *BUS_FAULTS, *PAGE_FAULTS, *TRANSMITTER_FAULTS, *WORD_FAULTS)
