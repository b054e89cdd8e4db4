# (a router is built only for its parameters)
"""The switches of tori whose cost is tabulated: one thing varied at a time around a reference.

The reference is a switch of an 8 x 8 torus: two virtual channels of four flits for each channel, flits of 32 bits, two
cycles per hop for a head (``routing_cycles`` 1).
"""

from dataclasses import dataclass

from rtl.generator.plan import NetworkPlan
from rtl.torus.network import torus_plan
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, DATELINE, TorusRouting


@dataclass(frozen=True)
class TorusRow:
    """One switch.

    Members
    -------
    side, lanes, buffer_flits, flit_bits, routing_cycles : int
    lane_rule, lane_reuse, injection_priority : str
    """

    side: int = 8
    lanes: int = 2
    buffer_flits: int = 4
    flit_bits: int = 32
    routing_cycles: int = 1
    lane_rule: str = DALLY_SEITZ
    lane_reuse: str = "tail"
    injection_priority: str = "equal"
    multicast: bool = False

    @property
    def name(self) -> str:
        """Name in the table and in the baseline."""
        name = f"torus-{self.side}x{self.side}-l{self.lanes}-b{self.buffer_flits}-f{self.flit_bits}"
        rules = "" if self.lane_rule == DALLY_SEITZ else f"-{self.lane_rule}"
        reuse = "" if self.lane_reuse == "tail" else f"-{self.lane_reuse}"
        priority = "" if self.injection_priority == "equal" else f"-{self.injection_priority}"
        return f"{name}-r{self.routing_cycles}{rules}{reuse}{priority}"

    @property
    def plan(self) -> NetworkPlan:
        """Plan of the switch's network."""
        network = TorusNetwork(Grid(self.side, self.side), self.lanes)
        return torus_plan(
            TorusRouting(network, self.flit_bits, self.lane_rule),
            buffer_flits=self.buffer_flits,
            routing_cycles=self.routing_cycles,
            lane_reuse=self.lane_reuse,
            injection_priority=self.injection_priority,
        )

    @property
    def switch(self) -> int:
        """Switch of the row: all are alike but for their constants."""
        return Grid(self.side, self.side).node(3, 5)


def rows() -> list[TorusRow]:
    """Return all rows of the table, the reference first."""
    return [
        TorusRow(),
        TorusRow(routing_cycles=2),
        *(TorusRow(lanes=lanes) for lanes in (1, 3, 4)),
        *(TorusRow(buffer_flits=flits) for flits in (1, 2, 8)),
        *(TorusRow(flit_bits=bits) for bits in (16, 64)),
        TorusRow(side=16),
        TorusRow(lane_rule=DATELINE),
        TorusRow(lane_reuse="empty"),
        TorusRow(injection_priority="low"),
    ]
