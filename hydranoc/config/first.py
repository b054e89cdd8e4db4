"""A first configuration: the parts that differ between families."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

COMMON_TRAFFIC: Mapping[str, Any] = {
    "kind": "random",
    "seed": 1,
    "cycles": 20_000,
    "warmup_cycles": 2_000,
    "messages_per_node_per_cycle": 0.001,
    "flits": 16,
}


@dataclass(frozen=True)
class FirstConfiguration:
    """A family's first configuration for new users.

    Parameters:
        topology: A small network.
        multicast: Keys of random traffic for the fraction and kind of messages to several nodes.
    """

    topology: Mapping[str, Any]
    multicast: Mapping[str, Any]

    @property
    def traffic(self) -> dict[str, Any]:
        """All given keys of ``traffic``."""
        return {**COMMON_TRAFFIC, **self.multicast}
