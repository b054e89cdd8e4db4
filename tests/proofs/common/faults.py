"""Faults of the parts that every family uses: at least one for every property."""

from tests.proofs.common.arbiter_claims import WAIT_BOUND
from tests.proofs.common.axi_faults import AXI_FAULTS
from tests.proofs.common.axi_lite_faults import AXI_LITE_FAULTS
from tests.proofs.common.link_faults import LINK_FAULTS
from tests.proofs.common.links import HOLDS
from tests.proofs.common.register_faults import REGISTER_FAULTS
from tests.proofs.fault_lines import (
    ARBITER,
    CHOOSES_TWO,
    COUNTERS,
    EJECTOR,
    ERROR_MONITOR,
    INJECTOR,
    KEEPS_THE_TURN,
    KEEPS_WHAT_HAS_MOVED,
    LOSES_THE_SECOND_FLIT,
    MIXES_INPUTS,
    OUTPUT_REGISTER,
    OVERWRITES_A_WAITING_FLIT,
    READY_FOR_ONE_TOO_MANY,
    SELECTION,
    STALLS_BETWEEN_FLITS,
)
from tests.proofs.faults import Fault

ARBITER_FAULTS = (
    Fault("round-robin-5", WAIT_BOUND, *KEEPS_THE_TURN),
    Fault("round-robin-5", "the first one from the turn on is chosen", *KEEPS_THE_TURN),
    Fault("round-robin-5", "at most one is chosen", *CHOOSES_TWO),
    Fault(
        "round-robin-5",
        "only the eligible are chosen",
        ARBITER,
        "first_at_or_after(m, self.eligible, later",
        "first_at_or_after(m, self.eligible | 1, later",
    ),
    Fault(
        "round-robin-5",
        "a request is chosen if any is eligible",
        SELECTION,
        "Mux(preferred.any(), lowest_one(preferred), lowest_one(mask))",
        "lowest_one(preferred)",
    ),
)

AGE_FAULTS = (
    Fault("age-matrix-3", "a request that enters is the youngest of all", ARBITER, "first.eq(0)", "first.eq(1)"),
    Fault(
        "age-matrix-3",
        "no request is older than itself",
        ARBITER,
        "[self.older[i][j].eq(first), ",
        "[self.older[i][i].eq(1), self.older[i][j].eq(first), ",
    ),
    Fault("age-matrix-3", "of two members exactly one is older", ARBITER, "[i].eq(~first)", "[i].eq(first)"),
    Fault(
        "age-matrix-3",
        "an entry changes nothing between the others",
        ARBITER,
        "with m.Elif(self.enter[i])",
        "with m.Else()",
    ),
    Fault(
        "age-matrix-3",
        "the ages are one order of all",
        ARBITER,
        "with m.If(self.enter[j])",
        "with m.If(self.enter[j] & ((i, j) != (0, 2)))",
    ),
)

