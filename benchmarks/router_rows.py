"""Routers whose cost is tabulated: in each family one thing varied at a time around a reference, the first row."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from fpga.common.subject import representative_switches
from rtl.axi4.manager import ManagerInterface
from rtl.axi4.subordinate import SubordinateInterface
from rtl.axi4.timeout import SubordinateTimeout
from rtl.collectives.endpoint import PlaneEndpoint
from rtl.collectives.parameters import PlaneParameters
from rtl.collectives.plan import PlanePlan, make_switch
from rtl.endpoints.packet_buffer import PacketBuffer
from rtl.generator.plan import NetworkPlan, RouterInstance
from rtl.harts.network import harts_plan
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.min.router import MinRouter
from rtl.parts.part import Part
from rtl.spam.network import spam_plan
from rtl.spam.router import SpamRouter
from rtl.torus.network import torus_plan
from topology.axi4.address_map import AddressMap, Region, Window
from topology.axi4.words import Axi4Format
from topology.collectives.operators import OPERATORS
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import plane_tree
from topology.common.ages import AGE, ROUND_ROBIN
from topology.common.graph import Network
from topology.common.lattice import irregular_network
from topology.common.regular import hypercube_network, mesh_network, ring_network
from topology.harts.graph import HexMesh
from topology.harts.pages import node_pages
from topology.harts.routing import HartsRouting
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import BIDIRECTIONAL, MinNetwork, SwitchPosition
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import FAST_ROUTING_CYCLES, SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, DATELINE, TorusRouting

UNICAST = "-unicast"
"""End of the name of a router without the logic for multicasts."""
FAR, FAST, AGED = "-far", "-fast", "-age"
PLANE = "plane"
AXI4 = "axi4"
PLANE_BRANCHES = 4
HYPERCUBE_PORTS = 7
"""Six dimensions and a processor: 64 nodes."""


@dataclass(frozen=True)
class RouterRow:
    """One router.

    Members:
        name: In the table and in the baseline.
        make_plan: Returns the plan of the router's network.
        find_switch: Returns the router's switch in the plan.
    """

    name: str
    make_plan: Callable[[], NetworkPlan]
    find_switch: Callable[[NetworkPlan], int]

    @cached_property
    def plan(self) -> NetworkPlan:
        """Plan of the router's network."""
        return self.make_plan()

    @property
    def switch(self) -> int:
        """Switch of the router."""
        return self.find_switch(self.plan)


