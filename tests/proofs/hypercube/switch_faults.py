"""Faults of whole switches, and of two of them: at least one for every property."""

from tests.proofs.common.links import HOLDS
from tests.proofs.fault_lines import (
    ADAPTIVE_INPUT,
    ADAPTIVE_OUTPUT,
    DRAINS_ALL_BUT_THE_LAST,
    ESCAPES_OVER_THE_HIGHEST,
    FORGETS_WHAT_IS_ASKED,
    FREES_ALL_THE_TIME,
    FREES_DELIVERY_AFTER_EACH_FLIT,
    GIVES_CREDITS_WHILE_IT_ASKS,
    HYPERCUBE_ROUTER,
    KEEPS_WHAT_HAS_MOVED,
    NEVER_ENDS_A_DRAIN,
    NOT_READY_AS_A_FLIT_LEAVES,
    OVERWRITES_A_WAITING_FLIT,
    READS_WHERE_IT_WRITES,
    RELEASES_BEFORE_IT_IS_EMPTY,
)
from tests.proofs.faults import Fault
from tests.proofs.hypercube.pair_claims import CONSERVED, CREDITS, EMPTY, RELEASED, ROOM, SOUND
from tests.proofs.hypercube.router_claims import CLEAN, DISCARDING, DRAINED, READY, RELEASES, THERE
from tests.proofs.vc.lane_worms import ALLOWED, HAS_CREDIT, HEADS_FIRST, ONE_LANE, UNMIXED

LOSES_THE_SECOND_FLIT = (
    HYPERCUBE_ROUTER,
    "link.valid.eq(output.load)",
    "link.valid.eq(Value.cast(output.load) & ~link.valid)",
)
LOADS_THE_LAST_LANE_TOO = (ADAPTIVE_OUTPUT, "self.requests.any() & ~concat(others).any()", "self.requests.any()")
ESCAPES_ON_THE_FIRST_LANE = (HYPERCUBE_ROUTER, "other & ~escapes for", "other for")
COUNTS_A_CREDIT_TWICE = (ADAPTIVE_INPUT, "credits + 1", "credits + 2")

ANY_SWITCH = (
    ("2x1", HEADS_FIRST, FREES_DELIVERY_AFTER_EACH_FLIT),
    ("2x1", UNMIXED, FREES_DELIVERY_AFTER_EACH_FLIT),
    ("2x1", ALLOWED, ESCAPES_OVER_THE_HIGHEST),
    ("2x1", HAS_CREDIT, FORGETS_WHAT_IS_ASKED),
    ("2x1", READY, NOT_READY_AS_A_FLIT_LEAVES),
    ("2x1", DISCARDING, NEVER_ENDS_A_DRAIN),
    ("2x1", DRAINED, DRAINS_ALL_BUT_THE_LAST),
    ("2x1", RELEASES, RELEASES_BEFORE_IT_IS_EMPTY),
    ("2x2", THERE, GIVES_CREDITS_WHILE_IT_ASKS),
)
ONE_SWITCH = (
    ("2x1", CLEAN, FREES_ALL_THE_TIME),
    ("2x2", CLEAN, ESCAPES_ON_THE_FIRST_LANE),
    ("2x2", ONE_LANE, LOADS_THE_LAST_LANE_TOO),
    ("2x1", HOLDS, OVERWRITES_A_WAITING_FLIT),
    ("2x1", "only flits that entered for this output come out", KEEPS_WHAT_HAS_MOVED),
    ("2x1", "flits come out unaltered in order", READS_WHERE_IT_WRITES),
    ("2x1", "flits that entered and have not come out are inside", LOSES_THE_SECOND_FLIT),
)
TWO_SWITCHES = (
    ("2x1", EMPTY, FREES_ALL_THE_TIME),
    ("2x1", CONSERVED, COUNTS_A_CREDIT_TWICE),
    ("2x1", ROOM, FORGETS_WHAT_IS_ASKED),
    ("2x1", SOUND, FREES_ALL_THE_TIME),
    ("2x2", CREDITS, GIVES_CREDITS_WHILE_IT_ASKS),
    ("2x1", RELEASED, RELEASES_BEFORE_IT_IS_EMPTY),
)

SWITCH_FAULTS = (
    *(Fault(f"hypercube-router-{size}", claim, *line) for size, claim, line in (*ANY_SWITCH, *ONE_SWITCH)),
    *(Fault(f"hypercube-pair-{size}", claim, *line) for size, claim, line in (*TWO_SWITCHES, *ANY_SWITCH)),
)
