"""Faults of the orders by which routers with adaptive routing choose: at least one for every property."""

from tests.proofs.fault_lines import CYCLE_ORDER, KEEPS_THE_ORDER, PREFERS_BOTH_OF_THE_CYCLE, RANDOM_ORDER
from tests.proofs.faults import Fault
from tests.proofs.vc.cycle_order_claims import FIRST, WAIT_BOUND
from tests.proofs.vc.random_order_claims import SAYS_THE_ORDER

CHOSEN = "requests[x] & ~self.beaten[x]"

ORDER_FAULTS = (
    Fault(
        "cycle-order-3",
        "the pairs encode the order of the cycle",
        CYCLE_ORDER,
        "before[position[j - 1, self.count - 1]]",
        "held[position[j - 1, self.count - 1]]",
    ),
    Fault("cycle-order-3", "only a requester is chosen", CYCLE_ORDER, CHOSEN, "~self.beaten[x]"),
    Fault("cycle-order-3", "at most one is chosen", *PREFERS_BOTH_OF_THE_CYCLE),
    Fault("cycle-order-3", "a requester is chosen if there are requests", *PREFERS_BOTH_OF_THE_CYCLE),
    Fault(
        "cycle-order-3",
        FIRST,
        CYCLE_ORDER,
        "requests[y] & comes_first(before, j, i)",
        "requests[y] & comes_first(before, i, j)",
    ),
    Fault(
        "cycle-order-3",
        "a request that is not chosen has lost arbitration",
        CYCLE_ORDER,
        CHOSEN,
        "requests[x] & ~self.beaten[x] & ~requests[x - 1]",
    ),
    Fault("cycle-order-3", WAIT_BOUND, *KEEPS_THE_ORDER),
    Fault("random-order-3", SAYS_THE_ORDER, RANDOM_ORDER, "Mux(state[0], swapped,", "Mux(0, swapped,"),
    Fault(
        "random-order-3", SAYS_THE_ORDER, RANDOM_ORDER, "(i - 1) % self.count, (j - 1)", "(i + 1) % self.count, (j + 1)"
    ),
    Fault("random-order-3", SAYS_THE_ORDER, RANDOM_ORDER, "Mux(state[0], ORDER_FEEDBACK, 0)", "0"),
)
