"""How long runs under a load are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RunLength:
    """How long runs are: so many messages and multicasts at least, before they are found too short."""

    messages: int
    multicasts: int

    def cycles(self, nodes: int, rate: float, multicast_fraction: float) -> int:
        """Return cycles, at so many messages per node and cycle."""
        return round(max(self.messages, self.multicasts / multicast_fraction) / (rate * nodes))
