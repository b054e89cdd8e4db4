"""Faults of whole switches of tori and meshes: at least one for every property."""

from tests.proofs.common.links import HOLDS
from tests.proofs.common.progress import PROGRESS
from tests.proofs.fault_lines import (
    COUNTS_DOWN_TOO_LATE,
    FREES_AFTER_EACH_FLIT,
    GIVES_CREDITS_FOR_REQUESTS,
    KEEPS_WHAT_HAS_MOVED,
    LANE_INPUT,
    LANE_ROUTER,
    NOT_READY_AS_ONE_LEAVES,
    OVERWRITES_A_WAITING_FLIT,
    PREFERS_BOTH,
    READS_WHERE_IT_WRITES,
    REUSES_WITH_ANY_CREDIT,
    TORUS_ROUTER,
)
from tests.proofs.faults import Fault
from tests.proofs.torus.pair_claims import CONSERVED, CREDITS, ROOM, SOUND
from tests.proofs.vc.lane_worms import HEADS_FIRST, UNMIXED

LOSES_THE_SECOND_FLIT = (LANE_ROUTER, "link.valid.eq(output.load)", "link.valid.eq(output.load & ~link.valid)")
GOES_BACKWARDS = (TORUS_ROUTER, "Const(int(way in NEGATIVE), 1)", "Const(int(way not in NEGATIVE), 1)")

ROUTER_FAULTS = (
    Fault("torus-router-mesh", HEADS_FIRST, *FREES_AFTER_EACH_FLIT),
    Fault("torus-router-mesh", UNMIXED, *FREES_AFTER_EACH_FLIT),
    Fault("torus-router-mesh", "heads leave on lanes that routing allows", *GOES_BACKWARDS),
    Fault(
        "torus-router-ring",
        "heads leave on lanes that routing allows",
        TORUS_ROUTER,
        "[goes & ~late] * p.low_lanes",
        "[goes] * p.low_lanes",
    ),
    Fault(
        "torus-router-ring-dateline",
        "heads leave on lanes that routing allows",
        TORUS_ROUTER,
        "self.closes_ring[port] | link.valid[p.low_lanes :].any()",
        "link.valid[p.low_lanes :].any()",
    ),
    Fault("torus-router-ring-empty", "a head takes a lane with all its credits", *REUSES_WITH_ANY_CREDIT),
    Fault("torus-router-mesh", "no flit leaves without a credit", *COUNTS_DOWN_TOO_LATE),
    Fault("torus-router-mesh", "one lane at most has a flit on its link", *PREFERS_BOTH),
    Fault("torus-router-mesh", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault("torus-router-mesh", "only flits that entered for this output come out", *KEEPS_WHAT_HAS_MOVED),
    Fault("torus-router-mesh", "flits come out unaltered in order", *READS_WHERE_IT_WRITES),
    Fault("torus-router-mesh", "flits that entered and have not come out are inside", *LOSES_THE_SECOND_FLIT),
    Fault("torus-router-mesh", "ready shows whether a place is free", *NOT_READY_AS_ONE_LEAVES),
    Fault("torus-router-mesh", "a credit comes back only for a flit that is there", *GIVES_CREDITS_FOR_REQUESTS),
    Fault(
        "torus-router-mesh",
        "discarding marks unroutable heads",
        LANE_INPUT,
        "Mux(request.nowhere & request.is_head, request.lane, 0)",
        "Mux(request.nowhere, request.lane, 0)",
    ),
)

KEEPS_WHAT_IS_NOT_GOOD = (
    LANE_INPUT,
    "renewed.eq(~self.lost.any())",
    "renewed.eq(~self.lost.any() & (self.good.any() | request.nowhere))",
)
PROGRESS_FAULTS = (Fault("torus-progress-row", PROGRESS, *KEEPS_WHAT_IS_NOT_GOOD),)

PAIR_FAULTS = (
    Fault("torus-pair-row", CONSERVED, *GIVES_CREDITS_FOR_REQUESTS),
    Fault("torus-pair-row", CREDITS, *GIVES_CREDITS_FOR_REQUESTS),
    Fault("torus-pair-row", ROOM, *COUNTS_DOWN_TOO_LATE),
    Fault("torus-pair-row", "no flit leaves without a credit", *COUNTS_DOWN_TOO_LATE),
    Fault("torus-pair-row", SOUND, *FREES_AFTER_EACH_FLIT),
    Fault("torus-pair-row", HEADS_FIRST, *FREES_AFTER_EACH_FLIT),
    Fault("torus-pair-row", UNMIXED, *FREES_AFTER_EACH_FLIT),
    Fault("torus-pair-row", "heads leave on lanes that routing allows", *GOES_BACKWARDS),
    Fault("torus-pair-row", "ready shows whether a place is free", *NOT_READY_AS_ONE_LEAVES),
    Fault("torus-pair-row", "a credit comes back only for a flit that is there", *GIVES_CREDITS_FOR_REQUESTS),
    Fault(
        "torus-pair-row",
        "discarding marks unroutable heads",
        LANE_INPUT,
        "Mux(request.nowhere & request.is_head, request.lane, 0)",
        "Mux(request.nowhere, request.lane, 0)",
    ),
)

TORUS_FAULTS = (*ROUTER_FAULTS, *PROGRESS_FAULTS, *PAIR_FAULTS)
