"""Faults of the parts of the router with lanes: at least one for every property."""

from tests.proofs.common.arbiter_claims import WAIT_BOUND
from tests.proofs.common.links import HOLDS
from tests.proofs.fault_lines import (
    COUNTS_DOWN_TOO_LATE,
    DELIVERY_BUFFER,
    FREES_AFTER_EACH_FLIT,
    GIVES_CREDITS_FOR_REQUESTS,
    KEEPS_WHAT_HAS_MOVED,
    LANE_INPUT,
    LANE_OUTPUT,
    NOT_READY_AS_ONE_LEAVES,
    OVERWRITES_A_WAITING_FLIT,
    PREFERS_BOTH,
    PREFERS_THE_FIRST,
    READS_WHERE_IT_WRITES,
    REUSES_WITH_ANY_CREDIT,
    SAYS_ROOM_FOR_ONE,
    STALLS_BETWEEN_FLITS,
    TURN_ORDER,
)
from tests.proofs.faults import Fault
from tests.proofs.vc.delivery_claims import FINDS_A_PLACE, SAYS_ROOM
from tests.proofs.vc.lane_input_claims import ONE_CREDIT
from tests.proofs.vc.lane_output_claims import OVERFLOW
from tests.proofs.vc.order_faults import ORDER_FAULTS
from tests.proofs.vc.turn_order_claims import FIRST

CHOSEN = "requests[i] & ~self.beaten[i]"

TURN_FAULTS = (
    Fault("turn-order-3", FIRST, TURN_ORDER, "concat(self.chosen[i:j]).any()", "self.chosen[i]"),
    Fault("turn-order-3-one-yields", FIRST, TURN_ORDER, "(i < n - yielding) == (j < n - yielding)", "True"),
    Fault("turn-order-3", "only a requester is chosen", TURN_ORDER, CHOSEN, "~self.beaten[i]"),
    Fault("turn-order-3", "at most one is chosen", *PREFERS_BOTH),
    Fault("turn-order-3", "a requester is chosen if there are requests", *PREFERS_BOTH),
    Fault(
        "turn-order-3",
        "a request that is not chosen has lost arbitration",
        TURN_ORDER,
        CHOSEN,
        "requests[i] & ~self.beaten[i] & ~requests[i - 1]",
    ),
    Fault("turn-order-3", WAIT_BOUND, *PREFERS_THE_FIRST),
    Fault(
        "turn-order-3",
        "the value of the chosen one is selected",
        TURN_ORDER,
        "self._requests[j] & self._before[j, i]",
        "self._requests[j]",
    ),
)

OUTPUT_FAULTS = (
    Fault("lane-output-2-to-2x2", FIRST, *PREFERS_THE_FIRST),
    Fault("lane-output-3-to-2x2-one-yields", FIRST, TURN_ORDER, "Const(1)", "Const(0)"),
    Fault("lane-output-2-to-2x2", FIRST, LANE_OUTPUT, "self.load.any(),", "self.requests.any(),"),
    Fault("lane-output-2-to-2x2", FIRST, LANE_OUTPUT, "self.requests & concat(order.beaten)", "concat(order.beaten)"),
    Fault(
        "lane-output-2-to-2x2",
        "exactly the granted flit leaves",
        LANE_OUTPUT,
        "order.select(good)",
        "order.select(good[::-1])",
    ),
    Fault("lane-output-2-to-2x2", WAIT_BOUND, *PREFERS_THE_FIRST),
    Fault("lane-output-2-to-2x2", "has credit shows whether there are credits", *COUNTS_DOWN_TOO_LATE),
    Fault("lane-output-2-to-2x2", "no flit leaves without a credit", *COUNTS_DOWN_TOO_LATE),
    Fault("lane-output-2-to-2x2", OVERFLOW, *COUNTS_DOWN_TOO_LATE),
    Fault(
        "lane-output-2-to-2x2",
        "a credit on the wire may be used",
        LANE_OUTPUT,
        "may_send = has_credit | credited",
        "may_send = has_credit",
    ),
    Fault(
        "lane-output-2-to-2x2",
        "a head may soon have a lane with a credit on the wire",
        LANE_OUTPUT,
        "may_start[w].eq(free & soon)",
        "may_start[w].eq(soon)",
    ),
    Fault(
        "lane-output-2-to-2x2", "a head may have a lane if no worm is in it and it has credits", *FREES_AFTER_EACH_FLIT
    ),
    Fault(
        "lane-output-2-to-2x2-empty",
        "a head may have a lane if no worm is in it and it has credits",
        *REUSES_WITH_ANY_CREDIT,
    ),
    Fault("lane-output-2-to-2x2", "a lane with a worm in it carries that worm alone", *FREES_AFTER_EACH_FLIT),
)