def spam_row(
    ports: int = 5, flit_bits: int = 32, nodes: int = 64, buffer_flits: int = 2, end: str = "", multicast: bool = True
) -> RouterRow:
    """Return a SPAM router with the fewest cycles per hop, by default of an 8 x 8 mesh.

    It is the switch with the largest tables, the root; with ``end`` ``FAR`` an inner switch near a corner, with ``end``
    ``FAST`` the root with the fast pipeline, with ``AGED`` one with queues sorted by age.
    """
    side = round(nodes**0.5)

    def network() -> Network:
        if ports == 3:
            return ring_network(nodes)
        if ports == 5:
            return mesh_network((side, side))
        if ports == HYPERCUBE_PORTS:
            return hypercube_network(HYPERCUBE_PORTS - 1)
        # a random graph in which nearly all switches use all their links
        return irregular_network(nodes, ports=ports, extra_links=nodes * (ports - 3) // 2, seed=1)

    def plan() -> NetworkPlan:
        pipeline = {"fast": True, "routing_cycles": FAST_ROUTING_CYCLES} if end == FAST else {}
        routing = SpamRouting(SpamLabels(network()), flit_bits, arbitration=AGE if end == AGED else ROUND_ROBIN)
        with_multicast = spam_plan(routing, buffer_flits=buffer_flits, **pipeline)
        if multicast:
            return with_multicast
        return _without_multicast(
            with_multicast, lambda router: SpamRouter(replace(router.parameters, multicast=False))
        )

    def switch(plan: NetworkPlan) -> int:
        if end == FAR:
            return side * (side - 2) + side - 2
        return next(
            switch
            for shape, switch in representative_switches(plan).items()
            if len(plan.network.input_channel[switch]) == ports and plan.routers[switch].shape == shape
        )

    name = f"p{ports}-f{flit_bits}-n{nodes}-b{buffer_flits}{end}"
    return RouterRow(name + ("" if multicast else UNICAST), plan, switch)


def min_row(
    kind: str = "baseline",
    radix: int = 4,
    stages: int = 3,
    flit_bits: int = 32,
    buffer_flits: int = 2,
    multicast: bool = True,
) -> RouterRow:
    """Return a switch of a multistage network.

    It is one of the first stage, which has the largest reach sets and the largest token ring; of a bidirectional
    network one of the last stage but one, with twice as many ports.
    """

    def unicast_router(router: Part) -> Part:
        return MinRouter(replace(router.parameters, multicast=False, most_release_flits=0))

    def plan() -> NetworkPlan:
        routing = MinRouting(MinNetwork(kind, radix, stages), flit_bits)
        with_multicast = min_plan(routing, buffer_flits=buffer_flits)
        return with_multicast if multicast else _without_multicast(with_multicast, unicast_router)

    def switch(plan: NetworkPlan) -> int:
        assert isinstance(plan.network, MinNetwork)
        return plan.network.switch_at[SwitchPosition(stages - 2 if kind == BIDIRECTIONAL else 0, 0)]

    direction = "bi" if kind == BIDIRECTIONAL else "uni"
    name = f"min-{direction}{radix}-f{flit_bits}-n{radix**stages}-b{buffer_flits}"
    return RouterRow(name + ("" if multicast else UNICAST), plan, switch)


def harts_row(
    size: int = 5, flit_bits: int = 64, packet_flits: int = 65, pages: int | None = None, guard: bool = False
) -> RouterRow:
    """Return a node of a hexagonal mesh; packets of up to 512 bytes, by default the safe minimum of pages."""
    routing = HartsRouting(HexMesh(size), flit_bits, guard=guard)
    name = f"harts-size{size}-f{flit_bits}-packet{packet_flits}-pages{node_pages(pages, routing.levels)}"
    return RouterRow(
        name + ("-guard" if guard else ""),
        lambda: harts_plan(routing, packet_flits=packet_flits, pages=pages),
        lambda _plan: 0,
    )


def torus_row(
    side: int = 8,
    vcs: int = 2,
    buffer_flits: int = 4,
    flit_bits: int = 32,
    routing_cycles: int = 1,
    vc_rule: str = DALLY_SEITZ,
    end: str = "",
    **rules: str,
) -> RouterRow:
    """Return a switch of a torus, all of which are alike but for their constants.

    ``end`` is the end of the name of a router with other ``rules`` than usual.
    """
    grid = Grid(side, side)
    return RouterRow(
        f"torus-{side}x{side}-l{vcs}-b{buffer_flits}-f{flit_bits}-r{routing_cycles}{end}",
        lambda: torus_plan(
            TorusRouting(TorusNetwork(grid, vcs), flit_bits, vc_rule),
            buffer_flits=buffer_flits,
            routing_cycles=routing_cycles,
            **{"vc_reallocation": "tail", **rules},
        ),
        lambda _plan: grid.node(3, 5),
    )


def hypercube_row(dimensions: int = 6, vcs: int = 2, buffer_flits: int = 4, injection_channels: int = 1) -> RouterRow:
    """Return a switch of a hypercube, all of which are alike but for their numbers."""
    channels = "" if injection_channels == 1 else f"-i{injection_channels}"
    return RouterRow(
        f"hypercube-n{dimensions}-l{vcs}-b{buffer_flits}-f32{channels}",
        lambda: hypercube_plan(
            HypercubeRouting(HypercubeNetwork(dimensions, vcs, injection_channels), 32), buffer_flits=buffer_flits
        ),
        lambda _plan: 0b010110 & (1 << dimensions) - 1,
    )


def plane_row(operators: str = "all", groups: int = 2, *, endpoint: bool = False) -> RouterRow:
    """Return a switch, or an endpoint, of a collective plane beside an 8 x 8 mesh, with groups of all nodes.

    The switch has 4 branches and a parent. ``operators`` are ``all``, one, or ``none``: barriers alone, without
    endpoints.
    """
    numbers = {"all": tuple(range(len(OPERATORS))), "none": ()}
    built = numbers[operators] if operators in numbers else (OPERATORS.index(operators),)
    network = mesh_network((8, 8))
    tables = PlaneTables(plane_tree(network), groups_of([range(64)] * groups))
    plane = PlanePlan(tables, PlaneParameters(groups, operators=built, timeouts=False))
    switch = next(s for s, shape in plane.shapes.items() if shape.branches == PLANE_BRANCHES and shape.has_parent)

    def make() -> Part:
        return PlaneEndpoint(plane.parameters) if endpoint else make_switch(plane.shapes[switch])

    part = "endpoint" if endpoint else f"switch-{PLANE_BRANCHES}"
    name = f"{PLANE}-{part}-w{plane.parameters.word_bits}-g{groups}-{operators}"
    constants = {} if endpoint else plane.constants(switch)
    parameters: dict[str, object] = {"operators": operators, "groups": groups, "endpoint": endpoint}
    return _part_row(name, PLANE, make, constants, parameters, switch)


def axi4_row(
    part: str = "manager", end: str = "", *, windows: int = 0, masks: bool = False, **options: Any
) -> RouterRow:
    """Return an interface of an AXI4 end, or what is in front of one: 64 processors, eight regions of 64 KiB.

    32 bits of data and address, 2 bits of ID, 4 transactions in each direction. ``options`` are those of the part.
    """
    subordinates = tuple(range(12, 20))
    regions = [Region(processor, i << 16, 1 << 16) for i, processor in enumerate(subordinates)]
    areas = AddressMap(regions, [Window(subordinates, 1 << 31, 1 << 16)] * windows)
    axi = Axi4Format(64, id_bits=2, windows=windows, masks=masks)
    widths = axi.min_request_bits, axi.min_response_bits
    constants: dict[str, int] = {}
    if part == "manager":
        constants = {"node": 5, "reachable": (1 << len(areas.areas)) - 1}
    if windows and part in ("manager", "subordinate"):
        constants |= {"receivers": len(subordinates)} if part == "manager" else {"base": 1 << 16}

    def make() -> Part:
        if part == "timeout":
            return SubordinateTimeout(axi, options["cycles"], options["pending"])
        if part == "buffer":
            return PacketBuffer(axi.min_request_bits + 1, options["flits"])  # and the mark of the last word
        if part == "manager":
            return ManagerInterface(axi, areas, *widths, **options)
        return SubordinateInterface(axi, *widths, **options)

    parameters = {"part": part, "windows": windows, **({"masks": True} if masks else {}), **options}
    return _part_row(f"{AXI4}-{part}{end}", AXI4, make, constants, parameters)


def _part_row(
    name: str,
    family: str,
    make: Callable[[], Part],
    constants: dict[str, int],
    parameters: dict[str, object],
    switch: int = 0,
) -> RouterRow:
    """Return a part beside the routers of an 8 x 8 mesh, in the place of a router."""

    def plan() -> NetworkPlan:
        return replace(
            spam_plan(SpamRouting(SpamLabels(mesh_network((8, 8))), 32)),
            family=family,
            shapes={family: make},
            routers=(RouterInstance(family, constants),) * 64,
            parameters=parameters,
            side_wires=(),
            status=(),
        )

    return RouterRow(name, plan, lambda _plan: switch)


def _without_multicast(plan: NetworkPlan, unicast_router: Callable[[Part], Part]) -> NetworkPlan:
    """Return a plan whose routers, and their constants, support unicasts only."""
    shapes: dict[str, Callable[[], Part]] = {}
    inputs: dict[str, set[str]] = {}
    for shape, make in plan.shapes.items():
        shapes[shape] = lambda make=make: unicast_router(make())
        inputs[shape] = set(shapes[shape]().signature.members)
    routers = tuple(
        RouterInstance(
            instance.shape,
            {name: value for name, value in instance.constants.items() if name in inputs[instance.shape]},
        )
        for instance in plan.routers
    )
    parameters = {**plan.parameters, "multicast": False}
    return replace(plan, shapes=shapes, routers=routers, parameters=parameters, side_wires=(), status=())


ROWS: dict[str, list[RouterRow]] = {
    "spam": [
        spam_row(),
        spam_row(end=FAR),
        spam_row(end=FAST),
        spam_row(end=AGED),
        *(spam_row(ports=ports) for ports in (3, HYPERCUBE_PORTS, 9)),
        *(spam_row(flit_bits=bits) for bits in (16, 64)),
        *(spam_row(nodes=nodes, end=end) for nodes in (16, 256) for end in ("", FAR)),
        *(spam_row(buffer_flits=flits) for flits in (1, 8)),
        spam_row(ports=3, flit_bits=16),
        *(spam_row(nodes=nodes, multicast=False) for nodes in (16, 64, 256)),
        spam_row(end=FAR, multicast=False),
    ],
    "min": [
        min_row(),
        min_row(radix=2, stages=6),
        min_row(radix=8, stages=2),
        *(min_row(flit_bits=bits) for bits in (16, 64)),
        *(min_row(stages=stages) for stages in (2, 4)),
        *(min_row(buffer_flits=flits) for flits in (1, 8)),
        min_row(BIDIRECTIONAL),
        min_row(BIDIRECTIONAL, radix=2, stages=6),
        min_row(multicast=False),
        min_row(BIDIRECTIONAL, multicast=False),
    ],
    "harts": [
        harts_row(),
        harts_row(size=3),
        harts_row(flit_bits=128, packet_flits=33),
        harts_row(pages=32),
        harts_row(guard=True),
    ],
    "torus": [
        torus_row(),
        torus_row(routing_cycles=2),
        *(torus_row(vcs=vcs) for vcs in (1, 3, 4)),
        *(torus_row(buffer_flits=flits) for flits in (1, 2, 8)),
        *(torus_row(flit_bits=bits) for bits in (16, 64)),
        torus_row(side=16),
        torus_row(vc_rule=DATELINE, end="-dateline"),
        torus_row(vc_reallocation="empty", end="-empty"),
        torus_row(injection_priority="low", end="-low"),
    ],
    "hypercube": [
        hypercube_row(),
        *(hypercube_row(vcs=vcs) for vcs in (1, 3, 4)),
        hypercube_row(dimensions=4),
        hypercube_row(buffer_flits=2),
        hypercube_row(injection_channels=6),
    ],
}
"""Rows of each family."""


PLANE_ROWS = [
    plane_row(),
    plane_row("sum"),
    plane_row("none", 4),
    plane_row(endpoint=True),
]
"""Parts of collective planes."""


AXI4_ROWS = [
    axi4_row(),
    axi4_row(end="-pipelined", pipelined=True),
    axi4_row(end="-cut16", cut_beats=16),
    axi4_row(end="-window", windows=1),
    axi4_row(end="-window-cut16", windows=1, cut_beats=16),
    axi4_row(end="-window-copies", windows=1, copies=True),
    axi4_row(end="-masks", masks=True),
    axi4_row("subordinate"),
    axi4_row("timeout", end="-1024", cycles=1024, pending=4),
    axi4_row("buffer", end="-512", flits=512),
]
"""Parts of AXI4 ends."""


def rows() -> list[RouterRow]:
    """Return all rows of the table."""
    return [*(row for of_family in ROWS.values() for row in of_family), *PLANE_ROWS, *AXI4_ROWS]
