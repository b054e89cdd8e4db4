"""Random cases: a number determines network, pauses and transactions."""

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
MIX = {**LONG, "mostly_short": True, "fewer_in_pauses": True}
"""Transactions of all cases, as arguments of ``Axi4Job``: long bursts and pauses cost most of the time."""
PHASES = 4
TRANSACTIONS = 2_400
"""Of each manager in a phase without pauses. A reset comes before each phase."""


def network_of(case: int) -> str:
    """Return the network of a case."""
    return tuple(NETWORKS)[case % len(NETWORKS)]


def configuration_of(name: str) -> dict[str, Any]:
    """Return the configuration of a network."""
    network, changes = NETWORKS[name]
    return configuration(network, **changes)


def phases_of(case: int) -> tuple[tuple[float, float, float, float], ...]:
    """Return the probabilities of pauses of all phases, see ``Axi4Job``; the first phase has none."""
    numbers = random.Random(case)
    drawn = [tuple(numbers.choice(PAUSES) for _ in range(4)) for _ in range(PHASES - 1)]
    return ((0.0, 0.0, 0.0, 0.0), *((a, b, c, d) for a, b, c, d in drawn))
