"""Length of runs under a load."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RunLength:
    """Initial length of runs, by the minimum numbers of messages and multicasts."""

    messages: int
    multicasts: int

    def cycles(self, nodes: int, rate: float, multicast_fraction: float) -> int:
        """Return the cycles at a rate of messages per node and cycle."""
        return round(max(self.messages, self.multicasts / multicast_fraction) / (rate * nodes))
