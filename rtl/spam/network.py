# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""From SPAM routing tables to a network plan."""

from functools import partial
from operator import attrgetter

from rtl.generator.error_monitor import guard_settings, watch_inputs
from rtl.generator.plan import Addressing, NetworkPlan, plan_routers
from rtl.routed.routed_input import routed_constants
from rtl.spam.multicast_key import MulticastKey
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.router import SpamRouter
from topology.common.ages import AGE, AGE_BITS, STEP_CYCLES
from topology.spam.routing import SpamRouting

ENQUEUE_KINDS = ("atomic", "split")


def spam_plan(
    routing: SpamRouting,
    *,
    buffer_flits: int = 2,
    routing_cycles: int = 1,
    enqueue: str = "atomic",
    link_cycles: int = 1,
    guard: bool = False,
    watchdog_flits: int = 0,
    fast: bool = False,
    age_step_cycles: int = STEP_CYCLES,
) -> NetworkPlan:
    """Return the plan of a SPAM network: one router shape per number of links.

    Parameters:
        buffer_flits: Flits of an input buffer beyond the longest header less one, at least 1.
        routing_cycles: Cycles from input buffer to output register for a head without contention, at least 1.
        enqueue: ``atomic``, or ``split`` for the negative control that deadlocks.
        fast: Pipeline for a faster clock, see ``SpamRouterParameters``. It needs ``routing_cycles`` 2.
        age_step_cycles: Step of ages, if the arbitration has them; one of ``STEPS_CYCLES``.
        link_cycles: Cycles from an output register to the buffer of the next router, at least 1.
        guard: Reject flits outside of worms at all inputs (``WormGuard``).
        watchdog_flits: Truncate longer worms, at inputs with a guard; 0 for worms of any length.

    Raises:
        ValueError: If a parameter is out of range.
    """
    if enqueue not in ENQUEUE_KINDS:
        raise ValueError(f"Enqueue is {enqueue!r}; it must be one of {', '.join(ENQUEUE_KINDS)}")
    network = routing.network

    def shape(switch: int) -> SpamRouterParameters:
        return SpamRouterParameters(
            ports=network.degree(switch),
            vertices=network.vertices,
            header=routing.header,
            buffer_flits=buffer_flits,
            routing_cycles=routing_cycles,
            atomic_enqueue=enqueue == "atomic",
            guarded=guard,
            watchdog_flits=watchdog_flits,
            fast=fast,
            age_step_cycles=age_step_cycles,
        )

    shapes, routers = plan_routers(
        SpamRouter,
        [shape(switch) for switch in range(network.switches)],
        partial(_constants, routing),
        order=attrgetter("ports"),
    )
    return NetworkPlan(
        family="spam",
        network=network,
        header=routing.header,
        shapes=shapes,
        routers=routers,
        parameters={
            "flit_bits": routing.flit_bits,
            "buffer_flits": buffer_flits,
            "routing_cycles": routing_cycles,
            "enqueue": enqueue,
            "root": routing.labels.root,
            **({"pipeline": "fast"} if fast else {}),
            **({"arbitration": AGE, "age_step_cycles": age_step_cycles} if routing.arbitration == AGE else {}),
            **guard_settings(guard=guard, watchdog_flits=watchdog_flits),
        },
        addressing=spam_addressing(routing),
        status=(watch_inputs(network, guarded=guard),),
        link_cycles=link_cycles,
    )


def spam_addressing(routing: SpamRouting) -> Addressing:
    """Return the rule for the key; after it the header contains the age, if there is one, and the sender's number."""
    network = routing.network
    age_bits = AGE_BITS if routing.arbitration == AGE else 0
    processors = range(len(network.processors))
    return Addressing(
        key=lambda: MulticastKey(routing.labels),
        key_cycles=MulticastKey(routing.labels).key_cycles,
        unicast_keys=tuple(network.processor_vertex(i) for i in processors),
        node_fields=tuple(processor << age_bits for processor in processors),
        set_key=routing.routing_key,
        parameters={"tree": routing.labels.parent.tolist()},
    )


def _constants(routing: SpamRouting, switch: int, parameters: SpamRouterParameters) -> dict[str, int]:
    """Return the constants of one switch's router."""
    classes = routing.labels.channel_class[list(routing.network.input_channel[switch])].tolist()
    return routed_constants(routing, switch, classes, parameters)
