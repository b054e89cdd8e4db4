"""A first configuration: what of it differs from family to family."""

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
    """What a newcomer begins with in a family.

    Parameters
    ----------
    topology : mapping
        A small network.
    multicast : mapping
        Keys of random traffic that say how many messages go to more than one node, and how.
    """

    topology: Mapping[str, Any]
    multicast: Mapping[str, Any]

    @property
    def traffic(self) -> dict[str, Any]:
        """All keys of ``traffic`` that are given."""
        return {**COMMON_TRAFFIC, **self.multicast}
