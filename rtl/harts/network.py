# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""From a wrapped hexagonal mesh to a network plan."""

from functools import partial

from rtl.endpoints.axi_ejector import AxiStreamEjector
from rtl.generator.error_monitor import watch_inputs
from rtl.generator.plan import NetworkPlan, StreamEndpoints, plan_routers
from rtl.harts.copy_collector import CopyCollector
from rtl.harts.parameters import HartsNodeParameters
from rtl.harts.router import HartsNode
from rtl.harts.streams import HartsStreamEjector, HartsStreamInjector
from topology.common.link_stages import check_link_cycles
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS
from topology.harts.frame import most_link_cycles
from topology.harts.pages import node_pages, page_wires
from topology.harts.reception import ENTRIES, check_reception
from topology.harts.routing import HartsRouting, operation


def harts_plan(
    routing: HartsRouting,
    *,
    packet_flits: int,
    pages: int | None = None,
    buffer_flits: int = 1,
    gap_frames: int = 1,
    relay_frames: int = 1,
    classed: bool = True,
    reception: str | None = None,
    reception_entries: int = ENTRIES,
    least_copies: int = 1,
    link_cycles: int = 1,
    whole_packets: bool = False,
) -> NetworkPlan:
    """Return the plan of a mesh: all nodes have one shape.

    Parameters:
        packet_flits: Flits of the longest packet, header included.
        pages: Packets in a node's memory; by default the safe minimum.
        buffer_flits, gap_frames, relay_frames, classed: See ``HartsNodeParameters``.
        reception: Mode in which AXI4-Stream endpoints merge the copies of a broadcast, see ``CopyCollector``; by
            default they deliver all copies.
        reception_entries, least_copies (int): See ``CopyCollector``.
        link_cycles: Cycles from one node to the next, of links and side wires; at most
            ``topology.harts.frame.most_link_cycles``.
        whole_packets: See ``HartsNodeParameters``.

    Raises:
        ValueError: If a parameter is out of range.
    """
    check_link_cycles(link_cycles, most_link_cycles(gap_frames, guard=routing.guard))
    mesh = routing.mesh
    parameters = HartsNodeParameters(
        header=routing.header,
        size=mesh.size,
        levels=routing.levels,
        pages=node_pages(pages, routing.levels),
        packet_flits=packet_flits,
        buffer_flits=buffer_flits,
        gap_frames=gap_frames,
        relay_frames=relay_frames,
        classed=classed,
        guard=routing.guard,
        whole_packets=whole_packets,
    )
    shapes, routers = plan_routers(HartsNode, [parameters] * mesh.nodes, partial(_constants, routing))
    return NetworkPlan(
        family="harts",
        network=mesh,
        header=routing.header,
        shapes=shapes,
        routers=routers,
        parameters=_described(parameters),
        side_wires=page_wires(mesh, routing.levels),
        link_cycles=link_cycles,
        most_flits=packet_flits,
        status=(watch_inputs(mesh, guarded=whole_packets),),
        endpoints=stream_endpoints(routing, packet_flits, reception, reception_entries, least_copies),
    )


def _constants(routing: HartsRouting, node: int, parameters: HartsNodeParameters) -> dict[str, int]:
    """Return the constants of one node: its failures and, for its guard, its number."""
    faults = routing.faults
    constants = {
        "dead": faults.dead_outputs(routing.mesh, node),
        "corrupting": int(node in faults.corrupting_nodes),
    }
    return {**constants, "node": node} if parameters.guard else constants


def _described(parameters: HartsNodeParameters) -> dict[str, object]:
    """Return the manifest entries about the nodes."""
    names = ("flit_bits", "size", "levels", "pages", "packet_flits", "buffer_flits", "gap_frames", "relay_frames")
    described = {name: getattr(parameters, name) for name in names}
    return {**described, "whole_packets": True} if parameters.whole_packets else described


def stream_endpoints(
    routing: HartsRouting, packet_flits: int, reception: str | None, entries: int, least_copies: int
) -> StreamEndpoints | None:
    """Return the AXI4-Stream endpoints, if packets can have a body; see ``harts_plan``.

    Raises:
        ValueError: If a parameter is out of range.
    """
    if reception is not None:
        check_reception(reception, entries, least_copies)
    if packet_flits == 1:
        return None
    algorithms = (name for name in ALGORITHMS if name != ALGORITHM_A or routing.algorithm_a)
    described: dict[str, object] = {
        "operations": {name: operation(name) for name in algorithms},
        "reception": reception,
    }
    if reception is None:
        return StreamEndpoints(
            lambda: HartsStreamInjector(routing, packet_flits), lambda: AxiStreamEjector(routing.header), described
        )

    def collector() -> CopyCollector:
        return CopyCollector(routing.header, routing.mesh.nodes, packet_flits, reception, entries, least_copies)

    return StreamEndpoints(
        lambda: HartsStreamInjector(routing, packet_flits),
        lambda: HartsStreamEjector(collector),
        {**described, "reception_entries": entries, "least_copies": least_copies},
    )
