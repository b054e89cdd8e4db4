"""Readable state of a hypercube switch, and the relation of waiting channels."""

from collections.abc import Iterator
from typing import Any

from sim_model.engines.cycle.state import NONE, EngineState
from sim_model.engines.inspect import buffer_text, buffered_flits, flit_message, ports_in, ports_text, register_text
from sim_model.engines.model import Wait
from sim_model.hypercube.state import HypercubeState
from sim_model.vc.state import credits_of
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


def describe_router(routing: HypercubeRouting, state: EngineState, family: HypercubeState, switch: int) -> str:
    """Return the state of a switch as text: a line for the allocator, and one per input, input VC and output VC."""
    network, routers = routing.network, family.routers
    router: Any = family.elections[switch]
    leader = _vc_name(network, switch, int(router.leader))
    picked = f"{_vc_name(network, switch, int(router.examined))} picked diagonal {int(router.line)}"
    if router.escape:
        picked += " for an escape"
    order = " ".join(map(str, family.random_order[switch]))
    lines = [f"router {network.vertex_name(switch)}: leader {leader}; {picked}; random order {order}"]
    for port, link in enumerate(network.links.input_channel[switch]):
        lines.append(f"  input {port} {_request(network, family, link)}")
        lines += [f"    {_input_text(network, state, family, vc)}" for vc in network.vcs_of[link]]
    for vc_port, vc in enumerate(network.output_channel[switch]):
        free = "free" if int(routers["free"][switch]) >> vc_port & 1 else "owned"
        lines.append(f"  output {network.channels[vc].name}: {register_text(network, state, vc)}, {free}")
    return "\n".join(lines)


def _vc_name(network: HypercubeNetwork, switch: int, vc_port: int) -> str:
    return "none" if vc_port == NONE else network.channels[network.input_channel[switch][vc_port]].name


def _request(network: HypercubeNetwork, family: HypercubeState, link: int) -> str:
    requested = family.routers["requested"]
    for vc in network.vcs_of[link]:
        channel = network.channels[vc]
        if int(requested[channel.sink]) >> channel.sink_port & 1:
            to = network.output_channel[channel.sink][family.vcs[channel.sink, channel.sink_port].target]
            return f"request of {channel.name} for output {network.links.channels[network.link_of[to]].source_port}"
    return "no request"


def _input_text(network: HypercubeNetwork, state: EngineState, family: HypercubeState, vc: int) -> str:
    channel = network.channels[vc]
    record: Any = family.vcs[channel.sink, channel.sink_port]
    text = f"{channel.name}: {buffer_text(state, vc)} "
    if int(family.routers["active"][channel.sink]) >> channel.sink_port & 1:
        if record.target == NONE:
            return f"{text}is drained"
        target = network.channels[network.output_channel[channel.sink][record.target]]
        if not network.is_switch(target.sink):
            return f"{text}has {target.name}"
        return f"{text}has {target.name} with {credits_of(family, channel.sink, int(record.target))} credits"
    if not buffered_flits(state, vc):
        return f"{text}no worm"
    vcs = [network.output_channel[channel.sink][vc_port] for vc_port in ports_in(_ways(record))]
    outputs = {network.links.channels[network.link_of[output]].source_port for output in vcs}
    return f"{text}wants outputs {ports_text(sum(1 << port for port in outputs))}"


def _ways(record: Any) -> int:
    """Return the mask of the output VCs that the head at the front of an input VC can get."""
    return int(record.candidates | record.escapes)


def find_waits(routing: HypercubeRouting, state: EngineState, family: HypercubeState) -> list[Wait]:
    """Return the waits of all input VCs with flits or output VCs, in a network where nothing moves."""
    return [wait for switch in range(routing.network.switches) for wait in _waits_at(routing, state, family, switch)]


def _waits_at(routing: HypercubeRouting, state: EngineState, family: HypercubeState, switch: int) -> Iterator[Wait]:
    network, active = routing.network, int(family.routers["active"][switch])
    for vc_port, vc in enumerate(network.input_channel[switch]):
        flits, record = buffered_flits(state, vc), family.vcs[switch, vc_port]
        if flits and active >> vc_port & 1:
            target = network.output_channel[switch][record.target]
            room = f"for room in the buffer behind {network.channels[target].name}"
            yield Wait(vc, flit_message(flits[0]), (target,), room)
        elif flits:
            yield _wait_for_vcs(network, family, vc, flit_message(flits[0]))
        elif active >> vc_port & 1:
            feeder = _owner(network, family, vc)
            if feeder is not None:
                yield Wait(vc, NONE, (feeder,), f"for flits of its worm from {network.channels[feeder].name}")


def _wait_for_vcs(network: HypercubeNetwork, family: HypercubeState, vc: int, message: int) -> Wait:
    """Return the wait of a head for its candidate VCs: for their worms, or for the buffers behind to be empty."""
    switch = network.channels[vc].sink
    record = family.vcs[switch, network.channels[vc].sink_port]
    blockers, reasons = [], []
    for vc_port in ports_in(_ways(record)):
        target = network.output_channel[switch][vc_port]
        owner = _owner(network, family, target)
        name = network.channels[target].name
        blockers.append(target if owner is None else owner)
        owned = None if owner is None else f"{name} had by {network.channels[owner].name}"
        reasons.append(owned or f"the buffer behind {name} to be empty")
    return Wait(vc, message, tuple(blockers), "for " + ", or ".join(reasons))


def _owner(network: HypercubeNetwork, family: HypercubeState, output: int) -> int | None:
    """Return the input VC (its channel) whose worm holds an output VC."""
    channel = network.channels[output]
    if not network.is_switch(channel.source):
        return None
    for vc_port in ports_in(int(family.routers["active"][channel.source])):
        if family.vcs[channel.source, vc_port].target == channel.source_port:
            return network.input_channel[channel.source][vc_port]
    return None
