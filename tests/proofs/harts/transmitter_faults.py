"""Faults of the transmitters of a HARTS node."""

from tests.proofs.common.links import HOLDS
from tests.proofs.fault_lines import (
    HARTS_NODE,
    OVERWRITES_A_WAITING_FLIT,
    RECEIVER_BANK,
    SENDS_WHAT_A_RECEIVER_HAS,
    TAKES_WHAT_OTHERS_WAIT_FOR,
    TRANSMITTER_BANK,
)
from tests.proofs.faults import Fault

FREE = "a transmitter is given or started only when it is free"
GAP = "between a tail and the next head are at least gap frames"

TRANSMITTER_FAULTS = (
    Fault("harts-transmitters", "a transmitter never has a receiver and a page at once", *TAKES_WHAT_OTHERS_WAIT_FOR),
    Fault("harts-transmitters", FREE, *SENDS_WHAT_A_RECEIVER_HAS),
    Fault(
        "harts-transmitters",
        "the packet that is found starts as soon as it may",
        TRANSMITTER_BANK,
        "(bit & idle & self.ahead).any()",
        "(bit & idle & self.ahead & self.ahead_for_any).any()",
    ),
    Fault(
        "harts-transmitters",
        "a packet that has started goes on in each frame that finds room",
        TRANSMITTER_BANK,
        "sending.eq((sending | Mux(self.read, bit, 0)) & ~ended)",
        "sending.eq(Mux(self.read, bit, 0) & ~ended)",
    ),
    Fault(
        "harts-transmitters",
        "one transmitter at most is given at a time",
        RECEIVER_BANK,
        "taken = _first_by_axis(open_ways)",
        "taken = open_ways",
    ),
    Fault(
        "harts-transmitters",
        "words of one receiver only go through a transmitter until the tail",
        RECEIVER_BANK,
        'self.reserve.eq(Mux(go & head, decided["taken"], 0))',
        'self.reserve.eq(Mux(go & head, decided["taken"].rotate_left(1), 0))',
    ),
    Fault(
        "harts-transmitters",
        "words of one page only are sent until the tail",
        TRANSMITTER_BANK,
        "self.sent_page.eq(self.read_page)",
        "self.sent_page.eq(self.chosen)",
    ),
    Fault(
        "harts-transmitters",
        "words of one page only are sent until the tail",
        TRANSMITTER_BANK,
        "self.start | free & (bit & sending).any()",
        "self.start | free & sending.any()",
    ),
    Fault("harts-transmitters", "an output never gets words from bus and memory at once", *TAKES_WHAT_OTHERS_WAIT_FOR),
    Fault(
        "harts-transmitters",
        "packets never mix on an output",
        TRANSMITTER_BANK,
        "self.sent_head.eq(self.start)",
        "self.sent_head.eq(self.read)",
    ),
    Fault(
        "harts-transmitters",
        "no word overwrites a flit that waits",
        TRANSMITTER_BANK,
        "& (left == 0)",
        "& 1",
    ),
    Fault("harts-transmitters", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault(
        "harts-transmitters",
        "a word that is sent is on the link in the next cycle",
        HARTS_NODE,
        "Mux(from_memory, Value.cast(sent), other)",
        "Mux(from_bus, Value.cast(sent), other)",
    ),
    Fault(
        "harts-transmitters",
        GAP,
        TRANSMITTER_BANK,
        "SLOTS * (self.parameters.gap_frames + 1) - TAIL_CYCLES",
        "SLOTS * self.parameters.gap_frames - TAIL_CYCLES",
    ),
    Fault(
        "harts-transmitters",
        GAP,
        TRANSMITTER_BANK,
        "received[port] | self.sent & self.sent_tail & (self.sent_for == port)",
        "self.sent & self.sent_tail & (self.sent_for == port)",
    ),
)
