"""All proofs by name."""

from dataclasses import dataclass

from tests.proofs.claims import Describe
from tests.proofs.common.age_claims import age_matrix
from tests.proofs.common.arbiter_claims import round_robin
from tests.proofs.common.crossbar_claims import crossbar
from tests.proofs.common.ejector_claims import ejector
from tests.proofs.common.injector_claims import injector
from tests.proofs.common.input_buffer_claims import input_buffer
from tests.proofs.spam.queues_claims import request_queues
from tests.proofs.spam.replication_claims import replication
from tests.proofs.spam.route_unit_claims import route_unit
from tests.proofs.spam.router_claims import router

INDUCTION_CYCLES = 1


@dataclass(frozen=True)
class Proof:
    """A part of some size, and how far to look for what must be possible.

    Members
    -------
    part : str
        Proofs of one part have the same properties.
    describe : function
    cover_cycles : int
        Cycles within which everything that must be possible is reached.
    quick : bool
        Part of the quick tests.
    """

    part: str
    describe: Describe
    cover_cycles: int = 12
    quick: bool = True


PROOFS: dict[str, Proof] = {
    "input-buffer-depth-1": Proof("input-buffer", input_buffer(1, 1)),
    "input-buffer-depth-2": Proof("input-buffer", input_buffer(2, 1)),
    "input-buffer-depth-3": Proof("input-buffer", input_buffer(3, 1)),
    "input-buffer-depth-4": Proof("input-buffer", input_buffer(4, 1), quick=False),
    "input-buffer-depth-2-header-2": Proof("input-buffer", input_buffer(2, 2), quick=False),
    "input-buffer-depth-3-header-3": Proof("input-buffer", input_buffer(3, 3), quick=False),
    "input-buffer-depth-4-header-3": Proof("input-buffer", input_buffer(4, 3)),
    "input-buffer-depth-5-header-3": Proof("input-buffer", input_buffer(5, 3), quick=False),
    "round-robin-2": Proof("round-robin", round_robin(2), quick=False),
    "round-robin-3": Proof("round-robin", round_robin(3), quick=False),
    "round-robin-5": Proof("round-robin", round_robin(5)),
    "round-robin-8": Proof("round-robin", round_robin(8), quick=False),
    "age-matrix-2": Proof("age-matrix", age_matrix(2), quick=False),
    "age-matrix-3": Proof("age-matrix", age_matrix(3)),
    "age-matrix-5": Proof("age-matrix", age_matrix(5), quick=False),
    "request-queues-2": Proof("request-queues", request_queues(2), quick=False),
    "request-queues-3": Proof("request-queues", request_queues(3)),
    "request-queues-5": Proof("request-queues", request_queues(5), quick=False),
    "crossbar-3x3": Proof("crossbar", crossbar(3, 3)),
    "crossbar-5x2": Proof("crossbar", crossbar(5, 2), quick=False),
    "replication-3": Proof("replication", replication(3)),
    "replication-5": Proof("replication", replication(5), quick=False),
    "route-unit-one-flit": Proof("route-unit", route_unit("one-flit", 1)),
    "route-unit-one-flit-delay-2": Proof("route-unit", route_unit("one-flit", 2), quick=False),
    "route-unit-three-flit": Proof("route-unit", route_unit("three-flit", 1)),
    "route-unit-two-flit-key": Proof("route-unit", route_unit("two-flit-key", 1), quick=False),
    "injector-header-1": Proof("injector", injector(1), quick=False),
    "injector-header-3": Proof("injector", injector(3)),
    "ejector": Proof("ejector", ejector()),
    "router-buffer-2": Proof("router", router(2, 1)),
    "router-buffer-1": Proof("router", router(1, 1), quick=False),
    "router-buffer-2-delay-2": Proof("router", router(2, 2), quick=False),
    "router-buffer-1-delay-3": Proof("router", router(1, 3), 18, quick=False),
}
"""All are by induction over one cycle."""
