"""State of the SPAM routers: arrays of records. Masks have one bit per port of a switch."""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.discards import Discards, make_discards
from sim_model.engines.cycle.records import NUMBER, byte, make_records
from sim_model.engines.cycle.tables import (
    HEADER_FIELDS,
    ROUTE_UNIT_FIELDS,
    ComputedTables,
    RoutingTables,
    make_tables,
)
from sim_model.messages.messages import Messages
from sim_model.spam.ages import Ages
from sim_model.spam.computed import spam_reach, spam_routes
from topology.spam.routing import SpamRouting

INPUT_FIELDS = (
    *HEADER_FIELDS,
    "pending",  # requests that the serial enqueuer has still to enter
)
ROUTER_FIELDS = (
    *ROUTE_UNIT_FIELDS,  # queued: not active yet; owned: outputs of the active inputs
    "active",  # inputs that own their outputs
    "draining",  # active inputs whose worms are unroutable
    byte("enqueue_turn"),  # input that is first in turn for the serial enqueuer
    byte("recheck"),  # 1 if a queue has changed since the last grants
)


class SpamState(NamedTuple):
    """Tables and registers of all routers."""

    tables: RoutingTables
    discards: Discards
    atomic: int  # 1, or 0 for the serial enqueuer
    inputs: np.recarray  # INPUT_FIELDS, by channel (for the input at its sink)
    routers: np.recarray  # ROUTER_FIELDS, by switch
    feeders: np.ndarray  # uint32[channels], input whose flits go to the output register of a channel, where it is owned
    ages: Ages | None  # None if queues are in the order of enqueues
    older: np.ndarray  # int64[channels, queues], inputs that enqueued before; a column per output if enqueues are split


def make_spam_state(
    routing: SpamRouting, messages: Messages, *, routing_cycles: int, atomic: bool, ages: Ages | None = None
) -> SpamState:
    """Return all routers in their state before cycle 0."""
    channels = len(routing.network.channels)
    return SpamState(
        tables=make_tables(routing, messages, routing_cycles, _computed),
        discards=make_discards(routing.network),
        atomic=int(atomic),
        inputs=make_records(channels, INPUT_FIELDS, channel_class=routing.labels.channel_class),
        routers=make_records(routing.network.switches, ROUTER_FIELDS),
        feeders=np.zeros(channels, dtype=NUMBER),
        ages=ages,
        older=np.zeros((channels, 1 if atomic else routing.most_ports), dtype=np.int64),
    )


def _computed(routing: SpamRouting) -> ComputedTables:
    return ComputedTables(spam_routes(routing), spam_reach(routing))
