"""Readable state of a multistage switch, and the relation of waiting channels."""

from functools import partial
from typing import Any

from sim_model.engines.cycle.state import CYCLE, NONE, EngineState
from sim_model.engines.inspect import ports_in
from sim_model.engines.model import Wait
from sim_model.min.state import MinState
from sim_model.routed.routed_describe import ShownFields, describe_routed, input_waits
from topology.min.routing import ARRIVAL_CLASSES, MinRouting

SHOWN = ShownFields(ARRIVAL_CLASSES, ("request", "owed", "copied"), ("queued", "standing", "seeking"))


def describe_router(routing: MinRouting, state: EngineState, family: MinState, switch: int) -> str:
    """Return buffers, header state, requests, token, and output registers and owners of one switch as text."""
    about = _token(state, family, switch)
    return describe_routed(routing.network, state, family, switch, about, SHOWN, partial(_owner, routing, family))


def _token(state: EngineState, family: MinState, switch: int) -> str:
    router = family.routers[switch]
    if router.group == NONE:
        return "no token needed"
    group: Any = family.groups[router.group]
    if router.holder != NONE:
        copied = f"{int(router.popped)} of {int(router.release_flits)} flits copied"
        return f"token held by input {int(router.holder)}, {copied}"
    if group.held:
        return f"token of group {int(router.group)} elsewhere"
    cycle = int(state.counters[CYCLE])
    steps, on_wire = divmod(cycle - int(group.free_cycle), int(group.wire_cycles))
    position = (int(group.free_position) + steps) % int(group.switches)
    where = f"at place {position}" + (f", {on_wire} cycles behind it" if on_wire else "")
    return f"token of group {int(router.group)} free {where}, this is {int(router.ring_position)}"


def _owner(routing: MinRouting, family: MinState, switch: int, output: int) -> int | None:
    """Return the input that is first in the queue of an output."""
    inputs = routing.network.input_channel[switch]
    standing = int(family.routers.standing[switch])
    owed = [port for port in ports_in(standing) if int(family.inputs.owed[inputs[port]]) >> output & 1]
    for port in owed:
        if not any(int(family.inputs.older[inputs[port]]) >> other & 1 for other in owed if other != port):
            return port
    return None


def find_waits(routing: MinRouting, state: EngineState, family: MinState) -> list[Wait]:
    """Return the waits of all input channels with flits or outputs, in a network where nothing moves."""
    owner, wait = partial(_owner, routing, family), partial(_wait, routing, family)
    return list(input_waits(routing.network, state, family.routers.standing, owner, wait))


def _wait(routing: MinRouting, family: MinState, switch: int, port: int, message: int) -> Wait:
    network, router = routing.network, family.routers[switch]
    inputs, outputs = network.input_channel[switch], network.output_channel[switch]
    channel = inputs[port]
    header = family.inputs[channel]
    if int(router.seeking) >> port & 1:
        holders = _token_holders(routing, family, int(router.group))
        names = ", ".join(network.channels[holder].name for holder in holders)
        return Wait(channel, message, holders, f"for the token, held by {names}")
    blockers, reasons = [], []
    for output in ports_in(int(header.owed) & ~int(header.copied)):
        first = _owner(routing, family, switch, output)
        name = network.channels[outputs[output]].name
        if first is not None and first != port:
            blockers.append(inputs[first])
            reasons.append(f"{name} owned by {network.channels[inputs[first]].name}")
        else:
            blockers.append(outputs[output])
            reasons.append(f"room in the buffer behind {name}")
    return Wait(channel, message, tuple(blockers), "for " + ", ".join(reasons))


def _token_holders(routing: MinRouting, family: MinState, group: int) -> tuple[int, ...]:
    """Return the input channel that holds a group's token."""
    holders = []
    for switch in routing.groups.groups[group].switches:
        holder = int(family.routers.holder[switch])
        if holder != NONE:
            holders.append(routing.network.input_channel[switch][holder])
    return tuple(holders)
