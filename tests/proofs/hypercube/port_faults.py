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
    READS_WITHOUT_PAUSE,
    RELEASES_BEFORE_IT_IS_EMPTY,
    SENDS_WHAT_IS_BEATEN,
)
from tests.proofs.faults import Fault
from tests.proofs.hypercube.head_contract import CONTRACT
from tests.proofs.hypercube.input_claims import (
    ASKS,
    CREDIT,
    DISCARDING,
    DRAINED,
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

LINK, HOST = "adaptive-input-2x2", "adaptive-input-host-2"
OUTPUT, DELIVERY = "adaptive-output-2x2", "adaptive-output-delivery"

INPUT_FAULTS = tuple(
    Fault(proof, claim, *line)
    for proof, claim, line in (
        (
            LINK,
            ASKS,
            (ADAPTIVE_INPUT, "asks = (self.present | self._arriving)", "asks = self.present"),
        ),
        (LINK, WAITS, (ADAPTIVE_INPUT, "ready & ~self.active & ~self.nowhere", "ready & ~self.nowhere")),
        (HOST, WAITS, (ADAPTIVE_INPUT, "ready, starts, asks = read,", "ready, starts, asks = self.present,")),
        (LINK, WANTS, (ADAPTIVE_INPUT, "if self._part.host else ~remaining.any())", "if self._part.host else 0)")),
        (LINK, STAYS, (ADAPTIVE_INPUT, "kept.eq((requests & self.beaten).any())", "kept.eq(0)")),
        (LINK, ONE_FLIT, SENDS_WHAT_IS_BEATEN),
        (LINK, IN_ORDER, READS_WITHOUT_PAUSE),
        (LINK, OWN_LANE, (ADAPTIVE_INPUT, "self.target.eq(part.lane)", "self.target.eq(part.lane[::-1])")),
        (LINK, CREDIT, FORGETS_WHAT_IS_ASKED),
        (LINK, ROOM, (ADAPTIVE_INPUT, "part.room, enough", "1, enough")),
        (LINK, DRAINED, DRAINS_ALL_BUT_THE_LAST),
        (LINK, DISCARDING, NEVER_ENDS_A_DRAIN),
        (LINK, RELEASES, RELEASES_BEFORE_IT_IS_EMPTY),
        (LINK, PROMPT, (ADAPTIVE_INPUT, "enough | credited)", "enough)")),
        (LINK, CONTRACT, (ADAPTIVE_INPUT, "with m.If(starts):", "with m.If(1):")),
        (HOST, READY, NOT_READY_AS_A_FLIT_LEAVES),
    )
)

OUTPUT_FAULTS = (
    Fault(OUTPUT, FIRST, CYCLE_ORDER, "requests[y] & comes_first(j, i)", "requests[y] & comes_first(i, j)"),
    Fault(OUTPUT, LEAVES, ADAPTIVE_OUTPUT, "lane & chosen[x]", "lane & chosen[-1 - x]"),
    Fault(
        OUTPUT,
        WAIT_BOUND,
        CYCLE_ORDER,
        "before[position[i, j]] if i < j else ~before[position[j, i]]",
        "Value.cast(int(i < j))",
    ),
    Fault(OUTPUT, FREE, *FREES_ALL_THE_TIME),
    Fault(DELIVERY, FREE, *FREES_DELIVERY_AFTER_EACH_FLIT),
    Fault(OUTPUT, LOWEST, ADAPTIVE_OUTPUT, "else self.releases[lane]", "else 0"),
    Fault(OUTPUT, FREE_ESCAPE, ADAPTIVE_OUTPUT, "self.taken_escape if lane ==", "self.taken if lane =="),
)
