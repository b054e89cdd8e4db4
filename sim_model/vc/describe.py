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
from sim_model.vc.state import DRAIN, LaneState, credits_of
from topology.common.lanes import LaneNetwork


def describe_lane_router(network: LaneNetwork, state: EngineState, family: LaneState, switch: int) -> str:
    """Return the state of a router as text: a line per input and per input VC, per output and per output VC."""
    lines = [f"router {network.vertex_name(switch)}:"]
    for port, link in enumerate(network.links.input_channel[switch]):
        lines.append(f"  input {port} turn {_lane_turn(network, family, link)}, {_request(network, family, link)}")
        lines += [f"    {_input_text(network, state, family, lane)}" for lane in network.lanes_of[link]]
    for port, link in enumerate(network.links.output_channel[switch]):
        output = family.outputs[switch * family.most_ports + port]
        inputs = (1 << len(network.links.input_channel[switch])) - 1
        lines.append(f"  output {port} turn {_turn(output.turn, inputs)}, requests {ports_text(output.requests)}")
        lines += [f"    {_output_text(network, state, family, lane)}" for lane in network.lanes_of[link]]
    return "\n".join(lines)


def _turn(turn: int, mask: int) -> int:
    """Return the VC or input whose turn it is, counted from the first one in a mask."""
    ports = ports_in(mask)
    return int(turn) - ports[0] if turn in ports else 0


def _lane_turn(network: LaneNetwork, family: LaneState, link: int) -> int:
    """Return the VC of an input whose turn it is."""
    channels = [network.channels[lane] for lane in network.lanes_of[link]]
    turned = family.routers["turned"]
    return next((place for place, c in enumerate(channels) if int(turned[c.sink]) >> c.sink_port & 1), 0)


def _request(network: LaneNetwork, family: LaneState, link: int) -> str:
    """Return the request of an input as text; drain requests are on no list."""
    asking = {int(family.input_lanes[number].channel): number for number in family.all_requests()}
    for lane in network.lanes_of[link]:
        channel = network.channels[lane]
        if int(family.routers["draining"][channel.sink]) >> channel.sink_port & 1:
            return f"request of {channel.name} to be drained"
        if lane in asking:
            return f"request of {channel.name} for {network.channels[family.input_lanes[asking[lane]].to].name}"
    return "no request"


def _input_text(network: LaneNetwork, state: EngineState, family: LaneState, lane: int) -> str:
    channel = network.channels[lane]
    record = family.input_lanes[channel.sink * family.most_lanes + channel.sink_port]
    ways, lane_port = int(family.lane_ways[channel.sink, channel.sink_port]), channel.sink_port
    has = {name: int(family.routers[name][channel.sink]) >> lane_port & 1 for name in ("active", "looked_up")}
    text = f"{channel.name}: {buffer_text(state, lane)} "
    if has["active"]:
        target = _target(network, family, lane)
        text += "is drained" if target is None else f"has {network.channels[target].name}"
    elif ways == 1 << DRAIN:
        text += "is unroutable"
    elif has["looked_up"]:
        text += f"candidates {ports_text(ways)}"
    else:
        text += "no worm"
    return f"{text} delay {int(record.delay)}"


def _output_text(network: LaneNetwork, state: EngineState, family: LaneState, lane: int) -> str:
    channel, record = network.channels[lane], family.output_lanes[lane]
    owner = _owner(network, family, lane)
    owned = "free" if owner is None else f"had by {network.channels[owner].name}"
    credits = credits_of(family, channel.source, channel.source_port)
    text = f"{channel.name}: {register_text(network, state, lane)}, {owned}, {credits} credits"
    if record.buffer == NONE:
        return text
    waiting: Any = family.buffers[record.buffer]
    slots, mask = family.slots[record.buffer], family.slots.shape[1] - 1
    flits = " ".join(flit_text(int(slots[(waiting.front + k) & mask])) for k in range(int(waiting.count)))
    return f"{text}, delivery buffer [{flits or 'empty'}]"


def _target(network: LaneNetwork, family: LaneState, lane: int) -> int | None:
    """Return the output VC (its channel) of the worm of an active input VC; None if it is drained."""
    channel = network.channels[lane]
    ways = int(family.lane_ways[channel.sink, channel.sink_port])
    return None if ways == 1 << DRAIN else network.output_channel[channel.sink][ways.bit_length() - 1]


def _owner(network: LaneNetwork, family: LaneState, output: int) -> int | None:
    """Return the input VC (its channel) whose worm holds an output VC."""
    switch = network.channels[output].source
    if not network.is_switch(switch):
        return None
    lanes = [network.input_channel[switch][port] for port in ports_in(int(family.routers["active"][switch]))]
    return next((lane for lane in lanes if _target(network, family, lane) == output), None)


def find_lane_waits(network: LaneNetwork, state: EngineState, family: LaneState) -> list[Wait]:
    """Return the waits of all input VCs with flits or output VCs, in a network where nothing moves."""
    return [wait for switch in range(network.switches) for wait in _waits_at(network, state, family, switch)]


def _waits_at(network: LaneNetwork, state: EngineState, family: LaneState, switch: int) -> Iterator[Wait]:
    active = int(family.routers["active"][switch])
    for port, lane in enumerate(network.input_channel[switch]):
        flits = buffered_flits(state, lane)
        if flits and active >> port & 1:
            yield _wait_for_room(network, family, lane, flit_message(flits[0]))
        elif flits:
            yield _wait_for_lanes(network, family, lane, flit_message(flits[0]))
        elif active >> port & 1:
            yield from _wait_for_flits(network, family, lane)


def _wait_for_room(network: LaneNetwork, family: LaneState, lane: int, message: int) -> Wait:
    target = _target(network, family, lane)
    assert target is not None
    return Wait(lane, message, (target,), f"for room in the buffer behind {network.channels[target].name}")


def _wait_for_lanes(network: LaneNetwork, family: LaneState, lane: int, message: int) -> Wait:
    """Return the wait of a head for its route candidates: for the worms that hold them, or for room behind them."""
    switch = network.channels[lane].sink
    ways = int(family.lane_ways[switch, network.channels[lane].sink_port])
    blockers, reasons = [], []
    for port in ports_in(ways):
        target = network.output_channel[switch][port]
        owner = _owner(network, family, target)
        name = network.channels[target].name
        blockers.append(target if owner is None else owner)
        owned = None if owner is None else f"{name} had by {network.channels[owner].name}"
        reasons.append(owned or f"room in the buffer behind {name}")
    return Wait(lane, message, tuple(blockers), "for " + ", or ".join(reasons))


def _wait_for_flits(network: LaneNetwork, family: LaneState, lane: int) -> Iterator[Wait]:
    """Yield the wait of a worm without flits for the input VC that feeds its own; hosts never block."""
    feeder = _owner(network, family, lane)
    if feeder is not None:
        yield Wait(lane, -1, (feeder,), f"for more flits from {network.channels[feeder].name}")
