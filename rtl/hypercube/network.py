# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""From the routing of a hypercube to a network plan."""

from rtl.generator.error_monitor import watch_inputs
from rtl.generator.plan import NetworkPlan, UnicastAddressing, plan_routers
from rtl.hypercube.node_key import NodeKey
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from topology.common.virtual_channels import ATOMIC
from topology.hypercube.routing import HypercubeRouting
from topology.hypercube.vc_wires import vc_wires


def hypercube_plan(routing: HypercubeRouting, *, buffer_flits: int = 4, vc_reallocation: str = ATOMIC) -> NetworkPlan:
    """Return the plan of a hypercube: one router shape for all switches.

    Parameters:
        buffer_flits: Flits of a virtual channel's buffer, 1 to 16; with 4 a single VC has the full rate.
        vc_reallocation: Rule of VC reallocation, see ``topology.hypercube.vc_reallocation``.

    Raises:
        ValueError: If a parameter is out of range.
    """
    network = routing.network
    parameters = HypercubeRouterParameters(
        routing.flit_bits,
        network.dimensions,
        network.vcs,
        buffer_flits,
        network.injection_channels_per_processor,
        routing.rule,
        vc_reallocation,
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
            "lanes": network.vcs,
            "injection_channels": network.injection_channels_per_processor,
            "rule": routing.rule,
            "buffer_flits": buffer_flits,
            "lane_reuse": vc_reallocation,
        },
        addressing=hypercube_addressing(routing),
        side_wires=vc_wires(network, parameters.unshared_vcs),
        status=(watch_inputs(network, guarded=False),),
    )


def hypercube_addressing(routing: HypercubeRouting) -> UnicastAddressing:
    """Return the key, the number of the destination; after it the header contains only the sender."""
    nodes = tuple(range(routing.network.switches))
    return UnicastAddressing(
        key=lambda: NodeKey(routing.network.dimensions), unicast_keys=nodes, sender_bits=0, node_fields=nodes
    )
