# (a router is built only for its parameters)
"""The switches of hypercubes whose cost is tabulated: one thing varied at a time around a reference.

The reference is a switch of a hypercube of 64 nodes: two virtual channels of four flits for each channel, flits of 32
bits, one injection channel.
"""

from dataclasses import dataclass

from rtl.generator.plan import NetworkPlan
from rtl.hypercube.network import hypercube_plan
from topology.common.lanes import REUSE_EMPTY
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


@dataclass(frozen=True)
class HypercubeRow:
    """One switch.

    Members
    -------
    dimensions, lanes, buffer_flits, flit_bits, injection_channels : int
    lane_reuse : str
    """

    dimensions: int = 6
    lanes: int = 2
    buffer_flits: int = 4
    flit_bits: int = 32
    injection_channels: int = 1
    lane_reuse: str = REUSE_EMPTY
    multicast: bool = False

    @property
    def name(self) -> str:
        """Name in the table and in the baseline."""
        channels = "" if self.injection_channels == 1 else f"-i{self.injection_channels}"
        reuse = "" if self.lane_reuse == REUSE_EMPTY else f"-{self.lane_reuse}"
        return f"hypercube-n{self.dimensions}-l{self.lanes}-b{self.buffer_flits}-f{self.flit_bits}{channels}{reuse}"

    @property
    def plan(self) -> NetworkPlan:
        """Plan of the switch's network."""
        network = HypercubeNetwork(self.dimensions, self.lanes, self.injection_channels)
        routing = HypercubeRouting(network, self.flit_bits)
        return hypercube_plan(routing, buffer_flits=self.buffer_flits, lane_reuse=self.lane_reuse)

    @property
    def switch(self) -> int:
        """Switch of the row: all are alike but for their number."""
        return 0b010110 & (1 << self.dimensions) - 1


def rows() -> list[HypercubeRow]:
    """Return all rows of the table, the reference first."""
    return [
        HypercubeRow(),
        HypercubeRow(lanes=1),
        HypercubeRow(lanes=3),
        HypercubeRow(lanes=4),
        HypercubeRow(dimensions=4),
        HypercubeRow(buffer_flits=2),
        HypercubeRow(injection_channels=6),
    ]
