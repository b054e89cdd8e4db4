"""State of the switches and tokens of a multistage network: arrays of records.

Masks have one bit per port of a switch.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.discards import Discards, make_discards
from sim_model.engines.cycle.records import NUMBER, byte, make_records, number, short, signed
from sim_model.engines.cycle.state import NONE
from sim_model.engines.cycle.tables import (
    HEADER_FIELDS,
    ROUTE_UNIT_FIELDS,
    ComputedTables,
    RoutingTables,
    make_tables,
)
from sim_model.messages.messages import Messages
from sim_model.min.computed import min_reach, min_routes
from topology.min.groups import TOKEN_RULES, Group, token_rings
from topology.min.routing import MinRouting

INPUT_FIELDS = (
    *HEADER_FIELDS,
    "owed",  # of the request, the outputs that have not got the tail yet; 0 unless the input is in the queues
    "copied",  # outputs that have got the first flit in the buffer
    "first",  # of the owed, those that no older input is owed; since the last change of the queues
    "older",  # inputs that entered the queues before
)
ROUTER_FIELDS = (
    *ROUTE_UNIT_FIELDS,  # owned is always 0: all requests are found through ``queued``
    "standing",  # of the queued inputs, those in the output queues
    "seeking",  # of them, those that wait for the token
    byte("token_turn"),  # input that is first in turn for the token
    signed("holder"),  # input that holds the token, or NONE
    number("popped"),  # flits of the holder's message that all branches have copied
    "group",  # number of the token group, or NONE; never changes, like the next two
    short("ring_position"),  # in the ring of the group
    number("release_flits"),  # value of ``popped`` at which the token is released
    "wanted",  # outputs that an input may copy to that has not yet copied its first flit
    "draining",  # standing inputs whose worms are unroutable
    byte("requeued"),  # 1 if ``first`` has to be found again
    byte("recheck"),  # 1 if something may be copied although no register was emptied
)
GROUP_FIELDS = (
    "switches",  # in the ring; never changes, like the next one
    "wire_cycles",  # from one switch of the ring to the next
    "held",  # 1 while some input holds the token
    "free_cycle",  # when the token was last free at ``free_position``; it has gone round since
    "free_position",
)


class MinState(NamedTuple):
    """Tables and registers of all switches."""

    tables: RoutingTables
    discards: Discards
    inputs: np.recarray  # INPUT_FIELDS, by channel (for the input at its sink)
    routers: np.recarray  # ROUTER_FIELDS, by switch
    feeders: (
        np.ndarray
    )  # uint32[channels], input whose flits go to the output register of a channel, where it is wanted
    groups: np.recarray  # GROUP_FIELDS
    rings: np.ndarray  # int64[groups, most switches], switches by position in the ring


def make_min_state(
    routing: MinRouting,
    messages: Messages,
    *,
    routing_cycles: int,
    buffer_depth_flits: int,
    link_cycles: int,
    token: str,
) -> MinState:
    """Return all switches in their state before cycle 0; each token is at the first switch of its ring."""
    groups = token_rings(routing.groups, token)
    return MinState(
        tables=make_tables(routing, messages, routing_cycles, _computed),
        discards=make_discards(routing.network),
        inputs=make_records(
            len(routing.network.channels),
            INPUT_FIELDS,
            channel_class=[routing.input_class(channel.index) for channel in routing.network.channels],
        ),
        routers=_routers(routing, buffer_depth_flits, link_cycles, token),
        feeders=np.zeros(len(routing.network.channels), dtype=NUMBER),
        groups=make_records(
            len(groups),
            GROUP_FIELDS,
            switches=[len(group.switches) for group in groups],
            wire_cycles=[link_cycles if len(group.switches) > 1 else 1 for group in groups],
        ),
        rings=_rings(groups),
    )


def _computed(routing: MinRouting) -> ComputedTables:
    return ComputedTables(min_routes(routing), min_reach(routing))


def _rings(groups: tuple[Group, ...]) -> np.ndarray:
    rings = np.zeros((len(groups), max((len(group.switches) for group in groups), default=0)), dtype=np.int64)
    for row, group in zip(rings, groups, strict=True):
        row[: len(group.switches)] = group.switches
    return rings


def _routers(routing: MinRouting, buffer_depth_flits: int, link_cycles: int, token: str) -> np.recarray:
    switches, groups = routing.network.switches, routing.groups
    routers = make_records(switches, ROUTER_FIELDS, group=NONE, holder=NONE)
    if token not in TOKEN_RULES:
        return routers
    for ring, group in enumerate(groups.groups):
        for position, switch in enumerate(group.switches):
            routers.group[switch] = ring
            routers.ring_position[switch] = position
            routers.release_flits[switch] = groups.release_flits(switch, buffer_depth_flits, link_cycles, token)
    return routers
