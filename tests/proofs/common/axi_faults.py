"""Faults of the AXI4-Stream ends, byte counts among them: at least one for every property."""

from tests.proofs.common.links import HOLDS
from tests.proofs.fault_lines import (
    AXI_EJECTOR,
    AXI_INJECTOR,
    BYTE_COUNT,
    LOSES_THE_SECOND_FLIT,
    NEXT_PART,
    OVERWRITES_A_WAITING_FLIT,
    PACKET_FLITS,
    READY_FOR_ONE_TOO_MANY,
)
from tests.proofs.faults import Fault

INJECTOR_FAULTS = (
    Fault("axi-injector-two-flit", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault(
        "axi-injector-two-flit",
        "header flits are those of a packet that is offered",
        AXI_INJECTOR,
        "with m.If(flits_left == 1):",
        "with m.If(flits_left == 0):",
    ),
    Fault(
        "axi-injector-two-flit",
        "the first header flit alone is the head",
        AXI_INJECTOR,
        "[first.eq(0), flits_left",
        "[first.eq(1), flits_left",
    ),
    Fault(
        "axi-injector-two-flit",
        "the header is that of the destinations",
        AXI_INJECTOR,
        "others.eq(mask & ~own)",
        "others.eq(mask)",
    ),
    Fault(
        "axi-injector-two-flit",
        "the header is that of the destinations",
        AXI_INJECTOR,
        "found.eq((waited == cycles) if cycles else 1)",
        "found.eq(1)",
    ),
    Fault(
        "axi-injector-two-flit",
        "a word that is taken is on the link in the next cycle, the last as the tail",
        PACKET_FLITS,
        "register.load.eq(self.free & injector.tvalid)",
        "register.load.eq(0)",
    ),
    Fault(
        "axi-injector-two-flit",
        "words follow the whole header",
        AXI_INJECTOR,
        "with m.If(flits_left == 1):",
        "with m.If(flits_left != 0):",
    ),
    Fault(
        "axi-injector-two-flit",
        "words wait only for the link",
        PACKET_FLITS,
        "injector.tready.eq(self.free)",
        "injector.tready.eq(self.free & ~injector.link.valid)",
    ),
    Fault(
        "axi-injector-two-flit",
        "an error is of a packet without a destination, once",
        AXI_INJECTOR,
        "m.d.sync += self.error.eq(0)",
        "m.d.sync += self.error.eq(self.error)",
    ),
    Fault(
        "axi-injector-two-flit",
        "a packet without a destination is swallowed with an error",
        AXI_INJECTOR,
        "m.d.sync += self.error.eq(1)",
        "m.d.sync += self.error.eq(0)",
    ),
    Fault(
        "axi-injector-two-flit",
        "the head waits for the key and the link alone",
        AXI_INJECTOR,
        "m.d.sync += waited.eq(Mux(found, 0, waited + 1))",
        "m.d.sync += waited.eq(Mux(found, 0, waited))",
    ),
    Fault(
        "axi-injector-leading-words",
        "the header is that of the destinations",
        AXI_INJECTOR,
        "destinations[part].eq(others[part])",
        "destinations[part].eq(others[:1])",
    ),
    Fault(
        "axi-injector-leading-words",
        "an error is of a packet without a destination, once",
        AXI_INJECTOR,
        "self.error.eq(self.tlast)]",
        "self.error.eq(1)]",
    ),
    Fault(
        "axi-injector-leading-words",
        "a packet without body ends with an error",
        AXI_INJECTOR,
        "self.error.eq(self.tlast)]",
        "self.error.eq(self.tlast & last)]",
    ),
    Fault(
        "axi-injector-leading-words",
        "words of the set are taken as they come",
        AXI_INJECTOR,
        "if words > 1 else 1), self.tready.eq(1)]",
        "if words > 1 else 1), self.tready.eq(~last)]",
    ),
    Fault(
        "axi-injector-parts",
        "the header is that of the destinations",
        NEXT_PART,
        "behind.eq(lowest_one(named)[1:])",
        "behind.eq(named[1:])",
    ),
    Fault(
        "axi-injector-parts",
        "the header is that of the destinations",
        NEXT_PART,
        "self.last.eq(~several)",
        "self.last.eq(1)",
    ),
    Fault(
        "axi-injector-parts",
        "header flits are those of a packet that is offered",
        NEXT_PART,
        "concat(Mux(chosen[k], 0, word)",
        "concat(Mux(chosen[k], word, word)",
    ),
    Fault(
        "axi-injector-parts",
        "words follow the whole header",
        AXI_INJECTOR,
        "(flits_left == 1) & ~destinations.any()",
        "flits_left == 1",
    ),
)

EJECTOR_FAULTS = (
    Fault(
        "axi-ejector-two-flit",
        "valid shows that a body flit is in front",
        AXI_EJECTOR,
        "Mux(multicast, longest, shortest)",
        "Mux(multicast, shortest, shortest)",
    ),
    Fault(
        "axi-ejector-two-flit-key",
        "valid shows that a body flit is in front",
        AXI_EJECTOR,
        "multicast.eq(~flit.head & self.tuser | differs)",
        "multicast.eq(differs)",
    ),
    Fault(
        "axi-ejector-two-flit",
        "body flits come out unaltered in order, the tail as the last",
        *LOSES_THE_SECOND_FLIT,
    ),
    Fault("axi-ejector-two-flit", "ready shows whether a place is free", *READY_FOR_ONE_TOO_MANY),
    Fault(
        "axi-ejector-two-flit",
        "the multicast flag is that of the message",
        AXI_EJECTOR,
        "m.d.sync += self.tuser.eq(multicast)",
        "m.d.sync += self.tuser.eq(~multicast)",
    ),
    Fault(
        "axi-ejector-two-flit-key",
        "the sender is that of the header",
        AXI_EJECTOR,
        "with m.If(taken & at[number]):",
        "with m.If(taken):",
    ),
    Fault(
        "axi-ejector-parts",
        "valid shows that a body flit is in front",
        AXI_EJECTOR,
        "concat(at[self.header.unicast_flits :]).any() & flit.data[self.header.last_bit]",
        "flit.data[self.header.last_bit]",
    ),
    Fault(
        "axi-ejector-parts",
        "valid shows that a body flit is in front",
        AXI_EJECTOR,
        "longest = longest | concat",
        "longest = concat",
    ),
)

BYTE_FAULTS = (
    Fault(
        "byte-count-4",
        "bytes below the first gap are there, and no others",
        BYTE_COUNT,
        "there > Const(i, BYTE_BITS)",
        "there >= Const(i, BYTE_BITS)",
    ),
    Fault(
        "byte-count-4",
        "bytes that are there are not altered",
        BYTE_COUNT,
        "Mux(partial, bytes_there, high)",
        "bytes_there",
    ),
    Fault(
        "byte-count-4",
        "whatever the word, its bytes have no gap",
        BYTE_COUNT,
        "there > Const(i, BYTE_BITS)",
        "there == Const(i, BYTE_BITS)",
    ),
    Fault(
        "byte-count-4",
        "the highest bit marks a word that is not full",
        BYTE_COUNT,
        "partial.eq(missing.any())",
        "partial.eq(missing[-1])",
    ),
)

AXI_FAULTS = (*INJECTOR_FAULTS, *EJECTOR_FAULTS, *BYTE_FAULTS)
