"""Latency without contention in closed form (docs/look_up/timing_torus.md, "Latency without contention")."""

from topology.torus.grid import Turns
from topology.torus.routing import TorusRouting


def hops_between(routing: TorusRouting, source: int, destination: int, turns: Turns | None = None) -> int:
    """Return the channels h on the path of a message, injection and delivery included."""
    return 2 + sum(1 for _ in routing.network.grid.path(source, destination, turns))


def has_closed_form(buffer_flits: int, routing_cycles: int) -> bool:
    """Return whether the latency of a lone message is independent of bubbles between its flits.

    While a head takes R cycles per switch, the flits behind it fill the buffers. With 2 or 4 flits in a buffer a worm
    then stops at times for lack of credits, in different switches at different times; with 3 flits only if R is 2.
    """
    return routing_cycles == 1 or (buffer_flits not in (2, 4) and (buffer_flits, routing_cycles) != (3, 2))


def cycles_behind_head(flits: int, buffer_flits: int, routing_cycles: int) -> int:
    """Return cycles from the arrival of a lone message's head at its destination to that of its tail.

    A cycle is lost behind the head. After that the flits follow in groups of as many as there are credits in four
    cycles.

    Raises:
        ValueError: If there is no closed form.
    """
    if not has_closed_form(buffer_flits, routing_cycles):
        raise ValueError(f"Buffers of {buffer_flits} flits must not go with a routing of {routing_cycles!r} cycles")
    behind = flits - 1
    if behind == 0:
        return 0
    if buffer_flits == 1:
        return 4 * behind
    if buffer_flits == 2:
        return 2 * behind + (1 if behind > 1 else 0)
    if buffer_flits == 3:
        groups, rest = divmod(behind - 1, 3)
        return 4 * groups + ((3, 3, 4)[rest] if groups else rest + 2)
    return behind + 1


def closed_form_latency(
    routing: TorusRouting,
    source: int,
    destination: int,
    flits: int,
    *,
    turns: Turns | None = None,
    buffer_flits: int = 4,
    routing_cycles: int = 1,
    startup_cycles: int = 0,
) -> int:
    """Return cycles from the start of a message to the arrival of its tail, in an otherwise empty network.

    ``startup + R (h - 1) + h + 1``, and the time of the flits behind the head.

    Parameters:
        source, destination (int)
        flits: Length L of the message, header included.
        turns: Default: the shorter ways.
        buffer_flits, routing_cycles (int): As for ``TorusModel``.
        startup_cycles: Start-up of the host.

    Raises:
        ValueError: If there is no closed form.
    """
    hops = hops_between(routing, source, destination, turns)
    head = startup_cycles + routing_cycles * (hops - 1) + hops + 1
    return head + cycles_behind_head(flits, buffer_flits, routing_cycles)
