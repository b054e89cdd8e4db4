"""Faults of inputs and outputs: at least one for every property."""

from tests.proofs.fault_lines import (
    ADAPTIVE_INPUT,
    ADAPTIVE_OUTPUT,
    CYCLE_ORDER,
    DRAINS_ALL_BUT_THE_LAST,
    FORGETS_WHAT_IS_ASKED,
    FREES_ALL_THE_TIME,
    FREES_DELIVERY_AFTER_EACH_FLIT,
    NEVER_ENDS_A_DRAIN,
    NOT_READY_AS_A_FLIT_LEAVES,
    READS_WHERE_IT_WRITES,
    RELEASES_BEFORE_IT_IS_EMPTY,
    RING_POINTER,
    SENDS_WHAT_IS_BEATEN,
)
from tests.proofs.faults import Fault
from tests.proofs.hypercube.head_contract import CONTRACT
from tests.proofs.hypercube.input_claims import (
    ASKS,
    CREDIT,
    DISCARDING,
    DRAINED,
    ENDS,
    IN_ORDER,
    ONE_FLIT,
    OWN_LANE,
    PROMPT,
    READY,
    RELEASES,
    ROOM,
    STAYS,
    WAITS,
    WANTS,
)
from tests.proofs.hypercube.output_claims import FIRST, FREE, FREE_ESCAPE, LEAVES, LOWEST, WAIT_BOUND

LINK, DEEP, HOST = "adaptive-input-2x2", "adaptive-input-2x2-depth-4", "adaptive-input-host-2"
OUTPUT, SEVERAL, DELIVERY = "adaptive-output-2x2", "adaptive-output-6x4", "adaptive-output-delivery"

INPUT_FAULTS = tuple(
    Fault(proof, claim, *line)
    for proof, claim, line in (
        (
            LINK,
            ASKS,
            (ADAPTIVE_INPUT, "asking[v].eq(front.asks)", "asking[v].eq(front.asks & self._present)"),
        ),
        (LINK, WAITS, (ADAPTIVE_INPUT, "ready & ~self.active & ~self.nowhere", "ready & ~self.nowhere")),
        (HOST, WAITS, (ADAPTIVE_INPUT, "waiting[v].eq(front.ready", "waiting[v].eq(self._present")),
        (
            LINK,
            WANTS,
            (ADAPTIVE_INPUT, "else ~remaining.any())", "else Const(0))"),
        ),
        (LINK, STAYS, (ADAPTIVE_INPUT, "kept.eq((requests & self.beaten).any())", "kept.eq(0)")),
        (LINK, ONE_FLIT, SENDS_WHAT_IS_BEATEN),
        (LINK, IN_ORDER, READS_WHERE_IT_WRITES),
        (DEEP, IN_ORDER, (RING_POINTER, "code.eq(following ^ (following >> 1))", "code.eq(following)")),
        (LINK, ENDS, (ADAPTIVE_INPUT, "(asked & tails).any()", "tails.any()")),
        (LINK, OWN_LANE, (ADAPTIVE_INPUT, "self.target.eq(part.lane)", "self.target.eq(part.lane[::-1])")),
        (LINK, CREDIT, FORGETS_WHAT_IS_ASKED),
        (LINK, ROOM, (ADAPTIVE_INPUT, "(part.room | ~delivers)", "1")),
        (LINK, DRAINED, DRAINS_ALL_BUT_THE_LAST),
        (LINK, DISCARDING, NEVER_ENDS_A_DRAIN),
        (LINK, RELEASES, RELEASES_BEFORE_IT_IS_EMPTY),
        (LINK, PROMPT, (ADAPTIVE_INPUT, "(credited | enough)", "enough")),
        (LINK, CONTRACT, (ADAPTIVE_INPUT, "with m.If(front.starts):", "with m.If(1):")),
        (HOST, READY, NOT_READY_AS_A_FLIT_LEAVES),
    )
)

OUTPUT_FAULTS = (
    Fault(
        OUTPUT,
        FIRST,
        CYCLE_ORDER,
        "requests[y] & comes_first(before, j, i)",
        "requests[y] & comes_first(before, i, j)",
    ),
    Fault(OUTPUT, LEAVES, ADAPTIVE_OUTPUT, "flit & chosen[x]", "flit & chosen[-1 - x]"),
    Fault(OUTPUT, LEAVES, ADAPTIVE_OUTPUT, "zip(chosen, self.targets", "zip(chosen[::-1], self.targets"),
    Fault(
        OUTPUT,
        WAIT_BOUND,
        CYCLE_ORDER,
        "return bit if i < j else ~bit",
        "return Value.cast(int(i < j))",
    ),
    Fault(OUTPUT, FREE, *FREES_ALL_THE_TIME),
    Fault(SEVERAL, FREE, ADAPTIVE_OUTPUT, "owned.eq(taken & ~owned)", "owned.eq(taken)"),
    Fault(DELIVERY, FREE, *FREES_DELIVERY_AFTER_EACH_FLIT),
    Fault(SEVERAL, LOWEST, ADAPTIVE_OUTPUT, "lowest_one(free[:-1])", "free[:-1]"),
    Fault(OUTPUT, FREE_ESCAPE, ADAPTIVE_OUTPUT, "else (1, self.taken_escape)", "else (1, self.taken)"),
)
