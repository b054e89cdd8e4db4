"""Tables for the route unit: routing tables, headers of all messages, and the progress of each input."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sim_model.engines.cycle.records import byte, number, short
from sim_model.messages.messages import Messages

MAX_TABLE_ROWS = 1_500_000
"""Switches times keys up to which tables are made, of 8 to 24 bytes each."""

HEADER_FIELDS = (
    byte("channel_class"),  # class of the arrival channel, which has a routing table of its own; never changes
    short("scanned"),  # header flits that have been read
    short("delay"),  # cycles that a new header has waited
    "request",  # outputs that the header requests
    number("cursor"),  # position in deliveries of the first destination that no scanned header flit holds
)
"""Per input; a family adds what happens to a complete request."""

ROUTE_UNIT_FIELDS = (
    "queued",  # inputs whose request is complete
    "owned",  # outputs that are requested by inputs which are no longer ``queued``
    byte("turn"),  # input that is first in turn for the route unit
)
"""Per router; a family adds its own."""


class RoutingTables(NamedTuple):
    """Tables and headers; constant during a run."""

    routing_cycles: int
    key_flits: int
    multicast_flits: int  # header flits of a multicast, at most
    flit_bits: int
    fixed_bits: int  # position of the destination bit string in the header
    part_processors: int  # processors that one flit of a set names; 0 with a bit string
    unicast_flits: int  # flits before the first of these
    first_multicast_key: int  # headers with other keys name no set
    end_multicast_key: int
    routes: Any  # int64[switches, keys, classes], masks of candidate outputs; see ``lookups.py``
    reach_ports: Any  # int64[switches, processors], mask of the outputs that lead to a processor
    key: np.ndarray  # int64[messages], routing keys


class ComputedTables(NamedTuple):
    """Named tuples in the place of large tables; see ``lookups.py``."""

    routes: Any
    reach_ports: Any


def make_tables(
    routing: Any, messages: Messages, routing_cycles: int, computed: Callable[[Any], ComputedTables] | None = None
) -> RoutingTables:
    """Return a family's tables, laid out for the route unit.

    Parameters:
        routing: The family's tables.
        computed (function or None): Builds a replacement for the routing's tables where they would be large and do not
            exist yet.
    """
    header = routing.header
    routes, reach_ports = (computed or _whole_tables)(routing) if _are_large(routing) else _whole_tables(routing)
    return RoutingTables(
        routing_cycles=routing_cycles,
        key_flits=header.key_flits,
        multicast_flits=header.multicast_flits,
        flit_bits=header.flit_bits,
        fixed_bits=header.fixed_bits,
        part_processors=header.part_processors,
        unicast_flits=header.unicast_flits,
        first_multicast_key=routing.multicast_keys.start,
        end_multicast_key=routing.multicast_keys.stop,
        routes=routes,
        reach_ports=reach_ports,
        key=_keys(routing, messages),
    )


def _are_large(routing: Any) -> bool:
    """Return whether tables that follow rules are too large to build. Custom tables exist already."""
    return getattr(routing, "follows_rules", False) and routing.switches_times_keys > MAX_TABLE_ROWS


def _whole_tables(routing: Any) -> ComputedTables:
    weights = 1 << np.arange(routing.most_ports, dtype=np.int64)
    return ComputedTables(
        routes=np.ascontiguousarray(routing.routes, dtype=np.int64),
        reach_ports=np.ascontiguousarray((routing.reach * weights[np.newaxis, :, np.newaxis]).sum(axis=1)),
    )


def _keys(routing: Any, messages: Messages) -> np.ndarray:
    """Return the routing key of every message."""
    keys = np.zeros(len(messages), dtype=np.int64)
    several = messages.destination_counts > 1
    keys[~several] = _unicast_keys(routing, messages, np.flatnonzero(~several))
    keys[several] = _multicast_keys(routing, messages, np.flatnonzero(several))
    return keys


def _unicast_keys(routing: Any, messages: Messages, numbers: np.ndarray) -> np.ndarray:
    """Return the keys of unicasts. Each destination is looked up once, as tables do not depend on the source."""
    destination = messages.destinations[messages.offsets[numbers]]
    key_of = np.zeros(len(routing.network.processors), dtype=np.int64)
    for processor in np.flatnonzero(np.bincount(destination)).tolist():
        key_of[processor] = routing.routing_key(int(processor == 0), [processor])
    return key_of[destination]


def _multicast_keys(routing: Any, messages: Messages, numbers: np.ndarray) -> list[int]:
    """Return the keys of multicasts. Each pair of source and destination set is looked up once."""
    known: dict[tuple[int, bytes], int] = {}
    keys = []
    for message in numbers.tolist():
        source, destinations = int(messages.source[message]), messages.destinations_of(message)
        pair = source, destinations.tobytes()
        if pair not in known:
            known[pair] = routing.routing_key(source, destinations.tolist())
        keys.append(known[pair])
    return keys
