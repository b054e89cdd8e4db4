"""Faults of the way of a word through a HARTS node."""

from tests.proofs.fault_lines import GIVES_BACK_WHAT_IS_OWED, HARTS_NODE, TRANSMITTER_BANK
from tests.proofs.faults import Fault

WORD_FAULTS = (
    Fault("harts-words", "a page comes back when its outputs have got every word", *GIVES_BACK_WHAT_IS_OWED),
    Fault(
        "harts-words",
        "an output gets only packets that have waited for it",
        TRANSMITTER_BANK,
        "self.sent_for.eq(slot)",
        "self.sent_for.eq(slot ^ 1)",
    ),
    Fault(
        "harts-words",
        "an output gets no more words than went in",
        TRANSMITTER_BANK,
        "Mux(self.read, bit, 0)) & ~ended)",
        "Mux(self.read, bit, 0)))",
    ),
    Fault(
        "harts-words",
        "the first word is the head, the last one the tail",
        HARTS_NODE,
        "sent.tail.eq(read.data.tail)",
        "sent.tail.eq(0)",
    ),
    Fault(
        "harts-words",
        "words come out in order as they went in",
        HARTS_NODE,
        "write.data.data.eq(bus.word.data)",
        "write.data.data.eq(bus.word.data & -2)",
        first_cycle=28,
    ),
    Fault(
        "harts-words",
        "words that go through are not altered",
        HARTS_NODE,
        "spoil.eq(self.corrupting & travelled)",
        "spoil.eq(travelled)",
    ),
)
