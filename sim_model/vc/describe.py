"""Readable state of a router with virtual channels, and the relation of waiting VCs."""

from collections.abc import Iterator
from typing import Any

from sim_model.engines.cycle.state import NONE, EngineState
from sim_model.engines.inspect import (
    buffer_text,
    buffered_flits,
    flit_message,
    flit_text,
    ports_in,
    ports_text,
    register_text,
)
from sim_model.engines.model import Wait
from sim_model.vc.state import DRAIN, VcState, credits_of
from topology.common.virtual_channels import VcNetwork


def describe_vc_router(network: VcNetwork, state: EngineState, family: VcState, switch: int) -> str:
    """Return the state of a router as text: a line per input and per input VC, per output and per output VC."""
    lines = [f"router {network.vertex_name(switch)}:"]
    for port, link in enumerate(network.links.input_channel[switch]):
        lines.append(f"  input {port} turn {_vc_turn(network, family, link)}, {_request(network, family, link)}")
        lines += [f"    {_input_text(network, state, family, vc)}" for vc in network.vcs_of[link]]
    for port, link in enumerate(network.links.output_channel[switch]):
        output = family.outputs[switch * family.most_ports + port]
        inputs = (1 << len(network.links.input_channel[switch])) - 1
        lines.append(f"  output {port} turn {_turn(output.turn, inputs)}, requests {ports_text(output.requests)}")
        lines += [f"    {_output_text(network, state, family, vc)}" for vc in network.vcs_of[link]]
    return "\n".join(lines)


def _turn(turn: int, mask: int) -> int:
    """Return the VC or input whose turn it is, counted from the first one in a mask."""
    ports = ports_in(mask)
    return int(turn) - ports[0] if turn in ports else 0


def _vc_turn(network: VcNetwork, family: VcState, link: int) -> int:
    """Return the VC of an input whose turn it is."""
    channels = [network.channels[vc] for vc in network.vcs_of[link]]
    turned = family.routers["turned"]
    return next((place for place, c in enumerate(channels) if int(turned[c.sink]) >> c.sink_port & 1), 0)


def _request(network: VcNetwork, family: VcState, link: int) -> str:
    """Return the request of an input as text; drain requests are on no list."""
    asking = {int(family.input_vcs[number].channel): number for number in family.all_requests()}
    for vc in network.vcs_of[link]:
        channel = network.channels[vc]
        if int(family.routers["draining"][channel.sink]) >> channel.sink_port & 1:
            return f"request of {channel.name} to be drained"
        if vc in asking:
            return f"request of {channel.name} for {network.channels[family.input_vcs[asking[vc]].to].name}"
    return "no request"


def _input_text(network: VcNetwork, state: EngineState, family: VcState, vc: int) -> str:
    channel = network.channels[vc]
    record = family.input_vcs[channel.sink * family.most_vcs + channel.sink_port]
    candidates, vc_port = int(family.vc_candidates[channel.sink, channel.sink_port]), channel.sink_port
    has = {name: int(family.routers[name][channel.sink]) >> vc_port & 1 for name in ("active", "looked_up")}
    text = f"{channel.name}: {buffer_text(state, vc)} "
    if has["active"]:
        target = _target(network, family, vc)
        text += "is drained" if target is None else f"has {network.channels[target].name}"
    elif candidates == 1 << DRAIN:
        text += "is unroutable"
    elif has["looked_up"]:
        text += f"candidates {ports_text(candidates)}"
    else:
        text += "no worm"
    return f"{text} delay {int(record.delay)}"


def _output_text(network: VcNetwork, state: EngineState, family: VcState, vc: int) -> str:
    channel, record = network.channels[vc], family.output_vcs[vc]
    owner = _owner(network, family, vc)
    owned = "free" if owner is None else f"had by {network.channels[owner].name}"
    credits = credits_of(family, channel.source, channel.source_port)
    text = f"{channel.name}: {register_text(network, state, vc)}, {owned}, {credits} credits"
    if record.buffer == NONE:
        return text
    waiting: Any = family.buffers[record.buffer]
    slots, mask = family.slots[record.buffer], family.slots.shape[1] - 1
    flits = " ".join(flit_text(int(slots[(waiting.front + k) & mask])) for k in range(int(waiting.count)))
    return f"{text}, delivery buffer [{flits or 'empty'}]"


def _target(network: VcNetwork, family: VcState, vc: int) -> int | None:
    """Return the output VC (its channel) of the worm of an active input VC; None if it is drained."""
    channel = network.channels[vc]
    candidates = int(family.vc_candidates[channel.sink, channel.sink_port])
    return None if candidates == 1 << DRAIN else network.output_channel[channel.sink][candidates.bit_length() - 1]


def _owner(network: VcNetwork, family: VcState, output: int) -> int | None:
    """Return the input VC (its channel) whose worm holds an output VC."""
    switch = network.channels[output].source
    if not network.is_switch(switch):
        return None
    vcs = [network.input_channel[switch][port] for port in ports_in(int(family.routers["active"][switch]))]
    return next((vc for vc in vcs if _target(network, family, vc) == output), None)


def find_vc_waits(network: VcNetwork, state: EngineState, family: VcState) -> list[Wait]:
    """Return the waits of all input VCs with flits or output VCs, in a network where nothing moves."""
    return [wait for switch in range(network.switches) for wait in _waits_at(network, state, family, switch)]


def _waits_at(network: VcNetwork, state: EngineState, family: VcState, switch: int) -> Iterator[Wait]:
    active = int(family.routers["active"][switch])
    for port, vc in enumerate(network.input_channel[switch]):
        flits = buffered_flits(state, vc)
        if flits and active >> port & 1:
            yield _wait_for_room(network, family, vc, flit_message(flits[0]))
        elif flits:
            yield _wait_for_vcs(network, family, vc, flit_message(flits[0]))
        elif active >> port & 1:
            yield from _wait_for_flits(network, family, vc)


def _wait_for_room(network: VcNetwork, family: VcState, vc: int, message: int) -> Wait:
    target = _target(network, family, vc)
    assert target is not None
    return Wait(vc, message, (target,), f"for room in the buffer behind {network.channels[target].name}")


def _wait_for_vcs(network: VcNetwork, family: VcState, vc: int, message: int) -> Wait:
    """Return the wait of a head for its route candidates: for the worms that hold them, or for room behind them."""
    switch = network.channels[vc].sink
    candidates = int(family.vc_candidates[switch, network.channels[vc].sink_port])
    blockers, reasons = [], []
    for port in ports_in(candidates):
        target = network.output_channel[switch][port]
        owner = _owner(network, family, target)
        name = network.channels[target].name
        blockers.append(target if owner is None else owner)
        owned = None if owner is None else f"{name} had by {network.channels[owner].name}"
        reasons.append(owned or f"room in the buffer behind {name}")
    return Wait(vc, message, tuple(blockers), "for " + ", or ".join(reasons))


def _wait_for_flits(network: VcNetwork, family: VcState, vc: int) -> Iterator[Wait]:
    """Yield the wait of a worm without flits for the input VC that feeds its own; hosts never block."""
    feeder = _owner(network, family, vc)
    if feeder is not None:
        yield Wait(vc, -1, (feeder,), f"for more flits from {network.channels[feeder].name}")
