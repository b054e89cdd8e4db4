# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""From the routing tables of a multistage network to a network plan."""

from dataclasses import replace

from rtl.generator.error_monitor import guard_settings, watch_inputs
from rtl.generator.plan import Addressing, NetworkPlan, StatusPart, plan_routers
from rtl.min.parameters import MinRouterParameters
from rtl.min.router import MinRouter
from rtl.min.tokens import TokenMonitor
from rtl.min.turn_key import TurnKey
from rtl.routed.routed_input import routed_constants
from topology.common.link_stages import check_link_cycles
from topology.common.side_wires import SideWire
from topology.min.groups import EXACT, NO_TOKEN, TOKEN_RULES, Group, ring_wires, token_rings, token_wires
from topology.min.routing import MinRouting

TOKENS = (*TOKEN_RULES, NO_TOKEN)


def min_plan(
    routing: MinRouting,
    *,
    buffer_flits: int = 2,
    routing_cycles: int = 1,
    token: str = EXACT,
    link_cycles: int = 1,
    guard: bool = False,
    watchdog_flits: int = 0,
) -> NetworkPlan:
    """Return the plan of a multistage network: one router shape per pair of port numbers, with and without token.

    Parameters:
        buffer_flits: Flits of an input buffer beyond the longest header less one, at least 1.
        routing_cycles: Cycles from input buffer to output register for a head without contention, at least 1.
        token: Rule for passing the token: ``exact``; or, as negative controls, ``printed``, the paper's rule, and
            ``none`` for switches without tokens.
        link_cycles: Cycles from an output register to the buffer of the next switch, and from switch to switch for a
            token.
        guard: Reject flits outside of worms at all inputs (``WormGuard``).
        watchdog_flits: Truncate longer worms, at inputs with a guard; 0 for worms of any length.

    Raises:
        ValueError: If a parameter is out of range.
    """
    if token not in TOKENS:
        raise ValueError(f"Token is {token!r}; it must be one of {', '.join(TOKENS)}")
    network = routing.network
    planner = _Planner(routing, buffer_flits, routing_cycles, token, check_link_cycles(link_cycles))
    parameters = [
        replace(planner.parameters(switch), guarded=guard, watchdog_flits=watchdog_flits)
        for switch in range(network.switches)
    ]
    shapes, routers = plan_routers(MinRouter, parameters, planner.constants)
    return NetworkPlan(
        family="min",
        network=network,
        header=routing.header,
        shapes=shapes,
        routers=routers,
        parameters={
            "flit_bits": routing.flit_bits,
            "buffer_flits": buffer_flits,
            "routing_cycles": routing_cycles,
            "token": token,
            "kind": network.kind,
            "radix": network.radix,
            "stages": network.stages,
            "consumption_channels": network.consumption_channels,
            **guard_settings(guard=guard, watchdog_flits=watchdog_flits),
        },
        addressing=min_addressing(routing),
        side_wires=token_wires(routing.groups, token),
        status=(*planner.monitors(), watch_inputs(network, guarded=guard)),
        link_cycles=link_cycles,
    )


def min_addressing(routing: MinRouting) -> Addressing:
    """Return the rule for the key; after it the header contains only the number of the sender."""
    processors = tuple(range(len(routing.network.processors)))
    return Addressing(
        key=lambda: TurnKey(routing),
        key_cycles=TurnKey.key_cycles,
        unicast_keys=processors,
        node_fields=processors,
        set_key=routing.routing_key,
    )


class _Planner:
    """Properties shared by the switches of one network."""

    def __init__(self, routing: MinRouting, buffer_flits: int, routing_cycles: int, token: str, link_cycles: int):
        self.routing = routing
        self.network = routing.network
        self.buffer_flits = buffer_flits
        self.routing_cycles = routing_cycles
        self.token = token
        self.link_cycles = link_cycles
        self.groups = token_rings(routing.groups, token)
        self.depth_flits = routing.header.buffer_depth_flits(buffer_flits)
        self.most_release_flits = max((self._release_flits(group.switches[0]) for group in self.groups), default=0)

    def _release_flits(self, switch: int) -> int:
        return self.routing.groups.release_flits(switch, self.depth_flits, self.link_cycles, self.token)

    def _has_token(self, switch: int) -> bool:
        return self.token in TOKEN_RULES and self.routing.groups.group_of[switch] is not None

    def parameters(self, switch: int) -> MinRouterParameters:
        """Return the shape of a switch's router."""
        return MinRouterParameters(
            input_ports=len(self.network.input_channel[switch]),
            output_ports=len(self.network.output_channel[switch]),
            routing_keys=self.routing.keys,
            arrival_classes=self.routing.classes,
            header=self.routing.header,
            most_release_flits=self.most_release_flits if self._has_token(switch) else 0,
            buffer_flits=self.buffer_flits,
            routing_cycles=self.routing_cycles,
        )

    def constants(self, switch: int, parameters: MinRouterParameters) -> dict[str, int]:
        """Return the constants of a switch's router."""
        routing = self.routing
        classes = [routing.input_class(channel) for channel in self.network.input_channel[switch]]
        constants = routed_constants(routing, switch, classes, parameters)
        if parameters.has_token:
            group = self.groups[routing.groups.group_of[switch] or 0]
            constants["release_flits"] = self._release_flits(switch)
            constants["starts_here"] = int(group.switches[0] == switch)
        return constants

    def monitors(self) -> tuple[StatusPart, ...]:
        """Return the monitors of the rings."""
        if not self.groups:
            return ()
        sizes = [self._token_registers(group) for group in self.groups]
        here: list[tuple[int, str] | SideWire] = []
        for group in self.groups:
            here += [*((switch, "here") for switch in group.switches), *ring_wires(group)]
        meanings = {
            "lost": "Token rings that had no token: their parts were not reset together.",
            "duplicated": "Token rings that had two tokens: their parts were not reset together.",
        }

        def make(clearable: bool) -> TokenMonitor:
            return TokenMonitor(sizes, clearable=clearable)

        return (StatusPart("token", make, {"here": here}, meanings),)

    def _token_registers(self, group: Group) -> int:
        """Return the number of places for a token: switches, and register stages of the wires between them."""
        switches = len(group.switches)
        return switches * self.link_cycles if switches > 1 else 1
