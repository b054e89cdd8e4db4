"""A switch's state for people, and who waits for whom."""

from typing import Any

from sim_model.common.engine.state import CYCLE, NONE, EngineState
from sim_model.common.inspect import buffered_flits, flit_message, flit_text, ports_in, registered_flit, stages_text
from sim_model.common.model import Wait
from sim_model.min.state import MinState
from topology.min.routing import ARRIVAL_CLASSES, MinRouting


def describe_router(routing: MinRouting, state: EngineState, family: MinState, switch: int) -> str:
    """Buffers, header state, requests, token, and registers and owners of the outputs of one switch."""
    network, router = routing.network, family.routers[switch]
    lines = [
        f"router {network.vertex_name(switch)}: route unit turn {int(router.turn)}, {_token(state, family, switch)}"
    ]
    lines += [_input_line(routing, state, family, switch, port) for port in range(len(network.input_channel[switch]))]
    for port, channel in enumerate(network.output_channel[switch]):
        flit = registered_flit(network, state, channel)
        first = first_input(routing, family, switch, port)
        owner = "free" if first is None else f"owned by input {first}"
        name = network.channels[channel].name
        lines.append(f"  output {port} {name}: {'empty' if flit is None else flit_text(flit)}, {owner}")
    return "\n".join(lines)


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


def _input_line(routing: MinRouting, state: EngineState, family: MinState, switch: int, port: int) -> str:
    network = routing.network
    channel = network.input_channel[switch][port]
    header, router = family.inputs[channel], family.routers[switch]
    flits = " ".join(flit_text(flit) for flit in buffered_flits(state, channel)) or "empty"
    text = f"  input {port} {network.channels[channel].name} ({ARRIVAL_CLASSES[int(header.channel_class)]}): [{flits}]"
    text += f"{stages_text(state, channel)} scanned {int(header.scanned)} delay {int(header.delay)}"
    text += f" request {_ports(header.request)} owed {_ports(header.owed)} copied {_ports(header.copied)}"
    for name in ("queued", "standing", "seeking"):
        text += f" {name}" if int(router[name]) >> port & 1 else ""
    return text


def _ports(mask: int) -> str:
    return "{" + " ".join(map(str, ports_in(mask))) + "}"


def first_input(routing: MinRouting, family: MinState, switch: int, output: int) -> int | None:
    """The input that is first in the queue of an output."""
    inputs = routing.network.input_channel[switch]
    standing = int(family.routers.standing[switch])
    owed = [port for port in ports_in(standing) if int(family.inputs.owed[inputs[port]]) >> output & 1]
    for port in owed:
        if not any(int(family.inputs.older[inputs[port]]) >> other & 1 for other in owed if other != port):
            return port
    return None


def find_waits(routing: MinRouting, state: EngineState, family: MinState) -> list[Wait]:
    """What every input channel that holds a flit, or owns outputs, waits for, in a network where nothing moves."""
    network = routing.network
    waits = []
    for switch in range(network.switches):
        for port, channel in enumerate(network.input_channel[switch]):
            flits = buffered_flits(state, channel)
            if flits:
                waits.append(_wait(routing, family, switch, port, flit_message(flits[0])))
            elif int(family.routers.standing[switch]) >> port & 1:
                waits.append(Wait(channel, -1, *_upstream(routing, family, channel)))
    return waits


def _upstream(routing: MinRouting, family: MinState, channel: int) -> tuple[tuple[int, ...], str]:
    """An owner without flits waits for the input that feeds its channel."""
    network = routing.network
    source, port = network.channels[channel].source, network.channels[channel].source_port
    feeder = first_input(routing, family, source, port) if network.is_switch(source) else None
    if feeder is None:
        return (), "for more flits"
    number = network.input_channel[source][feeder]
    return (number,), f"for more flits from {network.channels[number].name}"


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
        first = first_input(routing, family, switch, output)
        name = network.channels[outputs[output]].name
        if first is not None and first != port:
            blockers.append(inputs[first])
            reasons.append(f"{name} owned by {network.channels[inputs[first]].name}")
        else:
            blockers.append(outputs[output])
            reasons.append(f"room in the buffer behind {name}")
    return Wait(channel, message, tuple(blockers), "for " + ", ".join(reasons))


def _token_holders(routing: MinRouting, family: MinState, group: int) -> tuple[int, ...]:
    """The input channel that holds a group's token."""
    holders = []
    for switch in routing.groups.groups[group].switches:
        holder = int(family.routers.holder[switch])
        if holder != NONE:
            holders.append(routing.network.input_channel[switch][holder])
    return tuple(holders)
