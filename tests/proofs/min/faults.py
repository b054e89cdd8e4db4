"""Faults of multistage switches and their token rings: at least one for every property."""

from tests.proofs.common.progress import PROGRESS
from tests.proofs.fault_lines import (
    BRANCH_QUEUES,
    CHOOSES_TWO,
    FORGETS_TAILS,
    GIVES_ONE_OUTPUT_TO_TWO,
    KEEPS_THE_TURN,
    MISSES_TWO_IN_THE_UPPER_HALF,
    MONITOR,
    OVERTAKES_FROM_BELOW,
    REMEMBERS_EARLIER_TAILS,
    STATION,
    TURN_KEY,
)
from tests.proofs.faults import Fault
from tests.proofs.min.switch_faults import COPY_FAULTS, TREE_FAULTS, WHOLE_FAULTS
from tests.proofs.min.token_ring_claims import WAIT_BOUND

RING_FAULTS = (
    Fault(
        "token-ring-3",
        "there is one token from the third cycle on",
        STATION,
        "Mux(idle & ~sought, ~self.tree.any(), release)",
        "Mux(idle & ~sought, 1, release)",
    ),
    Fault(
        "token-ring-1",
        "there is one token from the third cycle on",
        STATION,
        "Mux(idle & ~sought, ~self.tree.any(), release)",
        "Mux(idle & ~sought, ~self.tree.any(), 0)",
    ),
    Fault("token-ring-3", "one input of the ring at most has the token or gets it", *CHOOSES_TWO),
    Fault(
        "token-ring-3",
        "only requesting inputs get the token",
        STATION,
        "arbiter.eligible.eq(Mux(idle, seeking, 0))",
        "arbiter.eligible.eq(Mux(idle, -1, 0))",
    ),
    Fault(
        "token-ring-3",
        "the token is given where it is and free",
        STATION,
        "Mux(idle & ~sought, self.tree, 0)",
        "Mux(~sought, self.tree, 0)",
    ),
    Fault(
        "token-ring-3",
        "a free token is taken at once if there are requests",
        STATION,
        "chosen | Mux(idle & ~sought, self.tree, 0)",
        "chosen",
    ),
    Fault(
        "token-ring-3",
        "a waiting input comes before a newcomer",
        STATION,
        "Mux(idle & ~sought, self.tree, 0)",
        "Mux(idle, self.tree, 0)",
    ),
    Fault(
        "token-ring-3",
        "the token goes on when no input takes it or its holder is through",
        STATION,
        "popped & (left == 1)",
        "popped & (left == 2)",
    ),
    Fault("token-ring-3", "here marks the place of the token", STATION, "self.token_out | held", "self.token_out"),
    Fault("token-ring-1", WAIT_BOUND, *KEEPS_THE_TURN),
    Fault(
        "token-ring-3",
        "the monitor of a sound ring reports nothing",
        MONITOR,
        "settling = Signal(2, init=3)",
        "settling = Signal(2, init=0)",
    ),
)

MONITOR_FAULTS = (
    Fault(
        "token-monitor-2-1-3",
        "lost records that there ever was no token",
        MONITOR,
        "lost | concat(none)",
        "concat(none)",
    ),
    Fault(
        "token-monitor-2-1-3",
        "lost records that there ever was no token",
        MONITOR,
        "first += size",
        "first += size - 1",
    ),
    Fault(
        "token-monitor-2-1-3",
        "duplicated records that there ever were several tokens",
        MONITOR,
        "(places & (places - 1)).any()",
        "places.all()",
    ),
    Fault(
        "token-monitor-clearable",
        "lost records that there ever was no token",
        MONITOR,
        "lost & ~self.clear_lost",
        "lost & ~self.clear_duplicated",
    ),
)

BRANCH_FAULTS = (
    Fault("branch-queues-3x3", "an output belongs to one input at most", *GIVES_ONE_OUTPUT_TO_TWO),
    Fault(
        "branch-queues-3x3",
        "an output that is owed belongs to an input",
        BRANCH_QUEUES,
        "Mux(older[j, i], self.owed[j], 0)",
        "Mux(older[j, i], self.request[j], 0)",
    ),
    Fault(
        "branch-queues-3x3",
        "an output belongs to the earliest that is owed it",
        BRANCH_QUEUES,
        "Mux(standing[i], 1, self.enters_first[i])",
        "standing[i]",
    ),
    Fault(
        "branch-queues-3x3",
        "an input only uses what it is owed",
        BRANCH_QUEUES,
        "self.first[i].eq(self.owed[i] & ~taken)",
        "self.first[i].eq(self.request[i] & ~taken)",
    ),
    Fault("branch-queues-3x3", "all outputs of a request enter in one step", *REMEMBERS_EARLIER_TAILS),
    Fault("branch-queues-3x3", "an output is owed until it has got the tail", *REMEMBERS_EARLIER_TAILS),
    Fault("branch-queues-3x3", "no output gets a tail twice", *FORGETS_TAILS),
    Fault("branch-queues-3x3", "an output that an input has got stays its own until the tail", *OVERTAKES_FROM_BELOW),
    Fault(
        "branch-queues-3x3",
        "at most inputs - 1 tails of others before the first of one's own",
        *OVERTAKES_FROM_BELOW,
    ),
)

KEY_FAULTS = (
    Fault("turn-key-bi-2x3", "multicast marks several destinations", *MISSES_TWO_IN_THE_UPPER_HALF),
    Fault(
        "turn-key-bi-2x3",
        "one destination is its own key",
        TURN_KEY,
        "range(self.processors), len(self.key)",
        "range(1, self.processors + 1), len(self.key)",
    ),
    Fault(
        "turn-key-bi-2x3",
        "several have a key that is none of theirs",
        TURN_KEY,
        "turning.eq(self.processors)",
        "turning.eq(self.processors - 1)",
    ),
    Fault(
        "turn-key-omega",
        "without a way back there is one such key",
        TURN_KEY,
        "turning.eq(self.processors)",
        "turning.eq(self.processors + 1)",
    ),
    Fault(
        "turn-key-bi-2x3",
        "the turn is the first one from which all are reached",
        TURN_KEY,
        "self.destinations[block].any() & ~own[block].any()",
        "self.destinations[block].any()",
    ),
)

PROGRESS_FAULTS = (Fault("min-router-progress", PROGRESS, *GIVES_ONE_OUTPUT_TO_TWO),)
MIN_FAULTS = (
    *PROGRESS_FAULTS,
    *RING_FAULTS,
    *MONITOR_FAULTS,
    *BRANCH_FAULTS,
    *COPY_FAULTS,
    *TREE_FAULTS,
    *WHOLE_FAULTS,
    *KEY_FAULTS,
)
