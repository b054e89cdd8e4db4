# (a router is built only for its parameters)
"""The SPAM routers whose cost is tabulated: one thing varied at a time around a reference.

The reference has 5 ports, flits of 32 bits, 64 nodes and buffers of 2: the root of an 8 x 8 mesh. The root has the
largest tables; ``far`` rows are an inner switch near a corner. All are in the fast setting (2 cycles per hop).
"""

from dataclasses import dataclass, replace
from functools import cache

from benchmarks.unicast_only import without_multicast
from fpga.common.subject import representative_switches
from rtl.generator.plan import NetworkPlan
from rtl.parts.part import Part
from rtl.spam.network import spam_plan
from rtl.spam.router import SpamRouter
from topology.common.graph import Network
from topology.common.lattice import irregular_network
from topology.common.regular import hypercube_network, mesh_network, ring_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

REFERENCE = "p5-f32-n64-b2"
HYPERCUBE_PORTS = 7
"""Six dimensions and a processor: 64 nodes."""


@dataclass(frozen=True)
class SpamRow:
    """One router.

    Members
    -------
    ports, flit_bits, nodes, buffer_flits : int
    far : bool
        An inner switch of the mesh, far from the root; otherwise the switch with the largest tables.
    multicast : bool
        False omits the logic for multicasts.
    """

    ports: int = 5
    flit_bits: int = 32
    nodes: int = 64
    buffer_flits: int = 2
    far: bool = False
    multicast: bool = True

    @property
    def name(self) -> str:
        """Name in the table and in the baseline."""
        name = f"p{self.ports}-f{self.flit_bits}-n{self.nodes}-b{self.buffer_flits}"
        return name + ("-far" if self.far else "") + ("" if self.multicast else "-unicast")

    @property
    def plan(self) -> NetworkPlan:
        """Plan of the router's network."""
        plan = spam_plan(_routing(self.ports, self.nodes, self.flit_bits), buffer_flits=self.buffer_flits)
        return plan if self.multicast else without_multicast(plan, _unicast_router)

    @property
    def switch(self) -> int:
        """Switch of the router."""
        if self.far:
            side = _side(self.nodes)
            return side * (side - 2) + side - 2
        plan = self.plan
        return next(
            switch
            for shape, switch in representative_switches(plan).items()
            if len(plan.network.input_channel[switch]) == self.ports and plan.routers[switch].shape == shape
        )


def _unicast_router(router: Part) -> Part:
    return SpamRouter(replace(router.parameters, multicast=False))


def _side(nodes: int) -> int:
    return round(nodes**0.5)


@cache
def _routing(ports: int, nodes: int, flit_bits: int) -> SpamRouting:
    return SpamRouting(SpamLabels(_network(ports, nodes)), flit_bits)


def _network(ports: int, nodes: int) -> Network:
    """Return a network with one processor per switch and ``ports`` ports per switch."""
    if ports == 3:
        return ring_network(nodes)
    if ports == 5:
        return mesh_network((_side(nodes), _side(nodes)))
    if ports == HYPERCUBE_PORTS:
        return hypercube_network(HYPERCUBE_PORTS - 1)
    # a random graph in which nearly all switches use all their links
    return irregular_network(nodes, ports=ports, extra_links=nodes * (ports - 3) // 2, seed=1)


def rows() -> list[SpamRow]:
    """Return all rows of the table, the reference first."""
    return [
        SpamRow(),
        SpamRow(far=True),
        *(SpamRow(ports=ports) for ports in (3, HYPERCUBE_PORTS, 9)),
        *(SpamRow(flit_bits=bits) for bits in (16, 64)),
        *(SpamRow(nodes=nodes, far=far) for nodes in (16, 256) for far in (False, True)),
        *(SpamRow(buffer_flits=flits) for flits in (1, 8)),
        SpamRow(ports=3, flit_bits=16),
        *(SpamRow(nodes=nodes, multicast=False) for nodes in (16, 64, 256)),
        SpamRow(far=True, multicast=False),
    ]
