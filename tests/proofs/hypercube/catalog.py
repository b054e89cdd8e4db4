"""The proofs of hypercubes by name."""

from tests.proofs.claims import Describe
from tests.proofs.hypercube.allocator_claims import head_allocator
from tests.proofs.hypercube.input_claims import adaptive_input
from tests.proofs.hypercube.output_claims import adaptive_output
from tests.proofs.hypercube.pair_claims import pair
from tests.proofs.hypercube.router_claims import router
from tests.proofs.proof import Proof
from topology.hypercube.routing import ADAPTIVE_ONLY, WRONG_ESCAPE


def _proof(
    part: str, describe: Describe, cover_cycles: int = 12, *, quick: bool = False, quick_cover: bool = True
) -> Proof:
    """A head is elected, picks, and gets a lane: three cycles, over which induction goes."""
    return Proof(part, describe, cover_cycles, quick, fault_cycles=16, induction_cycles=3, quick_cover=quick_cover)


HYPERCUBE_PROOFS: dict[str, Proof] = {
    "head-allocator-2x1": _proof("head-allocator", head_allocator(2, 1), 14, quick=True),
    "head-allocator-2x2": _proof("head-allocator", head_allocator(2, 2), 36, quick=True),
    "head-allocator-1x2": _proof("head-allocator", head_allocator(1, 2, longest_wait=False)),
    "head-allocator-3x3-two-hosts": _proof("head-allocator", head_allocator(3, 3, 2, longest_wait=False)),
    "head-allocator-2x2-adaptive-only": _proof("head-allocator", head_allocator(2, 2, 1, ADAPTIVE_ONLY), 36),
    "head-allocator-3x1-wrong-escape": _proof("head-allocator", head_allocator(3, 1, 1, WRONG_ESCAPE), 20),
    "head-allocator-6x3": _proof("head-allocator", head_allocator(6, 3, longest_wait=False)),
    "adaptive-input-2x2": _proof("adaptive-input", adaptive_input(2, 2, 2), quick=True),
    "adaptive-input-2x1-depth-1": _proof("adaptive-input", adaptive_input(2, 1, 1)),
    "adaptive-input-3x3-depth-3": _proof("adaptive-input", adaptive_input(3, 3, 3), 14),
    "adaptive-input-2x2-depth-4": _proof("adaptive-input", adaptive_input(2, 2, 4), 16),
    "adaptive-input-host-2": _proof("adaptive-input", adaptive_input(2, 2, 2, from_host=True), quick=True),
    "adaptive-input-host-4": _proof("adaptive-input", adaptive_input(3, 2, 4, from_host=True), 16),
    "adaptive-output-2x2": Proof("adaptive-output", adaptive_output(2, 2, 0)),
    "adaptive-output-2x3-two-hosts": Proof("adaptive-output", adaptive_output(2, 3, 1, 2), 14),
    "adaptive-output-2x1": Proof("adaptive-output", adaptive_output(2, 1, 1), quick=False),
    "adaptive-output-6x4": Proof("adaptive-output", adaptive_output(6, 4, 2), 24, quick=False),
    "adaptive-output-delivery": Proof("adaptive-output", adaptive_output(3, 2, 3), 16, quick=False),
    "hypercube-router-2x1": _proof("hypercube-router", router(dimensions=2, lanes=1, buffer_flits=2), 16, quick=True),
    "hypercube-router-2x2": _proof("hypercube-router", router(dimensions=2, lanes=2, buffer_flits=2), 16),
    "hypercube-router-2x3-depth-1": _proof(
        "hypercube-router", router(dimensions=2, lanes=3, buffer_flits=1), 16, quick_cover=False
    ),
    "hypercube-router-2x2-two-hosts": _proof(
        "hypercube-router", router(dimensions=2, lanes=2, buffer_flits=3, injection_channels=2), 16, quick_cover=False
    ),
    "hypercube-router-3x2": _proof(
        "hypercube-router", router(dimensions=3, lanes=2, buffer_flits=4), 16, quick_cover=False
    ),
    "hypercube-router-2x1-adaptive-only": _proof(
        "hypercube-router", router(dimensions=2, lanes=1, buffer_flits=2, rule=ADAPTIVE_ONLY), 16
    ),
    "hypercube-router-3x1-wrong-escape": _proof(
        "hypercube-router", router(dimensions=3, lanes=1, buffer_flits=2, rule=WRONG_ESCAPE), 16
    ),
    "hypercube-pair-2x1": _proof("hypercube-pair", pair(dimensions=2, lanes=1, buffer_flits=2), 16, quick=True),
    "hypercube-pair-2x2": _proof("hypercube-pair", pair(dimensions=2, lanes=2, buffer_flits=4), 20, quick_cover=False),
}
