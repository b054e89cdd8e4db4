# (a router is built only for its parameters)
"""The switches of multistage networks whose cost is tabulated: one thing varied at a time around a reference.

The reference is a switch of the first stage of a 64-node baseline network of 4 x 4 switches, which has the largest
reach sets and the largest token ring; flits of 32 bits, buffers of 2. ``bi`` rows are switches of the middle stage of a
bidirectional butterfly, with twice as many ports.
"""

from dataclasses import dataclass, replace

from benchmarks.unicast_only import without_multicast
from rtl.generator.plan import NetworkPlan
from rtl.min.network import min_plan
from rtl.min.router import MinRouter
from rtl.parts.part import Part
from topology.min.graph import BIDIRECTIONAL, MinNetwork, SwitchPosition
from topology.min.routing import MinRouting


@dataclass(frozen=True)
class MinRow:
    """One switch.

    Members
    -------
    radix, stages, flit_bits, buffer_flits : int
    bidirectional : bool
    multicast : bool
        False omits the logic for multicasts.
    """

    radix: int = 4
    stages: int = 3
    flit_bits: int = 32
    buffer_flits: int = 2
    bidirectional: bool = False
    multicast: bool = True

    @property
    def nodes(self) -> int:
        """Processors of the network."""
        return self.radix**self.stages

    @property
    def name(self) -> str:
        """Name in the table and in the baseline."""
        kind = "bi" if self.bidirectional else "uni"
        name = f"min-{kind}{self.radix}-f{self.flit_bits}-n{self.nodes}-b{self.buffer_flits}"
        return name + ("" if self.multicast else "-unicast")

    @property
    def plan(self) -> NetworkPlan:
        """Plan of the switch's network."""
        network = MinNetwork(BIDIRECTIONAL if self.bidirectional else "baseline", self.radix, self.stages)
        plan = min_plan(MinRouting(network, self.flit_bits), buffer_flits=self.buffer_flits)
        return plan if self.multicast else without_multicast(plan, _unicast_router)

    @property
    def switch(self) -> int:
        """Switch of the row."""
        network = self.plan.network
        assert isinstance(network, MinNetwork)
        return network.switch_at[SwitchPosition(self.stages - 2 if self.bidirectional else 0, 0)]


def _unicast_router(router: Part) -> Part:
    return MinRouter(replace(router.parameters, multicast=False, most_release_flits=0))


def rows() -> list[MinRow]:
    """Return all rows of the table, the reference first."""
    return [
        MinRow(),
        MinRow(radix=2, stages=6),
        MinRow(radix=8, stages=2),
        *(MinRow(flit_bits=bits) for bits in (16, 64)),
        *(MinRow(stages=stages) for stages in (2, 4)),
        *(MinRow(buffer_flits=flits) for flits in (1, 8)),
        MinRow(bidirectional=True),
        MinRow(radix=2, stages=6, bidirectional=True),
        MinRow(multicast=False),
        MinRow(bidirectional=True, multicast=False),
    ]
