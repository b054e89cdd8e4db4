"""Random cases: a number determines network, pauses and transactions."""

import hashlib
import json
import random
from typing import Any

from tests.tb.test_axi4 import LONG, configuration

NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "spam-mesh": ("spam", {}),
    "spam-irregular": ("irregular", {}),
    "spam-pipelined": ("ordered", {"id_bits": 1, "same_id": "pipelined"}),
    "spam-pieces": ("spam", {"data_bits": 64, "max_burst_flits": 16}),
    "min": ("min", {}),
    "torus": ("torus", {}),
    "hypercube": ("hypercube", {}),
    "harts": ("harts", {}),
}
"""Networks of the bench, and changes of their ends. Cases take them in turns."""
PAUSES = (0.0, 0.0, 0.0, 0.2, 0.5, 0.9)
LONGEST = (4, 16, 64)
"""Most beats of a burst, by case."""
PHASES = 4
TRANSACTIONS = 800
"""Of each manager in each phase. A reset comes before each phase."""


def network_of(case: int) -> str:
    """Return the network of a case."""
    return tuple(NETWORKS)[case % len(NETWORKS)]


def configuration_of(name: str) -> dict[str, Any]:
    """Return the configuration of a network."""
    network, changes = NETWORKS[name]
    return configuration(network, **changes)


def digest_of(name: str) -> str:
    """Return a digest of the configuration of a network."""
    return hashlib.sha256(json.dumps(configuration_of(name), sort_keys=True).encode()).hexdigest()[:12]


def options_of(case: int) -> dict[str, Any]:
    """Return the lengths of bursts of a case, as arguments of ``Axi4Job``."""
    if "max_burst_flits" in NETWORKS[network_of(case)][1]:
        return LONG
    return {"longest": LONGEST[case // len(NETWORKS) % len(LONGEST)]}


def phases_of(case: int) -> tuple[tuple[float, float, float, float], ...]:
    """Return the probabilities of pauses of all phases, see ``Axi4Job``; the first phase has none."""
    numbers = random.Random(case)
    drawn = [tuple(numbers.choice(PAUSES) for _ in range(4)) for _ in range(PHASES - 1)]
    return ((0.0, 0.0, 0.0, 0.0), *((a, b, c, d) for a, b, c, d in drawn))
