"""A SPAM router's state for people, and who waits for whom."""

from sim_model.common.engine.state import EngineState
from sim_model.common.inspect import buffered_flits, flit_message, flit_text, ports_in, registered_flit, stages_text
from sim_model.common.model import Wait
from sim_model.spam.state import SpamState
from topology.common.graph import Network
from topology.spam.graph import CLASS_NAMES


def describe_router(network: Network, state: EngineState, spam: SpamState, switch: int) -> str:
    """Buffers, header state, requests, age order, and registers and owners of the outputs of one router."""
    router = spam.routers[switch]
    lines = [
        f"router {network.vertex_name(switch)}: route unit turn {int(router.turn)}, "
        f"age order {_age_order(network, spam, switch)}"
    ]
    if not spam.atomic:
        lines[0] += f", enqueuer turn {int(router.enqueue_turn)}"
    lines += [_input_line(network, state, spam, switch, port) for port in range(network.degree(switch))]
    lines += [_output_line(network, state, spam, switch, port) for port in range(network.degree(switch))]
    return "\n".join(lines)


def _input_line(network: Network, state: EngineState, spam: SpamState, switch: int, port: int) -> str:
    channel = network.input_channel[switch][port]
    header = spam.inputs[channel]
    flits = " ".join(flit_text(flit) for flit in buffered_flits(state, channel)) or "empty"
    name = network.channels[channel].name
    text = f"  input {port} {name} ({CLASS_NAMES[int(header.channel_class)]}): [{flits}]"
    text += f"{stages_text(state, channel)} scanned {int(header.scanned)} delay {int(header.delay)}"
    text += f" request {_ports(header.request)}"
    if not spam.atomic:
        text += f" pending {_ports(header.pending)}"
    for name in ("queued", "active"):
        text += f" {name}" if int(spam.routers[name][switch]) >> port & 1 else ""
    return text


def _output_line(network: Network, state: EngineState, spam: SpamState, switch: int, port: int) -> str:
    channel = network.output_channel[switch][port]
    flit = registered_flit(network, state, channel)
    owner = _owner(network, spam, switch, port)
    owned = "free" if owner is None else f"owned by input {owner}"
    return f"  output {port} {network.channels[channel].name}: {'empty' if flit is None else flit_text(flit)}, {owned}"


def _ports(mask: int) -> str:
    return "{" + " ".join(map(str, ports_in(mask))) + "}"


def _owner(network: Network, spam: SpamState, switch: int, output: int) -> int | None:
    for port in ports_in(spam.routers.active[switch]):
        if int(spam.inputs.request[network.input_channel[switch][port]]) >> output & 1:
            return port
    return None


def _age_order(network: Network, spam: SpamState, switch: int) -> str:
    """Queued inputs, oldest first; one order per output if enqueues are split."""
    waiting = ports_in(spam.routers.queued[switch])
    if spam.atomic:
        return _sorted_by_age(network, spam, switch, waiting, 0)
    orders = []
    for output in range(network.degree(switch)):
        standing = [port for port in waiting if _stands(network, spam, switch, port, output)]
        orders.append(f"{output}:{_sorted_by_age(network, spam, switch, standing, output)}")
    return " ".join(orders)


def _stands(network: Network, spam: SpamState, switch: int, port: int, output: int) -> bool:
    channel = network.input_channel[switch][port]
    return bool((int(spam.inputs.request[channel]) & ~int(spam.inputs.pending[channel])) >> output & 1)


def _sorted_by_age(network: Network, spam: SpamState, switch: int, inputs: list[int], queue: int) -> str:
    older = {port: int(spam.older[network.input_channel[switch][port], queue]) for port in inputs}
    return "[" + " ".join(map(str, sorted(inputs, key=lambda port: older[port].bit_count()))) + "]"


def find_waits(network: Network, state: EngineState, spam: SpamState) -> list[Wait]:
    """What every input channel that holds a flit, or owns outputs, waits for, in a network where nothing moves."""
    waits = []
    for switch in range(network.switches):
        for port in range(network.degree(switch)):
            wait = _wait_of_input(network, state, spam, switch, port)
            if wait is not None:
                waits.append(wait)
    return waits


def _wait_of_input(network: Network, state: EngineState, spam: SpamState, switch: int, port: int) -> Wait | None:
    channel = network.input_channel[switch][port]
    flits = buffered_flits(state, channel)
    active = int(spam.routers.active[switch]) >> port & 1
    if not flits:
        return _wait_for_upstream(network, spam, switch, port) if active else None
    message = flit_message(flits[0])
    if active:
        return _wait_for_registers(network, state, spam, channel, message)
    return _wait_for_outputs(network, spam, switch, port, message)


def _wait_for_upstream(network: Network, spam: SpamState, switch: int, port: int) -> Wait | None:
    """An owner without flits waits for the input that feeds its channel."""
    channel = network.channels[network.input_channel[switch][port]]
    if not network.is_switch(channel.source):
        return None
    owner = _owner(network, spam, channel.source, channel.source_port)
    if owner is None:
        return None
    feeder = network.input_channel[channel.source][owner]
    return Wait(channel.index, -1, (feeder,), f"for more flits from {network.channels[feeder].name}")


def _wait_for_registers(network: Network, state: EngineState, spam: SpamState, channel: int, message: int) -> Wait:
    """An owner whose output registers do not empty waits for the buffers behind them."""
    switch = network.channels[channel].sink
    outputs = [network.output_channel[switch][port] for port in ports_in(spam.inputs.request[channel])]
    stuck = tuple(output for output in outputs if registered_flit(network, state, output) is not None)
    names = ", ".join(network.channels[output].name for output in stuck)
    return Wait(channel, message, stuck, f"for room in the buffer behind {names}")


def _wait_for_outputs(network: Network, spam: SpamState, switch: int, port: int, message: int) -> Wait:
    """A header waits for inputs that own its outputs or stand before it."""
    channel = network.input_channel[switch][port]
    request = int(spam.inputs.request[channel])
    reasons, blockers = [], []
    for output in ports_in(request):
        name = network.channels[network.output_channel[switch][output]].name
        owner = _owner(network, spam, switch, output)
        if owner is not None:
            blockers.append(network.input_channel[switch][owner])
            reasons.append(f"{name} owned by {network.channels[blockers[-1]].name}")
        for other in _older_inputs(network, spam, switch, port, output):
            blockers.append(network.input_channel[switch][other])
            reasons.append(f"{name} queued for before by {network.channels[blockers[-1]].name}")
    return Wait(channel, message, tuple(blockers), "for " + ", ".join(reasons))


def _older_inputs(network: Network, spam: SpamState, switch: int, port: int, output: int) -> list[int]:
    channel = network.input_channel[switch][port]
    queue = min(output, spam.older.shape[1] - 1)
    older = ports_in(int(spam.older[channel, queue]) & int(spam.routers.queued[switch]))
    return [other for other in older if _stands(network, spam, switch, other, output)]
