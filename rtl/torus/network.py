# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""From the routing of a torus or mesh to a network plan."""

from rtl.generator.error_monitor import watch_inputs
from rtl.generator.plan import NetworkPlan, UnicastAddressing, plan_routers
from rtl.torus.parameters import TorusRouterParameters
from rtl.torus.router import TorusRouter
from rtl.torus.shortest_key import ShortestKey
from topology.common.virtual_channels import NON_ATOMIC, PRIORITY_EQUAL, credit_wires
from topology.torus.grid import Turns
from topology.torus.header import RoutingKey
from topology.torus.routing import TorusRouting


def torus_plan(
    routing: TorusRouting,
    *,
    buffer_flits: int = 4,
    routing_cycles: int = 1,
    vc_reallocation: str = NON_ATOMIC,
    injection_priority: str = PRIORITY_EQUAL,
) -> NetworkPlan:
    """Return the plan of a torus or mesh: a torus has one router shape, a mesh one per corner, side and inside.

    Parameters:
        buffer_flits: Flits of a virtual channel's buffer, 1 to 16; with 4 a single VC has the full rate.
        routing_cycles: Cycles from a head's arrival to its output register without contention, at least 1.
        vc_reallocation: Rule of VC reallocation: with ``tail`` (non-atomic) as soon as the tail of the previous worm
            has left, with ``empty`` (atomic) when all credits are back.
        injection_priority: Priority of flits from processors: with ``equal`` round robin with those from channels, with
            ``low`` only if none of those requests the output.

    Raises:
        ValueError: If a parameter is out of range.
    """
    network = routing.network
    grid = network.grid
    parameters = [
        TorusRouterParameters(
            routing.header,
            grid.rows,
            grid.columns,
            grid.wraps,
            network.directions[switch],
            network.vcs,
            buffer_flits,
            routing_cycles,
            routing.vc_rule,
            vc_reallocation,
            injection_priority,
        )
        for switch in range(network.switches)
    ]

    def constants(switch: int, shape: TorusRouterParameters) -> dict[str, int]:
        row, column = grid.position(switch)
        values = {"row": row, "column": column}
        if shape.follows_arrival:
            vcs = [network.input_channel[switch][port * network.vcs] for port in range(len(shape.arrivals))]
            values["closes_ring"] = sum(network.closes_ring[vc] << port for port, vc in enumerate(vcs))
        return values

    shapes, routers = plan_routers(TorusRouter, parameters, constants)
    return NetworkPlan(
        family="torus",
        network=network,
        header=routing.header,
        shapes=shapes,
        routers=routers,
        parameters={
            "flit_bits": routing.flit_bits,
            "rows": grid.rows,
            "columns": grid.columns,
            "wraps": grid.wraps,
            "lanes": network.vcs,
            "lane_rule": routing.vc_rule,
            "lane_reuse": vc_reallocation,
            "injection_priority": injection_priority,
            "buffer_flits": buffer_flits,
            "routing_cycles": routing_cycles,
        },
        addressing=torus_addressing(routing),
        side_wires=credit_wires(network),
        status=(watch_inputs(network, guarded=False),),
    )


def torus_addressing(routing: TorusRouting) -> UnicastAddressing:
    """Return the rule for the key; after it the header contains only the number of the sender."""
    grid, keys = routing.network.grid, routing.key_format
    nodes = tuple(range(grid.nodes))
    return UnicastAddressing(
        key=lambda: ShortestKey(grid),
        unicast_keys=tuple(routing.routing_key(0, [node], Turns(False, False)) for node in nodes),
        sender_bits=keys.pack(RoutingKey(0, 0, 1, 1)),
        node_fields=nodes,
    )
