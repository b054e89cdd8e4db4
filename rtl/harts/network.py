# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""From a wrapped hexagonal mesh to a network plan."""

from rtl.common.plan import NetworkPlan, RouterUse, SideWire
from rtl.harts.parameters import HartsNodeParameters
from rtl.harts.router import HartsNode
from topology.harts.mesh import DIRECTIONS, opposite
from topology.harts.pages import node_pages
from topology.harts.routing import HartsRouting


def harts_plan(
    routing: HartsRouting,
    *,
    packet_flits: int,
    pages: int | None = None,
    buffer_flits: int = 1,
    gap_frames: int = 1,
    relay_frames: int = 1,
    classed: bool = True,
) -> NetworkPlan:
    """Plan of a mesh: all nodes have one shape.

    Parameters
    ----------
    routing : HartsRouting
    packet_flits : int
        Flits of the longest packet, header included.
    pages : int or None
        Packets that a node's memory holds; by default as few as are safe.
    buffer_flits, gap_frames, relay_frames, classed
        See ``HartsNodeParameters``.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
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
    )
    shape = HartsNode(parameters).module_name
    wires = []
    for node in range(mesh.nodes):
        for direction in range(DIRECTIONS):
            before = mesh.neighbour(node, opposite(direction))
            wires.append(SideWire(node, f"kept_{direction}", before, f"ahead_{direction}"))
            wires.append(SideWire(before, f"wish_{direction}", node, f"wished_{direction}"))
    return NetworkPlan(
        family="harts",
        network=mesh,
        header=routing.header,
        shapes={shape: lambda: HartsNode(parameters)},
        routers=tuple(
            RouterUse(
                shape,
                {
                    "dead": routing.faults.dead_outputs(mesh, node),
                    "corrupting": int(node in routing.faults.corrupting_nodes),
                },
            )
            for node in range(mesh.nodes)
        ),
        parameters={
            "flit_bits": routing.flit_bits,
            "size": mesh.size,
            "levels": parameters.levels,
            "pages": parameters.pages,
            "packet_flits": packet_flits,
            "buffer_flits": buffer_flits,
            "gap_frames": gap_frames,
            "relay_frames": relay_frames,
        },
        side_wires=tuple(wires),
    )
