"""Faults of switches of hypercubes and their parts: at least one for every property."""

from tests.proofs.hypercube.allocator_faults import ALLOCATOR_FAULTS
from tests.proofs.hypercube.port_faults import INPUT_FAULTS, OUTPUT_FAULTS
from tests.proofs.hypercube.switch_faults import SWITCH_FAULTS

HYPERCUBE_FAULTS = (*ALLOCATOR_FAULTS, *INPUT_FAULTS, *OUTPUT_FAULTS, *SWITCH_FAULTS)
