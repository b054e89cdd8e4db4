"""State of the SPAM routers: arrays of records, all fields int64. Masks have one bit per port of a switch."""

from typing import NamedTuple

import numpy as np

from sim_model.common.engine.state import make_records
from sim_model.common.messages import Messages
from topology.spam.routing import SpamRouting

INPUT_FIELDS = (
    "channel_class",  # UP, CROSS or TREE; never changes
    "scanned",  # header flits looked at
    "delay",  # cycles that a new header has waited
    "request",  # outputs that the header wants
    "cursor",  # position in deliveries of the first destination that no scanned header flit holds
    "pending",  # requests that the serial enqueuer has still to enter
)
ROUTER_FIELDS = (
    "queued",  # inputs whose requests stand in the output queues
    "active",  # inputs that own their outputs
    "owned",  # outputs of the active inputs
    "turn",  # input that has first choice of the route unit
    "enqueue_turn",  # the same for the serial enqueuer
    "recheck",  # 1 if a queue has changed since the last grants
)


class SpamState(NamedTuple):
    """Tables and registers of all routers."""

    routing_cycles: int
    atomic: int  # 1, or 0 for the serial enqueuer
    key_flits: int
    multicast_flits: int  # header flits of a multicast
    flit_bits: int
    fixed_bits: int  # position of the destination bit string in the header
    routes: (
        np.ndarray
    )  # int64[switches, vertices, 3], masks of candidate outputs by LCA and class of the arrival channel
    reach_ports: np.ndarray  # int64[switches, processors], mask of the tree output that leads to a processor, or 0
    key: np.ndarray  # int64[messages], lowest common ancestor
    inputs: np.recarray  # INPUT_FIELDS, by channel (which stands for the input at its sink)
    routers: np.recarray  # ROUTER_FIELDS, by switch
    older: np.ndarray  # int64[channels, queues], inputs that enqueued before; a column per output if enqueues are split


def make_spam_state(routing: SpamRouting, messages: Messages, *, routing_cycles: int, atomic: bool) -> SpamState:
    """All routers as they are before cycle 0."""
    header = routing.header
    channels = len(routing.network.channels)
    return SpamState(
        routing_cycles=routing_cycles,
        atomic=int(atomic),
        key_flits=header.key_flits,
        multicast_flits=header.multicast_flits,
        flit_bits=header.flit_bits,
        fixed_bits=header.fixed_bits,
        routes=np.ascontiguousarray(routing.routes, dtype=np.int64),
        reach_ports=_reach_ports(routing),
        key=_lowest_common_ancestors(routing, messages),
        inputs=make_records(channels, INPUT_FIELDS, channel_class=routing.labels.channel_class),
        routers=make_records(routing.network.switches, ROUTER_FIELDS),
        older=np.zeros((channels, 1 if atomic else routing.most_ports), dtype=np.int64),
    )


def _reach_ports(routing: SpamRouting) -> np.ndarray:
    weights = 1 << np.arange(routing.most_ports, dtype=np.int64)
    return np.ascontiguousarray((routing.reach * weights[np.newaxis, :, np.newaxis]).sum(axis=1))


def _lowest_common_ancestors(routing: SpamRouting, messages: Messages) -> np.ndarray:
    """LCA of every message; each destination set is looked up once."""
    known: dict[bytes, int] = {}
    lca = np.zeros(len(messages), dtype=np.int64)
    for message in range(len(messages)):
        destinations = messages.destinations_of(message)
        key = destinations.tobytes()
        if key not in known:
            known[key] = routing.labels.lowest_common_ancestor(destinations.tolist())
        lca[message] = known[key]
    return lca
