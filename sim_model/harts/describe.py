"""Readable state of a node, and the relation of waiting packets."""

from sim_model.engines.cycle.state import CYCLE, NONE, EngineState
from sim_model.engines.inspect import buffer_text, buffered_flits, ports_text, register_text
from sim_model.engines.model import Wait
from sim_model.harts.page_sets import is_any, pages_in
from sim_model.harts.state import HartsState
from topology.harts.frame import SLOTS
from topology.harts.header import HOST
from topology.harts.routing import HartsRouting


def describe_router(routing: HartsRouting, state: EngineState, family: HartsState, switch: int) -> str:
    """Return receivers, transmitters and stored packets of one node as text."""
    network, node = routing.mesh, family.nodes[switch]
    slot = int(state.counters[CYCLE]) % SLOTS
    lines = [f"node {network.vertex_name(switch)}: slot {slot}, {int(node.free)} of {family.pages} pages free"]
    for port, channel in enumerate(network.input_channel[switch]):
        receiver = family.receivers[channel]
        text = f"  receiver {port} {network.channels[channel].name}: {buffer_text(state, channel)}"
        text += f" {_kept(receiver)}"
        if receiver.page != NONE:
            text += f", stores in page {int(receiver.page)} for outputs {ports_text(receiver.outputs)}"
        if receiver.transmitter != NONE:
            text += f", sends on to output {int(receiver.transmitter)}"
        lines.append(text)
    for port, channel in enumerate(network.output_channel[switch]):
        lines.append(
            f"  transmitter {port} {network.channels[channel].name}: {_transmitter(routing, state, family, channel)}"
        )
    for page in sorted({page for output in range(HOST + 1) for page in pages_in(family.waiting[switch, output])}):
        packet = family.packets[switch * family.pages + page]
        outputs = [output for output in range(HOST + 1) if page in pages_in(family.waiting[switch, output])]
        text = f"  page {page}: m{int(packet.message)}, {int(packet.flits)} flits, level {int(packet.hops)}"
        lines.append(f"{text}, waits for outputs {outputs}")
    if is_any(family.fresh[switch]):
        lines.append(f"  pages with packets that have just arrived: {pages_in(family.fresh[switch])}")
    return "\n".join(lines)


def _kept(receiver) -> str:
    if receiver.landing == NONE:
        return "keeps no page"
    return f"keeps page {int(receiver.landing)}" + (" for any packet" if receiver.for_any else "")


def _transmitter(routing: HartsRouting, state: EngineState, family: HartsState, channel: int) -> str:
    transmitter = family.transmitters[channel]
    text = register_text(routing.mesh, state, channel)
    if transmitter.owned:
        text += ", a receiver's"
    elif transmitter.page != NONE:
        text += f", sends page {int(transmitter.page)} from flit {int(transmitter.position)}"
    elif transmitter.free_cycle > int(state.counters[CYCLE]):
        text += f", free in cycle {int(transmitter.free_cycle)}"
    return text + f", wish {int(transmitter.wish)}"


def find_waits(routing: HartsRouting, state: EngineState, family: HartsState) -> list[Wait]:
    """Return stored packets that wait for a page of the next node, in a network where nothing moves.

    A stored packet is named by the channel over which it arrived.
    """
    network, waits = routing.mesh, []
    for switch in range(network.switches):
        for output, channel in enumerate(network.output_channel[switch]):
            for page in pages_in(family.waiting[switch, output]):
                packet = family.packets[switch * family.pages + page]
                arrived = network.input_channel[switch][int(packet.direction)]
                blockers = _stored_at(routing, family, network.channels[channel].sink)
                reason = f"for a page behind {network.channels[channel].name}"
                waits.append(Wait(arrived, int(packet.message), blockers, reason))
        channel = network.input_channel[switch][HOST]
        if buffered_flits(state, channel) and family.receivers[channel].landing == NONE:
            waits.append(Wait(channel, -1, _stored_at(routing, family, switch), "for a page"))
    return waits


def _stored_at(routing: HartsRouting, family: HartsState, switch: int) -> tuple[int, ...]:
    """Return the channels over which the packets in a node's memory came."""
    if not routing.mesh.is_switch(switch):
        return ()
    pages = {page for output in range(HOST + 1) for page in pages_in(family.waiting[switch, output])}
    directions = {int(family.packets.direction[switch * family.pages + page]) for page in pages}
    return tuple(routing.mesh.input_channel[switch][direction] for direction in sorted(directions))
