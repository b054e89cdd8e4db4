"""The paper's network for its measurements: 500 ns start-up, 60 ns routing, 20 ns per flit, 16-bit flits (Sec. 5.1).

Buffers have as many flits as the paper's header, N / 16, but at least 2: with 1 a switch forwards a flit only every
other cycle. Flits are wide enough for the header to be one of them (up to some 500 nodes), because the paper
counts one routing delay per switch whatever the length of the header.
"""

from dataclasses import dataclass

from hydranoc.studies.min.analytical import FLIT_NS, ROUTING_NS, STARTUP_NS
from sim_model.min.model import MinModel
from topology.common.flits import MAX_FLIT_BITS
from topology.min.graph import BIDIRECTIONAL, MinNetwork
from topology.min.routing import MinRouting

CYCLE_US = FLIT_NS / 1000
STARTUP_CYCLES = STARTUP_NS // FLIT_NS
PAPER_FLIT_BITS = 16
MIN_BUFFER_FLITS = 2


@dataclass(frozen=True)
class Shape:
    """A network of the paper.

    Members:
        kind: See ``MinNetwork``.
        radix, stages (int)
        consumption_channels
    """

    kind: str
    radix: int
    stages: int
    consumption_channels: int = 1

    @property
    def nodes(self) -> int:
        """N."""
        return self.radix**self.stages

    @property
    def network(self) -> MinNetwork:
        """The network itself."""
        return MinNetwork(self.kind, self.radix, self.stages, self.consumption_channels)

    @property
    def bidirectional(self) -> bool:
        """True if messages turn round."""
        return self.kind == BIDIRECTIONAL

    @property
    def direction(self) -> str:
        """``UNI`` or ``BI``, as in the paper."""
        return "BI" if self.bidirectional else "UNI"

    @property
    def name(self) -> str:
        """Name for display."""
        channels = "" if self.consumption_channels == 1 else f", {self.consumption_channels} consumption channels"
        return f"{self.direction} {self.nodes} nodes {self.radix}x{self.radix}{channels}"

    def algorithm(self, software: bool) -> str:
        """Return the paper's name of the algorithm."""
        return self.software_name if software else "ATBM"

    @property
    def software_name(self) -> str:
        """The paper's name of the software multicast of this network."""
        return "UMIN" if self.bidirectional else "CMIN"


def paper_model(shape: Shape) -> MinModel:
    """Return a network with the paper's times and buffers."""
    return MinModel(
        MinRouting(shape.network, MAX_FLIT_BITS),
        buffer_flits=max(MIN_BUFFER_FLITS, shape.nodes // PAPER_FLIT_BITS),
        routing_cycles=ROUTING_NS // FLIT_NS,
    )
