"""Faults of the route unit: at least one for every property."""

from tests.proofs.common.arbiter_claims import WAIT_BOUND
from tests.proofs.common.decoded_headers import MEANING
from tests.proofs.fault_lines import CHOOSES_TWO, DECODER, KEEPS_THE_TURN, SCANNER, SWAPS_CLASSES
from tests.proofs.faults import Fault

ROUTE_UNIT_FAULTS = (
    Fault("route-unit-one-flit", "one header enqueues per cycle", *CHOOSES_TWO),
    Fault("route-unit-one-flit", "one header flit is looked at per cycle", *CHOOSES_TWO),
    Fault("route-unit-one-flit", WAIT_BOUND, *KEEPS_THE_TURN),
    Fault("route-unit-one-flit", MEANING, *SWAPS_CLASSES),
    Fault("route-unit-spare-keys", MEANING, DECODER, ', "candidates", padded=True)', ', "candidates")'),
    Fault("route-unit-one-flit", "only a flit that is there is looked at", SCANNER, "ready & ~self.queued)", "ready)"),
    Fault(
        "route-unit-three-flit",
        "a request is complete with the last header flit",
        SCANNER,
        "completed.eq(self.taken & flit.last)",
        "completed.eq(self.taken)",
    ),
    Fault(
        "route-unit-three-flit",
        "a request is stable from its completion to its release",
        SCANNER,
        "self.queued.eq(flit.last)",
        "self.queued.eq(1)",
    ),
    Fault(
        "route-unit-three-flit",
        "all outputs of a header enqueue at once",
        SCANNER,
        "collected.eq(self.request | flit.branches)",
        "collected.eq(flit.branches)",
    ),
    Fault(
        "route-unit-three-flit",
        MEANING,
        DECODER,
        "_is(position, self.parameters.header_flits - 1)",
        "_is(position, self.parameters.header_flits - 2)",
    ),
    Fault(
        "route-unit-parts",
        MEANING,
        DECODER,
        "longest | self._names_set(position) & self.data[header.last_bit]",
        "longest | self.data[header.last_bit]",
    ),
    Fault(
        "route-unit-parts",
        MEANING,
        DECODER,
        "padded = isinstance(self.parameters.header, PartsFormat)",
        "padded = False",
    ),
    Fault("route-unit-parts", MEANING, DECODER, "first = header.unicast_flits if", "first = 0 if"),
    Fault(
        "route-unit-two-flit-key",
        MEANING,
        DECODER,
        "earlier.eq(concat((earlier, self.data)) >> flit_bits)",
        "earlier.eq(concat((earlier, self.data)))",
    ),
    Fault(
        "route-unit-min",
        "branching marks a request with several outputs",
        SCANNER,
        "(collected & (collected - 1)).any()",
        "collected.any()",
    ),
)