DELIVERY_FAULTS = (
    Fault("delivery-buffer-2", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault("delivery-buffer-2", "only flits that entered come out", *KEEPS_WHAT_HAS_MOVED),
    Fault(
        "delivery-buffer-2",
        "flits come out unaltered in order",
        DELIVERY_BUFFER,
        '"front", slots, register.load',
        '"front", slots, self.write',
    ),
    Fault("delivery-buffer-2", "a flit in the buffer waits for the register alone", *STALLS_BETWEEN_FLITS),
    Fault(
        "delivery-buffer-2",
        "a flit has its credit on the wire or is in the buffer",
        DELIVERY_BUFFER,
        "self.credit.eq(register.load)",
        "self.credit.eq(self.write)",
    ),
    Fault("delivery-buffer-room-4", SAYS_ROOM, *SAYS_ROOM_FOR_ONE),
    Fault("delivery-buffer-room-4", FINDS_A_PLACE, *SAYS_ROOM_FOR_ONE),
)

INPUT_FAULTS = (
    Fault("lane-input-2x2", ONE_CREDIT, LANE_INPUT, "self.credits.eq(popped)", "self.credits.eq(0)"),
    Fault(
        "lane-input-2x2",
        "a request is for one output lane at most",
        LANE_INPUT,
        "Mux(usable.any(), lowest_one(usable), lowest_one(held))",
        "Mux(usable.any(), usable, lowest_one(held))",
    ),
    Fault(
        "lane-input-2x2",
        "a request for a lane is one for its output",
        LANE_INPUT,
        "[Mux(bit, lane.outputs, 0) for",
        "[Mux(bit, lane.outputs[::-1], 0) for",
    ),
    Fault(
        "lane-input-2x2",
        "a request is for one output at most",
        LANE_INPUT,
        "[Mux(bit, lane.outputs, 0) for",
        "[lane.outputs for",
    ),
    Fault(
        "lane-input-2x2", "a request that has lost stays", LANE_INPUT, "renewed.eq(~self.lost.any())", "renewed.eq(1)"
    ),
    Fault(
        "lane-input-2x2",
        "a credit comes back only for a flit that is there",
        *GIVES_CREDITS_FOR_REQUESTS,
    ),
    Fault(
        "lane-input-2x2",
        "flits leave unaltered in the order of their lane",
        *READS_WHERE_IT_WRITES,
    ),
    Fault(
        "lane-input-2x2",
        "a head requests only an available route candidate",
        LANE_INPUT,
        "Mux(request.is_head, self.can_start, self.has_credit)",
        "self.has_credit",
    ),
    Fault(
        "lane-input-2x2",
        "a flit behind the head requests the lane of its worm",
        LANE_INPUT,
        "self.ways.eq(request.way)",
        "self.ways.eq(self.ways)",
    ),
    Fault(
        "lane-input-2x2",
        "a worm is drained if and only if it is unroutable",
        LANE_INPUT,
        "leaves.eq((self.good.any() | request.nowhere) &",
        "leaves.eq(",
    ),
    Fault(
        "lane-input-2x2",
        "discarding marks unroutable heads",
        LANE_INPUT,
        "Mux(request.nowhere & request.is_head, request.lane, 0)",
        "Mux(request.nowhere, request.lane, 0)",
    ),
    Fault(
        "lane-input-2x2",
        "a flit that could leave does so after one cycle, or after routing",
        LANE_INPUT,
        "& (Mux(asks, behind, other) | starts)",
        "& self.active",
    ),
    Fault(
        "lane-input-host-2",
        "ready shows whether a place is free",
        *NOT_READY_AS_ONE_LEAVES,
    ),
)

VC_FAULTS = (*TURN_FAULTS, *ORDER_FAULTS, *OUTPUT_FAULTS, *DELIVERY_FAULTS, *INPUT_FAULTS)