CROSSBAR_FAULTS = (
    Fault("crossbar-3x3", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault("crossbar-3x3", "free means empty or being emptied", *STALLS_BETWEEN_FLITS),
    Fault("crossbar-3x3", "the flit is that of the selected input", *MIXES_INPUTS),
    Fault("crossbar-3x3", "valid is high from the load until the flit moves", *KEEPS_WHAT_HAS_MOVED),
)

INJECTOR_FAULTS = (
    Fault(
        "injector-header-3", "valid never waits for ready", OUTPUT_REGISTER, "~link.valid | link.ready", "link.ready"
    ),
    Fault("injector-header-3", HOLDS, OUTPUT_REGISTER, "self.free.eq(~link.valid | link.ready)", "self.free.eq(1)"),
    Fault(
        "injector-header-3",
        "a flit follows the other without a bubble",
        OUTPUT_REGISTER,
        "~link.valid | link.ready",
        "~link.valid",
    ),
    Fault(
        "injector-header-3",
        "no flit is sent without a message",
        INJECTOR,
        "flits_left.eq(message.flits - 1)",
        "flits_left.eq(message.flits)",
    ),
    Fault(
        "injector-header-3",
        "the first flit alone is the head",
        INJECTOR,
        "following.head.eq(0)",
        "following.head.eq(header_due)",
    ),
    Fault("injector-header-3", "the last flit alone is the tail", INJECTOR, "flits_left == 1", "flits_left <= 2"),
    Fault(
        "injector-header-3",
        "header flits are those of the descriptor",
        INJECTOR,
        "header.eq(header >> flit_bits)",
        "header.eq(header)",
    ),
    Fault(
        "injector-header-3",
        "body flits are the words in order",
        INJECTOR,
        "header[:flit_bits], self.payload.payload)",
        "header[:flit_bits], self.payload.payload & -2)",
    ),
    Fault(
        "injector-header-3", "each word is sent once", INJECTOR, "(flits_left != 0) & ~header_due", "(flits_left != 0)"
    ),
    Fault(
        "injector-header-3",
        "ready shows that no message is in hand",
        INJECTOR,
        "link.valid & link.ready & link.payload.tail",
        "link.valid & link.ready",
    ),
    Fault(
        "injector-header-3",
        "the head is on the link one cycle after the message",
        INJECTOR,
        "following.head.eq(1)",
        "following.head.eq(0)",
    ),
    Fault("injector-header-3", "no flit of a refused message is sent", INJECTOR, "counted & ends", "counted"),
    Fault("injector-header-3", "a descriptor without end is an error for good", INJECTOR, "error.eq(1)", "error.eq(0)"),
)

EJECTOR_FAULTS = (
    Fault(
        "ejector",
        "valid waits for nothing once a flit is in",
        EJECTOR,
        "self.user.valid.eq(buffer.present)",
        "self.user.valid.eq(buffer.present & self.user.ready)",
    ),
    Fault(
        "ejector", HOLDS, EJECTOR, "buffer.pop.eq(buffer.present & self.user.ready)", "buffer.pop.eq(buffer.present)"
    ),
    Fault("ejector", "flits come out unaltered in order", *LOSES_THE_SECOND_FLIT),
    Fault("ejector", "ready shows whether a place is free", *READY_FOR_ONE_TOO_MANY),
    Fault(
        "ejector",
        "a user that is always ready never stalls the link",
        EJECTOR,
        "EJECTOR_FLITS = 2",
        "EJECTOR_FLITS = 1",
    ),
)

COUNTER_FAULTS = (
    Fault(
        "channel-counters-2",
        "sums are exact once they have settled",
        COUNTERS,
        "0, count) + event[channel])",
        "0, count + event[channel]))",
    ),
    Fault(
        "channel-counters-2",
        "sums are exact once they have settled",
        COUNTERS,
        "m.d.sync += first_sweep.eq(1)",
        "m.d.sync += first_sweep.eq(0)",
    ),
    Fault(
        "channel-counters-2",
        "a sum lags behind by the events of a sweep at most",
        COUNTERS,
        "Mux(visited | self.clear, 0, count)",
        "Mux(self.clear, 0, count)",
    ),
    Fault(
        "channel-counters-2",
        "kinds that are not counted read as 0",
        COUNTERS,
        "m.d.sync += self.data.eq(0)",
        "m.d.sync += self.data.eq(kind)",
    ),
)

ERROR_FAULTS = (
    Fault(
        "error-monitor-3",
        "discarded is the number of worms, or the highest number",
        ERROR_MONITOR,
        "self.discarding & ~before",
        "self.discarding",
    ),
    Fault(
        "error-monitor-3",
        "misframed records the inputs that ever reported it",
        ERROR_MONITOR,
        "found[channel] = seen[i]",
        "found[i] = seen[i]",
    ),
    Fault(
        "error-monitor-3",
        "unroutable records the inputs that ever reported it",
        ERROR_MONITOR,
        "kept | concat(found)",
        "kept | Mux(remembered.any(), 0, concat(found))",
    ),
    Fault(
        "error-monitor-clearable",
        "unroutable records the inputs that ever reported it",
        ERROR_MONITOR,
        "remembered & ~clear",
        "Mux(clear.any(), 0, remembered)",
    ),
    Fault(
        "error-monitor-clearable",
        "discarded is the number of worms, or the highest number",
        ERROR_MONITOR,
        "Mux(self.clear_discarded, 0, self.discarded)",
        "self.discarded",
    ),
)

COMMON_FAULTS = (
    *LINK_FAULTS,
    *ARBITER_FAULTS,
    *AGE_FAULTS,
    *CROSSBAR_FAULTS,
    *INJECTOR_FAULTS,
    *EJECTOR_FAULTS,
    *COUNTER_FAULTS,
    *ERROR_FAULTS,
    *AXI_FAULTS,
    *AXI_LITE_FAULTS,
    *REGISTER_FAULTS,
)
