# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""From the routing of a hypercube to a network plan."""

from rtl.generator.error_monitor import watch_inputs
from rtl.generator.plan import NetworkPlan, UnicastAddressing
from rtl.generator.plan_routers import plan_routers
from rtl.hypercube.node_key import NodeKey
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from topology.common.lanes import REUSE_EMPTY
from topology.hypercube.lane_wires import lane_wires
from topology.hypercube.routing import HypercubeRouting


def hypercube_plan(routing: HypercubeRouting, *, buffer_flits: int = 4, lane_reuse: str = REUSE_EMPTY) -> NetworkPlan:
    """Return the plan of a hypercube: one router shape for all switches.

    Parameters
    ----------
    routing : HypercubeRouting
    buffer_flits : int
        Flits of a virtual channel's buffer, 1 to 16; with 4 a single VC has the full rate.
    lane_reuse : str
        Rule of VC reallocation, see ``topology.hypercube.lane_reuse``.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    network = routing.network
    parameters = HypercubeRouterParameters(
        routing.flit_bits,
        network.dimensions,
        network.lanes,
        buffer_flits,
        network.injection_channels_per_processor,
        routing.rule,
        lane_reuse,
    )
    shapes, routers = plan_routers(
        HypercubeRouter, [parameters] * network.switches, lambda switch, _shape: {"node": switch}
    )
    return NetworkPlan(
        family="hypercube",
        network=network,
        header=routing.header,
        shapes=shapes,
        routers=routers,
        parameters={
            "flit_bits": routing.flit_bits,
            "dimensions": network.dimensions,
            "lanes": network.lanes,
            "injection_channels": network.injection_channels_per_processor,
            "rule": routing.rule,
            "buffer_flits": buffer_flits,
            "lane_reuse": lane_reuse,
        },
        addressing=hypercube_addressing(routing),
        side_wires=lane_wires(network, parameters.unshared_lanes),
        status=(watch_inputs(network, guarded=False),),
    )


def hypercube_addressing(routing: HypercubeRouting) -> UnicastAddressing:
    """Return the key, the number of the destination; after it the header contains only the sender."""
    nodes = tuple(range(routing.network.switches))
    return UnicastAddressing(
        key=lambda: NodeKey(routing.network.dimensions), unicast_keys=nodes, sender_bits=0, node_fields=nodes
    )
