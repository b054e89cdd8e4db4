"""State of the switches and tokens of a multistage network: arrays of records, all fields int64.

Masks have one bit per port of a switch.
"""

from typing import NamedTuple

import numpy as np

from sim_model.common.engine.state import NONE, make_records
from sim_model.common.messages import Messages
from topology.min.groups import TOKEN_RULES
from topology.min.routing import MinRouting

INPUT_FIELDS = (
    "channel_class",  # FORWARD or BACKWARD; never changes
    "scanned",  # header flits looked at
    "delay",  # cycles that a new header has waited
    "request",  # outputs that the header wants
    "cursor",  # position in deliveries of the first destination that no scanned header flit holds
    "owed",  # of them, those that have not got the tail yet; 0 unless the input stands in the queues
    "copied",  # outputs that have got the first flit in the buffer
    "first",  # of the owed, those that nobody older is owed; as it was when the queues last changed
    "older",  # inputs that entered the queues before
)
ROUTER_FIELDS = (
    "queued",  # inputs whose request is complete
    "standing",  # of them, those that stand in the output queues
    "seeking",  # of them, those that wait for the token
    "owned",  # always 0: all requests are found through ``queued``
    "turn",  # input that has first choice of the route unit
    "token_turn",  # input that has first choice of the token
    "holder",  # input that holds the token, or NONE
    "popped",  # flits of the holder's message that all branches have copied
    "group",  # number of the token group, or NONE; never changes, like the next two
    "place",  # in the ring of the group
    "release_flits",  # when ``popped`` is so much, the token goes on
    "requeued",  # 1 if ``first`` has to be found again
    "recheck",  # 1 if something may be copied although no register was emptied
)
GROUP_FIELDS = (
    "switches",  # in the ring; never changes
    "held",  # 1 while some input holds the token
    "free_cycle",  # when the token was last free at ``free_place``; it has gone round since
    "free_place",
)


class MinState(NamedTuple):
    """Tables and registers of all switches."""

    routing_cycles: int
    key_flits: int
    multicast_flits: int  # header flits of a multicast
    flit_bits: int
    fixed_bits: int  # position of the destination bit string in the header
    routes: np.ndarray  # int64[switches, keys, classes], masks of candidate outputs
    reach_ports: np.ndarray  # int64[switches, processors], mask of the output that leads to a processor, or 0
    key: np.ndarray  # int64[messages]
    inputs: np.recarray  # INPUT_FIELDS, by channel (which stands for the input at its sink)
    routers: np.recarray  # ROUTER_FIELDS, by switch
    groups: np.recarray  # GROUP_FIELDS


def make_min_state(
    routing: MinRouting, messages: Messages, *, routing_cycles: int, buffer_depth_flits: int, token: str
) -> MinState:
    """All switches as they are before cycle 0; each token is at the first switch of its ring."""
    header, network = routing.header, routing.network
    weights = 1 << np.arange(routing.most_ports, dtype=np.int64)
    groups = routing.groups.groups if token in TOKEN_RULES else ()
    return MinState(
        routing_cycles=routing_cycles,
        key_flits=header.key_flits,
        multicast_flits=header.multicast_flits,
        flit_bits=header.flit_bits,
        fixed_bits=header.fixed_bits,
        routes=np.ascontiguousarray(routing.routes, dtype=np.int64),
        reach_ports=np.ascontiguousarray((routing.reach * weights[np.newaxis, :, np.newaxis]).sum(axis=1)),
        key=_keys(routing, messages),
        inputs=make_records(
            len(network.channels),
            INPUT_FIELDS,
            channel_class=[routing.input_class(channel.index) for channel in network.channels],
        ),
        routers=_routers(routing, buffer_depth_flits, token),
        groups=make_records(len(groups), GROUP_FIELDS, switches=[len(group.switches) for group in groups]),
    )


def _routers(routing: MinRouting, buffer_depth_flits: int, token: str) -> np.recarray:
    switches, groups = routing.network.switches, routing.groups
    routers = make_records(switches, ROUTER_FIELDS, group=NONE, holder=NONE)
    if token not in TOKEN_RULES:
        return routers
    for number, group in enumerate(groups.groups):
        for place, switch in enumerate(group.switches):
            routers.group[switch] = number
            routers.place[switch] = place
            routers.release_flits[switch] = groups.release_flits(switch, buffer_depth_flits, token)
    return routers


def _keys(routing: MinRouting, messages: Messages) -> np.ndarray:
    """Routing key of every message."""
    keys = np.zeros(len(messages), dtype=np.int64)
    for message in range(len(messages)):
        destinations = messages.destinations_of(message).tolist()
        keys[message] = routing.routing_key(int(messages.source[message]), destinations)
    return keys
